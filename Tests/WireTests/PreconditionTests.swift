/// What ends the program rather than going on with what nobody may rely on. Each of these costs a process.

import NIOCore
import NIOPosix
import Testing

@testable import Wire

@Suite("preconditions of connections")
struct WirePreconditionTests {
  private static let outside = "called outside of the event loop that owns this"

  private static func said(_ result: ExitTest.Result?, _ words: String = outside) -> Bool {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(words)
  }

  /// A connection that belongs to an event loop which is not this thread.
  private static func foreignConnection() -> GRPCConnection {
    let connection = GRPCConnection(methods: GRPCMethodTable([]), now: { 0 }, perform: { $0() })!
    connection.eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    return connection
  }

  @Test("a connection is given bytes, asked for them and ended by its event loop alone")
  func connection() async {
    let receives = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [1].withUnsafeBytes { Self.foreignConnection().receive($0) }
    }
    #expect(Self.said(receives))
    let gives = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Self.foreignConnection().output(atMost: 1) { _ in }
    }
    #expect(Self.said(gives))
    let ends = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Self.foreignConnection().loseConnection()
    }
    #expect(Self.said(ends))
  }

  @Test("transactions of a connection are tied and cut by its event loop alone")
  func ties() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Self.foreignConnection().ties.cut()
    }
    #expect(Self.said(result))
  }

  @Test("a connection is taken off its event loop by that loop alone")
  func executor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let executor = LoopExecutor()
      executor.use(MultiThreadedEventLoopGroup.singleton.next())
      executor.end()
    }
    #expect(Self.said(result))
  }

  @Test("the event loop itself may, and so may whoever has none")
  func allowed() async throws {
    Optional<any EventLoop>.none.assertInside()
    Optional<any EventLoop>.none.preconditionInside()
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    try await loop.submit {
      Optional(loop as any EventLoop).assertInside()
      Optional(loop as any EventLoop).preconditionInside()
    }.get()
  }

  @Test("headers that are made once are never released")
  func constantHeaders() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = HeaderBlock([("a", [1])], isConstant: true)
    }
    #expect(Self.said(result, "a constant header block is never released"))
  }
}
