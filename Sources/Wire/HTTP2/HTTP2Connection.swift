/// The server's side of an HTTP/2 connection, free of I/O.
///
/// Bytes from the peer go in through `receive`, what happened comes out of `nextEvent`, answers go in
/// through `respond`, `send` and `end`, bytes for the peer come out of `output`. The protocol itself
/// (frames, header compression, flow control, its errors) is libnghttp2's; this class gives it streams
/// with queues and hands its callbacks on as events. So it is tested without a socket.
///
/// State and its owner: everything here belongs to one event loop; nothing is locked.
///
/// INVARIANT: a stream is in `streams` from the beginning of its header block until nghttp2 closes it.
/// INVARIANT: callbacks of the session only queue frames (trailers, a reset); they never feed or drain it.

internal import CNGHTTP2
internal import DocModel
internal import NIOCore

package final class HTTP2Connection {
  let options: HTTP2Options
  /// The owner; nil where there is none, as in tests. It is only asked whether this is its thread.
  var eventLoop: (any EventLoop)?
  private let memory = SessionMemory()
  /// The session in whatever state its memory is. Use `session`.
  private let sessionAsItIs: OpaquePointer
  private var events: [HTTP2Event] = []
  private var nextEventIndex = 0
  private var streams: [HTTP2Stream] = []
  /// The stream whose header block is being read; blocks are never interleaved.
  private var headerStream: HTTP2Stream?
  /// What that block has said so far; the stream gets it whole.
  private var requestHead = RequestHead()
  private var headerCache: HeaderCache
  /// Tokens in the bytes that are being read; nil where nobody keeps any.
  private var codedTokens: CodedTokens?
  /// Headers of that block, unless it is known to be a gRPC call's.
  private var heldHeaders = HeldHeaders()
  /// Bytes of answers, of all streams, that the peer has not taken.
  package private(set) var unsentBytes = 0
  /// The peer broke the protocol or is gone; nothing more is read.
  package private(set) var isBroken = false
  /// Nothing more is sent: the session still points at streams that are gone.
  private var isLost = false

  /// Nil when the library finds no memory.
  package init?(_ options: HTTP2Options = HTTP2Options()) {
    self.options = options
    headerCache = HeaderCache(tokens: options.tokens)
    codedTokens = options.tokens.map(CodedTokens.init)
    var settings: OpaquePointer?
    guard nghttp2_option_new(&settings) == 0 else { return nil }
    defer { nghttp2_option_del(settings) }
    nghttp2_option_set_max_outbound_ack(settings, options.unsentAcknowledgementsMax)
    nghttp2_option_set_no_closed_streams(settings, 1)
    // A header with a blank at its end (`Bearer ` without a token) is for the service to judge.
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(settings, 1)
    nghttp2_option_set_stream_reset_rate_limit(settings, 100_000, 10_000)

    var callbacks: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
    defer { nghttp2_session_callbacks_del(callbacks) }
    HTTP2Callbacks.install(in: callbacks)

    var session: OpaquePointer?
    var allocator = memory.allocator
    guard nghttp2_session_server_new3(&session, callbacks, nil, settings, &allocator) == 0, let session
    else { return nil }
    memory.found()
    sessionAsItIs = session
    nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    submitSettings()
  }

  /// On any thread: the last reference may go with a call that another thread was working for.
  deinit {
    if memory.isAsleep { memory.wake() }
    nghttp2_session_del(sessionAsItIs)
  }

  /// The session, awake.
  private var session: OpaquePointer {
    eventLoop.assertInside()
    if memory.isAsleep { memory.wake() }
    return sessionAsItIs
  }

  private func submitSettings() {
    let entries = [
      nghttp2_settings_entry(
        settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
        value: UInt32(clamping: options.concurrentStreamsMax)),
      nghttp2_settings_entry(
        settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
        value: UInt32(clamping: options.streamWindowBytes)),
      nghttp2_settings_entry(
        settings_id: Int32(bitPattern: NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
        value: UInt32(clamping: options.headerListBytesMax)),
    ]
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(clamping: options.connectionWindowBytes))
  }
}

// MARK: - Bytes in, events out

