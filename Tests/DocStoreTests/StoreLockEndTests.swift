/// Commits whose transaction, or whose store, ends while they are under way.

import DocModel
import DocStore
import Platform
import TestSupport
import Testing

@Suite("the end of transactions whose commit is under way")
struct StoreLockEndTests {
  let test: TestStore

  init() throws {
    test = try TestStore()
    try test.set("c/a", ["n": .integer(1)])
  }

  func begin() throws -> TransactionID {
    try test.store.beginTransaction(test.database, TransactionOptions(.readWrite(retrying: [])))
  }

  @Test("one that is rolled back while its commit is judged writes nothing past another's lock")
  func rolledBackWhileJudged() throws {
    let store = test.store
    let database = test.database
    let leaving = try begin()
    let reader = try begin()
    _ = try test.fields("c/a", at: .transaction(reader))
    let answer = Monitor<StoreError?>(nil)
    let judge: CommitJudge = { _ throws(StoreError) in try store.rollBack(leaving, in: database) }
    store.submit(database, [.set("c/a", ["n": .integer(5)])], transaction: leaving, judge: judge) { result in
      if case .failure(let error) = result { answer.change { $0 = error } }
    }
    let refusal = try #require(answer.wait(atMost: 60_000) { $0 }, "the commit is not refused")
    #expect(refusal == .aborted(.transactionOver))
    try store.commitAndWait(database, [.set("c/a", ["n": .integer(2)])], transaction: reader)
    #expect(try test.fields("c/a") == ["n": .integer(2)])
  }

  @Test("a store that closes answers commits that wait for locks, and holds up no reads")
  func closing() throws {
    let reader = try begin()
    _ = try test.fields("c/a", at: .transaction(reader))
    let waiting = PendingCommit(test.store, test.database, [.set("c/a", ["n": .integer(5)])])
    try eventually("the commit waits") { test.store.lockWaitCount == 1 }
    let other = try begin()
    test.store.close()
    #expect(try waiting.refusal() == .storage(.unavailable))
    let mayGoAhead = test.store.takeTurns(other, in: test.database, at: [ResourcePath(unchecked: "c/a")]) {}
    #expect(mayGoAhead)
    try? test.store.rollBack(reader, in: test.database)
    #expect(test.store.lockWaitCount == 0)
  }
}
