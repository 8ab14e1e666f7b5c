/// The other end of an HTTP/2 connection, for tests: no socket, bytes in and out.

import CNGHTTP2
import DocModel

/// What came back on one stream.
struct Received {
  var headers: [String: String] = [:]
  var trailers: [String: String] = [:]
  var body: [UInt8] = []
  var resetCode: UInt32?
  var isClosed = false

  /// The trailers of a gRPC answer, which an error sends as its only headers.
  var status: String? { trailers["grpc-status"] ?? headers["grpc-status"] }
  var message: String? { trailers["grpc-message"] ?? headers["grpc-message"] }

  /// The messages of the body, without their prefixes.
  var messages: [[UInt8]] {
    var rest = body[...]
    var found: [[UInt8]] = []
    while rest.count >= 5 {
      let length = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
      found.append(Array(rest.dropFirst(5).prefix(length)))
      rest = rest.dropFirst(5 + length)
    }
    return found
  }
}

final class HTTP2TestClient {
  private var session: OpaquePointer?
  var streams: [Int32: Received] = [:]
  var goAwayCodes: [UInt32] = []
  var goAwayLastStreams: [Int32] = []
  var pingAnswers = 0
  var settings: [Int32: UInt32] = [:]
  private var bodies: [Int32: (bytes: [UInt8], offset: Int, ends: Bool)] = [:]

  init(windowBytes: Int32? = nil) {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    defer { nghttp2_session_callbacks_del(callbacks) }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      let client = HTTP2TestClient.from(user)
      let id = frame!.pointee.hd.stream_id
      let name = String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
      let value = String(
        decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
      if frame!.pointee.headers.cat == NGHTTP2_HCAT_RESPONSE {
        client.streams[id, default: Received()].headers[name] = value
      } else {
        client.streams[id, default: Received()].trailers[name] = value
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _, _, id, bytes, count, user in
      HTTP2TestClient.from(user).streams[id, default: Received()].body
        .append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, user in
      let client = HTTP2TestClient.from(user)
      client.streams[id, default: Received()].isClosed = true
      if code != 0 { client.streams[id]?.resetCode = code }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      HTTP2TestClient.from(user).note(frame!.pointee)
      return 0
    }
    nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
    var settings: [nghttp2_settings_entry] = []
    if let windowBytes {
      settings.append(.init(settings_id: 4, value: UInt32(windowBytes)))
    }
    nghttp2_submit_settings(session, 0, settings, settings.count)
  }

  deinit { nghttp2_session_del(session) }

  private static func from(_ user: UnsafeMutableRawPointer?) -> HTTP2TestClient {
    Unmanaged<HTTP2TestClient>.fromOpaque(user!).takeUnretainedValue()
  }

  private func note(_ frame: nghttp2_frame) {
    switch UInt32(frame.hd.type) {
    case NGHTTP2_GOAWAY.rawValue:
      goAwayCodes.append(frame.goaway.error_code)
      goAwayLastStreams.append(frame.goaway.last_stream_id)
    case NGHTTP2_PING.rawValue where frame.hd.flags & 1 != 0: pingAnswers += 1
    case NGHTTP2_SETTINGS.rawValue where frame.hd.flags & 1 == 0:
      for index in 0..<frame.settings.niv {
        settings[frame.settings.iv[index].settings_id] = frame.settings.iv[index].value
      }
    default: break
    }
  }

  /// Begins a request that is no gRPC call, without a body unless one is given.
  @discardableResult
  func request(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, ends: Bool = true,
    headers: [(String, String)] = []
  ) -> Int32 {
    submit(
      [(":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost")] + headers,
      body, ends: ends)
  }

  /// Begins a request. `ends` closes our side after `body`.
  @discardableResult
  func request(
    path: String, body: [UInt8], ends: Bool = true, extra: [(String, String)] = [],
    method: String = "POST", contentType: String = "application/grpc"
  ) -> Int32 {
    submit(
      [
        (":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"),
        ("content-type", contentType), ("te", "trailers"),
      ] + extra, body, ends: ends)
  }

  private func submit(_ fields: [(String, String)], _ body: [UInt8]?, ends: Bool) -> Int32 {
    var storage = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
    var list: [nghttp2_nv] = []
    for index in storage.indices {
      let name = UnsafeMutablePointer<UInt8>.allocate(capacity: storage[index].0.count + 1)
      name.initialize(from: &storage[index].0, count: storage[index].0.count)
      let value = UnsafeMutablePointer<UInt8>.allocate(capacity: storage[index].1.count + 1)
      value.initialize(from: &storage[index].1, count: storage[index].1.count)
      list.append(
        nghttp2_nv(
          name: name, value: value, namelen: storage[index].0.count,
          valuelen: storage[index].1.count, flags: 0))
    }
    defer {
      for field in list {
        field.name.deallocate()
        field.value.deallocate()
      }
    }
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, id, buffer, capacity, flags, _, user in
      HTTP2TestClient.from(user).read(id, buffer, capacity, flags)
    }
    guard let body else { return nghttp2_submit_request(session, nil, list, list.count, nil, nil) }
    let id = nghttp2_submit_request(session, nil, list, list.count, &provider, nil)
    bodies[id] = (body, 0, ends)
    return id
  }

  private func read(
    _ id: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ flags: UnsafeMutablePointer<UInt32>?
  ) -> Int {
    guard var body = bodies[id], let buffer, let flags else {
      return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
    let count = min(capacity, body.bytes.count - body.offset)
    for index in 0..<count { buffer[index] = body.bytes[body.offset + index] }
    body.offset += count
    bodies[id] = body
    if body.offset == body.bytes.count, body.ends {
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
    }
    return count == 0 && !body.ends ? Int(NGHTTP2_ERR_DEFERRED.rawValue) : count
  }

  func append(_ id: Int32, _ bytes: [UInt8], ends: Bool) {
    bodies[id]?.bytes += bytes
    bodies[id]?.ends = ends
    nghttp2_session_resume_data(session, id)
  }

  func reset(_ id: Int32) { nghttp2_submit_rst_stream(session, 0, id, NGHTTP2_CANCEL.rawValue) }

  /// Lets the server send so much more on a stream.
  func open(stream id: Int32, bytes: Int32) { nghttp2_submit_window_update(session, 0, id, bytes) }

  func ping() { nghttp2_submit_ping(session, 0, nil) }

  /// What the client wants to send.
  func output() -> [UInt8] {
    var bytes: [UInt8] = []
    var piece: UnsafePointer<UInt8>?
    while true {
      let count = nghttp2_session_mem_send(session, &piece)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: UnsafeBufferPointer(start: piece, count: count))
    }
  }

  /// Takes what the server sent. Negative: the server broke the protocol.
  @discardableResult
  func receive(_ bytes: [UInt8]) -> Int {
    nghttp2_session_mem_recv(session, bytes, bytes.count)
  }
}

/// A body of gRPC messages.
func framed(_ messages: [UInt8]..., compressed: Bool = false) -> [UInt8] {
  var body: [UInt8] = []
  for message in messages {
    body.append(compressed ? 1 : 0)
    for shift in [24, 16, 8, 0] { body.append(UInt8(truncatingIfNeeded: message.count >> shift)) }
    body += message
  }
  return body
}
