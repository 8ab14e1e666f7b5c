/// Indexes: when they are built, what they save, how they end.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@Suite("indexes")
struct IndexTests {
  static let database = DatabaseID(project: "demo-test")

  static func single(_ path: String, _ mode: IndexDefinition.Mode = .ascending) -> IndexDefinition {
    IndexDefinition(
      collectionID: "c", scope: .collection, fields: [IndexDefinition.Field(fieldPath(path), mode)])
  }

  /// Documents `c/d0000…` with `n` their number, `third` its rest by three, `tags` of its rests by three and
  /// by ten.
  static func fill(_ store: DocumentStore<some StorageEngine>, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 500) {
      let writes = (start..<min(start + 500, count)).map { number in
        let id = String(String(10_000 + number).dropFirst())
        return Write.set(
          "c/d\(id)",
          [
            "n": .integer(Int64(number)), "third": .integer(Int64(number % 3)),
            "tags": .array([.string("t\(number % 3)"), .string("u\(number % 10)")]),
          ])
      }
      try store.commitAndWait(database, writes)
    }
  }

  static func store(
    _ count: Int, building: StoreOptions.IndexBuilding = .onDemand(scannedDocumentsMin: 1_000)
  ) throws -> DocumentStore<LMDBEngine> {
    let store = try DocumentStore(
      engine: try LMDBEngine.ephemeral(), options: StoreOptions(indexBuilding: building))
    try fill(store, count)
    return store
  }

  static func run(
    _ store: DocumentStore<some StorageEngine>, _ change: (inout StructuredQuery) -> Void
  ) throws -> (run: QueryRun, plan: QueryPlan) {
    var query = StructuredQuery(database: database, collection: ResourcePath(unchecked: "c"))
    change(&query)
    let normalized = try QueryValidator.validate(query)
    return try store.read(database) { (view) throws(StoreError) in
      let plan = try view.plan(normalized)
      return (try QueryExecutor.run(normalized, on: view) { _ in .more }, plan)
    }
  }

  /// Waits for the thread that builds: an empty request comes back after what was asked for before it.
  static func settle(_ store: DocumentStore<some StorageEngine>) throws {
    try store.buildIndexes(
      try store.keptIndexes(in: database).map(\.definition) + [single("nowhere")], in: database)
  }

  // MARK: when

  @Test("a query over many documents has its index built, and reads only what it returns from then on")
  func onDemand() throws {
    let store = try Self.store(3_000)
    defer { store.close() }
    func equal() throws -> (run: QueryRun, plan: QueryPlan) {
      try Self.run(store) { $0.filter = .field("n", .equal, .integer(7)) }
    }
    #expect(try equal().run.documentsRead == 3_000)
    try Self.settle(store)
    let indexed = try equal()
    #expect(indexed.run.documentsRead == 1 && indexed.run.entriesRead == 1)
    #expect(indexed.plan.indexesUsed.map(\.properties) == ["(n ASC, __name__ ASC)"])
    let kept = try store.keptIndexes(in: Self.database)
    #expect(kept.contains { $0.definition == Self.single("n") && $0.isReady })
    #expect(try store.indexFaults(in: Self.database) == [])
  }

  @Test(
    "no index is built for few documents, for queries that return most of what they read, or when told so",
    arguments: [(900, 7, true), (3_000, -1, true), (3_000, 7, false)])
  func notBuilt(count: Int, number: Int64, isOnDemand: Bool) throws {
    let store = try Self.store(count, building: isOnDemand ? .onDemand(scannedDocumentsMin: 1_000) : .never)
    defer { store.close() }
    _ = try Self.run(store) { query in
      query.filter = .field("n", number < 0 ? .greaterThan : .equal, .integer(number))
    }
    // A commit is behind everything that was asked for.
    try store.commitAndWait(Self.database, [.set("x/y", [:])])
    #expect(try store.keptIndexes(in: Self.database) == [])
  }

  @Test("a defined composite is built when a query wants it, and serves it in one range")
  func composite() throws {
    let store = try Self.store(3_000)
    defer { store.close() }
    store.setIndexes([
      IndexDefinition(
        collectionID: "c", scope: .collectionGroup,
        fields: [.init(fieldPath("third"), .ascending), .init(fieldPath("n"), .descending)])
    ])
    func newest() throws -> (run: QueryRun, plan: QueryPlan) {
      try Self.run(store) { query in
        query.filter = .field("third", .equal, .integer(1))
        query.orders = [.init("n", .descending)]
        query.limit = 20
      }
    }
    #expect(try newest().run.documentsRead == 3_000)
    try Self.settle(store)
    let indexed = try newest()
    #expect(indexed.run.delivered == 20 && indexed.run.documentsRead == 20 && indexed.run.entriesRead == 20)
    #expect(indexed.plan.isInOrder)
    #expect(indexed.plan.indexesUsed.map(\.properties) == ["(third ASC, n DESC, __name__ DESC)"])
  }

  // MARK: what

  private static let built: [IndexDefinition] = [
    single("n"), single("third"), single("tags", .contains),
    IndexDefinition(
      collectionID: "c", scope: .collection,
      fields: [.init(fieldPath("third"), .ascending), .init(fieldPath("n"), .ascending)]),
    IndexDefinition(
      collectionID: "c", scope: .collection,
      fields: [.init(fieldPath("tags"), .contains), .init(fieldPath("n"), .ascending)]),
  ]

  /// A query, the indexes it uses, and the documents and entries it reads among 300.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let indexes: [String]
    let documents: Int
    let entries: ClosedRange<Int>
    let query: @Sendable (inout StructuredQuery) -> Void

    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "equality", indexes: ["(third ASC, __name__ ASC)"], documents: 100, entries: 100...100) {
      $0.filter = .field("third", .equal, .integer(1))
    },
    Row(name: "range", indexes: ["(n ASC, __name__ ASC)"], documents: 9, entries: 9...9) {
      $0.filter = .field("n", .greaterThan, .integer(290))
    },
    Row(name: "backwards", indexes: ["(n DESC, __name__ DESC)"], documents: 20, entries: 20...20) {
      $0.orders = [.init("n", .descending)]
      $0.limit = 20
    },
    Row(name: "not equal", indexes: ["(n ASC, __name__ ASC)"], documents: 299, entries: 299...300) {
      $0.filter = .field("n", .notEqual, .integer(4))
    },
    Row(name: "union", indexes: ["(n ASC, __name__ ASC)"], documents: 2, entries: 2...3) {
      $0.filter = .field("n", .in, .array([.integer(1), .integer(5), .integer(1_000)]))
    },
    Row(
      name: "join", indexes: ["(third ASC, __name__ ASC)", "(tags CONTAINS, __name__ ASC)"], documents: 10,
      entries: 10...90
    ) {
      $0.filter = .all([
        .field("third", .equal, .integer(1)), .field("tags", .arrayContains, .string("u4")),
      ])
    },
    Row(
      name: "join with an order",
      indexes: ["(third ASC, n ASC, __name__ ASC)", "(tags CONTAINS, n ASC, __name__ ASC)"],
      documents: 3, entries: 3...30
    ) {
      $0.filter = .all([
        .field("third", .equal, .integer(1)), .field("tags", .arrayContains, .string("u4")),
      ])
      $0.orders = [.init("n")]
      $0.limit = 3
    },
    Row(
      name: "equality and range", indexes: ["(third ASC, n DESC, __name__ DESC)"], documents: 3,
      entries: 3...3
    ) {
      $0.filter = .all([.field("third", .equal, .integer(1)), .field("n", .lessThan, .integer(10))])
      $0.orders = [.init("n", .descending)]
    },
    Row(name: "cursors", indexes: ["(n ASC, __name__ ASC)"], documents: 4, entries: 4...4) {
      $0.orders = [.init("n")]
      $0.start = .init([Value.integer(10)], isBefore: true)
      $0.end = .init([Value.integer(14)], isBefore: true)
    },
    Row(name: "by name", indexes: ["(__name__ ASC)"], documents: 5, entries: 0...0) { $0.limit = 5 },
  ]

  @Test("a query reads the entries it needs and no others", arguments: rows)
  func reads(row: Row) throws {
    let store = try Self.store(300)
    defer { store.close() }
    try store.buildIndexes(Self.built, in: Self.database)
    let (run, plan) = try Self.run(store, row.query)
    #expect(plan.indexesUsed.map(\.properties) == row.indexes)
    #expect(run.documentsRead == row.documents)
    #expect(row.entries.contains(run.entriesRead), "\(run)")
  }

  @Test("counts are read from entries; documents are not looked at")
  func counts() throws {
    let store = try Self.store(300)
    defer { store.close() }
    try store.buildIndexes(Self.built, in: Self.database)
    func count(_ filter: StructuredQuery.Filter, limit: Int? = nil, upTo: Int64? = nil) throws -> (Value, Int)
    {
      var query = StructuredQuery(database: Self.database, collection: ResourcePath(unchecked: "c"))
      query.filter = filter
      query.limit = limit
      let aggregation = try AggregationQuery.validate([Aggregation(alias: "n", .count(upTo: upTo))]) {
        (added) throws(InvalidArgument) in try QueryValidator.validate(query, adding: added)
      }
      return try store.read(Self.database) { (view) throws(StoreError) in
        let outcome = try AggregationExecutor.run(aggregation, on: view)
        #expect(outcome.run.documentsRead == 0)
        return (outcome.results[0].value, outcome.run.entriesRead)
      }
    }
    #expect(try count(.field("third", .equal, .integer(1))) == (.integer(100), 100))
    #expect(try count(.field("third", .equal, .integer(1)), limit: 8) == (.integer(8), 8))
    #expect(try count(.field("third", .equal, .integer(1)), upTo: 5) == (.integer(5), 5))
    #expect(try count(.field("n", .greaterThanOrEqual, .integer(250))) == (.integer(50), 50))
    #expect(try count(.field("third", .in, .array([.integer(1), .integer(2)]))) == (.integer(200), 200))
  }

  @Test("a bounded count without an index ends where enough are counted")
  func boundedCount() throws {
    let store = try Self.store(300)
    defer { store.close() }
    var query = StructuredQuery(
      database: Self.database, parent: .root, from: [.init("c", includesDescendants: true)])
    query.filter = .field("n", .greaterThanOrEqual, .integer(10))
    let aggregation = try AggregationQuery.validate([Aggregation(.count(upTo: 5))]) {
      (added) throws(InvalidArgument) in try QueryValidator.validate(query, adding: added)
    }
    let outcome = try store.read(Self.database) { (view) throws(StoreError) in
      try AggregationExecutor.run(aggregation, on: view)
    }
    #expect(outcome.results[0].value == .integer(5))
    #expect(outcome.run.documentsRead < 30)
  }

  // MARK: how they end

  @Test("clearing a database ends its indexes")
  func clear() async throws {
    let store = try Self.store(300)
    defer { store.close() }
    try store.buildIndexes(Self.built, in: Self.database)
    _ = try await store.clear(Self.database)
    #expect(try store.keptIndexes(in: Self.database) == [])
    try await store.tidy()
    let left = try store.engine.read { (view) throws(StorageError) in
      var count = 0
      try view.scan(.indexEntries, .all, .forward) { _, _ in
        count += 1
        return .more
      }
      return count
    }
    #expect(left == 0)
    try Self.fill(store, 10)
    #expect(try Self.run(store) { $0.filter = .field("n", .equal, .integer(7)) }.run.delivered == 1)
  }

  @Test("a build that was cut short goes on when the store is opened again")
  func restart() throws {
    let folder = TemporaryFolder()
    func opened() throws -> DocumentStore<LMDBEngine> {
      try DocumentStore(engine: try LMDBEngine.durable(folder: folder.path))
    }
    do {
      let store = try opened()
      defer { store.close() }
      try Self.fill(store, 5_000)
      // Several slices; the store closes before the last of them.
      try store.buildIndexes([Self.single("n")], in: Self.database, waitingAtMost: 0)
    }
    let store = try opened()
    defer { store.close() }
    try store.commitAndWait(Self.database, [.delete("c/d0007"), .set("c/new", ["n": .integer(-1)])])
    try store.buildIndexes([Self.single("n"), Self.single("third")], in: Self.database)
    #expect(try store.keptIndexes(in: Self.database).allSatisfy(\.isReady))
    #expect(try store.keptIndexes(in: Self.database).count == 2)
    #expect(try store.indexFaults(in: Self.database) == [])
  }

  @Test("what a transaction read by an index is locked: a document that would appear in it waits, others not")
  func phantoms() throws {
    let store = try Self.store(300)
    defer { store.close() }
    try store.buildIndexes(Self.built, in: Self.database)
    var query = StructuredQuery(database: Self.database, collection: ResourcePath(unchecked: "c"))
    query.filter = .field("n", .equal, .integer(5_000))
    let normalized = try QueryValidator.validate(query)
    let id = try store.beginTransaction(Self.database)
    try store.read(Self.database, at: .transaction(id)) { (view) throws(StoreError) in
      guard case .indexes = try view.plan(normalized).access else {
        Issue.record("no index is used")
        return
      }
      let run = try QueryExecutor.run(normalized, on: view) { _ in .more }
      #expect(run.delivered == 0)
    }
    try store.commitAndWait(Self.database, [.set("c/other", ["n": .integer(5_001)])])
    let phantom = PendingCommit(store, Self.database, [.set("c/new", ["n": .integer(5_000)])])
    try eventually("the phantom waits") { store.lockWaitCount == 1 }
    #expect(phantom.outcome == nil)
    try store.commitAndWait(Self.database, [.set("x/y", [:])], transaction: id)
    _ = try phantom.result()
  }
}
