/// A gRPC client for benchmarks of streams: any number of connections, any number of calls under way on each,
/// one thread.
///
/// Like `LoadClient` it knows no more than it needs, so that what is measured is the server. Messages are
/// handed on where they lie; nothing is decoded here.

internal import CNGHTTP2
internal import Glibc

/// Connections that are read and written together.
final class StreamClient {
  private(set) var connections: [StreamConnection] = []

  func connect(port: Int) throws(LoadError) -> StreamConnection {
    let connection = try StreamConnection(port: port)
    connections.append(connection)
    return connection
  }

  /// Moves bytes until `isDone` or the time is over. Whether it was done.
  func run(atMost seconds: Double, until isDone: () -> Bool) throws(LoadError) -> Bool {
    let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
    for connection in connections { try connection.flush() }
    var polled = connections.map { pollfd(fd: $0.socket, events: 0, revents: 0) }
    while !isDone() {
      guard monotonicNanoseconds() < end else { return false }
      for (index, connection) in connections.enumerated() {
        polled[index].events = Int16(connection.hasUnsentBytes ? POLLIN | POLLOUT : POLLIN)
      }
      guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
      for index in polled.indices where polled[index].revents != 0 { try connections[index].move() }
    }
    return true
  }

  func close() {
    for connection in connections { connection.close() }
    connections = []
  }
}

/// A method of one server, as its callers name it.
struct StreamMethod {
  fileprivate var headers = HeaderList()

  init(_ name: String, port: Int, as authorization: String) {
    headers.add(":method", "POST")
    headers.add(":scheme", "http")
    headers.add(":path", "/google.firestore.v1.Firestore/" + name)
    headers.add(":authority", "127.0.0.1:\(port)")
    headers.add("content-type", "application/grpc")
    headers.add("te", "trailers")
    headers.add("authorization", authorization)
    // The official emulator asks which database a stream is for before it reads a message.
    headers.add("google-cloud-resource-prefix", "projects/bench/databases/(default)")
  }
}

/// One call: what it has still to say, and what becomes of the answer.
final class StreamCall {
  fileprivate var unsent: [UInt8]
  fileprivate var sentCount = 0
  fileprivate let isRequestComplete: Bool
  fileprivate let onMessage: (UnsafeRawBufferPointer) -> Void
  fileprivate var received: [UInt8] = []
  /// The status with which the server ended the call; nil before.
  fileprivate(set) var status: Int?
  fileprivate(set) var isOver = false

  fileprivate init(
    _ message: [UInt8], isRequestComplete: Bool, _ onMessage: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    let count = UInt32(message.count)
    unsent =
      [0, UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)] + message
    self.isRequestComplete = isRequestComplete
    self.onMessage = onMessage
  }

  /// Takes a piece of the answer; most often it holds whole messages.
  fileprivate func take(_ piece: UnsafeRawBufferPointer) {
    if received.isEmpty {
      let used = Self.hand(piece, onMessage)
      received.append(contentsOf: piece[used...])
      return
    }
    received.append(contentsOf: piece)
    let used = received.withUnsafeBytes { Self.hand($0, onMessage) }
    received.removeFirst(used)
  }

  /// Hands on every whole message; the count of bytes used.
  private static func hand(
    _ bytes: UnsafeRawBufferPointer, _ onMessage: (UnsafeRawBufferPointer) -> Void
  ) -> Int {
    var start = 0
    while bytes.count - start >= 5 {
      let count = (1...4).reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
      guard bytes.count - start - 5 >= count else { break }
      onMessage(UnsafeRawBufferPointer(rebasing: bytes[(start + 5)..<(start + 5 + count)]))
      start += 5 + count
    }
    return start
  }
}

/// One HTTP/2 connection.
final class StreamConnection {
  /// What a server may send before it has to wait for us: a batch of a benchmark, and more.
  private static let windowBytes: Int32 = 1 << 26

  fileprivate let socket: Int32
  private var session: OpaquePointer?
  private var calls: [Int32: StreamCall] = [:]
  private var outgoing: [UInt8] = []
  private var outgoingStart = 0

