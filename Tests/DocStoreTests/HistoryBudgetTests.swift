/// History keeps to its size, the oldest goes first, and what is left is right.

import DocModel
import EngineLMDB
import TestSupport
import Testing

@testable import DocStore

@Suite("the size of history")
struct HistoryBudgetTests {
  private func makeStore(_ budget: Int) throws -> TestStore {
    var options = StoreOptions()
    options.historyBytesMax = budget
    return try TestStore(engine: LMDBEngine.ephemeral(), options: options)
  }

  private func fields(_ number: Int, bytes: Int) -> Fields {
    ["n": .integer(Int64(number)), "b": .bytes([UInt8](repeating: 7, count: bytes))]
  }

  /// How commits make history.
  struct Load: Sendable, CustomTestStringConvertible {
    let name: String
    /// Documents that are written, in their turn or at random.
    let documents: Int
    var isRandom = false
    var bytes = 100
    /// Documents of one commit.
    var together = 1
    /// One in so many writes is a deletion.
    var deletions = 0
    var databases = 1
    var commits = 3_000

    var testDescription: String { name }

    static let all = [
      Load(name: "one document", documents: 1), Load(name: "in turn", documents: 500),
      Load(name: "at random", documents: 2_000, isRandom: true),
      Load(name: "new ones only", documents: .max, together: 4),
      Load(name: "many at once", documents: 3_000, isRandom: true, together: 40, commits: 200),
      Load(name: "created and deleted", documents: 50, isRandom: true, deletions: 2),
      Load(name: "large", documents: 20, isRandom: true, bytes: 20_000, commits: 600),
      Load(name: "databases in turn", documents: 100, databases: 5),
      Load(name: "a hundred databases", documents: 3, databases: 100),
    ]
  }

  @Test(
    "stays near its budget; what is older than the floor is refused, what is younger is right",
    arguments: Load.all)
  func budget(_ load: Load) async throws {
    let budget = 256 << 10
    let test = try makeStore(budget)
    defer { test.store.close() }
    var random = SeededRandom(seed: 7)
    var largest = 0
    /// What was written: where, when and what.
    var written: [(database: DatabaseID, path: String, version: Int64, number: Int?)] = []
    for commit in 0..<load.commits {
      let database = DatabaseID(project: "demo-\(commit % load.databases)")
      var paths: Set<String> = []
      while paths.count < load.together {
        let place = commit * load.together + paths.count
        paths.insert(
          "c/d\(load.isRandom ? Int.random(in: 0..<load.documents, using: &random) : place % load.documents)")
      }
      let isDeletion = load.deletions > 0 && Int.random(in: 0..<load.deletions, using: &random) == 0
      test.clock.advance(microseconds: 10)
      let result = try test.store.commitAndWait(
        database,
        paths.sorted().map { isDeletion ? .delete($0) : .set($0, fields(commit, bytes: load.bytes)) })
      written += paths.map { (database, $0, result.commitTime, isDeletion ? nil : commit) }
      if commit % 10 == 0 { largest = max(largest, try test.store.historyBytes()) }
    }
    #expect(largest > budget / 2 && largest <= budget * 5 / 4, "\(largest)")
    // What is still to go would go while the past is looked at.
    try await test.store.tidy()
    #expect(try test.store.historyBytes() <= budget)
    try checkPast(written, test)
  }

  private func checkPast(
    _ written: [(database: DatabaseID, path: String, version: Int64, number: Int?)], _ test: TestStore
  ) throws {
    let floor = try test.store.historyFloor()
    let versions = written.map(\.version)
    #expect(floor > versions[0] && floor <= versions[versions.count - 1])
    var present: [DocumentName: Int] = [:]
    for (place, change) in written.enumerated() {
      let path = ResourcePath(unchecked: change.path)
      let name = DocumentName(database: change.database, path: path)
      present[name] = change.number
      if place + 1 < written.count, written[place + 1].version == change.version { continue }
      func number(at version: Int64) throws -> Int? {
        try test.store.read(change.database, at: .at(version)) { (view) throws(StoreError) in
          try view.document(path).map { Fields($0.fields) }
        }.flatMap { if case .integer(let number)? = $0["n"] { Int(number) } else { nil } }
      }
      if change.version < floor {
        if place % 50 == 0 {
          let error = storeError { _ = try number(at: change.version) }
          #expect(error == .failedPrecondition(.readTimeTooOld))
        }
      } else {
        let found = try number(at: change.version)
        #expect(found == present[name], "\(name.path) at \(change.version)")
      }
    }
  }

