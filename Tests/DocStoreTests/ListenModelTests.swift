/// Random targets under random commits: after each of them a client that believes what it was told knows
/// what the store answers. `SEED=n` replays a run.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@Suite struct ListenModelTests {
  @Test("after every commit each target holds what its query answers")
  func deltas() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = ListenRandom(seed: seed)
    var held = 0
    for round in 0..<12 {
      let harness = ListenHarness(try TestStore())
      try harness.commit(random.commit(size: 30))
      let targets = random.targets(20)
      for (id, selection) in targets { harness.add(id, selection) }
      for step in 0..<60 {
        try harness.commit(random.commit(size: 1 + Int(random.next() % 6)))
        held += try Self.check(harness, targets, "SEED=\(seed) round \(round) step \(step)")
      }
    }
    #expect(held > 5_000, "documents compared: \(held)")
  }

  @Test("a target that comes back with a token is told exactly the difference")
  func resumption() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = ListenRandom(seed: seed)
    for round in 0..<30 {
      let test = try TestStore()
      let first = ListenHarness(test)
      try first.commit(random.commit(size: 30))
      let targets = random.targets(12)
      for (id, selection) in targets { first.add(id, selection) }
      let token = try #require(first.probe.now.token)
      let known = first.probe.now.targets
      for _ in 0..<(Int(random.next() % 8)) { try first.commit(random.commit(size: 4)) }
      let second = ListenHarness(test)
      for (id, selection) in targets {
        let before = known[id]?.documents ?? [:]
        second.probe.believe(before, of: id)
        second.add(id, selection, from: .token(token.bytes), expecting: before.count)
        let label = "SEED=\(seed) round \(round) target \(id) \(selection)"
        let after = second.probe.target(id)
        #expect(after.documents == (try second.truth(selection)), "\(label)")
        #expect(after.resets == 0, "\(label)")
        #expect(after.filterCount == nil, "\(label)")
        let told = Set(second.probe.takeEvents().compactMap(\.toldPath))
        let changed = Set(before.keys).union(after.documents.keys).filter {
          before[$0] != after.documents[$0]
        }
        #expect(told == changed, "\(label)")
      }
    }
  }

  @Test("a client that reads slowly knows the store's answer once it has read")
  func standstill() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = ListenRandom(seed: seed)
    var limits = ListenLimits()
    limits.catchUpChangesMax = 20
    var resets = 0
    for round in 0..<20 {
      let harness = ListenHarness(try TestStore(), limits: limits)
      try harness.commit(random.commit(size: 30))
      let targets = random.targets(10)
      for (id, selection) in targets { harness.add(id, selection) }
      for step in 0..<6 {
        harness.probe.setUnsentBytes(limits.unsentBytesMax + 1)
        for _ in 0..<(1 + Int(random.next() % 12)) { try harness.commit(random.commit(size: 5)) }
        harness.probe.setUnsentBytes(0)
        harness.stream.clientHasRead()
        harness.threads.run()
        _ = try Self.check(harness, targets, "SEED=\(seed) round \(round) step \(step)")
      }
      resets += harness.probe.now.targets.values.reduce(0) { $0 + $1.resets }
    }
    #expect(resets > 0, "no target ever fell too far behind")
  }

  /// The number of documents compared.
  private static func check(
    _ harness: ListenHarness, _ targets: [(Int32, TargetSelection)], _ label: String
  ) throws -> Int {
    var count = 0
    let now = harness.probe.now
    #expect(now.complaints.isEmpty, "\(label)")
    #expect(now.untold == 0, "\(label): documents without a consistent state")
    for (id, selection) in targets {
      let truth = try harness.truth(selection)
      let known = now.targets[id]?.documents ?? [:]
      if known != truth {
        Issue.record("\(label) target \(id) \(selection)\nknown \(known)\ntruth \(truth)")
        throw ModelMismatch()
      }
      count += truth.count
    }
    return count
  }
}

/// Ends a run at the first difference.
struct ModelMismatch: Error {}

extension ListenEvent {
  /// The document that a message is about.
  var toldPath: ResourcePath? {
    switch self {
    case .changed(let document, _, _): document.path
    case .deleted(let path, _, _), .left(let path, _, _): path
    case .added, .removed, .reset, .current, .consistent, .filter: nil
    }
  }
}

/// Random commits and targets on the documents of `QueryRandom`.
struct ListenRandom {
  private var random: QueryRandom

  init(seed: UInt64) { random = QueryRandom(seed: seed) }

  mutating func next() -> UInt64 { random.next() }

  mutating func commit(size: Int) -> [Write] {
    var writes: [Write] = []
    var written: Set<ResourcePath> = []
    while writes.count < size {
      let path = ResourcePath(unchecked: random.path())
      guard written.insert(path).inserted else { continue }
      if next() % 4 == 0 {
        writes.append(Write(path, .delete))
      } else {
        writes.append(Write(path, .update(fields: random.fields().encoded, mask: nil)))
      }
    }
    return writes
  }

  mutating func targets(_ count: Int) -> [(Int32, TargetSelection)] {
    var targets: [(Int32, TargetSelection)] = []
    while targets.count < count {
      let id = Int32(2 * (targets.count + 1))
      if next() % 6 == 0 {
        var paths: [ResourcePath] = []
        for _ in 0..<(1 + next() % 3) {
          let path = ResourcePath(unchecked: random.path())
          if !paths.contains(path) { paths.append(path) }
        }
        targets.append((id, .documents(paths)))
        continue
      }
      var query = random.query()
      if next() % 2 == 0 { query.filter = nil }
      if let query = try? QueryValidator.validate(query) { targets.append((id, .query(query))) }
    }
    return targets
  }
}
