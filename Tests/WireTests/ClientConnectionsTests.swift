import Testing

@testable import Wire

@Suite("connections of one client")
struct ClientConnectionsTests {
  @Test(
    "an address of sixteen bytes counts for its network, one of four for itself",
    arguments: [
      ("2001:db8:0:1::7", "2001:db8:0:1:9::9", true), ("2001:db8:0:1::7", "2001:db8:0:2::7", false),
      ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false), ("::ffff:10.0.0.1", "10.0.0.1", true),
      ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false), ("::1", "127.0.0.1", false),
    ])
  func namesClients(_ row: (one: String, other: String, isSame: Bool)) throws {
    let (one, other) = (try #require(ClientAddress(row.one)), try #require(ClientAddress(row.other)))
    #expect((one == other) == row.isSame)
  }

  @Test("a client has as many as it may, others are not counted with it, and what is closed comes free")
  func counts() throws {
    let (one, other) = (try #require(ClientAddress("10.0.0.1")), try #require(ClientAddress("10.0.0.2")))
    let clients = ClientConnections(max: 2)
    #expect(clients.add(one) && clients.add(one) && !clients.add(one) && !clients.add(one))
    #expect(clients.add(other))
    clients.remove(one)
    #expect(clients.add(one) && !clients.add(one))
    for _ in 0..<2 { clients.remove(one) }
    #expect(clients.add(one))
  }
}
