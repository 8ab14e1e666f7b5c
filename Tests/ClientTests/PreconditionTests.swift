/// What ends the program rather than going on with what nobody may rely on. Each of these costs a process.

import NIOCore
import NIOPosix
import Testing

@testable import Client

@Suite("preconditions of the client")
struct ClientPreconditionTests {
  @Test("nobody waits for an answer on an event loop, which may be the one that would bring it")
  func waitsOnLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await MultiThreadedEventLoopGroup.singleton.next().submit {
        _ = try HTTPClient(HTTPOrigin("127.0.0.1:1")).wait(HTTPRequest("GET", "/"))
      }.get()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("waits on an event loop"))
  }
}
