/// Locks of transactions: who waits for whom, and what ends the waiting.

import DocModel
import DocStore
import TestSupport
import Testing

@Suite("locks of transactions")
struct StoreLockTests {
  let test: TestStore

  init() throws {
    test = try TestStore()
    try test.set("c/a", ["n": .integer(1)])
    try test.set("c/b", ["n": .integer(2)])
    try test.set("c/z", ["n": .integer(9)])
  }

  func begin(retrying earlier: TransactionID? = nil, isOptimistic: Bool = false) throws -> TransactionID {
    var options = TransactionOptions(
      .readWrite(retrying: earlier.map { test.store.token(of: $0, in: test.database) } ?? []))
    options.isOptimistic = isOptimistic
    return try test.store.beginTransaction(test.database, options)
  }

  func read(_ path: String, _ id: TransactionID) throws { _ = try test.fields(path, at: .transaction(id)) }

  func submit(_ writes: Write..., transaction: TransactionID? = nil) -> PendingCommit {
    PendingCommit(test.store, test.database, writes, transaction: transaction)
  }

  func waiting(_ count: Int) throws {
    try eventually("\(count) commits wait") { test.store.lockWaitCount == count }
  }

  // MARK: what is locked

  struct ReadCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let read: @Sendable (StoreView) throws(StoreError) -> Void
    let meets: [Write]
    let passes: [Write]

    init(
      _ name: String, meets: [Write], passes: [Write],
      _ read: @escaping @Sendable (StoreView) throws(StoreError) -> Void
    ) {
      testDescription = name
      self.meets = meets
      self.passes = passes
      self.read = read
    }

