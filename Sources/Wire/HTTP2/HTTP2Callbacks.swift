/// Where libnghttp2 calls back into Swift.
///
/// Each callback finds the connection in the session's user data, turns pointers into buffers and
/// calls one method. They run only inside `receive` and `output` of the connection, on its event loop.
///
/// INVARIANT: the connection outlives its session (it deletes it), and a stream is kept alive by its
/// connection's list until `on_stream_close`, so the unretained pointers are valid.

internal import CNGHTTP2

enum HTTP2Callbacks {
  static func install(in callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
    nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onData)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, onFrameSent)
  }

  private static func connection(_ userData: UnsafeMutableRawPointer?) -> HTTP2Connection? {
    userData.map { Unmanaged<HTTP2Connection>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func stream(_ session: OpaquePointer?, _ id: Int32) -> HTTP2Stream? {
    nghttp2_session_get_stream_user_data(session, id)
      .map { Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Only the first header block of a stream is a request; a later one holds trailers.
  private static func isRequest(_ frame: UnsafePointer<nghttp2_frame>) -> Bool {
    frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue)
      && frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
  }

  private static let onBeginHeaders: nghttp2_on_begin_headers_callback = { _, frame, userData in
    guard let frame, HTTP2Callbacks.isRequest(frame) else { return 0 }
    HTTP2Callbacks.connection(userData)?.beginHeaders(streamID: frame.pointee.hd.stream_id)
    return 0
  }

  private static let onHeader: nghttp2_on_header_callback = {
    _, frame, name, nameCount, value, valueCount, _, userData in
    guard let frame, HTTP2Callbacks.isRequest(frame) else { return 0 }
    guard let userData else { return 0 }
    // One for each header: no reference is counted.
    Unmanaged<HTTP2Connection>.fromOpaque(userData)._withUnsafeGuaranteedRef {
      $0.addHeader(
        streamID: frame.pointee.hd.stream_id,
        name: UnsafeRawBufferPointer(start: name, count: nameCount),
        value: UnsafeRawBufferPointer(start: value, count: valueCount))
    }
    return 0
  }

  private static let onFrame: nghttp2_on_frame_recv_callback = { session, frame, userData in
    guard let frame, let connection = HTTP2Callbacks.connection(userData) else { return 0 }
    let header = frame.pointee.hd
    let isHeaders = header.type == UInt8(NGHTTP2_HEADERS.rawValue)
    guard isHeaders || header.type == UInt8(NGHTTP2_DATA.rawValue) else { return 0 }
    if isHeaders, HTTP2Callbacks.isRequest(frame) {
      connection.endHeaders(streamID: header.stream_id)
    }
    if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
      let stream = HTTP2Callbacks.stream(session, header.stream_id)
    {
      connection.halfClose(stream)
    }
    return 0
  }

  private static let onData: nghttp2_on_data_chunk_recv_callback = {
    session, _, streamID, bytes, count, userData in
    guard let stream = HTTP2Callbacks.stream(session, streamID) else { return 0 }
    HTTP2Callbacks.connection(userData)?.addBody(
      stream, UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
  }

  private static let onStreamClose: nghttp2_on_stream_close_callback = {
    session, streamID, _, userData in
    guard let stream = HTTP2Callbacks.stream(session, streamID) else { return 0 }
    HTTP2Callbacks.connection(userData)?.streamClosed(stream)
    return 0
  }

  /// An answer may end before its request does. A gRPC client is then told not to send the rest: a reset
  /// without an error (RFC 9113 8.1). Other clients take that for a failure and lose the answer; what they
  /// still send is read (`HTTP2Request`).
  private static let onFrameSent: nghttp2_on_frame_send_callback = { session, frame, _ in
    guard let header = frame?.pointee.hd, header.type == UInt8(NGHTTP2_HEADERS.rawValue),
      header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
      let stream = HTTP2Callbacks.stream(session, header.stream_id), !stream.isHalfClosed
    else { return 0 }
    if case .request = stream.owner { return 0 }
    nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), header.stream_id, NGHTTP2_NO_ERROR.rawValue)
    return 0
  }

  static let readData: nghttp2_data_source_read_callback = {
    _, _, buffer, capacity, flags, source, userData in
    guard let buffer, let source, let flags, let connection = HTTP2Callbacks.connection(userData),
      let pointer = source.pointee.ptr
    else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    let stream = Unmanaged<HTTP2Stream>.fromOpaque(pointer).takeUnretainedValue()
    switch connection.fill(stream, UnsafeMutableRawBufferPointer(start: buffer, count: capacity)) {
    case .bytes(let count): return count
    case .lastBytes(let count):
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      return count
    case .lastBytesBeforeTrailers(let count):
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      return count
    case .nothingYet: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
  }
}
