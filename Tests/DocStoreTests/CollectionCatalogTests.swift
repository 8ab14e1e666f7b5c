/// Groups are found by their collections' id, whatever other collections there are.

import DocModel
import EngineLMDB
import Platform
import Synchronization
import TestSupport
import Testing

@testable import DocStore

/// Counts what the thread that made it asks of another engine's views: the store's own thread tidies meanwhile.
private final class CountingEngine: StorageEngine {
  final class Counts: Sendable {
    let scans = Atomic(0)
    let steps = Atomic(0)
    private let thread = pthread_self().hashValue

    var isOwn: Bool { thread == pthread_self().hashValue }

    var both: [Int] { [scans.load(ordering: .relaxed), steps.load(ordering: .relaxed)] }
  }

  private final class CountingView: StorageView {
    private let base: StorageView
    private let counts: Counts

    init(_ base: StorageView, _ counts: Counts) {
      self.base = base
      self.counts = counts
    }

    override func get(
      _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? { try base.get(keyspace, key) }

    override func scan(
      _ keyspace: Keyspace, _ range: KeyRange, _ direction: ScanDirection,
      _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
      guard counts.isOwn else { return try base.scan(keyspace, range, direction, visit) }
      counts.scans.add(1, ordering: .relaxed)
      try base.scan(keyspace, range, direction) { key, value in
        counts.steps.add(1, ordering: .relaxed)
        return visit(key, value)
      }
    }
  }

  let base: LMDBEngine
  let counts = Counts()

  init(_ base: LMDBEngine) { self.base = base }

  var limits: EngineLimits { base.limits }
  var isDurable: Bool { base.isDurable }

  func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    try base.read { (view) throws(E) in try body(CountingView(view, counts)) }
  }

  func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    try base.write(batch, plan)
  }
}

@Suite("collections by their ids")
struct CollectionCatalogTests {
  private let database = DatabaseID(project: "demo-test")

  private func group(
    _ store: DocumentStore<some StorageEngine>, _ id: String, under parent: String = "",
    at time: ReadTime = .newest
  ) throws -> [String] {
    try store.read(database, at: time) { (view) throws(StoreError) in
      var found: [String] = []
      try view.scanGroup(id, under: ResourcePath(unchecked: parent)) { path, _ in
        found.append(String(decoding: path, as: UTF8.self))
        return .more
      }
      return found
    }
  }

  private func tidy(_ store: DocumentStore<some StorageEngine>) throws {
    let isOver = Monitor(false)
    try store.committer.submit(.tidy { _ in isOver.change { $0 = true } })
    isOver.wait { $0 ? () : nil }
  }

  /// How many collections the catalog has, of whatever database.
  private func enteredCount(_ store: DocumentStore<some StorageEngine>) throws -> Int {
    try store.engine.read { (view) throws(StorageError) in
      var count = 0
      try view.scan(.catalog, KeyRange(prefix: [CollectionCatalog.prefix]), .forward) { _, _ in
        count += 1
        return .more
      }
      return count
    }
  }

  @Test("a group costs a seek, and one for each of its own collections, whatever others there are")
  func seeks() throws {
    let engine = CountingEngine(try LMDBEngine.ephemeral())
    let store = try DocumentStore(engine: engine)
    defer { store.close() }
    for user in 0..<100 {
      var writes = [Write.set("u/u\(user)/posts/p", [:]), .set("u/u\(user)/chats/c/lines/l", [:])]
      if user % 20 == 0 { writes.append(.set("u/u\(user)/likes/x", [:])) }
      try store.commitAndWait(database, writes)
    }
    func cost(_ id: String, under parent: String = "", _ expected: [String]) throws -> [Int] {
      let before = engine.counts.both
      #expect(try group(store, id, under: parent) == expected)
      return zip(engine.counts.both, before).map { $0 - $1 }
    }
    let likes = [0, 20, 40, 60, 80].map { "u/u\($0)/likes/x" }
    #expect(try cost("likes", likes) == [1 + 5, 5 + 5], "scans and their steps")
    #expect(try cost("likes", under: "u/u40", [likes[2]]) == [1 + 1, 1 + 1])
    #expect(try cost("nowhere", []) == [1, 0])
  }