extension HTTP2Connection {
  /// Takes bytes from the peer. False when the connection is beyond repair: send what `output` still
  /// gives, which says why, and close.
  package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !isBroken else { return false }
    guard bytes.count > 0 else { return true }
    if codedTokens?.read(bytes) == true {
      codedTokens?.chunk.withUnsafeBytes(feed)
      codedTokens?.forget()
    } else {
      feed(bytes)
    }
    if Invariants.areDue(at: streams.count) { checkInvariants() }
    return !isBroken
  }

  private func feed(_ bytes: UnsafeRawBufferPointer) {
    let taken = nghttp2_session_mem_recv(
      session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    if taken < 0 { isBroken = true }
  }

  package func nextEvent() -> HTTP2Event? {
    eventLoop.assertInside()
    guard nextEventIndex < events.count else {
      events.removeAll(keepingCapacity: true)
      nextEventIndex = 0
      return nil
    }
    defer { nextEventIndex += 1 }
    return events[nextEventIndex]
  }

  /// The peer is gone: every open stream is cancelled.
  package func loseConnection() {
    eventLoop.preconditionInside()
    isBroken = true
    isLost = true
    for stream in streams { close(stream) }
    streams.removeAll()
    headerStream = nil
  }

  func checkInvariants() {
    assert(
      streams.indices.allSatisfy { streams[$0].slot == $0 && streams[$0].isOpen },
      "an open stream is at its place, and none that is closed")
    assert(
      unsentBytes == streams.reduce(0) { $0 + $1.unsentBytes }, "`unsentBytes` counts those of all streams")
    assert(
      streams.allSatisfy { isLost || nghttp2_session_get_stream_user_data(session, $0.id) != nil },
      "the library knows every open stream")
  }

  package var openStreamCount: Int { streams.count }

  /// All that are open.
  var openStreams: [HTTP2Stream] { streams }
}

// MARK: - Sleeping

extension HTTP2Connection {
  /// Packs the memory of the session until the connection is used again, which wakes it. False while there is
  /// something to send.
  package func sleep() -> Bool {
    if memory.isAsleep { return true }
    guard !isLost, events.isEmpty, nghttp2_session_want_write(session) == 0 else { return false }
    events = []
    if headerStream == nil { heldHeaders = HeldHeaders() }
    codedTokens?.shrink()
    return memory.sleep()
  }

  package var isAsleep: Bool { memory.isAsleep }

  /// What the session takes while it sleeps.
  var sleepingBytes: Int { memory.packedBytes }
}

// MARK: - Answers in, bytes out

extension HTTP2Connection {
  /// A whole answer at once: head, one message, trailers.
  package func respond(
    _ stream: HTTP2Stream, head: HeaderBlock, message: [UInt8], trailers: HeaderBlock
  ) {
    guard stream.isOpen, !stream.hasResponseHead else { return }
    append(message, to: stream)
    stream.trailers = trailers
    stream.isAnswered = true
    submitHead(stream, head, withBody: true)
  }

  /// An answer of headers alone.
  package func respond(_ stream: HTTP2Stream, headOnly head: HeaderBlock) {
    guard stream.isOpen, !stream.hasResponseHead else { return }
    stream.isAnswered = true
    submitHead(stream, head, withBody: false)
  }

  /// Begins an answer of any number of messages.
  package func begin(_ stream: HTTP2Stream, head: HeaderBlock) {
    guard stream.isOpen, !stream.hasResponseHead else { return }
    submitHead(stream, head, withBody: true)
  }

  /// Says something before the answer (RFC 9110 15.2).
  package func inform(_ stream: HTTP2Stream, head: HeaderBlock) {
    guard stream.isOpen, !stream.hasResponseHead else { return }
    nghttp2_submit_headers(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, nil, head.fields, head.count, nil)
  }

  /// Queues one more message, or piece of a body without messages. False asks the writer to wait for `writable`.
  package func send(_ stream: HTTP2Stream, message: [UInt8]) -> Bool {
    guard stream.isOpen, !stream.isAnswered else { return false }
    append(message, to: stream)
    resume(stream)
    if stream.unsentBytes > options.unsentStreamBytesHigh { stream.isPaused = true }
    return !stream.isPaused
  }

  /// Ends an answer that `begin` began.
  package func end(_ stream: HTTP2Stream, trailers: HeaderBlock? = nil) {
    guard stream.isOpen, !stream.isAnswered else { return }
    stream.trailers = trailers
    stream.isAnswered = true
    resume(stream)
  }

