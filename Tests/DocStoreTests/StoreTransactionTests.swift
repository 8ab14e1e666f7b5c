/// Transactions: what they read, when they must be made again, how they end.

import DocModel
import DocStore
import TestSupport
import Testing

@Suite("transactions")
struct StoreTransactionTests {
  let test: TestStore

  init() throws {
    test = try TestStore()
    try test.set("c/a", ["n": .integer(1)])
  }

  static let over = "The referenced transaction has expired or is no longer valid."

  func begin(_ options: TransactionOptions = .readWrite) throws -> TransactionID {
    try test.store.beginTransaction(test.database, options)
  }

  @discardableResult
  func commit(_ id: TransactionID, _ writes: Write...) throws -> CommitResult {
    try test.store.commitAndWait(test.database, writes, transaction: id)
  }

  func isContention(_ body: () throws -> Void) -> Bool { storeError(body) == .aborted(.contention) }

  private func token(_ id: TransactionID, _ caller: CommitAuthor = .system) -> [UInt8] {
    test.store.token(of: id, in: test.database, for: caller)
  }

  @Test("a token reads back for its caller and database; nobody else can use, change or guess it")
  func tokens() throws {
    for options in [TransactionOptions.readWrite, .readOnly] {
      let id = try test.store.beginTransaction(test.database, options, of: .user("ann"))
      let token = token(id, .user("ann"))
      #expect(try test.store.transaction(token, in: test.database, of: .user("ann")) == id)
      let others: [(DatabaseID, CommitAuthor)] = [
        (test.database, .user("bob")), (test.database, .anonymous), (test.database, .administrator),
        (DatabaseID(project: "demo-other"), .user("ann")),
        (DatabaseID(project: test.database.project, database: "second"), .user("ann")),
      ]
      for (database, caller) in others {
        #expect(
          storeError { _ = try test.store.transaction(token, in: database, of: caller) }?.message
            == "Transaction is invalid or expired.")
      }
      for index in token.indices {
        var changed = token
        changed[index] ^= 1
        #expect(
          storeError { _ = try test.store.transaction(changed, in: test.database, of: .user("ann")) } != nil)
      }
    }
    let old: [UInt8] = [0x11, 1, 0, 0, 0, 0, 0, 0, 0]
    #expect(
      storeError { _ = try test.store.transaction(old, in: test.database) }?.message
        == "Transaction is invalid or expired.")
    for bytes in [[], [0x11], [UInt8](repeating: 0x11, count: 10)] as [[UInt8]] {
      #expect(
        storeError { _ = try test.store.transaction(bytes, in: test.database) }?.message
          == "Invalid transaction.")
    }
    let earlier = try begin()
    let restarted = try TestStore()
    #expect(storeError { _ = try restarted.store.transaction(token(earlier), in: test.database) } != nil)
  }

  @Test("nobody takes the room of all: read-only ones take none, others have a quota by caller")
  func quotas() throws {
    for _ in 0..<TransactionLimits.countMax + 1 {
      _ = try test.store.beginTransaction(test.database, .readOnly, of: .anonymous)
    }
    var last: TransactionID?
    for _ in 0..<TransactionLimits.userMax {
      last = try test.store.beginTransaction(test.database, of: .anonymous)
    }
    let message = "Too many open transactions of this caller: at most 1000. Commit them or roll them back."
    func anonymous() -> StoreError? {
      storeError { _ = try test.store.beginTransaction(test.database, of: .anonymous) }
    }
    #expect(anonymous() == .resourceExhausted(message: message))
    let id = try test.store.beginTransaction(test.database, of: .administrator)
    try commit(id, .set("c/a", ["n": .integer(2)]))
    try test.store.rollBack(try #require(last), in: test.database)
    #expect(anonymous() == nil && anonymous() != nil)
    for uid in 1..<TransactionLimits.usersMax / TransactionLimits.userMax {
      for _ in 0..<TransactionLimits.userMax {
        _ = try test.store.beginTransaction(test.database, of: .user("\(uid)"))
      }
    }
    #expect(
      storeError { _ = try test.store.beginTransaction(test.database, of: .user("more")) }?.message.contains(
        "of users")
        == true)
    try commit(try test.store.beginTransaction(test.database, of: .administrator))
    test.store.forgetTransactions()
    #expect(anonymous() == nil)
  }

  @Test("a transaction whose reads still hold commits")
  func commits() throws {
    let id = try begin()
    #expect(try test.fields("c/a", at: .transaction(id)) == ["n": .integer(1)])
    #expect(try test.fields("c/none", at: .transaction(id)) == nil)
    #expect(
      try test.collect(at: .transaction(id)) { (view, visit) throws(StoreError) in
        try view.scanCollection(ResourcePath(unchecked: "c"), .forward, visit)
      } == ["c/a"])
    try test.set("other/x", [:])
    try commit(id, .set("c/a", ["n": .integer(2)]), .set("c/b", [:]))
    #expect(try test.fields("c/a") == ["n": .integer(2)])
  }

  @Test("a transfer between many counters keeps the sum, whoever retries")
  func transfersKeepTheSum() throws {
    for index in 0..<4 { try test.set("acc/\(index)", ["n": .integer(100)]) }
    let test = self.test
    try runThreads(3) { thread in
      var random = SeededRandom(seed: UInt64(thread))
      for _ in 0..<40 {
        let from = "acc/\(Int.random(in: 0..<4, using: &random))"
        let to = "acc/\(Int.random(in: 0..<4, using: &random))"
        while true {
          let id = try test.store.beginTransaction(test.database)
          guard case .integer(let a)? = try test.fields(from, at: .transaction(id))?["n"],
            case .integer(let b)? = try test.fields(to, at: .transaction(id))?["n"]
          else { throw StoreError.storage(.corrupt) }
          if from == to {
            try test.store.rollBack(id, in: test.database)
            break
          }
          let writes: [Write] = [.set(from, ["n": .integer(a - 1)]), .set(to, ["n": .integer(b + 1)])]
          do throws(StoreError) {
            try test.store.commitAndWait(test.database, writes, transaction: id)
            break
          } catch {
            guard error == .aborted(.contention) else { throw error }
          }
        }
      }
    }
    var sum: Int64 = 0
    for index in 0..<4 {
      if case .integer(let n)? = try test.fields("acc/\(index)")?["n"] { sum += n }
    }
    #expect(sum == 400)
  }

  @Test("a read-only transaction keeps the state of its beginning and writes nothing")
  func readOnly() throws {
    try test.set("c/a", ["n": .integer(2)])
    let id = try begin(.readOnly)
    try test.set("c/a", ["n": .integer(3)])
    #expect(try test.fields("c/a", at: .transaction(id)) == ["n": .integer(2)])
    try test.set("c/a", ["n": .integer(4)])
    #expect(try test.fields("c/a", at: .transaction(id)) == ["n": .integer(2)])
    #expect(
      storeError { try commit(id, .set("c/x", [:])) }
        == .invalid(InvalidArgument("Cannot modify entities in a read-only transaction.")))
    #expect(
      storeError { _ = try test.fields("c/a", at: .transaction(id)) } == .invalid(InvalidArgument(Self.over)))
    let other = try begin(.readOnly)
    try commit(other)
    #expect(storeError { try commit(other) } == .aborted(.transactionOver))
  }

  @Test("a read-only transaction at a read time reads that time, within bounds")
  func readOnlyAtTime() throws {
    let time = try #require(try test.times("c/a")).updated
    try test.set("c/a", ["n": .integer(2)])
    let id = try begin(TransactionOptions(.readOnly(readTime: time)))
    #expect(try test.fields("c/a", at: .transaction(id)) == ["n": .integer(1)])
    #expect(storeError { _ = try begin(TransactionOptions(.readOnly(readTime: time + 9_000_000))) } != nil)
    test.clock.advance(seconds: 3_601)
    #expect(
      storeError { _ = try begin(TransactionOptions(.readOnly(readTime: time))) }
        == .failedPrecondition(.readTimeTooOld))
  }

  @Test("endings: commit, rollback, failed precondition, invalid write")
  func endings() throws {
    let committed = try begin()
    try commit(committed)
    #expect(storeError { try commit(committed) } == .aborted(.transactionOver))
    #expect(
      storeError { try test.store.rollBack(committed, in: test.database) } == .aborted(.transactionOver))

    let rolledBack = try begin()
    try test.store.rollBack(rolledBack, in: test.database)
    try test.store.rollBack(rolledBack, in: test.database)
    #expect(storeError { _ = try test.fields("c/a", at: .transaction(rolledBack)) }?.message == Self.over)

    let failed = try begin()
    #expect(storeError { try commit(failed, .set("c/a", [:], precondition: .exists(false))) } != nil)
    #expect(storeError { try commit(failed) } == .invalid(InvalidArgument(Self.over)))
    try test.store.rollBack(failed, in: test.database)

    let open = try begin()
    #expect(storeError { try commit(open, .verify("c/a", .none)) } != nil)
    #expect(
      storeError {
        try test.store.commitAndWait(test.database, [.set("c/q", [:])], transaction: open) {
          (_) throws(StoreError) in throw .permissionDenied(message: "no")
        }
      } == .permissionDenied(message: "no"))
    try commit(open, .set("c/q", [:]))
  }

  @Test("idle for 120 s or old by 270 s it is over; after 300 s it is forgotten; others never were")
  func expiry() throws {
    let idle = try begin()
    let busy = try begin()
    test.clock.advance(seconds: 110)
    #expect(try test.fields("c/a", at: .transaction(busy)) != nil)
    test.clock.advance(seconds: 20)
    #expect(storeError { try commit(idle) } == .aborted(.transactionOver))
    #expect(try test.fields("c/a", at: .transaction(busy)) != nil)
    test.clock.advance(seconds: 100)
    #expect(try test.fields("c/a", at: .transaction(busy)) != nil)
    test.clock.advance(seconds: 41)
    #expect(storeError { try commit(busy) } == .aborted(.transactionOver))
    test.clock.advance(seconds: 40)
    #expect(storeError { try commit(busy) }?.message == "Invalid transaction.")
    let reading = try begin(.readOnly)
    test.clock.advance(seconds: 269)
    #expect(try test.fields("c/a", at: .transaction(reading)) != nil)
    test.clock.advance(seconds: 2)
    #expect(
      storeError { _ = try test.fields("c/a", at: .transaction(reading)) } == .aborted(.transactionOver))
    test.clock.advance(seconds: 30)
    #expect(
      storeError { _ = try test.fields("c/a", at: .transaction(reading)) }?.message == "Invalid transaction.")
  }

  @Test("a retry names an earlier attempt, which lives on if it was open; nonsense is refused")
  func retries() throws {
    let first = try begin()
    let second = try begin(TransactionOptions(.readWrite(retrying: token(first))))
    try commit(first)
    try commit(second)
    _ = try begin(TransactionOptions(.readWrite(retrying: token(second))))
    let reading = try begin(.readOnly)
    for bytes in [[1, 2, 3], [0x11, 1, 0, 0, 0, 0, 0, 0, 0], token(reading)] as [[UInt8]] {
      #expect(
        storeError { _ = try begin(TransactionOptions(.readWrite(retrying: bytes))) }?.message
          == "Invalid retry transaction.")
    }
  }

  @Test("under the emulator's policy transactions end in its ways")
  func emulatorEndings() throws {
    test.store.setTransactionPolicy(.emulator)
    let committed = try begin()
    try commit(committed)
    try test.store.rollBack(committed, in: test.database)
    #expect(storeError { try commit(committed) } == .aborted(.transactionOver))

    let failed = try begin()
    #expect(storeError { try commit(failed, .set("c/a", [:], precondition: .exists(false))) } != nil)
    #expect(storeError { try commit(failed) } == .aborted(.transactionOver))

    let reading = try begin(.readOnly)
    #expect(storeError { try commit(reading, .set("c/x", [:])) } != nil)
    #expect(try test.fields("c/a", at: .transaction(reading)) != nil)

    #expect(
      storeError { _ = try begin(TransactionOptions(.readWrite(retrying: [1]))) }?.message
        == "Invalid transaction.")
    let idle = try begin()
    test.clock.advance(seconds: 61)
    #expect(storeError { try commit(idle) } == .aborted(.transactionOver))
  }

  @Test("clearing the database aborts whoever has read of it")
  func clearing() async throws {
    let id = try begin()
    _ = try test.fields("c/none", at: .transaction(id))
    _ = try await test.store.clear(test.database)
    #expect(isContention { try commit(id, .set("c/x", [:])) })
  }

  @Test("a transaction belongs to its database")
  func ownDatabase() throws {
    let id = try begin()
    let other = DatabaseID(project: "demo-other")
    #expect(storeError { try test.store.commitAndWait(other, [], transaction: id) } != nil)
    try commit(id)
  }

  @Test("those that are over are forgotten for new ones, the earliest first; open ones stay")
  func manyInFiveMinutes() throws {
    let open = try begin()
    _ = try test.fields("c/a", at: .transaction(open))
    let first = try begin()
    try test.store.rollBack(first, in: test.database)
    var last = first
    for _ in 0..<TransactionLimits.countMax {
      last = try begin()
      try test.store.rollBack(last, in: test.database)
    }
    try test.store.rollBack(last, in: test.database)
    #expect(storeError { try test.store.rollBack(first, in: test.database) } != nil)
    try commit(open, .set("c/a", ["n": .integer(2)]))
  }
}