    static func query(
      _ name: String, meets: [Write], passes: [Write],
      _ change: @escaping @Sendable (inout StructuredQuery) -> Void
    ) -> ReadCase {
      ReadCase(name, meets: meets, passes: passes) { (view) throws(StoreError) in
        _ = try QueryExecutor.run(StoreLockTests.query(change), on: view) { _ in .more }
      }
    }
  }

  static func query(_ change: (inout StructuredQuery) -> Void) throws(StoreError) -> NormalizedQuery {
    var query = StructuredQuery(
      database: DatabaseID(project: "demo-test"), collection: ResourcePath(unchecked: "c"))
    change(&query)
    do { return try QueryValidator.validate(query) } catch { throw .invalid(error) }
  }

  static func n(_ value: Int64) -> Fields { ["n": .integer(value)] }

  static let readCases: [ReadCase] = [
    ReadCase(
      "a document", meets: [.set("c/a", n(5)), .delete("c/a")],
      passes: [.set("c/a", n(1)), .set("c/b", n(5)), .delete("c/none"), .verify("c/a", .exists(true))]
    ) { (view) throws(StoreError) in _ = try view.document(ResourcePath(unchecked: "c/a")) },
    ReadCase(
      "a missing document", meets: [.set("c/m", [:])], passes: [.delete("c/m"), .set("c/mm", [:])]
    ) { (view) throws(StoreError) in _ = try view.document(ResourcePath(unchecked: "c/m")) },
    ReadCase(
      "claimed documents", meets: [.set("c/m", [:]), .delete("c/z")], passes: [.set("c/b", n(5))]
    ) { (view) throws(StoreError) in
      view.claim([ResourcePath(unchecked: "c/m"), ResourcePath(unchecked: "c/z")])
    },
    ReadCase(
      "a collection", meets: [.set("c/new", [:]), .delete("c/a")],
      passes: [.set("d/new", [:]), .set("c/a/c/deeper", [:])]
    ) { (view) throws(StoreError) in
      try view.scanCollection(ResourcePath(unchecked: "c"), .forward) { _, _ in .more }
    },
    ReadCase("a group", meets: [.set("x/y/g/1", [:])], passes: [.set("g/1/h/2", [:])]) {
      (view) throws(StoreError) in try view.scanGroup("g", under: .root) { _, _ in .more }
    },
    ReadCase("children", meets: [.set("x/y", [:])], passes: [.set("x/y/deep/1", [:])]) {
      (view) throws(StoreError) in try view.scanChildren(of: .root) { _, _ in .more }
    },
    ReadCase(
      "descendants", meets: [.set("x/y/deep/1/deeper/2", [:])], passes: [.set("x/yy/deep/1", [:])]
    ) { (view) throws(StoreError) in
      try view.scanDescendants(of: ResourcePath(unchecked: "x/y")) { _, _ in .more }
    },
    ReadCase("collection ids", meets: [.set("x/y/fresh/1", [:])], passes: [.set("x/z", [:])]) {
      (view) throws(StoreError) in _ = try view.collectionIDs(under: ResourcePath(unchecked: "x/y"))
    },
    .query(
      "an equality", meets: [.set("c/b", n(1)), .set("c/new", n(1)), .delete("c/a"), .set("c/a", n(3))],
      passes: [.set("c/b", n(3)), .set("c/new", n(2)), .delete("c/z"), .set("d/new", n(1))]
    ) { $0.filter = .field("n", .equal, .integer(1)) },
    .query(
      "a range", meets: [.set("c/new", n(4)), .set("c/z", n(3))],
      passes: [.set("c/new", n(0)), .set("c/z", n(10)), .set("c/new", ["m": .integer(4)])]
    ) {
      $0.filter = .all([
        .field("n", .greaterThan, .integer(1)), .field("n", .lessThan, .integer(9)),
      ])
    },
    .query(
      "a full page", meets: [.set("c/new", n(0)), .set("c/b", n(7)), .delete("c/a")],
      passes: [.set("c/new", n(3)), .delete("c/z"), .set("c/z", n(8))]
    ) {
      $0.orders = [StructuredQuery.Order("n")]
      $0.limit = 2
    },
    .query(
      "a page that is not full", meets: [.set("c/new", n(30)), .delete("c/z")], passes: [.set("c/new", [:])]
    ) {
      $0.orders = [StructuredQuery.Order("n")]
      $0.limit = 4
    },
    .query("nothing found", meets: [.set("c/new", n(77))], passes: [.set("c/new", n(78))]) {
      $0.filter = .field("n", .equal, .integer(77))
    },
  ]

  @Test("a write that would change what was read waits until its reader has ended", arguments: readCases)
  func waits(row: ReadCase) throws {
    for write in row.meets {
      let test = try StoreLockTests().test
      let id = try test.store.beginTransaction(test.database)
      try test.store.read(test.database, at: .transaction(id), row.read)
      let pending = PendingCommit(test.store, test.database, [write])
      try eventually("\(write.path) waits") { test.store.lockWaitCount == 1 }
      #expect(pending.outcome == nil)
      // The reader itself, and who only reads, never wait.
      _ = try test.fields("c/a")
      try test.store.commitAndWait(test.database, [.set("out/1", [:])], transaction: id)
      try pending.result()
    }
  }

  @Test("a write that changes no answer does not wait", arguments: readCases)
  func passes(row: ReadCase) throws {
    for write in row.passes {
      let test = try StoreLockTests().test
      let id = try test.store.beginTransaction(test.database)
      try test.store.read(test.database, at: .transaction(id), row.read)
      try PendingCommit(test.store, test.database, [write]).result()
      try test.store.commitAndWait(test.database, [.set("out/1", [:])], transaction: id)
    }
  }

  @Test("an optimistic transaction lets writes through and is refused when they met it", arguments: readCases)
  func optimistic(row: ReadCase) throws {
    for (write, error) in row.meets.map({ ($0, StoreError.aborted(.tooMuchContention)) })
      + row.passes.map({ ($0, nil) }) as [(Write, StoreError?)]
    {
      let test = try StoreLockTests().test
      var options = TransactionOptions.readWrite
      options.isOptimistic = true
      let id = try test.store.beginTransaction(test.database, options)
      try test.store.read(test.database, at: .transaction(id), row.read)
      try PendingCommit(test.store, test.database, [write]).result()
      let refusal = storeError {
        try test.store.commitAndWait(test.database, [.set("out/1", [:])], transaction: id)
      }
      #expect(refusal == error, "\(write.path)")
      #expect(try (test.fields("out/1") == nil) == (error != nil))
    }
  }

  // MARK: what ends the waiting

  @Test("waiting ends when its reader is rolled back, expires, is abandoned or is forgotten")
  func ends() throws {
    let ways: [(TransactionID) throws -> Void] = [
      { try test.store.rollBack($0, in: test.database) },
      { _ in test.clock.advance(seconds: 121) },
      { id in
        test.store.bind(id, toConnection: 7)
        test.store.abandonTransactions([id], ofConnection: 7)
      },
      { _ in test.store.forgetTransactions() },
    ]
    // Longer than a transaction may be idle, so that only the way ends the wait.
    test.store.setTransactionPolicy(
      TransactionPolicy(follows: .production, lockWaitMilliseconds: 1_000_000, idleSeconds: 120))
    for (index, way) in ways.enumerated() {
      let id = try begin()
      try read("c/a", id)
      let pending = submit(.set("c/a", Self.n(Int64(100 + index))))
      try waiting(1)
      try way(id)
      try pending.result()
      #expect(try test.fields("c/a") == Self.n(Int64(100 + index)))
    }
  }

  @Test("another connection's end leaves a transaction alone")
  func otherConnection() throws {
    let id = try begin()
    test.store.bind(id, toConnection: 7)
    test.store.bind(id, toConnection: 8)
    test.store.abandonTransactions([id], ofConnection: 7)
    try test.store.commitAndWait(test.database, [], transaction: id)
  }

  @Test("a wait without end is refused in the profile's time and words")
  func timeout() throws {
    let rows: [(TransactionPolicy, Int64, StoreError)] = [
      (.production, 20, .aborted(.tooMuchContention)), (.emulator, 2, .aborted(.lockTimeout)),
    ]
    for (policy, seconds, error) in rows {
      test.store.setTransactionPolicy(policy)
      let holder = try begin()
      try read("c/a", holder)
      let own = try begin()
      let pending = [submit(.set("c/a", [:])), submit(.set("c/a", [:]), transaction: own)]
      try waiting(2)
      test.clock.advance(seconds: seconds)
      for commit in pending { #expect(try commit.refusal() == error) }
      #expect(storeError { try read("c/a", own) } == .aborted(.transactionOver))
      #expect(test.store.lockWaitCount == 0)
      try test.store.commitAndWait(test.database, [.set("c/a", Self.n(seconds))], transaction: holder)
    }
  }

  @Test("a commit that is cancelled while it waits writes nothing, and ends its transaction")
  func cancels() throws {
    let holder = try begin()
    try read("c/a", holder)
    let own = try begin()
    try read("c/b", own)
    let cancellation = CommitCancellation()
    let pending = PendingCommit(
      test.store, test.database, [.set("c/a", [:])], transaction: own, cancellation: cancellation)
    try waiting(1)
    test.store.cancel(cancellation)
    #expect(try pending.refusal() == .aborted(.transactionOver))
    try submit(.set("c/b", [:])).result()
    #expect(try test.fields("c/a") == Self.n(1))
  }

  @Test("a commit that is cancelled before it has to wait does not begin to", arguments: [false, true])
  func cancelsBeforehand(inTransaction: Bool) throws {
    let holder = try begin()
    try read("c/a", holder)
    let own = inTransaction ? try begin() : nil
    let cancellation = CommitCancellation()
    test.store.cancel(cancellation)
    let pending = PendingCommit(
      test.store, test.database, [.set("c/a", [:])], transaction: own, cancellation: cancellation)
    #expect(try pending.refusal() == .aborted(.transactionOver))
    #expect(test.store.lockWaitCount == 0)
    #expect(try test.fields("c/a") == Self.n(1))
  }

  @Test("commits that waited go on in their order")
  func order() throws {
    let holder = try begin()
    try read("c/a", holder)
    var pending: [PendingCommit] = []
    for index in 1...5 {
      pending.append(submit(.set("c/a", Self.n(Int64(100 + index)))))
      try waiting(index)
    }
    try test.store.rollBack(holder, in: test.database)
    let times = try pending.map { try $0.result().commitTime }
    #expect(times == times.sorted())
    #expect(try test.fields("c/a") == Self.n(105))
  }

  @Test("a closing store answers who waits")
  func closing() throws {
    let holder = try begin()
    try read("c/a", holder)
    let pending = submit(.set("c/a", [:]))
    try waiting(1)
    test.store.close()
    #expect(try pending.refusal() == .storage(.unavailable))
  }
}
