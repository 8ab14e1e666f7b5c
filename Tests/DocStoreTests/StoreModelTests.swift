/// Random commits against a dictionary, on every engine: present, past, feed and history agree.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

/// What the store should hold, as plainly as can be said.
private struct Model {
  var documents: [String: Fields] = [:]
  /// The documents after each commit, by its version.
  var past: [(version: Int64, documents: [String: Fields])] = []
}

@Suite("model")
struct StoreModelTests {
  static let paths =
    ["a", "b", "c"].flatMap { collection in
      ["1", "2", "x", String(repeating: "k", count: 300) + "1", String(repeating: "k", count: 300) + "2"]
        .flatMap {
          ["\(collection)/\($0)", "\(collection)/\($0)/s/1"]
        }
    }

  @Test("random commits agree with a dictionary, now and at every earlier version")
  func agrees() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    try run(try LMDBEngine.ephemeral(), seed: seed)
    try run(NaiveEngine(), seed: seed)
  }

  private func run<Engine: StorageEngine>(_ engine: Engine, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let clock = TestClock()
    let store = try DocumentStore(engine: engine, environment: clock.environment())
    let database = DatabaseID(project: "demo-model")
    let feed = store.subscribe(database, eventsMax: 100_000) {}
    var model = Model()
    for _ in 0..<150 {
      let writes = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.write(&random) }
      var next = model.documents
      let isFine = Self.isAllowed(writes) && writes.allSatisfy { Self.apply($0, to: &next) }
      let result = Result { () throws(StoreError) in try store.commitAndWait(database, writes) }
      switch result {
      case .success(let result):
        #expect(isFine, "SEED=\(seed)")
        model.documents = next
        model.past.append((result.commitTime, next))
      case .failure(let error):
        #expect(!isFine, "SEED=\(seed) \(error.message)")
      }
      if Int.random(in: 0..<3, using: &random) == 0 { clock.advance(microseconds: 50) }
    }
    let sampled = model.past.shuffled(using: &random).prefix(25)
    for (version, documents) in sampled {
      let first = try Self.everything(store, database, at: .at(version))
      #expect(first == documents, "SEED=\(seed) at \(version)")
      #expect(try Self.everything(store, database, at: .at(version)) == first, "SEED=\(seed) again")
    }
    #expect(try Self.everything(store, database, at: .newest) == model.documents, "SEED=\(seed)")
    #expect(Self.replay(feed.take()) == model.documents, "SEED=\(seed) feed")
  }

  // MARK: random writes and what they mean

  private static func write(_ random: inout SeededRandom) -> Write {
    let path = paths.randomElement(using: &random) ?? "a/1"
    let precondition: Precondition =
      Int.random(in: 0..<6, using: &random) == 0 ? .exists(Bool.random(using: &random)) : .none
    let number = Value.integer(Int64.random(in: 0...2, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: return .set(path, ["n": number, "m": .map(["k": number])], precondition: precondition)
    case 2: return .delete(path, precondition: precondition)
    case 3: return .merge(path, ["m": .map(["k": number])], "m.k", "gone")
    case 4: return .transform(path, .increment(fieldPath("n"), by: number))
    default: return .verify(path, .exists(Bool.random(using: &random)))
    }
  }

  /// A document that is verified may not be named again in the same commit.
  private static func isAllowed(_ writes: [Write]) -> Bool {
    let verified = writes.filter { write in
      if case .verify = write.operation { true } else { false }
    }
    return verified.allSatisfy { verify in writes.filter { $0.path == verify.path }.count == 1 }
  }

  /// False when the write must fail.
  private static func apply(_ write: Write, to documents: inout [String: Fields]) -> Bool {
    let path = write.path.text
    let old = documents[path]
    if case .exists(let mustExist) = write.precondition, mustExist != (old != nil) { return false }
    switch write.operation {
    case .update(let bytes, let mask):
      var fields = mask == nil ? Fields(encoded: bytes) : old ?? [:]
      if let mask, !mask.isEmpty {
        var inner: Fields = [:]
        if case .map(let stored)? = fields["m"] { inner = stored }
        if case .map(let sent)? = Fields(encoded: bytes)["m"] { inner["k"] = sent["k"] }
        fields["m"] = .map(inner)
        fields["gone"] = nil
      }
      for transform in write.transforms {
        guard case .increment(let operand) = transform.operation, case .integer(let step) = value(operand)
        else {
          return false
        }
        var sum = step
        if case .integer(let stored)? = fields["n"] { sum += stored }
        fields["n"] = .integer(sum)
      }
      documents[path] = fields
    case .delete: documents[path] = nil
    case .verify: break
    }
    return true
  }

  // MARK: reading it all

  private static func everything<Engine: StorageEngine>(
    _ store: DocumentStore<Engine>, _ database: DatabaseID, at time: ReadTime
  ) throws -> [String: Fields] {
    try store.read(database, at: time) { (view) throws(StoreError) in
      var seen: [String: Fields] = [:]
      try view.scanDescendants(of: .root) { path, document in
        seen[String(decoding: path, as: UTF8.self)] = Fields(document.fields)
        return .more
      }
      for path in paths {
        // Point reads say the same as the scan.
        let point = try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) }
        if point != seen[path] { seen[path] = ["disagrees": .null] }
      }
      return seen
    }
  }

  private static func replay(_ events: [FeedEvent]) -> [String: Fields] {
    var documents: [String: Fields] = [:]
    for case .commit(_, let changes) in events {
      for change in changes {
        let before = change.before?.withDocument { Fields($0.fields) }
        if before != documents[change.path.text] { documents["broken"] = [:] }
        documents[change.path.text] = change.after?.withDocument { Fields($0.fields) }
      }
    }
    return documents
  }
}
