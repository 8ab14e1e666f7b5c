/// What is an address of a server, and what is none.

import Testing

@testable import Shell

@Suite("Addresses of servers")
struct AddressTests {
  @Test(
    "What is no address is told as wrong usage, before anybody is asked",
    arguments: [
      "foo", "127.0.0.1:", ":8080", "127.0.0.1:99999", "127.0.0.1:65536", "127.0.0.1:0", "127.0.0.1:-1",
      "127.0.0.1:80a",
      "127.0.0.1:+80", "[::1]",
    ])
  func none(_ address: String) {
    #expect {
      _ = try RemoteBackend(address, database: SessionKit.database)
    } throws: { error in
      let error = error as? ShellError
      return error?.status == ShellStatus.syntax && error?.message == "`\(address)` is no HOST:PORT"
    }
  }
}