  /// Ends the stream at once, both ways.
  package func reset(_ stream: HTTP2Stream, code: UInt32) {
    guard stream.isOpen else { return }
    stream.isAnswered = true
    clear(stream)
    nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code)
  }

  private func append(_ message: [UInt8], to stream: HTTP2Stream) {
    eventLoop.assertInside()
    let before = stream.unsentBytes
    stream.outbound.append(message)
    unsentBytes += stream.unsentBytes - before
  }

  private func clear(_ stream: HTTP2Stream) {
    eventLoop.assertInside()
    unsentBytes -= stream.unsentBytes
    stream.outbound.clear()
  }

  private func submitHead(_ stream: HTTP2Stream, _ head: HeaderBlock, withBody: Bool) {
    stream.hasResponseHead = true
    let failure: Int32
    if withBody {
      var provider = nghttp2_data_provider()
      provider.source.ptr = Unmanaged.passUnretained(stream).toOpaque()
      provider.read_callback = HTTP2Callbacks.readData
      failure = nghttp2_submit_response(session, stream.id, head.fields, head.count, &provider)
    } else {
      failure = nghttp2_submit_response(session, stream.id, head.fields, head.count, nil)
    }
    if failure != 0 { reset(stream, code: NGHTTP2_INTERNAL_ERROR.rawValue) }
  }

  private func resume(_ stream: HTTP2Stream) {
    guard stream.isDeferred else { return }
    stream.isDeferred = false
    nghttp2_session_resume_data(session, stream.id)
  }

  /// Gives bytes for the peer, piece by piece, until about `limit` were given or nothing is left.
  /// Each piece is valid only during `body`. Answers how many bytes it gave.
  package func output(atMost limit: Int, _ body: (UnsafeRawBufferPointer) -> Void) -> Int {
    guard !isLost else { return 0 }
    var produced = 0
    while produced < limit {
      var piece: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &piece)
      if count < 0 { isBroken = true }
      guard count > 0 else { break }
      body(UnsafeRawBufferPointer(start: piece, count: count))
      produced += count
    }
    if Invariants.areDue(at: streams.count) { checkInvariants() }
    return produced
  }

  /// Neither side has anything left to say.
  package var isFinished: Bool {
    nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  /// Tells the peer to send no new requests; those under way, also on the wire, are answered.
  package func announceShutdown() {
    nghttp2_submit_shutdown_notice(session)
  }

  /// Refuses requests that come from now on.
  package func refuseNewStreams() {
    nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(session),
      NGHTTP2_NO_ERROR.rawValue, nil, 0)
  }
}

// MARK: - What the callbacks report

extension HTTP2Connection {
  func beginHeaders(streamID: Int32) {
    eventLoop.assertInside()
    let stream = HTTP2Stream(id: streamID)
    stream.slot = streams.count
    streams.append(stream)
    heldHeaders.clear()
    if requestHead.listBytes > 0 { requestHead = RequestHead() }
    nghttp2_session_set_stream_user_data(
      session, streamID, Unmanaged.passUnretained(stream).toOpaque())
    headerStream = stream
  }

  func addHeader(streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    guard headerStream?.id == streamID else { return }
    let found = CodedTokens.isStandIn(value) ? codedTokens?.authorization(on: streamID) : nil
    requestHead.listBytes += name.count + (found?.headerBytes ?? value.count) + 32
    guard requestHead.listBytes <= options.headerListBytesMax else { return }
    if let found {
      requestHead.authorization = found
    } else {
      requestHead.take(name: name, value: value, sharing: &headerCache)
    }
    if requestHead.isGRPC { return }
    if let found {
      found.header.withUnsafeBytes { heldHeaders.append(name: name, value: $0) }
    } else {
      heldHeaders.append(name: name, value: value)
    }
  }

  func endHeaders(streamID: Int32) {
    guard let stream = headerStream, stream.id == streamID else { return }
    headerStream = nil
    if !requestHead.isGRPC { requestHead.fields = heldHeaders.fields }
    swap(&stream.head, &requestHead)
    events.append(.request(stream))
  }

  func addBody(_ stream: HTTP2Stream, _ bytes: UnsafeRawBufferPointer) {
    guard !stream.isAnswered else { return }
    stream.inbound.append(contentsOf: bytes)
    events.append(.body(stream))
  }

  func halfClose(_ stream: HTTP2Stream) {
    guard !stream.isHalfClosed else { return }
    stream.isHalfClosed = true
    events.append(.halfClosed(stream))
  }

  func streamClosed(_ stream: HTTP2Stream) {
    eventLoop.assertInside()
    if stream.slot < streams.count, streams[stream.slot] === stream {
      let last = streams.removeLast()
      if last !== stream {
        streams[stream.slot] = last
        last.slot = stream.slot
      }
    }
    close(stream)
  }

  private func close(_ stream: HTTP2Stream) {
    stream.isOpen = false
    clear(stream)
    if stream.isAnswered {
      stream.owner = .nobody
    } else {
      events.append(.cancelled(stream))
    }
  }

  /// Fills one DATA frame. Answers how many bytes, and what follows them.
  func fill(_ stream: HTTP2Stream, _ frame: UnsafeMutableRawBufferPointer) -> DataFrameFill {
    eventLoop.assertInside()
    let count = stream.outbound.move(into: frame)
    unsentBytes -= count
    if stream.isPaused, stream.unsentBytes <= options.unsentStreamBytesHigh / 2 {
      stream.isPaused = false
      events.append(.writable(stream))
    }
    guard stream.outbound.isEmpty, stream.isAnswered else {
      if count == 0 { stream.isDeferred = true }
      return count == 0 ? .nothingYet : .bytes(count)
    }
    guard let trailers = stream.trailers else { return .lastBytes(count) }
    stream.trailers = nil
    nghttp2_submit_trailer(session, stream.id, trailers.fields, trailers.count)
    return .lastBytesBeforeTrailers(count)
  }
}
