/// One HTTP/2 connection to a server, in clear text, used by one thread: gRPC calls.
///
/// A call waits for its answer and looks for Ctrl-C while it does; giving a call up resets its stream and leaves
/// the connection as it was.

internal import CNGHTTP2

/// Owner: whoever asks; one thread at a time.
///
/// INVARIANT: at most one stream is open; `stream` belongs to it.
package final class GRPCClient {
  /// What came of one request.
  private struct Stream {
    var id: Int32 = -1
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    var isClosed = false
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

  /// `HOST:PORT`, as it was given.
  package let address: String
  private let isInterrupted: @Sendable () -> Bool
  /// Nil once the connection is lost.
  private var socket: ServerSocket?
  private var session: OpaquePointer?
  private var stream = Stream()
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  /// - Parameter isInterrupted: asked a few times a second while a call waits.
  package init(
    _ address: HTTPOrigin, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(ClientFailure) {
    self.address = address.authority
    self.isInterrupted = isInterrupted
    do throws(ServerSocket.Failure) { socket = try ServerSocket(address) } catch {
      throw .connection(
        "cannot connect to \(address.authority): \(error.reason); is the server running? `docsh serve` starts one"
      )
    }
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

  deinit { nghttp2_session_del(session) }

  // MARK: connecting

  private func lost(_ reason: String) -> ClientFailure {
    socket = nil
    return .connection("the connection to \(address) is lost: \(reason)")
  }

  /// Whether calls can be made.
  package var isConnected: Bool { socket != nil }

  // MARK: nghttp2

  private static func from(_ user: UnsafeMutableRawPointer?) -> GRPCClient? {
    user.map { Unmanaged<GRPCClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func install(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let client = GRPCClient.from(user), let frame, frame.pointee.hd.stream_id == client.stream.id
      else { return 0 }
      let name = String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
      client.stream.headers[name] = String(
        decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, user in
      guard let client = GRPCClient.from(user), id == client.stream.id else { return 0 }
      client.stream.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, user in
      guard let client = GRPCClient.from(user), id == client.stream.id else { return 0 }
      client.stream.isClosed = true
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
  ) throws(ClientFailure) {
    guard isConnected else { throw .connection("there is no connection to \(address)") }
    assert(stream.id < 0 || stream.isClosed, "at most one stream is open")
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
      GRPCClient.from(user)?.read(buffer, capacity, flags) ?? Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
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

  private func flush() throws(ClientFailure) {
    var piece: UnsafePointer<UInt8>?
    while true {
      let count = nghttp2_session_mem_send(session, &piece)
      guard count > 0, let start = piece else { return }
      do throws(ServerSocket.Failure) {
        try socket?.send(UnsafeRawBufferPointer(start: start, count: count))
      } catch {
        // Why the server left may be there to read.
        while try receive() {}
        throw lost(error.reason)
      }
    }
  }

  /// Waits a moment for bytes and takes them; false when none came.
  private func receive() throws(ClientFailure) -> Bool {
    let received: Int?
    do throws(ServerSocket.Failure) { received = try socket?.receive(&chunk) } catch {
      throw lost(error.reason)
    }
    guard let count = received else { throw lost("the server closed it") }
    if count == 0 { return false }
    let bytes = chunk[..<count]
    if bytes.starts(with: "HTTP/1.".utf8),
      String(decoding: bytes, as: UTF8.self).contains(HTTPFailure.tlsWords)
    {
      throw .connection(HTTPFailure.speaksTLS.text(of: address))
    }
    guard nghttp2_session_mem_recv(session, chunk, count) >= 0 else {
      socket = nil
      throw .connection("what \(address) answers is no HTTP/2: is it a Firestore emulator?")
    }
    return true
  }

  private func giveUp() throws(ClientFailure) {
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
  package func call(
    _ method: String, _ message: [UInt8], authorization: String?, headers: [(String, String)] = [],
    waits: Bool = false, _ onMessage: (UnsafeRawBufferPointer) throws(ClientFailure) -> Bool
  ) throws(ClientFailure) {
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
      if isInterrupted() {
        try giveUp()
        throw .interrupted
      }
      idle = try receive() ? 0 : idle + 1
      if !waits, idle > Self.answerSeconds * 5 {
        try giveUp()
        throw .connection("\(address) did not answer within \(Self.answerSeconds) seconds")
      }
    }
    try checkStatus()
  }

  private func withBytes(
    _ message: [UInt8], _ body: (UnsafeRawBufferPointer) throws(ClientFailure) -> Bool
  ) throws(ClientFailure) -> Bool {
    let result = message.withUnsafeBytes { bytes -> Result<Bool, ClientFailure> in
      do throws(ClientFailure) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    if case .failure = result { try giveUp() }
    return try result.get()
  }

  private func takeMessage() throws(ClientFailure) -> [UInt8]? {
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

  private func checkStatus() throws(ClientFailure) {
    guard let text = stream.headers["grpc-status"], let code = Int(text) else {
      throw .connection(
        "\(address) answers without a status (HTTP \(stream.headers[":status"] ?? "nothing"))")
    }
    if code == 0 { return }
    throw .status(code: code, message: Self.decoded(stream.headers["grpc-message"] ?? ""))
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