  fileprivate init(port: Int) throws(LoadError) {
    guard let socket = loopbackSocket(port: port) else { throw .cannotConnect(port: port) }
    self.socket = socket
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    startSession()
  }

  private func startSession() {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameLength, value, length, _, data in
      guard let data, let frame, let name, let value, nameLength == 11, memcmp(name, "grpc-status", 11) == 0
      else { return 0 }
      let text = UnsafeBufferPointer(start: value, count: length)
      StreamConnection.of(data).calls[frame.pointee.hd.stream_id]?.status =
        Int(String(decoding: text, as: UTF8.self)) ?? 2
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, data in
      guard let data else { return 0 }
      StreamConnection.of(data).calls[id]?.take(UnsafeRawBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, _, data in
      guard let data else { return 0 }
      StreamConnection.of(data).calls.removeValue(forKey: id)?.isOver = true
      return 0
    }
    nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
    nghttp2_session_callbacks_del(callbacks)
    let settings = nghttp2_settings_entry(
      settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
      value: UInt32(Self.windowBytes))
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), [settings], 1)
    nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Self.windowBytes)
  }

  private static func of(_ data: UnsafeMutableRawPointer) -> StreamConnection {
    Unmanaged<StreamConnection>.fromOpaque(data).takeUnretainedValue()
  }

  /// Begins a call with one message. `isRequestComplete`: nothing more will be said.
  func call(
    _ method: StreamMethod, _ message: [UInt8], isRequestComplete: Bool,
    _ onMessage: @escaping (UnsafeRawBufferPointer) -> Void
  ) throws(LoadError) -> StreamCall {
    let call = StreamCall(message, isRequestComplete: isRequestComplete, onMessage)
    var provider = nghttp2_data_provider()
    provider.source.ptr = Unmanaged.passUnretained(self).toOpaque()
    provider.read_callback = { _, id, target, length, flags, source, _ in
      guard let target, let flags, let owner = source?.pointee.ptr else { return 0 }
      guard let call = StreamConnection.of(owner).calls[id] else { return 0 }
      let count = min(length, call.unsent.count - call.sentCount)
      // Everything is said, and the client stays on the line.
      if count == 0, !call.isRequestComplete { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
      call.unsent.withUnsafeBytes {
        if let base = $0.baseAddress { _ = memcpy(target, base + call.sentCount, count) }
      }
      call.sentCount += count
      if call.isRequestComplete, call.sentCount == call.unsent.count {
        flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      }
      return count
    }
    let id = method.headers.withPairs {
      nghttp2_submit_request(session, nil, $0.baseAddress, $0.count, &provider, nil)
    }
    guard id > 0 else { throw .protocolFailure("cannot submit a request: \(id)") }
    calls[id] = call
    return call
  }

  // MARK: bytes

  fileprivate var hasUnsentBytes: Bool { outgoingStart < outgoing.count }

  /// Sends what the socket takes of the pending frames.
  fileprivate func flush() throws(LoadError) {
    while true {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      guard count > 0, let bytes else { break }
      outgoing.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }
    while hasUnsentBytes {
      let written = outgoing.withUnsafeBytes {
        send(
          socket, $0.baseAddress.map { $0 + outgoingStart }, $0.count - outgoingStart, Int32(MSG_NOSIGNAL))
      }
      guard written > 0 else {
        if errno == EAGAIN { return }
        throw .protocolFailure("the server closed the connection")
      }
      outgoingStart += written
    }
    outgoing.removeAll(keepingCapacity: outgoing.count < 1 << 16)
    outgoingStart = 0
  }

  /// Receives what there is, once, and sends what that calls for.
  fileprivate func move() throws(LoadError) {
    let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      let count = recv(socket, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { return count }
      let bytes = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return nghttp2_session_mem_recv(session, bytes, count) == count ? count : -2
    }
    if count == -2 { throw .protocolFailure("the server's frames are malformed") }
    if count == 0 || (count < 0 && errno != EAGAIN) {
      throw .protocolFailure("the server closed the connection")
    }
    try flush()
  }

  fileprivate func close() {
    nghttp2_session_del(session)
    _ = Glibc.close(socket)
  }
}