  @Test("what is held stays, and goes when it is let go")
  func held() async throws {
    let test = try makeStore(64 << 10)
    defer { test.store.close() }
    for number in 0..<500 { try test.set("c/d\(number % 9)", fields(number, bytes: 200)) }
    let held = try test.set("c/d", [:]).commitTime
    test.store.holdHistory(after: held)
    for number in 500..<2_000 { try test.set("c/d\(number % 9)", fields(number, bytes: 200)) }
    try await test.store.tidy()
    var count = 0
    try test.store.changes(test.database, after: held, isHeld: true) { _, _, _ in
      count += 1
      return .more
    }
    #expect(count == 1_500)
    #expect(try test.store.historyFloor() <= held)
    #expect(try test.store.historyBytes() > 300 << 10)
    test.store.holdHistory(after: nil)
    try await test.store.tidy()
    #expect(try test.store.historyBytes() <= 64 << 10)
    #expect(try test.store.historyFloor() > held)
  }

  @Test("a cleared database's history goes first, and costs others nothing of theirs")
  func cleared() async throws {
    let test = try makeStore(256 << 10)
    defer { test.store.close() }
    let other = DatabaseID(project: "demo-other")
    let first = try test.store.commitAndWait(other, [.set("c/a", fields(-1, bytes: 100))]).commitTime
    for number in 0..<200 { try test.store.commitAndWait(other, [.set("c/a", fields(number, bytes: 100))]) }
    for number in 0..<500 { try test.set("c/d", fields(number, bytes: 100)) }
    #expect(try test.store.historyFloor() == 0)
    _ = try await test.store.clear(test.database)
    for number in 0..<400 { try test.set("c/d", fields(number, bytes: 100)) }
    #expect(try test.store.historyFloor() == 0, "there was room once the cleared database's was gone")
    let past = try test.store.read(other, at: .at(first)) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: "c/a")).map { Fields($0.fields) }
    }
    #expect(past?["n"] == .integer(-1))
    try await test.store.tidy()
    #expect(try test.collection("c") == ["c/d"])
  }

  @Test(
    "a store that is opened with a smaller budget comes down to it, without a commit or with some",
    arguments: [false, true])
  func smaller(hasCommits: Bool) async throws {
    let folder = TemporaryFolder()
    let clock = TestClock()
    do {
      let test = try TestStore(engine: LMDBEngine.durable(folder: folder.path), clock: clock)
      for number in 0..<50 {
        try test.store.commitAndWait(
          test.database, (0..<100).map { .set("c/d\($0)", fields(number, bytes: 100)) })
      }
      #expect(try test.store.historyBytes() > 1 << 20)
      test.store.close()
    }
    var options = StoreOptions()
    options.historyBytesMax = 128 << 10
    let test = try TestStore(
      engine: LMDBEngine.durable(folder: folder.path), clock: clock, options: options)
    defer { test.store.close() }
    if hasCommits {
      for number in 0..<60 { try test.set("c/d0", fields(number, bytes: 10)) }
    } else {
      try await test.store.tidy()
    }
    #expect(try test.store.historyBytes() <= 160 << 10)
    #expect(try test.collection("c").count == 100)
  }

  @Test("a collection that gets a document while the last of its past goes is still found")
  func catalog() throws {
    let test = try makeStore(32 << 10)
    defer { test.store.close() }
    for number in 0..<600 {
      let user = "u/u\(number % 40)/likes/x"
      if number / 40 % 2 == 0 {
        try test.set(user, fields(number, bytes: 200))
      } else {
        try test.commit(.delete(user))
      }
      for extra in 0..<2 { try test.set("v/e\(extra)", fields(number, bytes: 200)) }
      let found = try test.collect { (view, visit) throws(StoreError) in
        try view.scanGroup("likes", under: .root, visit)
      }
      let expected = try (0..<40).filter { try test.fields("u/u\($0)/likes/x") != nil }
      #expect(found.count == expected.count, "after \(number)")
    }
    #expect(try test.store.historyFloor() > 0)
  }

  @Test("a collection is found while a part of what one commit ended is left")
  func part() throws {
    let test = try makeStore(1 << 30)
    defer { test.store.close() }
    let paths = (0..<10).map { "u/u/likes/l\($0)" }
    try test.store.commitAndWait(test.database, paths.map { .set($0, [:]) })
    try test.store.commitAndWait(test.database, paths.map { .delete($0) })
    let housekeeping = Housekeeping(
      engine: test.store.engine, now: { test.clock.now }, hold: HistoryHold(nil), historyBytesMax: 0)
    /// Removes some changes; which collections are called `likes` then, and how many earlier states are left.
    func remove(_ count: Int) throws -> [Int] {
      try test.store.engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
        guard var state = try DatabaseCatalog.state(view) else { throw .corrupt }
        try housekeeping.collectOldest(count, &state, besides: [:], view, batch)
      }
      var found = [0, 0]
      try test.store.engine.read { (view) throws(StorageError) in
        let generation = try DatabaseCatalog.generation(view, test.database)
        try CollectionCatalog.forEach(view, generation, called: "likes", under: .root) { _ in
          found[0] += 1
          return .more
        }
        try view.scan(.documentHistory, .all, .forward) { _, _ in
          found[1] += 1
          return .more
        }
      }
      return found
    }
    #expect(try remove(10) == [1, 10], "what the first commit changed had no earlier state")
    #expect(try remove(4) == [1, 6])
    #expect(try remove(6) == [0, 0])
  }

  // MARK: listeners

  @Test("a listener that resumes from before the floor is told what is newer, and a filter")
  func resumption() throws {
    let harness = ListenHarness(try makeStore(64 << 10))
    try harness.commit(.set("c/a", [:]), .set("c/b", [:]))
    harness.add(2, try harness.query("c"))
    let token = try #require(harness.probe.now.token)
    try harness.commit(.delete("c/a"), .set("c/c", [:]))
    for number in 0..<1_000 { try harness.commit(.set("d/a", fields(number, bytes: 200))) }
    #expect(try harness.test.store.historyFloor() > token.readTime)
    let second = ListenHarness(harness.test)
    second.add(2, try harness.query("c"), from: .token(token.bytes))
    #expect(second.probe.target(2).filterCount == 2)
    #expect(second.probe.target(2).documents.keys.map(\.text) == ["c/c"])
    #expect(second.probe.target(2).isCurrent && second.probe.now.complaints.isEmpty)
  }

  @Test("targets whose hub comes too late for history are right in the end")
  func late() throws {
    let harness = ListenHarness(try makeStore(64 << 10))
    let selections: [(Int32, TargetSelection)] = [
      (2, try harness.query("c")),
      (
        4,
        try harness.query("c") {
          $0.orders = [.init("n")]
          $0.limit = 3
        }
      ), (6, .documents([ResourcePath(unchecked: "c/d5"), ResourcePath(unchecked: "c/d6")])),
    ]
    try harness.commit((0..<20).map { .set("c/d\($0)", fields($0, bytes: 10)) })
    for (id, selection) in selections { harness.add(id, selection) }
    // The hub is told of these commits only afterwards.
    try harness.test.store.commitAndWait(harness.database, (0..<5).map { .delete("c/d\($0)") })
    for number in 0..<1_000 {
      harness.test.clock.advance(microseconds: 10)
      try harness.test.store.commitAndWait(
        harness.database, [.set("c/d\(5 + number % 10)", fields(number % 40, bytes: 200))])
    }
    harness.threads.run()
    for (id, selection) in selections {
      #expect(harness.probe.target(id).documents == (try harness.truth(selection)), "target \(id)")
    }
    #expect(harness.probe.target(4).resets > 0)
    #expect(harness.probe.now.complaints.isEmpty, "\(harness.probe.now.complaints)")
    try harness.commit(.set("c/d0", fields(-1, bytes: 10)))
    for (id, selection) in selections {
      #expect(harness.probe.target(id).documents == (try harness.truth(selection)), "target \(id)")
    }
  }
}
