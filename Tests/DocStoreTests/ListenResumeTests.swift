/// Clients that come and go: what they are told when they are back is exactly what happened meanwhile, also
/// when the store was opened anew or cleared. `SEED=n` replays a run.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@Suite struct ListenResumeTests {
  /// What an SDK keeps of a target between two streams.
  private struct Memory {
    var documents: [ResourcePath: Int64]
    var token: ResumeToken
    /// The database was cleared since.
    var isOutdated = false
  }

  private struct Tally {
    var resumed = 0
    var told = 0
    var silent = 0
    var resets = 0
  }

  @Test("a target that comes back is told exactly the difference, whatever happened while it was away")
  func differences() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = ListenRandom(seed: seed)
    var tally = Tally()
    for round in 0..<6 {
      let server = try RestartedStore()
      let targets = random.targets(12) + (try Self.windows())
      var memories: [Int32: Memory] = [:]
      try server.commit(random.commit(size: 30))
      for visit in 0..<14 {
        let label = "SEED=\(seed) round \(round) visit \(visit)"
        if visit % 5 == 2 { try server.restart() }
        if visit % 7 == 5 {
          try server.clear()
          for id in memories.keys { memories[id]?.isOutdated = true }
        }
        for _ in 0..<(random.next() % 5) { try server.commit(random.commit(size: 5)) }
        let harness = ListenHarness(try server.test())
        for (id, selection) in targets where random.next() % 4 != 0 {
          try Self.comeBack(id, selection, memories[id], harness, &tally, label)
        }
        for _ in 0..<(random.next() % 4) { try harness.commit(random.commit(size: 4)) }
        try Self.remember(targets, harness, &memories, label)
      }
    }
    print(tally)
    #expect(
      tally.resumed > 300 && tally.told > 300 && tally.silent > 30 && tally.resets > 30, "\(tally)")
  }

  /// A target of a new stream, with what its client kept from an earlier one.
  private static func comeBack(
    _ id: Int32, _ selection: TargetSelection, _ memory: Memory?, _ harness: ListenHarness,
    _ tally: inout Tally, _ label: String
  ) throws {
    let label = "\(label) target \(id) \(selection)"
    guard let memory else { return harness.add(id, selection) }
    harness.probe.believe(memory.documents, of: id)
    _ = harness.probe.takeEvents()
    harness.add(id, selection, from: .token(memory.token.bytes), expecting: memory.documents.count)
    let known = harness.probe.target(id)
    #expect(known.filterCount == nil, "\(label)")
    #expect(known.resets == (memory.isOutdated ? 1 : 0), "\(label)")
    let told = Set(harness.probe.takeEvents().compactMap(\.toldPath))
    if memory.isOutdated {
      tally.resets += 1
      return
    }
    let changed = Set(memory.documents.keys).union(known.documents.keys).filter {
      memory.documents[$0] != known.documents[$0]
    }
    #expect(told == changed, "\(label)")
    tally.resumed += 1
    tally.told += told.count
    if told.isEmpty { tally.silent += 1 }
  }

  /// Every target that was on the stream shows the store's answer, and its client keeps that.
  private static func remember(
    _ targets: [(Int32, TargetSelection)], _ harness: ListenHarness, _ memories: inout [Int32: Memory],
    _ label: String
  ) throws {
    let now = harness.probe.now
    #expect(now.complaints.isEmpty, "\(label)")
    for (id, selection) in targets {
      guard let known = now.targets[id] else { continue }
      let truth = try harness.truth(selection)
      #expect(known.isCurrent && !known.isRemoved, "\(label) target \(id)")
      guard known.documents == truth else {
        Issue.record("\(label) target \(id) \(selection)\nknown \(known.documents)\ntruth \(truth)")
        throw ModelMismatch()
      }
      memories[id] = Memory(documents: truth, token: try #require(now.token))
    }
  }

  /// The first and the last of an order, a few each: SDKs ask for the last with the order turned round.
  private static func windows() throws -> [(Int32, TargetSelection)] {
    func window(_ direction: StructuredQuery.Direction, offset: Int) throws -> TargetSelection {
      var query = StructuredQuery(
        database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
      query.orders = [.init("a", direction)]
      query.limit = 3
      query.offset = offset
      return .query(try QueryValidator.validate(query))
    }
    return [
      (101, try window(.ascending, offset: 0)), (103, try window(.descending, offset: 0)),
      (105, try window(.ascending, offset: 2)),
    ]
  }

  @Test("a store that did not make a token resets its target")
  func otherStore() throws {
    let first = try RestartedStore()
    try first.commit([.set("c/a", [:])])
    let harness = ListenHarness(try first.test())
    harness.add(2, try harness.query("c"))
    let token = try #require(harness.probe.now.token)
    let other = try RestartedStore()
    other.clock.advance(seconds: 1)
    try other.commit([.set("c/b", [:])])
    let second = ListenHarness(try other.test())
    second.add(2, try second.query("c"), from: .token(token.bytes))
    #expect(second.probe.target(2).resets == 1)
    #expect(second.probe.target(2).documents.keys.map(\.text) == ["c/b"])
  }
}

/// A store in a folder that is closed and opened again, with one clock.
final class RestartedStore {
  private let folder = TemporaryFolder()
  let clock = TestClock()
  private var current: TestStore?

  init() throws { current = try TestStore(engine: LMDBEngine.durable(folder: folder.path), clock: clock) }

  deinit { current?.store.close() }

  func test() throws -> TestStore { try #require(current) }

  /// No stream may be open.
  func restart() throws {
    current?.store.close()
    current = nil
    clock.advance(seconds: 1)
    current = try TestStore(engine: opened(), clock: clock)
  }

  /// A hub's thread may be at its last piece of work for a moment longer than the store is open.
  private func opened() throws -> LMDBEngine {
    for _ in 0..<1_000 {
      if let engine = try? LMDBEngine.durable(folder: folder.path) { return engine }
      usleep(5_000)
    }
    return try LMDBEngine.durable(folder: folder.path)
  }

  func commit(_ writes: [Write]) throws {
    clock.advance(microseconds: 10)
    try test().store.commitAndWait(QueryTestSource.database, writes)
  }

  func clear() throws {
    clock.advance(microseconds: 10)
    _ = try test().store.clearAndWait(QueryTestSource.database)
  }
}
