/// Indexes that nobody reads: commits stop keeping them, and whoever wants one again gets it.

import DocModel
import EngineLMDB
import Platform
import TestSupport
import Testing

@testable import DocStore

@Suite("retired indexes")
struct IndexRetirementTests {
  private static let day: Int64 = 86_400

  /// A store of `c/d0…`, in which a query over ten documents is enough to want an index.
  private struct Fixture {
    let clock = TestClock()
    let store: DocumentStore<LMDBEngine>
    let database = IndexTests.database

    init(engine: LMDBEngine, fills: Bool = true) throws {
      store = try DocumentStore(
        engine: engine, environment: clock.environment(),
        options: StoreOptions(indexBuilding: .onDemand(scannedDocumentsMin: 10)))
      if fills { try IndexTests.fill(store, 40) }
    }

    /// Asks for one number; the documents read.
    func ask(_ path: String = "n") throws -> Int {
      try IndexTests.run(store) { $0.filter = .field(path, .equal, .integer(7)) }.run.documentsRead
    }

    /// Returns when what was asked for is built.
    func settle() throws {
      try tidy()
      try store.buildIndexes(try kept, in: database)
    }

    /// Returns when all is tidied.
    func tidy() throws {
      let isOver = Monitor(false)
      try store.committer.submit(.tidy { _ in isOver.change { $0 = true } })
      isOver.wait { $0 ? () : nil }
    }

    var kept: [IndexDefinition] {
      get throws { try store.keptIndexes(in: database).map(\.definition) }
    }

    /// Keys of entries and records of indexes.
    func remains() throws -> Int {
      try store.engine.read { (view) throws(StorageError) in
        var count = 0
        try view.scan(.indexEntries, .all, .forward) { _, _ in
          count += 1
          return .more
        }
        try view.scan(.catalog, KeyRange(prefix: [IndexLayout.catalogPrefix]), .forward) { _, _ in
          count += 1
          return .more
        }
        return count
      }
    }
  }

  private func follow(_ fixture: Fixture, _ seen: Monitor<[RetiredIndex]>) {
    fixture.store.followRetiredIndexes { retired in seen.change { $0.append(retired) } }
  }

  @Test("an index that no query reads for a day is retired, told of, and built again when it is wanted")
  func unused() throws {
    let fixture = try Fixture(engine: LMDBEngine.ephemeral())
    defer { fixture.store.close() }
    let seen = Monitor<[RetiredIndex]>([])
    follow(fixture, seen)
    #expect(try fixture.ask() == 40)
    try fixture.settle()
    #expect(try fixture.kept == [IndexTests.single("n")])
    fixture.clock.advance(seconds: Self.day - 1)
    #expect(try fixture.ask() == 1)
    fixture.clock.advance(seconds: Self.day - 1)
    try fixture.tidy()
    #expect(try fixture.kept == [IndexTests.single("n")], "it was read less than a day ago")
    fixture.clock.advance(seconds: 2)
    try fixture.tidy()
    #expect(try fixture.kept == [])
    #expect(try fixture.remains() == 0)
    #expect(
      seen.withLock { $0 } == [
        RetiredIndex(database: fixture.database, definition: IndexTests.single("n"), isForRoom: false)
      ])
    try fixture.store.commitAndWait(fixture.database, [.set("c/d0007", ["n": .integer(8)])])
    #expect(try fixture.remains() == 0, "commits do not keep it")
    #expect(try fixture.ask() == 40)
    try fixture.settle()
    #expect(try fixture.ask() == 0)
    #expect(try fixture.store.indexFaults(in: fixture.database) == [])
  }

  @Test("whoever reads while an index is retired reads on by it")
  func readers() throws {
    let fixture = try Fixture(engine: LMDBEngine.ephemeral())
    defer { fixture.store.close() }
    _ = try fixture.ask()
    try fixture.settle()
    var query = StructuredQuery(database: fixture.database, collection: ResourcePath(unchecked: "c"))
    query.filter = .field("n", .equal, .integer(7))
    let normalized = try QueryValidator.validate(query)
    try fixture.store.read(fixture.database) { (view) throws(StoreError) in
      let plan = try view.plan(normalized)
      fixture.clock.advance(seconds: Self.day + 1)
      try? fixture.tidy()
      let run = try QueryExecutor.run(normalized, plan: plan, on: view) { _ in .more }
      #expect(run.delivered == 1 && run.documentsRead == 1)
    }
    #expect(try fixture.kept == [])
    #expect(try fixture.ask() == 40)
  }

  @Test("of as many indexes as may be the one that was not read for longest makes room")
  func room() throws {
    let fixture = try Fixture(engine: LMDBEngine.ephemeral())
    defer { fixture.store.close() }
    let seen = Monitor<[RetiredIndex]>([])
    follow(fixture, seen)
    let most = (0..<IndexRegistry.perCollectionMax).map { IndexTests.single("f\($0)") }
    try fixture.store.buildIndexes(most, in: fixture.database)
    #expect(try fixture.kept.count == IndexRegistry.perCollectionMax)
    #expect(try fixture.ask() == 40)
    try fixture.tidy()
    #expect(try !fixture.kept.contains(IndexTests.single("n")), "all of them are new")
    fixture.clock.advance(seconds: IndexRegistry.roomSeconds + 1)
    for number in 0..<IndexRegistry.perCollectionMax where number != 3 {
      _ = try fixture.ask("f\(number)")
    }
    fixture.clock.advance(seconds: 1)
    #expect(try fixture.ask() == 40)
    try fixture.settle()
    #expect(try fixture.ask() == 1)
    #expect(try fixture.kept.count == IndexRegistry.perCollectionMax)
    #expect(seen.withLock { $0.map(\.definition) } == [IndexTests.single("f3")])
    #expect(seen.withLock { $0.allSatisfy(\.isForRoom) })
  }

  @Test(
    "what was left of a retired index when the store was closed is removed later, and lends nobody its number"
  )
  func reopened() throws {
    let folder = TemporaryFolder()
    var number: UInt32 = 0
    do {
      let fixture = try Fixture(engine: LMDBEngine.durable(folder: folder.path))
      _ = try fixture.ask()
      try fixture.settle()
      // As a stop between the first step of retiring and the second leaves it.
      try fixture.store.engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
        let generation = try DatabaseCatalog.generation(view, fixture.database)
        for index in try IndexCatalog.indexes(view, generation) {
          number = index.number
          batch.put(
            .catalog, IndexLayout.catalogKey(generation, index.number), IndexCatalog.encodedRetired(index))
        }
      }
      fixture.store.close()
    }
    let fixture = try Fixture(engine: LMDBEngine.durable(folder: folder.path), fills: false)
    defer { fixture.store.close() }
    #expect(try fixture.kept == [])
    #expect(try fixture.ask() == 40)
    try fixture.settle()
    #expect(try fixture.ask() == 1)
    let numbers = try fixture.store.engine.read { (view) throws(StorageError) in
      let all = try IndexCatalog.all(view, try DatabaseCatalog.generation(view, fixture.database))
      return (all.kept.map(\.number), all.retired)
    }
    #expect(numbers.0 == [number + 1] && numbers.1 == [])
    #expect(try fixture.store.indexFaults(in: fixture.database) == [])
    #expect(try fixture.remains() == 41, "40 entries and a record")
  }
}
