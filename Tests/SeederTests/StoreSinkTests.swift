/// Seeds in a real store.

import DocModel
import DocStore
import EngineLMDB
import Seeder
import Testing

@Suite("seeding a store")
struct StoreSinkTests {
  private let text = """
    version: 1
    documents:
      users/bob: {name: Bob, at: {$serverTime: true}, friend: {$ref: users/alice}}
      users/alice: {name: Alice}
    generate:
      - path: users/bob/notes/n${i:04}
        repeat: 1200
        fields: {n: "${i}", title: {$words: {min: 2, max: 5}}, at: {m: {$serverTime: true}}}

    """

  private func version(_ path: String, in store: DocumentStore<LMDBEngine>) throws -> Int64? {
    try store.read(testDatabase) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: path))?.updateTime
    }
  }

  @Test("documents are stored; seeding again commits nothing; a change touches one document")
  func storesOnce() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    var sink = StoreSink(store, testDatabase)
    #expect(try await seeder(text).write(to: &sink).outcome == SeedOutcome(created: 1_202))

    let bob = try store.read(testDatabase) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: "users/bob")).map { Fields($0.fields) }
    }
    #expect(bob?["friend"] == .reference("projects/demo/databases/(default)/documents/users/alice"))
    guard case .timestamp? = bob?["at"] else {
      Issue.record("no time of the commit")
      return
    }

    let before = [try version("users/bob", in: store), try version("users/bob/notes/n1200", in: store)]
    #expect(before.allSatisfy { $0 != nil })
    #expect(try await seeder(text).write(to: &sink).outcome == SeedOutcome(unchanged: 1_202))
    #expect([try version("users/bob", in: store), try version("users/bob/notes/n1200", in: store)] == before)

    let changed = try seeder(text.replacing("name: Alice", with: "name: Ann"))
    #expect(try await changed.write(to: &sink).outcome == SeedOutcome(updated: 1, unchanged: 1_201))
    #expect(try version("users/bob", in: store) == before[0])
  }

  @Test("documents are replaced as a whole; others stay")
  func replaces() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    let old = Write(
      ResourcePath(unchecked: "users/alice"),
      .update(fields: Fields([("old", .integer(1))]).encoded, mask: nil))
    let other = Write(
      ResourcePath(unchecked: "users/eve"), .update(fields: Fields([("x", .integer(1))]).encoded, mask: nil))
    _ = try await store.commit(testDatabase, [old, other])
    var sink = StoreSink(store, testDatabase)
    _ = try await seeder(text).write(to: &sink)
    let (alice, eve) = try store.read(testDatabase) { (view) throws(StoreError) in
      (
        try view.document(ResourcePath(unchecked: "users/alice")).map { Fields($0.fields) },
        try view.document(ResourcePath(unchecked: "users/eve")).map { Fields($0.fields) }
      )
    }
    #expect(alice == ["name": .string("Alice")])
    #expect(eve == ["x": .integer(1)])
  }

  @Test("a store that is closed ends the seeding with its reason")
  func closed() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    store.close()
    var sink = StoreSink(store, testDatabase)
    do {
      _ = try await seeder(text).write(to: &sink)
      Issue.record("written")
    } catch {
      #expect(error.description.hasSuffix("(0 written before)"))
    }
  }
}
