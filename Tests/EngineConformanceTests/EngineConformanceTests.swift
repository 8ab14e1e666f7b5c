/// What every engine must do, run on each of them.

import DocStore
import EngineLMDB
import EnginePostgres
import TestSupport
import Testing

/// The engines under test. Generic code runs on each through `run`.
enum EngineUnderTest: String, CaseIterable, Sendable {
  case naive, lmdbEphemeral, lmdbDurable, lmdbTinyMap
  /// With a copy to read from, without, and as one of several servers.
  case postgres, postgresTables, postgresShared

  /// Where PostgreSQL is not installed, its cases are left out, which is said.
  static var allCases: [EngineUnderTest] {
    let everywhere: [EngineUnderTest] = [.naive, .lmdbEphemeral, .lmdbDurable, .lmdbTinyMap]
    return PostgresCluster.shared == nil
      ? everywhere : everywhere + [.postgres, .postgresTables, .postgresShared]
  }

  func run(_ body: (any StorageEngine) throws -> Void) throws {
    switch self {
    case .naive: try body(NaiveEngine())
    case .lmdbEphemeral: try body(try LMDBEngine.ephemeral())
    case .lmdbDurable:
      let folder = TemporaryFolder()
      try body(try LMDBEngine.durable(folder: folder.path))
    case .lmdbTinyMap:
      // Every larger test makes this one grow.
      try body(try LMDBEngine.ephemeral(settings: LMDBSettings(mapBytes: 128 << 10)))
    case .postgres, .postgresTables, .postgresShared:
      guard let cluster = PostgresCluster.shared else { return }
      let engine = try PostgresEngine.open(
        try PostgresAddress(try cluster.database()), keepsCopy: self != .postgresTables,
        isShared: self == .postgresShared)
      engine.waitForCopy()
      try body(engine)
      engine.settle()
    }
  }
}

extension StorageEngine {
  func put(_ pairs: [([UInt8], [UInt8])], in keyspace: Keyspace = .documents) throws {
    try write(MutationBatch()) { (_, batch) throws(StorageError) in
      for (key, value) in pairs { batch.put(keyspace, key, value) }
    }
  }

  func value(_ key: [UInt8], in keyspace: Keyspace = .documents) throws -> [UInt8]? {
    try read { (view) throws(StorageError) in try view.get(keyspace, key).map { Array($0) } }
  }

  func keys(
    _ range: KeyRange = .all, _ direction: ScanDirection = .forward, in keyspace: Keyspace = .documents
  ) throws -> [[UInt8]] {
    try read { (view) throws(StorageError) in
      var keys: [[UInt8]] = []
      try view.scan(keyspace, range, direction) { key, _ in
        keys.append(Array(key))
        return .more
      }
      return keys
    }
  }
}

