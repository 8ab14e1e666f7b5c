/// Random histories of many clients have an order in which they could have happened one after the other.
///
/// `RUNS` says how many histories, `SEED` which is the first; both are in the message of a failure:
///
///     RUNS=10000 SEED=1 swift test --filter Serializability

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@Suite("serializability")
struct SerializabilityTests {
  /// How many histories: `RUNS` from the environment.
  static var runs: Int {
    guard let text = getenv("RUNS"), let runs = Int(String(cString: text)) else { return 40 }
    return runs
  }

  /// Runs histories from a seed on, until one is faulty; returns its seed and what is wrong with it.
  static func firstFault(
    from first: UInt64, count: Int, _ treatment: HistoryStore
  ) throws -> (seed: UInt64, fault: HistoryFault)? {
    let test = try TestStore()
    defer { test.store.close() }
    for index in 0..<UInt64(count) {
      // Wrapping, since any number may be asked for.
      let seed = first &+ index
      let runner = HistoryRunner(
        seed: seed, test.store, test.database, collection: "h\(index)", treatment)
      let history = try runner.run()
      test.store.forgetTransactions()
      do throws(HistoryFault) { try DependencyGraph.check(history) } catch { return (seed, error) }
    }
    return nil
  }

  @Test("histories of transactions, batches and plain writes are serializable")
  func random() throws {
    let seed = testSeed()
    let fault = try Self.firstFault(from: seed, count: Self.runs, .proper)
    #expect(fault == nil, "RUNS=1 SEED=\(fault?.seed ?? 0) of \(Self.runs) from \(seed)")
  }

  @Test(
    "a store that locks nothing, or not what queries read, is found out",
    arguments: [
      HistoryStore.withoutLocks, .withPhantoms,
    ])
  func brokenStores(treatment: HistoryStore) throws {
    let found = try #require(try Self.firstFault(from: 1, count: 2_000, treatment))
    guard case .cycle = found.fault else {
      Issue.record("found for another reason: \(found.fault)")
      return
    }
  }

  // MARK: histories made by hand

  /// Documents 0 and 1 have `n` 0 at time 1.
  static let start = HistoryNode(name: "start", writes: [0: 0, 1: 0], time: 1)

  static func read(_ query: HistoryQuery, at time: Int64, _ answer: HistoryAnswer) -> HistoryRead {
    HistoryRead(query: query, time: time, answer: answer)
  }

  static let anomalies: [(String, [HistoryNode])] = [
    (
      "lost update",
      [
        HistoryNode(
          name: "a", reads: [read(.document(0), at: 1, .documents([0: 1]))], writes: [0: 1], time: 2),
        HistoryNode(
          name: "b", reads: [read(.document(0), at: 1, .documents([0: 1]))], writes: [0: 2], time: 3),
      ]
    ),
    (
      "write skew",
      [
        HistoryNode(
          name: "a", reads: [read(.document(0), at: 1, .documents([0: 1]))], writes: [1: 1], time: 2),
        HistoryNode(
          name: "b", reads: [read(.document(1), at: 1, .documents([1: 1]))], writes: [0: 1], time: 3),
      ]
    ),
    (
      "phantoms",
      [
        HistoryNode(name: "a", reads: [read(.equal(5), at: 1, .documents([:]))], writes: [2: 6], time: 2),
        HistoryNode(name: "b", reads: [read(.count(6), at: 1, .count(0))], writes: [3: 5], time: 3),
      ]
    ),
    (
      "two states in one transaction",
      [
        HistoryNode(name: "w", writes: [0: 1, 1: 1], time: 2),
        HistoryNode(
          name: "r",
          reads: [
            read(.document(0), at: 1, .documents([0: 1])), read(.document(1), at: 2, .documents([1: 2])),
          ]),
      ]
    ),
    (
      "a deleted document seen and not seen",
      [
        HistoryNode(name: "w", writes: [0: nil], time: 2),
        HistoryNode(
          name: "r",
          reads: [
            read(.document(0), at: 2, .documents([:])), read(.all, at: 1, .documents([0: 1, 1: 1])),
          ]),
      ]
    ),
  ]

  @Test("known anomalies are cycles", arguments: anomalies.indices)
  func anomaly(index: Int) {
    let (name, nodes) = Self.anomalies[index]
    let fault = Self.fault(of: [Self.start] + nodes)
    guard case .cycle = fault else {
      Issue.record("\(name): \(String(describing: fault))")
      return
    }
  }

  @Test("what merely happens side by side is no fault")
  func innocent() {
    let nodes = [
      Self.start,
      HistoryNode(
        name: "a", reads: [Self.read(.document(0), at: 1, .documents([0: 1]))], writes: [0: 1], time: 2),
      HistoryNode(
        name: "b", reads: [Self.read(.document(0), at: 2, .documents([0: 2]))], writes: [1: 1], time: 3),
      HistoryNode(name: "old", reads: [Self.read(.all, at: 1, .documents([0: 1, 1: 1]))]),
      HistoryNode(name: "page", reads: [Self.read(.first(1, from: 0), at: 3, .documents([0: 2]))]),
    ]
    #expect(Self.fault(of: nodes) == nil)
  }

  @Test("an answer that was never true is a fault")
  func wrongAnswer() {
    let read = Self.read(.document(0), at: 2, .documents([0: 7]))
    #expect(Self.fault(of: [Self.start, HistoryNode(name: "r", reads: [read])]) == .wrongAnswer("r", read))
  }

  static func fault(of nodes: [HistoryNode]) -> HistoryFault? {
    do throws(HistoryFault) {
      try DependencyGraph.check(History(nodes: nodes))
      return nil
    } catch {
      return error
    }
  }
}
