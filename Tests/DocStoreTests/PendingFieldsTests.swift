/// Many changes of one document in one commit: they give what they give one after the other, and cost what they send.

import DocModel
import Synchronization
import TestSupport
import Testing

@testable import DocStore
@testable import EngineLMDB

/// The embedded engine, and what memory the batches of commits took.
final class WeighedEngine: StorageEngine {
  private let inner: LMDBEngine
  private let bytes = Mutex(0)

  init() throws { inner = try LMDBEngine.ephemeral() }

  /// Since it was asked last.
  func takeBytes() -> Int {
    bytes.withLock { bytes in
      defer { bytes = 0 }
      return bytes
    }
  }

  var limits: EngineLimits { inner.limits }

  func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    try inner.read(body)
  }

  func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    defer { bytes.withLock { $0 += batch.memoryBytes } }
    return try inner.write(batch, plan)
  }
}

@Suite("many writes to one document")
struct PendingFieldsTests {
  private static let path = ResourcePath(unchecked: "c/x")
  private static let database = DatabaseID(project: "demo-test")

  private static func field(_ number: Int) -> FieldPath { fieldPath("f\(number)") }

  enum Kind: CaseIterable { case masks, increments, elements, nested }

  /// Every write changes a few bytes of a document that has a megabyte.
  private static func write(_ kind: Kind, _ number: Int) -> Write {
    switch kind {
    case .masks:
      return Write(
        path, .update(fields: Fields([("f\(number)", .integer(7))]).encoded, mask: [field(number)]))
    case .increments: return .transform(path, [.increment(field(number), by: .integer(1))])
    case .elements:
      return .transform(path, [.appendMissing(fieldPath("list"), [.integer(Int64(1_000_000 + number))])])
    case .nested:
      return Write(
        path,
        .update(
          fields: Fields([("m", .map(["k\(number)": .integer(7)]))]).encoded,
          mask: [fieldPath("m.k\(number)")])
      )
    }
  }

  @Test("cost what they send and the document once, not the document each time", arguments: Kind.allCases)
  func cost(_ kind: Kind) throws {
    let engine = try WeighedEngine()
    let store = try DocumentStore(engine: engine, environment: TestClock().environment())
    var fields: [(String, Value)] = (0..<2_000).map { ("f\($0)", .integer(0)) }
    fields.append(("list", .array((0..<5_000).map { .integer($0) })))
    fields.append(("m", .map(Fields((0..<3_000).map { ("k\($0)", .integer(Int64($0))) }))))
    fields.append(("text", .string(String(repeating: "t", count: 500_000))))
    try store.commitAndWait(
      Self.database, [Write(Self.path, .update(fields: Fields(fields).encoded, mask: nil))])
    func bytes(_ count: Int) throws -> Int {
      _ = engine.takeBytes()
      try store.commitAndWait(Self.database, (0..<count).map { Self.write(kind, $0) })
      return engine.takeBytes()
    }
    let few = try bytes(10)
    let many = try bytes(500)
    #expect(many - few < 500 * 400, "ten writes take \(few) bytes, five hundred \(many)")
  }

  // MARK: the same as one after the other

  private static let names = ["a", "b", "m", "m.x", "m.y", "m.n.p", "a.x", "l"]

  private static func value(_ random: inout SeededRandom) -> Value {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .integer(Int64.random(in: 0..<3, using: &random))
    case 1: .double(1)
    case 2: .string("s")
    case 3: .array((0..<3).map { _ in .integer(Int64.random(in: 0..<4, using: &random)) })
    case 4: .map(["x": .integer(1), "n": .map(["p": .string("q")])])
    default: .map([:])
    }
  }

  private static func write(_ random: inout SeededRandom) -> Write {
    func paths(_ most: Int) -> [FieldPath] {
      Set(
        (0..<Int.random(in: 0...most, using: &random)).map { _ in names.randomElement(using: &random) ?? "a" }
      )
      .map(fieldPath)
    }
    let body: Fields = ["a": value(&random), "m": value(&random), "l": value(&random)]
    var transforms: [FieldTransform] = []
    if Bool.random(using: &random), let path = paths(1).first {
      let element = Value.integer(Int64.random(in: 0..<4, using: &random))
      transforms =
        [
          [.increment(path, by: .integer(1))], [.maximum(path, .double(2))],
          [.appendMissing(path, [element, .double(1)])], [.removeAll(path, [element])],
          [FieldTransform(path, .serverTime)],
        ].randomElement(using: &random) ?? []
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return Write(path, .delete)
    case 1: return Write(path, .update(fields: body.encoded, mask: nil), transforms: transforms)
    default: return Write(path, .update(fields: body.encoded, mask: paths(4)), transforms: transforms)
    }
  }

  @Test("give what commits of one write each give", arguments: 0..<40 as Range<UInt64>)
  func model(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<25 {
      let together = try TestStore()
      let apart = try TestStore()
      let start = Write(Self.path, .update(fields: Fields([("a", Self.value(&random))]).encoded, mask: nil))
      let writes = (0..<Int.random(in: 2...6, using: &random)).map { _ in Self.write(&random) }
      // Times are those of commits: what they are is not compared.
      let isTimed = writes.contains { write in
        write.transforms.contains { if case .serverTime = $0.operation { true } else { false } }
      }
      try together.commit(start)
      try apart.commit(start)
      let results = try together.store.commitAndWait(together.database, writes).results
      var singles: [WriteResult] = []
      for write in writes { singles += try apart.store.commitAndWait(apart.database, [write]).results }
      if isTimed { continue }
      #expect(try together.fields("c/x") == apart.fields("c/x"), "seed \(seed): \(writes)")
      #expect(results.map(\.transformResults) == singles.map(\.transformResults), "seed \(seed)")
    }
  }

  @Test("only what all writes come to must not be too large")
  func size() throws {
    let test = try TestStore()
    let half = Value.string(String(repeating: "x", count: 600_000))
    try test.commit(
      .merge("c/x", ["a": half], "a"), .merge("c/x", ["b": half], "b"), .merge("c/x", [:], "a"))
    #expect(try test.fields("c/x") == ["b": half])
    #expect(
      storeError { try test.commit(.merge("c/x", ["a": half], "a"), .merge("c/x", ["c": half], "c")) } != nil)
  }
}
