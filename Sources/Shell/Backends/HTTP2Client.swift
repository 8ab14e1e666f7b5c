/// One HTTP/2 connection to a server, in clear text, used by one thread: gRPC calls.
///
/// A call waits for its answer and looks for Ctrl-C while it does; giving a call up resets its stream and leaves
/// the connection as it was.

import CNGHTTP2
import DocModel
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Owner: the session's thread.
///
/// INVARIANT: at most one stream is open; `stream` belongs to it.
final class HTTP2Client {
  /// What came of one request.
  private struct Stream {
    var id: Int32 = -1
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    var isClosed = false
    var resetCode: UInt32 = 0
    /// What is still to be sent, and whether our side ends after it.
    var outgoing: [UInt8] = []
    var sent = 0
    var ends = true
  }

  /// LIMIT: bytes of one gRPC message.
  private static let answerBytesMax = 256 << 20
  /// LIMIT: seconds to wait for an answer that should come at once.
  private static let answerSeconds = 60
  private static let windowBytes: Int32 = 1 << 20

  let address: String
  private var descriptor: Int32
  private var session: OpaquePointer?
  private var stream = Stream()

  init(_ address: String) throws(ShellError) {
    self.address = address
    descriptor = try ServerSocket.connect(address)
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    defer { nghttp2_session_callbacks_del(callbacks) }
    Self.install(callbacks)
    nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
    let settings = [
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(Self.windowBytes))
    ]
    nghttp2_submit_settings(session, 0, settings, settings.count)
    nghttp2_session_set_local_window_size(session, 0, 0, Self.windowBytes)
  }

  deinit {
    nghttp2_session_del(session)
    if descriptor >= 0 { close(descriptor) }
  }

  // MARK: connecting

  private func lost(_ reason: String) -> ShellError {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    return ShellError(
      .connection, "the connection to \(address) is lost: \(reason); ':reconnect' builds it anew")
  }

  // MARK: nghttp2

  private static func from(_ user: UnsafeMutableRawPointer?) -> HTTP2Client? {
    user.map { Unmanaged<HTTP2Client>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func install(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let client = HTTP2Client.from(user), let frame, frame.pointee.hd.stream_id == client.stream.id
      else { return 0 }
      let name = String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
      client.stream.headers[name] = String(
        decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, user in
      guard let client = HTTP2Client.from(user), id == client.stream.id else { return 0 }
      client.stream.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, user in
      guard let client = HTTP2Client.from(user), id == client.stream.id else { return 0 }
      client.stream.isClosed = true
      client.stream.resetCode = code
      return 0
    }
  }

  private func read(
    _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ flags: UnsafeMutablePointer<UInt32>?
  ) -> Int {
    guard let buffer, let flags else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    let count = min(capacity, stream.outgoing.count - stream.sent)
    for index in 0..<count { buffer[index] = stream.outgoing[stream.sent + index] }
    stream.sent += count
    let isDone = stream.sent == stream.outgoing.count
    if isDone, stream.ends { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
    return count == 0 && !stream.ends ? Int(NGHTTP2_ERR_DEFERRED.rawValue) : count
  }

  private func begin(
    _ fields: [(String, String)], body: [UInt8], ends: Bool
  ) throws(ShellError) {
    guard descriptor >= 0 else {
      throw ShellError(.connection, "there is no connection to \(address); ':reconnect' builds it anew")
    }
    stream = Stream()
    stream.outgoing = body
    stream.ends = ends
    var text: [UInt8] = []
    var ranges: [(name: Range<Int>, value: Range<Int>)] = []
    for (name, value) in fields {
      let start = text.count
      text += Array(name.utf8)
      let middle = text.count
      text += Array(value.utf8)
      ranges.append((start..<middle, middle..<text.count))
    }
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, _, buffer, capacity, flags, _, user in
      HTTP2Client.from(user)?.read(buffer, capacity, flags) ?? Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
    let id = text.withUnsafeMutableBufferPointer { buffer -> Int32 in
      guard let base = buffer.baseAddress else { return -1 }
      let list = ranges.map { range in
        nghttp2_nv(
          name: base + range.name.lowerBound, value: base + range.value.lowerBound,
          namelen: range.name.count, valuelen: range.value.count, flags: 0)
      }
      return body.isEmpty && ends
        ? nghttp2_submit_request(session, nil, list, list.count, nil, nil)
        : nghttp2_submit_request(session, nil, list, list.count, &provider, nil)
    }
    guard id > 0 else { throw lost("no more requests fit on it") }
    stream.id = id
  }

  // MARK: moving bytes

  private func flush() throws(ShellError) {
    var piece: UnsafePointer<UInt8>?
    while true {
      let count = nghttp2_session_mem_send(session, &piece)
      guard count > 0, let start = piece else { return }
      var rest = UnsafeBufferPointer(start: start, count: count)[...]
      while !rest.isEmpty {
        let sent =
          rest.withContiguousStorageIfAvailable {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          } ?? -1
        if sent > 0 {
          rest = rest.dropFirst(sent)
        } else if errno != EINTR {
          let reason = String(cString: strerror(errno))
          // Why the server left may be there to read.
          while try receive() {}
          throw lost(reason)
        }
      }
    }
  }

  /// Waits a moment for bytes and takes them; false when none came.
  private func receive() throws(ShellError) -> Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 200) > 0 else { return false }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EINTR || errno == EAGAIN { return false }
    guard count > 0 else {
      throw lost(count == 0 ? "the server closed it" : String(cString: strerror(errno)))
    }
    if chunk.starts(with: "HTTP/1.".utf8), ServerTLS.isRefusal(chunk[..<count]) { throw .speaksTLS(address) }
    guard nghttp2_session_mem_recv(session, chunk, count) >= 0 else { throw lost("what comes is no HTTP/2") }
    return true
  }

  private func giveUp() throws(ShellError) {
    if !stream.isClosed {
      nghttp2_submit_rst_stream(session, 0, stream.id, NGHTTP2_CANCEL.rawValue)
      try flush()
    }
    stream.id = -1
  }

  // MARK: requests

  /// A gRPC call; `onMessage` says whether it wants more.
  ///
  /// - Parameters:
  ///   - method: `RunQuery` of the Firestore service.
  ///   - waits: whether the call goes on until the client ends it.
  func call(
    _ method: String, _ message: [UInt8], authorization: String?, headers: [(String, String)] = [],
    waits: Bool = false, _ onMessage: (UnsafeRawBufferPointer) throws(ShellError) -> Bool
  ) throws(ShellError) {
    var fields = [
      (":method", "POST"), (":scheme", "http"), (":path", "/google.firestore.v1.Firestore/" + method),
      (":authority", address), ("content-type", "application/grpc"), ("te", "trailers"),
    ]
    if let authorization { fields.append(("authorization", authorization)) }
    fields += headers
    var body: [UInt8] = [0]
    for shift in [24, 16, 8, 0] { body.append(UInt8(truncatingIfNeeded: message.count >> shift)) }
    try begin(fields, body: body + message, ends: !waits)
    var idle = 0
    while true {
      try flush()
      while let message = try takeMessage() {
        let wantsMore = try withBytes(message, onMessage)
        guard wantsMore else { return try giveUp() }
      }
      if stream.isClosed { break }
      if Interruption.isRaised {
        try giveUp()
        throw ShellError(.interrupted, "interrupted")
      }
      idle = try receive() ? 0 : idle + 1
      if !waits, idle > Self.answerSeconds * 5 {
        try giveUp()
        throw ShellError(.connection, "\(address) did not answer within \(Self.answerSeconds) seconds")
      }
    }
    try checkStatus()
  }

  private func withBytes(
    _ message: [UInt8], _ body: (UnsafeRawBufferPointer) throws(ShellError) -> Bool
  ) throws(ShellError) -> Bool {
    let result = message.withUnsafeBytes { bytes -> Result<Bool, ShellError> in
      do throws(ShellError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    if case .failure = result { try giveUp() }
    return try result.get()
  }

  private func takeMessage() throws(ShellError) -> [UInt8]? {
    guard stream.body.count >= 5 else { return nil }
    let length = stream.body[1..<5].reduce(0) { $0 << 8 | Int($1) }
    guard stream.body[0] == 0, length <= Self.answerBytesMax else {
      throw lost("an answer is compressed or too large")
    }
    guard stream.body.count >= 5 + length else { return nil }
    let message = Array(stream.body[5..<(5 + length)])
    stream.body.removeFirst(5 + length)
    return message
  }

  private func checkStatus() throws(ShellError) {
    guard let text = stream.headers["grpc-status"], let code = Int(text) else {
      throw ShellError(
        .connection, "\(address) answers without a status (HTTP \(stream.headers[":status"] ?? "nothing"))")
    }
    if code == 0 { return }
    throw RemoteStatus.error(code, Self.decoded(stream.headers["grpc-message"] ?? ""))
  }

  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Codes of gRPC as errors of the shell.
enum RemoteStatus {
  private static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  static func error(_ code: Int, _ message: String) -> ShellError {
    switch code {
    case 7: ShellError(.denied, message)
    case 14: ShellError(.connection, message)
    default: ShellError(.failed(code: names.indices.contains(code) ? names[code] : "UNKNOWN"), message)
    }
  }
}
