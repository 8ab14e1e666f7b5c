/// Records that are gone without a commit are noticed by whoever looks at a whole collection.

import DocModel
import EngineLMDB
import TestSupport
import Testing

@testable import DocStore

@Suite("tallies of collections")
struct CollectionTallyTests {
  private let folder = TemporaryFolder()

  private func opened() throws -> TestStore { try TestStore(engine: LMDBEngine.durable(folder: folder.path)) }

  private func fill(_ test: TestStore) throws {
    for number in 0..<10 { try test.set("c/d\(number)", ["n": .integer(Int64(number))]) }
    try test.set("c/d3/sub/x", [:])
    try test.set("c/d4", ["n": .integer(44)])
    try test.commit(.delete("c/d5"), .set("c/d6", [:]), .delete("c/none"))
  }

  private func raw(
    _ test: TestStore, _ keyspace: Keyspace, _ change: (MutationBatch, [UInt8]) -> Void
  ) throws {
    try test.store.engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
      var key: [UInt8] = []
      try view.scan(keyspace, .all, .forward) { found, _ in
        key = Array(found)
        return keyspace == .catalog && found.first != CollectionTally.prefix ? .more : .stop
      }
      change(batch, key)
    }
  }

  @Test("commits, clearing and opening again keep them")
  func kept() throws {
    do {
      let test = try opened()
      try fill(test)
      #expect(try test.collection("c").count == 9)
      #expect(try test.collection("c/d3/sub") == ["c/d3/sub/x"])
      try test.store.clearAndWait(test.database)
      #expect(try test.collection("c").isEmpty)
      try fill(test)
      test.store.close()
    }
    let test = try opened()
    #expect(try test.collection("c", .reverse).count == 9)
    for number in 0..<10 { try test.commit(.delete("c/d\(number)")) }
    #expect(try test.collection("c").isEmpty)
  }

  @Test("a record that is gone, and a whole collection that is, are damage to whoever looks at all of it")
  func holes() throws {
    let test = try opened()
    try fill(test)
    try raw(test, .documents) { $0.remove(.documents, $1) }
    #expect(storeError { _ = try test.collection("c") } == .storage(.corrupt))
    #expect(storeError { _ = try test.collection("c", .reverse) } == .storage(.corrupt))
    // A part of it is not compared with anything.
    let bound = NameBound(ResourcePath(unchecked: "c/d2"), isInclusive: true)
    #expect(try test.collection("c", from: bound).count == 7)
    try raw(test, .documents) { batch, _ in batch.removeRange(.documents, .all, limit: .max) }
    #expect(storeError { _ = try test.collection("c/d3/sub") } == .storage(.corrupt))
  }

  @Test("a damaged tally is damage; commits go on")
  func damagedTally() throws {
    let test = try opened()
    try fill(test)
    try raw(test, .catalog) { $0.put(.catalog, $1, [UInt8](repeating: 7, count: CollectionTally.byteCount)) }
    #expect(storeError { _ = try test.collection("c") } == .storage(.corrupt))
    try test.set("c/d7", ["n": .integer(77)])
    #expect(try test.fields("c/d7") == ["n": .integer(77)])
  }

  @Test("a store that has none gets them when it is opened for writing")
  func made() throws {
    do {
      let test = try opened()
      try fill(test)
      test.store.close()
      try test.store.engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
        batch.removeRange(.catalog, KeyRange(prefix: [CollectionTally.prefix]), limit: .max)
        batch.remove(.catalog, CollectionTally.completeKey)
      }
    }
    do {
      var options = StoreOptions()
      options.isReadOnly = true
      let store = try DocumentStore(engine: LMDBEngine.readOnly(folder: folder.path), options: options)
      let count = try store.read(DatabaseID(project: "demo-test")) { (view) throws(StoreError) in
        var count = 0
        try view.scanCollection(ResourcePath(unchecked: "c"), .forward) { _, _ in
          count += 1
          return .more
        }
        return count
      }
      #expect(count == 9)
    }
    let test = try opened()
    #expect(try test.collection("c").count == 9)
    try raw(test, .documents) { $0.remove(.documents, $1) }
    #expect(storeError { _ = try test.collection("c") } == .storage(.corrupt))
  }
}
