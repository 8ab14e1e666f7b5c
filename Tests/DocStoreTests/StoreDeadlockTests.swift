/// Locks of transactions that wait for each other, and turns at what was fought over.

import DocModel
import DocStore
import Platform
import TestSupport
import Testing

extension StoreLockTests {
  // MARK: cycles

  @Test("of two that read and write one document the younger is given up at once, whoever commits first")
  func cycle() throws {
    for isOlderFirst in [true, false] {
      let older = try begin()
      let younger = try begin()
      for id in [older, younger] { try read("c/a", id) }
      let first = submit(
        .set("c/a", Self.n(isOlderFirst ? 10 : 30)), transaction: isOlderFirst ? older : younger)
      try waiting(1)
      let second = submit(
        .set("c/a", Self.n(isOlderFirst ? 20 : 40)), transaction: isOlderFirst ? younger : older)
      try (isOlderFirst ? first : second).result()
      #expect(try (isOlderFirst ? second : first).refusal() == .aborted(.contention))
      #expect(storeError { try read("c/a", younger) } == .aborted(.transactionOver))
    }
  }

  @Test("a cycle of three is broken where the fewest attempts were lost")
  func wideCycle() throws {
    let ids = [try begin(), try begin(), try begin()]
    let paths = ["c/a", "c/b", "c/z"]
    for (id, path) in zip(ids, paths) { try read(path, id) }
    let commits = try (0..<3).map { index in
      let commit = submit(.set(paths[(index + 1) % 3], Self.n(50)), transaction: ids[index])
      if index < 2 { try waiting(index + 1) }
      return commit
    }
    // The youngest goes; the one that waited for it goes on, and then the last one.
    #expect(try commits[2].refusal() == .aborted(.contention))
    try commits[1].result()
    try commits[0].result()
  }

  @Test("a lineage that was given up is not given up again for one that never was")
  func lineage() throws {
    let older = try begin()
    let younger = try begin()
    for id in [older, younger] { try read("c/a", id) }
    let first = submit(.set("c/a", Self.n(10)), transaction: older)
    try waiting(1)
    #expect(try submit(.set("c/a", Self.n(20)), transaction: younger).refusal() == .aborted(.contention))
    try first.result()

    let other = try begin()
    let retry = try begin(retrying: younger)
    for id in [other, retry] { try read("c/a", id) }
    let waits = submit(.set("c/a", Self.n(30)), transaction: other)
    try waiting(1)
    try submit(.set("c/a", Self.n(40)), transaction: retry).result()
    #expect(try waits.refusal() == .aborted(.contention))
  }

  // MARK: turns

  /// A transaction that has lost `c/a`.
  private func loser() throws -> TransactionID {
    let winner = try begin()
    let loser = try begin()
    for id in [winner, loser] { try read("c/a", id) }
    let first = submit(.set("c/a", Self.n(10)), transaction: winner)
    try waiting(1)
    _ = try submit(.set("c/a", Self.n(20)), transaction: loser).refusal()
    try first.result()
    return loser
  }

  @Test("a retry has its turn at what it lost, and those who come to it stand in line until it has ended")
  func turns() throws {
    let retry = try begin(retrying: try loser())
    let store = test.store
    let database = test.database
    let path = ResourcePath(unchecked: "c/a")
    #expect(store.takeTurns(retry, in: database) {})
    let next = try begin()
    let last = try begin()
    let order = Monitor<[Int]>([])
    #expect(!store.takeTurns(next, in: database, at: [path]) { order.change { $0.append(1) } })
    #expect(!store.takeTurns(last, in: database, at: [path]) { order.change { $0.append(2) } })
    // Other documents, and transactions that only read or look optimistically, have no line.
    #expect(store.takeTurns(try begin(), in: database, at: [ResourcePath(unchecked: "c/b")]) {})
    #expect(store.takeTurns(try begin(isOptimistic: true), in: database, at: [path]) {})
    #expect(store.takeTurns(try store.beginTransaction(database, .readOnly), in: database, at: [path]) {})
    #expect(store.turnWaitCount == 2)

    try read("c/a", retry)
    try submit(.set("c/a", Self.n(30)), transaction: retry).result()
    try eventually("the next one's turn") { order.withLock { $0 } == [1] }
    try store.rollBack(next, in: database)
    try eventually("the last one's turn") { order.withLock { $0 } == [1, 2] }
    #expect(store.turnWaitCount == 0)
  }

  @Test("who stands for two seconds in a line that does not move reads without its turn")
  func impatience() throws {
    let retry = try begin(retrying: try loser())
    #expect(test.store.takeTurns(retry, in: test.database) {})
    let other = try begin()
    let isReady = Monitor(false)
    let mayGoAhead = test.store.takeTurns(
      other, in: test.database, at: [ResourcePath(unchecked: "c/a")]
    ) { isReady.change { $0 = true } }
    #expect(!mayGoAhead)
    test.clock.advance(seconds: 2)
    try eventually("the read goes ahead") { isReady.withLock { $0 } }
    try read("c/a", other)
  }

  @Test("many that read and write one document all succeed within five attempts", arguments: [8, 40])
  func crowd(count: Int) throws {
    try test.set("c/counter", Self.n(0))
    let test = self.test
    try runThreads(count) { _ in
      var earlier: TransactionID?
      for attempt in 1...5 {
        var options = TransactionOptions.readWrite
        if let earlier {
          options = TransactionOptions(.readWrite(retrying: test.store.token(of: earlier, in: test.database)))
        }
        let id = try test.store.beginTransaction(test.database, options)
        earlier = earlier ?? id
        test.store.takeTurnsAndWait(id, in: test.database, at: [ResourcePath(unchecked: "c/counter")])
        guard case .integer(let n)? = try test.fields("c/counter", at: .transaction(id))?["n"] else {
          throw StoreError.storage(.corrupt)
        }
        do throws(StoreError) {
          try test.store.commitAndWait(test.database, [.set("c/counter", Self.n(n + 1))], transaction: id)
          return
        } catch {
          guard error == .aborted(.contention), attempt < 5 else { throw error }
        }
      }
    }
    #expect(try test.fields("c/counter") == Self.n(Int64(count)))
  }
}
