/// One page that shows requests: its side of the WebSocket.

internal import Access
internal import JSON
internal import NIOCore
internal import NIOWebSocket
internal import Synchronization

/// One open page. State and its owner: the channel's event loop, but for `isComing`, which says that a look at the
/// feed is already on its way there.
final class RequestsPage: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private final class Coming: Sendable {
    let flag = Atomic(false)
  }

  /// LIMIT: bytes of the first message; the newest entries that fit.
  private static let firstBytesMax = 8 << 20
  /// LIMIT: entries that are looked at in one turn.
  private static let turnMax = 50

  private let source: RequestsServer.Source
  private let coming = Coming()
  private var watcher: Int?
  /// Entries are being made ready on another thread.
  private var isLooking = false
  /// The number of the last entry that was shown; nil until the first message.
  private var last: Int?

  init(_ source: RequestsServer.Source) { self.source = source }

  func handlerAdded(context: ChannelHandlerContext) {
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    let coming = coming
    watcher = source.feed.watch {
      // One look finds all that came until then.
      guard !coming.flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
      loop.execute {
        coming.flag.store(false, ordering: .releasing)
        let (handler, context) = bound.value
        handler.look(context)
      }
    }
    if watcher == nil { return context.close(promise: nil) }
    look(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if let watcher { source.feed.unwatch(watcher) }
    watcher = nil
  }

  /// Asks for what came since, as long as the client reads; first for all there is.
  private func look(_ context: ChannelHandlerContext) {
    context.eventLoop.assertInEventLoop()
    guard watcher != nil, !isLooking, context.channel.isWritable else { return }
    isLooking = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    source.threads.submit { [source, last] in
      let (messages, next) = last.map { Self.turn(source, after: $0) } ?? Self.past(source)
      loop.execute {
        let (handler, context) = bound.value
        handler.show(messages, upTo: next, context)
      }
    }
  }

  private func show(_ messages: [[UInt8]], upTo next: Int, _ context: ChannelHandlerContext) {
    context.eventLoop.assertInEventLoop()
    isLooking = false
    guard watcher != nil else { return }
    let isNew = next != last
    last = next
    for message in messages { send(message, context) }
    if isNew { look(context) }
  }

  /// Everything so far as one array, in the order in which it came.
  private static func past(_ source: RequestsServer.Source) -> ([[UInt8]], Int) {
    let page = source.feed.entries()
    var messages: [[UInt8]] = []
    var bytes = 0
    for entry in page.entries.reversed() {
      guard let message = source.render(entry) else { continue }
      bytes += message.count
      if bytes > firstBytesMax { break }
      messages.append(message)
    }
    var writer = JSONWriter()
    writer.array(messages.reversed()) { $0.json($1) }
    return ([writer.bytes], page.next)
  }

  private static func turn(_ source: RequestsServer.Source, after last: Int) -> ([[UInt8]], Int) {
    let page = source.feed.entries(after: last, atMost: turnMax)
    return (page.entries.compactMap(source.render), page.next)
  }

  private func send(_ message: [UInt8], _ context: ChannelHandlerContext) {
    let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    look(context)
    context.fireChannelWritabilityChanged()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .ping:
      // Who does not read its answers gets none: they would pile up here.
      guard context.channel.isWritable else { return }
      context.writeAndFlush(
        wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
    case .connectionClose:
      let channel = context.channel
      let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in channel.close(promise: nil) }
    // What a client says is of no interest.
    default: return
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
