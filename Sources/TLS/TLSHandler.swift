/// TLS under the handlers of a channel: they write and read plain text, the network gets and sends records.

package import NIOCore
internal import NIOTLS

/// Tells `TLSUserEvent.handshakeCompleted` once there is agreement. An error of TLS (`TLSError`) is told as one of the channel, and closes
/// it. What is written before there is agreement waits for it.
///
/// Closing the channel says so to the other side and waits for its answer, `farewell` at most, so that the last words are read. When the
/// other side says first that it ends, the channel is closed: neither HTTP/1.1 nor HTTP/2 is spoken in one direction only.
///
/// State and its owner: the channel's event loop.
package final class TLSHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private enum Phase {
    case idle, handshaking, open
    /// We said that nothing more comes; `closed` waits for the other side to say so, too.
    case closing
    case closed
  }

  private let tls: TLSContext
  private let server: String?
  private let farewell: TimeAmount
  private var phase = Phase.idle
  /// There from the beginning of the handshake.
  private(set) var session: TLSSession?
  private var writes = MarkedCircularBuffer<(ByteBuffer, EventLoopPromise<Void>?)>(initialCapacity: 4)
  private var closed: EventLoopPromise<Void>?
  private var patience: Scheduled<Void>?
  /// A read that somebody asked for, and that has brought no text yet.
  private var isReadAsked = false

  /// - Parameters:
  ///   - server: a client's: the name or address that the server's certificate has to be for; nil believes any.
  ///   - farewell: how long a closed connection waits for the other side to say that it heard so.
  package init(_ tls: TLSContext, server: String? = nil, farewell: TimeAmount = .seconds(1)) {
    self.tls = tls
    self.server = server
    self.farewell = farewell
  }

  // MARK: the channel's beginning and end

  package func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  package func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  private func begin(_ context: ChannelHandlerContext) {
    context.eventLoop.assertInEventLoop()
    guard phase == .idle else { return }
    do throws(TLSError) {
      session = try TLSSession(tls, server: server)
      phase = .handshaking
      advance(context)
    } catch {
      fail(error, context)
    }
  }

  package func channelInactive(context: ChannelHandlerContext) {
    context.eventLoop.assertInEventLoop()
    let before = phase
    end()
    switch before {
    case .idle, .closing, .closed: break
    case .handshaking: context.fireErrorCaught(TLSError.handshakeFailed(""))
    case .open: context.fireErrorCaught(TLSError.truncated)
    }
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) { end() }

  /// Nothing of this connection is sent or read any more.
  private func end() {
    phase = .closed
    patience?.cancel()
    patience = nil
    session = nil
    while let (_, promise) = writes.popFirst() { promise?.fail(ChannelError.ioOnClosedChannel) }
    closed?.succeed()
    closed = nil
  }

  // MARK: reading

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.eventLoop.assertInEventLoop()
    begin(context)
    guard let session else { return }
    var bytes = unwrapInboundIn(data)
    session.receive(&bytes)
    advance(context)
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // What came was no text, or not all of its record: the read that was asked for is still owed.
    if isReadAsked, phase != .closed { context.read() }
  }

  package func read(context: ChannelHandlerContext) {
    isReadAsked = true
    context.read()
  }

  private func advance(_ context: ChannelHandlerContext) {
    guard let session else { return }
    if phase == .handshaking {
      let progress = session.handshake()
      send(context)
      switch progress {
      case .waits: return
      case .ended: return fail(.handshakeFailed(""), context)
      case .failed(let error): return fail(error, context)
      case .done: break
      }
      phase = .open
      context.fireUserInboundEventTriggered(
        TLSUserEvent.handshakeCompleted(negotiatedProtocol: session.agreedProtocol))
      sendText(context)
    }
    readText(context, session)
    // What waited for the rest of a message of TLS itself.
    if phase == .open, writes.hasMark { sendText(context) }
    send(context)
  }

  /// INVARIANT: a handler above may close the channel, or cause it to be, whenever it is told something: `phase` is asked again after that.
  private func readText(_ context: ChannelHandlerContext, _ session: TLSSession) {
    var text = ByteBuffer()
    while phase == .open || phase == .closing {
      let progress = session.read(into: &text)
      if case .done = progress, text.readableBytes < Self.textBytes { continue }
      deliver(&text, context)
      guard phase == .open || phase == .closing else { return }
      switch progress {
      case .done: continue
      case .waits: return
      case .ended: return leave(context)
      case .failed(let error): return fail(error, context)
      }
    }
  }

  /// What is told at once, or more: one record.
  private static let textBytes = TLSSession.recordBytesMax

  /// After our goodbye nobody reads.
  private func deliver(_ text: inout ByteBuffer, _ context: ChannelHandlerContext) {
    defer { text = ByteBuffer() }
    guard phase == .open, text.readableBytes > 0 else { return }
    isReadAsked = false
    context.fireChannelRead(wrapInboundOut(text))
  }

  // MARK: writing

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    context.eventLoop.assertInEventLoop()
    switch phase {
    case .idle, .handshaking, .open: writes.append((unwrapOutboundIn(data), promise))
    case .closing, .closed: promise?.fail(ChannelError.ioOnClosedChannel)
    }
  }

  package func flush(context: ChannelHandlerContext) {
    writes.mark()
    if phase == .open { sendText(context) } else { context.flush() }
  }

  /// Sends what was flushed.
  private func sendText(_ context: ChannelHandlerContext) {
    while phase == .open, let session, writes.hasMark, let (text, promise) = writes.first {
      switch session.write(text) {
      case .done: _ = writes.popFirst()
      case .waits: return context.flush()
      case .ended: return leave(context)
      case .failed(let error): return fail(error, context)
      }
      // A text of no bytes makes none, and is written when those before it are.
      context.write(wrapOutboundOut(session.takeOutput() ?? ByteBuffer()), promise: promise)
    }
    context.flush()
  }

  private func send(_ context: ChannelHandlerContext) {
    guard let output = session?.takeOutput() else { return }
    context.writeAndFlush(wrapOutboundOut(output), promise: nil)
  }

  // MARK: closing

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    context.eventLoop.assertInEventLoop()
    guard mode == .all else {
      promise?.fail(ChannelError.operationUnsupported)
      return
    }
    switch phase {
    case .idle, .handshaking, .closed:
      phase = .closed
      context.close(mode: .all, promise: promise)
    case .closing:
      if let promise { wait(promise, context) }
    case .open:
      if let promise { wait(promise, context) }
      phase = .closing
      session?.sayGoodbye()
      send(context)
      // To hear the answer, also where nobody else reads any more.
      isReadAsked = true
      context.read()
      // Not through this handler again: it would wait once more.
      let held = NIOLoopBound(context, eventLoop: context.eventLoop)
      patience = context.eventLoop.scheduleTask(in: farewell) { held.value.close(mode: .all, promise: nil) }
    }
  }

  private func wait(_ promise: EventLoopPromise<Void>, _ context: ChannelHandlerContext) {
    if let closed { return closed.futureResult.cascade(to: promise) }
    closed = promise
  }

  /// The other side said that it ends here.
  private func leave(_ context: ChannelHandlerContext) {
    if phase == .open {
      phase = .closing
      session?.sayGoodbye()
      send(context)
    }
    context.close(mode: .all, promise: nil)
  }

  private func fail(_ error: TLSError, _ context: ChannelHandlerContext) {
    guard phase != .closed else { return }
    let (isTold, before) = (phase != .closing, session)
    phase = .closed
    // An alert, which says why. Where it cannot be sent any more, the channel may have ended by now.
    send(context)
    if isTold, session === before { context.fireErrorCaught(error) }
    context.close(mode: .all, promise: nil)
  }
}