  @Test("groups at every depth, with long ids and paths, and ids that begin alike")
  func found() throws {
    let store = try DocumentStore(engine: LMDBEngine.ephemeral())
    defer { store.close() }
    let long = String(repeating: "l", count: 1_200)
    let other = String(repeating: "l", count: 1_199) + "m"
    let paths = [
      "likes/a", "u/a/likes/b", "u/a/like/c", "u/a/likes-too/d", "u/\(long)/likes/e",
      "u/\(long)/v/\(long)/likes/f", "u/\(other)/likes/g", "u/a/\(long)/h", "u/a/\(other)/i",
    ]
    for path in paths { try store.commitAndWait(database, [.set(path, [:])]) }
    #expect(try Set(group(store, "likes")) == Set([paths[0], paths[1], paths[4], paths[5], paths[6]]))
    #expect(try Set(group(store, "likes", under: "u/\(long)")) == Set([paths[4], paths[5]]))
    #expect(try group(store, "likes", under: "u/a") == [paths[1]])
    #expect(try group(store, long) == [paths[7]])
    #expect(try group(store, other, under: "u/a") == [paths[8]])
  }

  @Test("a collection stays as long as something of it is left, then it is taken out")
  func emptied() throws {
    let test = try TestStore()
    defer { test.store.close() }
    let made = try test.commit(.set("u/a/likes/x", [:]), .set("u/b/likes/x", [:])).commitTime
    try test.commit(.delete("u/a/likes/x"))
    #expect(try group(test.store, "likes") == ["u/b/likes/x"])
    #expect(try group(test.store, "likes", at: .at(made)) == ["u/a/likes/x", "u/b/likes/x"])
    try tidy(test.store)
    #expect(try enteredCount(test.store) == 2)
    test.clock.advance(seconds: Retention.seconds + 1)
    try tidy(test.store)
    #expect(try enteredCount(test.store) == 1)
    #expect(try group(test.store, "likes") == ["u/b/likes/x"])
    try test.set("u/a/likes/y", [:])
    #expect(try group(test.store, "likes") == ["u/a/likes/y", "u/b/likes/x"])
    try test.store.clearAndWait(test.database)
    try test.set("v/a/likes/z", [:])
    try tidy(test.store)
    #expect(try group(test.store, "likes") == ["v/a/likes/z"])
    #expect(try enteredCount(test.store) == 1)
  }

  @Test("a store of before gets its collections entered when it is opened for writing")
  func made() throws {
    let folder = TemporaryFolder()
    let paths = ["likes/a", "u/a/likes/b", "u/a/posts/c"]
    do {
      let test = try TestStore(engine: LMDBEngine.durable(folder: folder.path))
      for path in paths { try test.set(path, [:]) }
      try test.set("u/gone/likes/x", [:])
      try test.commit(.delete("u/gone/likes/x"))
      test.store.close()
      try test.store.engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
        batch.removeRange(.catalog, KeyRange(prefix: [CollectionCatalog.prefix]), limit: .max)
        batch.remove(.catalog, CollectionCatalog.completeKey)
      }
    }
    do {
      var options = StoreOptions()
      options.isReadOnly = true
      let store = try DocumentStore(engine: LMDBEngine.readOnly(folder: folder.path), options: options)
      #expect(try group(store, "likes") == ["likes/a", "u/a/likes/b"])
    }
    let test = try TestStore(engine: LMDBEngine.durable(folder: folder.path))
    defer { test.store.close() }
    #expect(try enteredCount(test.store) == 4, "what is only history counts")
    #expect(try group(test.store, "likes") == ["likes/a", "u/a/likes/b"])
  }
}
