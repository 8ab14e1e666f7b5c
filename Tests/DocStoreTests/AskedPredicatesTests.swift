/// Where the filters of queries that transactions have read are asked.

import DocModel
import TestSupport
import Testing

@testable import DocStore

@Suite("queries of transactions and commits")
struct AskedPredicatesTests {
  @Test("filters are asked before the transactions are locked")
  func lateQueries() throws {
    let test = try TestStore()
    try test.set("c/a", ["n": .integer(1)])
    var transactions: [TransactionID] = []
    for number in 0..<20 {
      let id = try test.store.beginTransaction(test.database, TransactionOptions(.readWrite(retrying: [])))
      transactions.append(id)
      var query = StructuredQuery(database: test.database, collection: ResourcePath(unchecked: "c"))
      query.filter = .field("n", .greaterThan, .integer(Int64(number)))
      query.limit = number % 2 == 0 ? 1 : nil
      let valid = try QueryValidator.validate(query)
      try test.store.read(test.database, at: .transaction(id)) { (view) throws(StoreError) in
        _ = try QueryExecutor.run(valid, on: view) { _ in .more }
      }
    }
    // Below all of them: nobody waits.
    try test.set("c/b", ["n": .integer(0)])
    #expect(test.store.lockWaitCount == 0)
    // Above all of them but the one with a full page.
    let write = Write(
      ResourcePath(unchecked: "c/c"), .update(fields: (["n": .integer(50)] as Fields).encoded, mask: nil))
    let commit = PendingCommit(test.store, test.database, [write])
    try eventually("the commit waits") { test.store.lockWaitCount == 1 }
    for id in transactions { try test.store.rollBack(id, in: test.database) }
    _ = try commit.result()
    let late = test.store.transactions.perform { state, _, _ in state.lateQueryCount }
    #expect(late == 0)
  }
}
