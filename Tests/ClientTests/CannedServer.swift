/// A server that answers with the same bytes whatever it is asked.

import NIOCore
import NIOPosix
import Synchronization

final class CannedServer: Sendable {
  /// What becomes of a connection when the answer is out.
  enum End: Sendable { case closes, stays }

  private let channel: any Channel
  private let log: Log

  var port: Int { channel.localAddress?.port ?? 0 }
  /// What came in, a text for each piece.
  var seen: [String] { log.pieces.withLock { $0 } }

  fileprivate final class Log: Sendable {
    let pieces = Mutex<[String]>([])
  }

  /// - Parameter answer: nil says nothing.
  init(_ answer: String?, _ end: End = .stays) async throws {
    let log = Log()
    self.log = log
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Answering(answer, end, log))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  func stop() async throws { try await channel.close() }
}

/// State and its owner: the channel's event loop.
private final class Answering: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let answer: String?
  private let end: CannedServer.End
  private let log: CannedServer.Log

  init(_ answer: String?, _ end: CannedServer.End, _ log: CannedServer.Log) {
    self.answer = answer
    self.end = end
    self.log = log
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    log.pieces.withLock { $0.append(String(buffer: unwrapInboundIn(data))) }
    guard let answer else { return }
    let channel = context.channel
    let end = end
    channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in
      if end == .closes { channel.close(promise: nil) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