@Suite("every engine")
struct EngineConformanceTests {
  @Test("gives back what was put, and nothing for what was not", arguments: EngineUnderTest.allCases)
  func getsWhatWasPut(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      try engine.put([([1], [10]), ([2], []), ([3], Array(repeating: 7, count: 1 << 20))])
      #expect(try engine.value([1]) == [10])
      #expect(try engine.value([2]) == [])
      #expect(try engine.value([3])?.count == 1 << 20)
      #expect(try engine.value([4]) == nil)
      #expect(try engine.value([]) == nil)
      #expect(try engine.value([1], in: .changes) == nil)
    }
  }

  @Test("takes keys of 511 bytes of any content", arguments: EngineUnderTest.allCases)
  func takesLongKeys(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      let low = [UInt8](repeating: 0, count: 511)
      let high = [UInt8](repeating: 0xFF, count: 511)
      try engine.put([(high, [2]), (low, [1])])
      #expect(try engine.keys() == [low, high])
      #expect(try engine.value(high) == [2])
    }
  }

  @Test("replaces, removes, and applies a batch in its order", arguments: EngineUnderTest.allCases)
  func appliesInOrder(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      try engine.put([([1], [1])])
      try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
        batch.put(.documents, [1], [2])
        batch.remove(.documents, [1])
        batch.put(.documents, [2], [3])
        batch.put(.documents, [2], [4, 4])
        batch.remove(.documents, [9])
      }
      #expect(try engine.value([1]) == nil)
      #expect(try engine.value([2]) == [4, 4])
    }
  }

  @Test(
    "scans ranges in both directions with inclusive lower and exclusive upper ends",
    arguments: EngineUnderTest.allCases)
  func scansRanges(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      try engine.put([[1], [1, 0], [1, 255], [2], [3]].map { ($0, []) })
      let all: [[UInt8]] = [[1], [1, 0], [1, 255], [2], [3]]
      #expect(try engine.keys() == all)
      #expect(try engine.keys(.all, .reverse) == all.reversed())
      #expect(try engine.keys(KeyRange(prefix: [1])) == [[1], [1, 0], [1, 255]])
      #expect(try engine.keys(KeyRange(prefix: [1]), .reverse) == [[1, 255], [1, 0], [1]])
      #expect(try engine.keys(KeyRange(lower: [1, 0], upper: [2])) == [[1, 0], [1, 255]])
      #expect(try engine.keys(KeyRange(lower: [1, 1], upper: [2, 1]), .reverse) == [[2], [1, 255]])
      #expect(try engine.keys(KeyRange(lower: [4], upper: nil)) == [])
      #expect(try engine.keys(KeyRange(lower: [4], upper: nil), .reverse) == [])
      #expect(try engine.keys(KeyRange(lower: [2], upper: [2])) == [])
      #expect(try engine.keys(KeyRange(lower: [2], upper: [1]), .reverse) == [])
    }
  }

  @Test("stops a scan when told to, and lets a visitor ask for more", arguments: EngineUnderTest.allCases)
  func stopsAndNests(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      try engine.put((0..<50).map { ([UInt8($0)], [UInt8($0)]) })
      let seen = try engine.read { (view) throws(StorageError) in
        var seen: [UInt8] = []
        var failure: StorageError?
        try view.scan(.documents, .all, .forward) { key, _ in
          do throws(StorageError) {
            let range = KeyRange(lower: Array(key), upper: nil)
            try view.scan(.documents, range, .reverse) { last, _ in
              seen.append(last[0] &+ key[0])
              return .stop
            }
          } catch {
            failure = error
          }
          return key[0] == 2 ? .stop : .more
        }
        if let failure { throw failure }
        return seen
      }
      #expect(seen == [49, 50, 51])
    }
  }

  @Test("knows what a keyspace takes", arguments: EngineUnderTest.allCases)
  func knowsSizes(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      func size(_ keyspace: Keyspace) throws -> KeyspaceSize {
        try engine.read { (view) throws(StorageError) in try view.size(of: keyspace) }
      }
      #expect(try size(.documents) == KeyspaceSize())
      try engine.put((0..<100).map { ([5, UInt8($0)], [UInt8](repeating: 1, count: 10_000)) })
      let full = try size(.documents)
      #expect(full.entries == 100 && (1_000_000..<2_000_000).contains(full.bytes))
      #expect(try size(.changes) == KeyspaceSize(), "each for itself")
      try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
        batch.removeRange(.documents, .all, limit: 90)
      }
      let rest = try size(.documents)
      #expect(rest.entries == 10 && rest.bytes < full.bytes / 4)
    }
  }

  @Test("removes a range in slices, lowest first", arguments: EngineUnderTest.allCases)
  func removesRanges(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      try engine.put((0..<100).map { ([5, UInt8($0)], [1]) } + [([4], []), ([6], [])])
      func remove(_ range: KeyRange, limit: Int) throws {
        try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
          batch.removeRange(.documents, range, limit: limit)
        }
      }
      try remove(KeyRange(prefix: [5]), limit: 30)
      #expect(try engine.keys(KeyRange(prefix: [5])).first == [5, 30])
      try remove(KeyRange(prefix: [5]), limit: 1_000)
      #expect(try engine.keys() == [[4], [6]])
      try remove(.all, limit: 1_000)
      #expect(try engine.keys() == [])
    }
  }

  @Test("a plan that throws writes nothing", arguments: EngineUnderTest.allCases)
  func failedPlanWritesNothing(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      #expect(throws: StorageError.conflict) {
        try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
          batch.put(.documents, [1], [1])
          throw .conflict
        }
      }
      let keys = try engine.keys()
      #expect(keys == [])
    }
  }

  @Test("a plan sees the newest state and not its own mutations", arguments: EngineUnderTest.allCases)
  func planSeesNewestState(_ engine: EngineUnderTest) throws {
    try engine.run { engine in
      for step in UInt8(1)...5 {
        let seen = try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
          batch.put(.documents, [0], [step])
          return try view.get(.documents, [0]).map { $0[0] }
        }
        #expect(seen == (step == 1 ? nil : step - 1))
      }
    }
  }

  @Test("a view does not change while writes go on", arguments: EngineUnderTest.allCases)
  func viewsAreStable(_ engine: EngineUnderTest) throws {
    if engine == .lmdbTinyMap { return }  // It cannot grow under an open view; see the test of that.
    try engine.run { engine in
      try engine.put((0..<100).map { ([UInt8($0)], Array(repeating: UInt8($0), count: 500)) })
      try engine.read { (view) throws(StorageError) in
        let held = try view.get(.documents, [7])
        for round in 0..<20 {
          try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
            for key in 0..<100 {
              batch.put(.documents, [UInt8(key)], Array(repeating: UInt8(round), count: 500))
            }
          }
        }
        #expect(held?.allSatisfy { $0 == 7 } == true)
        let late = try view.get(.documents, [9])
        #expect(late?.first == 9)
      }
      #expect(try engine.value([9])?.first == 19)
    }
  }

  @Test("agrees with a sorted array over random batches", arguments: EngineUnderTest.allCases)
  func agreesWithModel(_ engine: EngineUnderTest) throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    try engine.run { engine in
      var model: [[UInt8]: [UInt8]] = [:]
      for _ in 0..<60 {
        let batch = MutationBatch()
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          let key = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            UInt8.random(in: 0...3, using: &random)
          }
          switch Int.random(in: 0..<10, using: &random) {
          case 0..<6:
            let value = [UInt8](repeating: key[0], count: Int.random(in: 0...3_000, using: &random))
            batch.put(.documents, key, value)
            model[key] = value
          case 6..<9:
            batch.remove(.documents, key)
            model[key] = nil
          default:
            let limit = Int.random(in: 1...5, using: &random)
            batch.removeRange(.documents, KeyRange(prefix: key), limit: limit)
            let doomed = model.keys.filter { $0.starts(with: key) }
            for key in doomed.sorted(by: { $0.lexicographicallyPrecedes($1) }).prefix(limit) {
              model[key] = nil
            }
          }
        }
        try engine.write(batch) { (_, _) throws(StorageError) in }
        let keys = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try engine.keys() == keys)
        #expect(try engine.keys(.all, .reverse) == keys.reversed())
        for key in keys { #expect(try engine.value(key) == model[key]) }
      }
    }
  }

  @Test("serialises writers and never shows half of a write", arguments: EngineUnderTest.allCases)
  func writersAreSerial(_ engine: EngineUnderTest) async throws {
    try engine.run { engine in
      try engine.put([([0], [0, 0]), ([1], [0, 0])])
      try runThreads(4) { index in
        for _ in 0..<50 {
          if index < 2 {
            try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
              guard let old = try view.get(.documents, [0]) else { throw .corrupt }
              let count = Int(old[0]) * 256 + Int(old[1]) + 1
              let new = [UInt8(count / 256), UInt8(count % 256)]
              batch.put(.documents, [0], new)
              batch.put(.documents, [1], new)
            }
          } else {
            try engine.read { (view) throws(StorageError) in
              let left = try view.get(.documents, [0]).map { Array($0) }
              let right = try view.get(.documents, [1]).map { Array($0) }
              if left != right { throw .corrupt }
            }
          }
        }
      }
      #expect(try engine.value([0]) == [0, 100])
    }
  }
}
