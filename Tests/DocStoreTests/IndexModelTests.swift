/// Random documents, changes, indexes and queries: every plan gives what the scan gives.
///
/// `SEED=n` replays a run.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@Suite struct IndexModelTests {
  private static let database = QueryTestSource.database

  /// What was seen, so that a generator which proves nothing is noticed.
  private struct Tally {
    var queries = 0
    var indexed = 0
    var inOrder = 0
    var joined = 0
    var merged = 0
    var nonEmpty = 0
    var past = 0
    var counted = 0
  }

  @Test("every plan over indexes gives what the scan gives, now and in the past, on the plain engine")
  func plain() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = IndexRandom(seed: seed)
    var tally = Tally()
    for _ in 0..<8 {
      let clock = TestClock()
      let store = try DocumentStore(engine: NaiveEngine(), environment: clock.environment())
      defer { store.close() }
      guard try Self.campaign(store, clock, rounds: 3, queries: 60, &random, &tally, seed) else { return }
    }
    Self.expectVariety(tally)
  }

  @Test("the same on the embedded engine, and after it was opened again")
  func durable() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = IndexRandom(seed: seed)
    var tally = Tally()
    let clock = TestClock()
    for _ in 0..<6 {
      let folder = TemporaryFolder()
      for _ in 0..<3 {
        let engine = try LMDBEngine.durable(folder: folder.path)
        let store = try DocumentStore(engine: engine, environment: clock.environment())
        defer { store.close() }
        #expect(try store.indexFaults(in: Self.database) == [], "opened, SEED=\(seed)")
        guard try Self.campaign(store, clock, rounds: 2, queries: 80, &random, &tally, seed) else { return }
      }
    }
    Self.expectVariety(tally)
  }

  private static func expectVariety(_ tally: Tally) {
    print(tally)
    #expect(
      tally.indexed > 400 && tally.inOrder > 150 && tally.joined > 10 && tally.merged > 40
        && tally.nonEmpty > 150 && tally.past > 100 && tally.counted > 40, "\(tally)")
  }

  /// False when a difference was found.
  private static func campaign(
    _ store: DocumentStore<some StorageEngine>, _ clock: TestClock, rounds: Int, queries: Int,
    _ random: inout IndexRandom, _ tally: inout Tally, _ seed: UInt64
  ) throws -> Bool {
    var times: [Int64] = []
    for _ in 0..<rounds {
      try store.commitAndWait(database, random.writes(20 + Int.random(in: 0..<40, using: &random)))
      try store.buildIndexes(random.definitions(), in: database)
      for _ in 0..<4 {
        clock.advance(seconds: 1)
        try store.commitAndWait(database, random.writes(1 + Int.random(in: 0..<8, using: &random)))
        times.append(try store.read(database) { (view) throws(StoreError) in view.readTime })
      }
      let faults = try store.indexFaults(in: database)
      if !faults.isEmpty {
        Issue.record("SEED=\(seed) \(faults)")
        return false
      }
      for _ in 0..<queries {
        guard let query = random.query(definitions: try store.keptIndexes(in: database).map(\.definition))
        else { continue }
        let past = Int.random(in: 0..<3, using: &random) == 0 ? times.randomElement(using: &random) : nil
        guard try compare(query, store, past, &tally, seed) else { return false }
      }
    }
    return true
  }

  private static func compare(
    _ query: NormalizedQuery, _ store: DocumentStore<some StorageEngine>, _ past: Int64?,
    _ tally: inout Tally, _ seed: UInt64
  ) throws -> Bool {
    let time = past.map(ReadTime.at) ?? .newest
    return try store.read(database, at: time) { (view) throws(StoreError) in
      let plan = try view.plan(query)
      let planned = try rows(query, plan, view)
      let scanned = try rows(query, .wholeScan(query), view)
      tally.queries += 1
      if !scanned.isEmpty { tally.nonEmpty += 1 }
      var counted = scanned.count
      if case .indexes(let access) = plan.access {
        tally.indexed += 1
        if plan.isInOrder { tally.inOrder += 1 }
        if plan.description.contains(" and ") { tally.joined += 1 }
        if plan.description.contains(" or ") { tally.merged += 1 }
        if past != nil { tally.past += 1 }
        if access.isExact, query.limit == nil, query.offset == 0 {
          tally.counted += 1
          var entriesRead = 0
          counted = try view.count(access, limit: nil, entriesRead: &entriesRead)
        }
      }
      if planned == scanned, counted == scanned.count { return true }
      Issue.record(
        "SEED=\(seed) \(query)\n\(plan)\nplan \(planned)\nscan \(scanned)\ncount \(counted), past \(past ?? 0)"
      )
      return false
    }
  }

  private static func rows(
    _ query: NormalizedQuery, _ plan: QueryPlan, _ view: StoreView
  ) throws(StoreError) -> [String] {
    var rows: [String] = []
    _ = try QueryExecutor.run(query, plan: plan, on: view) { row in
      // Times and fields tell states of one document apart; escapes tell bytes apart.
      rows.append("\(Array(row.path)) \(row.document.updateTime) \(row.fields.count)")
      return .more
    }
    return rows
  }

  @Test("queries, commits and builds at the same time: what a view shows agrees with the scan of that view")
  func concurrent() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    let store = try DocumentStore(
      engine: LMDBEngine.ephemeral(), options: StoreOptions(indexBuilding: .onDemand(scannedDocumentsMin: 5)))
    defer { store.close() }
    let database = Self.database
    try runThreads(4) { thread in
      var random = IndexRandom(seed: seed &+ UInt64(thread))
      for round in 0..<60 {
        switch thread {
        case 0, 1: try store.commitAndWait(database, random.writes(12))
        case 2:
          if round % 10 == 0 { try store.buildIndexes(random.definitions(), in: database) }
          if round == 30 {
            let isCleared = Monitor(false)
            Task {
              _ = try? await store.clear(database)
              isCleared.change { $0 = true }
            }
            isCleared.wait { $0 ? () : nil }
          }
        default:
          for _ in 0..<8 {
            let known = try store.keptIndexes(in: database).map(\.definition)
            guard let query = random.query(definitions: known) else { continue }
            var tally = Tally()
            guard try Self.compare(query, store, nil, &tally, seed) else { return }
            try store.read(database) { (view) throws(StoreError) in
              _ = try QueryExecutor.run(query, on: view) { _ in .more }
            }
          }
        }
      }
    }
    #expect(try store.indexFaults(in: database) == [], "SEED=\(seed)")
  }
}
