/// Seeding over sockets: places from a server, documents into one.

import Access
import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Seeder
import Testing
import Wire
import YAML

@testable import docsh

@Suite("seeding over the network")
struct SeedOverNetworkTests {
  private static let database = DatabaseID(project: "demo")

  /// A Firestore server that nobody but administrators may use.
  private static func withServer(
    _ body: (RemoteDocuments, DocumentStore<LMDBEngine>) async throws -> Void
  ) async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    var options = FirestoreServerOptions()
    options.server.port = 0
    let server = try await FirestoreServer.start(GuardedStore(store, rulesets: RulesetRegistry()), options)
    do {
      try await body(RemoteDocuments(address: "127.0.0.1:\(server.address.port)", database: database), store)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private static func stored(_ path: String, in store: DocumentStore<LMDBEngine>) throws -> Fields? {
    try store.read(database) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) }
    }
  }

  /// Every kind of value that a seed can have.
  private static let seed = """
    version: 1
    documents:
      kinds/all:
        nothing: null
        flag: true
        number: {$int: "9007199254740993"}
        double: 0.1
        negative: {$double: "-0"}
        nan: .nan
        far: .inf
        time: {$time: 2026-03-01T09:00:00.123456Z}
        text: "é \\"quoted\\" \\n 🧘"
        bytes: {$bytes: aGVsbG8=}
        friend: {$ref: users/bob}
        place: {$geo: [51.5, -0.25]}
        zero: {$geo: [0, 0]}
        vector: {$vector: [0.25, 1]}
        list: [1, a, {b: []}]
        map: {"a.b": {}, "`": 1}
        written: {$serverTime: true}
      users/bob: {name: Bob}
    generate:
      - {path: "users/u${i}", repeat: 1200, fields: {n: "${i}", name: {$name: person}}}

    """

  @Test("a seed arrives at a server as it arrives in a store, and a second time changes nothing")
  func seedsServer() async throws {
    try await Self.withServer { remote, store in
      let seeder = try Seeder(
        checking: YAMLSource(name: "seed.yaml", text: Self.seed), database: Self.database)
      var sink = remote
      #expect(try await seeder.write(to: &sink).outcome == SeedOutcome(created: 1_202))
      #expect(try await seeder.write(to: &sink).outcome == SeedOutcome(unchanged: 1_202))

      let other = try DocumentStore(engine: try LMDBEngine.ephemeral())
      defer { other.close() }
      var local = StoreSink(other, Self.database)
      #expect(try await seeder.write(to: &local).outcome.created == 1_202)
      for path in ["kinds/all", "users/bob", "users/u1200"] {
        var there = try #require(try Self.stored(path, in: store))
        var here = try #require(try Self.stored(path, in: other))
        // The time of the commit is each store's own.
        if path == "kinds/all" {
          #expect(there["written"]?.kind == .timestamp)
          there["written"] = nil
          here["written"] = nil
        }
        #expect(there == here)
      }
      #expect(try await seeder.write(to: &local).outcome == SeedOutcome(unchanged: 1_202))
    }
  }

  @Test("what a server's triggers shall not hear of says so", arguments: [true, false])
  func withoutTriggers(startsTriggers: Bool) async throws {
    try await Self.withServer { remote, store in
      var sink = remote
      sink.startsTriggers = startsTriggers
      _ = try await sink.write([SeedWrite(path: ResourcePath(unchecked: "a/b"), fields: [], serverTimes: [])])
      var sources: [CommitSource?] = []
      try store.changes(Self.database, after: 0, isHeld: true) { _, _, source in
        sources.append(source)
        return .more
      }
      #expect(sources.map { $0?.origin } == [startsTriggers ? nil : .withoutTriggers])
      #expect(sources.map { $0?.author } == [.administrator])
    }
  }

  @Test("documents too large for one commit go in several")
  func largeDocuments() async throws {
    try await Self.withServer { remote, store in
      let seeder = try Seeder(
        checking: YAMLSource(
          name: "seed.yaml",
          text:
            "version: 1\ngenerate: [{path: \"a/${i}\", repeat: 12, fields: {n: {$repeat: [x, 1000000]}}}]\n"),
        database: Self.database)
      var sink = remote
      #expect(try await seeder.write(to: &sink).outcome == SeedOutcome(created: 12))
      #expect(try await seeder.write(to: &sink).outcome == SeedOutcome(unchanged: 12))
    }
  }

  @Test("studios at a server: created, brought up to date, left alone when claimed")
  func studios() async throws {
    try await Self.withServer { remote, store in
      func place(_ id: String, _ name: String) -> Place {
        Place(
          id: id, name: name, address: "1", location: GeoPoint(latitude: 1, longitude: 2), rating: 4.5,
          ratingCount: 1)
      }
      let claimed: Fields = ["isClaimed": .boolean(true), "ownerId": .string("olga")]
      try store.commitAndWait(
        Self.database,
        [Write(ResourcePath(unchecked: "studios/c"), .update(fields: claimed.encoded, mask: nil))])
      var studios = remote
      _ = try await StudioSeeder([place("a", "A")]).seed(&studios)
      let report = try await StudioSeeder([place("a", "B"), place("b", "B"), place("c", "C")]).seed(&studios)
      #expect(report.entries.map(\.outcome) == [.updated(["name"]), .created, .skipped(.claimed)])
      #expect(try Self.stored("studios/a", in: store)?["name"] == .string("B"))
      #expect(try Self.stored("studios/c", in: store) == claimed)
      #expect(try await StudioSeeder([place("a", "B")]).seed(&studios).unchanged == 1)

      // The write of a look that is out of date is refused, and the server says why in a way we know.
      let old = StudioWrite(
        path: ResourcePath(unchecked: "studios/c"), fields: claimed.encoded, mask: nil, updateTime: nil)
      #expect(try await studios.commit([old]) == false)
    }
  }

  @Test("no server, and one that is none")
  func noServer() async throws {
    let places = try await PlacesServer()
    let address = places.address
    var remote = RemoteDocuments(address: address, database: Self.database)
    let write = SeedWrite(path: ResourcePath(unchecked: "a/b"), fields: [], serverTimes: [])
    do throws(SeedSinkError) {
      _ = try await remote.write([write])
      Issue.record("written")
    } catch {
      #expect(error.message.hasPrefix("`\(address)` refuses: UNIMPLEMENTED: "))
    }
    await places.stop()
    remote = RemoteDocuments(address: address, database: Self.database)
    do throws(SeedSinkError) {
      _ = try await remote.write([write])
      Issue.record("written")
    } catch {
      #expect(error.message.hasPrefix("cannot connect to \(address): "))
    }
  }

  @Test("places come over a socket, page by page, and failures are tried again")
  func fetches() async throws {
    let server = try await PlacesServer(failures: [429, 503])
    let endpoint = try #require(ServiceEndpoint("http://\(server.address)/"))
    let fetcher = try PlacesFetcher(EndpointTransport(endpoint: endpoint), apiKey: "secret") { _ in }
    #expect(try await fetcher.search("yoga").map(\.id) == ["a", "b", "c"])
    #expect(try await fetcher.place("d").map(\.name) == ["Studio d"])
    await #expect(throws: PlacesFetchError.self) { try await fetcher.place("e") }
    #expect(server.seen.map(\.method) == ["POST", "POST", "POST", "POST", "GET", "GET"])
    #expect(
      server.seen.allSatisfy {
        $0.key == "secret" && !$0.target.contains("secret") && !$0.body.contains("secret")
      })
    await server.stop()
  }

  @Test(
    "endpoints",
    arguments: [
      ("https://places.googleapis.com", "https://places.googleapis.com", "", true),
      ("http://127.0.0.1:9000", "http://127.0.0.1:9000", "", true),
      ("http://[::1]:9000/a/b/", "http://[::1]:9000", "/a/b", true),
      ("http://localhost", "http://localhost", "", true),
      ("http://example.org", "http://example.org", "", false),
    ])
  func endpoints(text: String, origin: String, prefix: String, keepsSecrets: Bool) throws {
    let endpoint = try #require(ServiceEndpoint(text))
    #expect(endpoint.origin == origin && endpoint.prefix == prefix && endpoint.keepsSecrets == keepsSecrets)
  }

  @Test(
    "what is no endpoint",
    arguments: [
      "", "places", "ftp://x", "http://", "http://a:0", "http://a:x", "http://u@a", "http://a?b",
      "http://a#b", "http://a b",
      "http://a\"b\n",
    ])
  func noEndpoints(text: String) { #expect(ServiceEndpoint(text) == nil) }

  @Test(
    "command lines that say nothing, or too much",
    arguments: [
      ["seed", "places", "--host", "127.0.0.1:1"], ["seed", "places", "f.json"],
      ["seed", "places", "f.json", "--host", "h:1", "--data-dir", "d"],
      ["seed", "places", "--query", "q", "--check", "--endpoint", "http://example.org"],
      ["seed", "places", "--query", "q", "--check", "--near", "51,0"], ["seed", "x.yaml"], ["seed"],
    ])
  func usage(arguments: [String]) {
    #expect(throws: (any Error).self) { try Docsh.parseAsRoot(arguments) }
  }

  @Test("`docsh seed FILE` needs no word between, and `places` is a word of its own")
  func commands() throws {
    let file = try #require(try Docsh.parseAsRoot(["seed", "x.yaml", "--check"]) as? SeedFileCommand)
    #expect(file.file == "x.yaml" && file.check)
    let places = try #require(
      try Docsh.parseAsRoot(["seed", "places", "x.json", "--data-dir", "d"]) as? SeedPlacesCommand)
    #expect(places.files == ["x.json"] && places.target.dataFolder == "d")
  }

  @Test("the bar shows how much is done")
  func progress() {
    #expect(
      ProgressLine.text(SeedProgress(phase: .writing, documents: 50, total: 200))
        == "writing: [#######-----------------------] 25%, 50 of 200 documents")
    #expect(
      ProgressLine.text(SeedProgress(phase: .checking, documents: 50, total: nil)) == "checking: 50 documents"
    )
  }
}
