/// Copies of a store from engine to engine: byte for byte, or not to be opened.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@Suite("copies of a store")
struct StoreCopyTests {
  private static let database = DatabaseID(project: "demo-copy")

  /// A store with documents, earlier states, changes and an index.
  private func fill(_ engine: some StorageEngine) throws {
    let store = try DocumentStore(engine: engine)
    for round in 0..<3 {
      for index in 0..<50 {
        let fields = Fields([
          ("n", .integer(Int64(index * 3 + round))), ("t", .string(String(repeating: "x", count: index))),
        ])
        let path = ResourcePath(unchecked: "things/\(index)")
        try store.commitAndWait(Self.database, [Write(path, .update(fields: fields.encoded, mask: nil))])
      }
    }
    store.close()
  }

  private func contents(_ engine: some StorageEngine) throws -> [[[UInt8]]] {
    try Keyspace.allCases.map { keyspace in
      try engine.read { (view) throws(StorageError) in
        var found: [[UInt8]] = []
        try view.scan(keyspace, .all, .forward) { key, value in
          found.append(Array(key) + [0] + Array(value))
          return .more
        }
        return found
      }
    }
  }

  @Test("has the same bytes, there and back", arguments: EngineUnderTest.allCases)
  func hasSameBytes(_ under: EngineUnderTest) throws {
    let source = NaiveEngine()
    try fill(source)
    let before = try contents(source)
    #expect(before[Int(Keyspace.documents.rawValue)].count == 50)
    #expect(before[Int(Keyspace.documentHistory.rawValue)].count == 100)
    try under.run { (engine: any StorageEngine) in
      func there(_ engine: some StorageEngine) throws {
        var progress: [Int] = []
        let count = try StoreCopy.run(from: source, to: engine) { done, _ in progress.append(done) }
        #expect(count == before.reduce(0) { $0 + $1.count } && progress.last == count)
        #expect(try contents(engine) == before)
        let back = try LMDBEngine.ephemeral()
        _ = try StoreCopy.run(from: engine, to: back)
        #expect(try contents(back) == before)
        let store = try DocumentStore(engine: engine)
        let found = try store.read(Self.database) { (view) throws(StoreError) in
          var count = 0
          try view.scanCollection(ResourcePath(unchecked: "things"), .forward) { _, _ in
            count += 1
            return .more
          }
          return count
        }
        #expect(found == 50)
        store.close()
      }
      try there(engine)
    }
  }

  @Test("changes nothing of a store that is not empty")
  func refusesFullTarget() throws {
    let (source, target) = (NaiveEngine(), NaiveEngine())
    try fill(source)
    try target.put([([1], [1])], in: .changes)
    let before = try contents(target)
    #expect(throws: StoreCopy.Failure.notEmpty) { try StoreCopy.run(from: source, to: target) }
    #expect(try contents(target) == before)
  }

  @Test("that ends early cannot be opened or copied, and is made anew", arguments: 1...5)
  func endsEarly(writes: Int) throws {
    let (source, target) = (NaiveEngine(), NaiveEngine())
    try fill(source)
    #expect(throws: StoreCopy.Failure.storage(.full)) {
      try StoreCopy.run(from: source, to: StoppingEngine(target, after: writes))
    }
    #expect { try DocumentStore(engine: target) } throws: { error in
      (error as? StoreError)?.message.contains("is not finished") == true
    }
    #expect(throws: StoreCopy.Failure.unfinished) { try StoreCopy.run(from: target, to: NaiveEngine()) }
    try StoreCopy.removeUnfinished(target)
    #expect(try contents(target).allSatisfy(\.isEmpty))
    _ = try StoreCopy.run(from: source, to: target)
    #expect(try contents(target) == contents(source))
  }

  @Test("of a store that is whole is not taken for an unfinished one")
  func keepsWhole() throws {
    let engine = NaiveEngine()
    try fill(engine)
    let before = try contents(engine)
    try StoreCopy.removeUnfinished(engine)
    #expect(try contents(engine) == before)
  }

  @Test("finds each difference", arguments: [Keyspace.catalog, .documents, .changes])
  func findsDifferences(_ keyspace: Keyspace) throws {
    let rows: [(String, @Sendable (MutationBatch) -> Void)] = [
      ("one more at the end", { $0.put(keyspace, Array(repeating: 255, count: 20), []) }),
      ("one more in the middle", { $0.put(keyspace, [1, 1], []) }),
    ]
    for (what, change) in rows {
      let (source, target) = (NaiveEngine(), NaiveEngine())
      try fill(source)
      #expect(throws: StoreCopy.Failure.different(keyspace), "\(what)") {
        try StoreCopy.run(from: source, to: StoppingEngine(target, after: 5, change))
      }
    }
  }
}

/// An engine that takes some writes, and then does something else.
private final class StoppingEngine<Base: StorageEngine>: StorageEngine {
  private let base: Base
  private let left: Monitor<Int>
  /// What is done once in place of failing: it goes with the write that comes then.
  private let change: (@Sendable (MutationBatch) -> Void)?

  init(_ base: Base, after writes: Int, _ change: (@Sendable (MutationBatch) -> Void)? = nil) {
    self.base = base
    left = Monitor(writes)
    self.change = change
  }

  var limits: EngineLimits { base.limits }

  func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    try base.read(body)
  }

  func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    let rest = left.change { left in
      left -= 1
      return left
    }
    if rest < 0, change == nil { throw E(storage: .full) }
    return try base.write(batch) { (view, batch) throws(E) in
      let result = try plan(view, batch)
      if rest == 0 { change?(batch) }
      return result
    }
  }
}
