/// Turns at contended documents: who stands in line, for how long, and what ends it.

import DocModel
import DocStore
import Platform
import TestSupport
import Testing

extension StoreLockTests {
  /// A transaction's read that goes ahead at once or in its turn.
  struct Turn {
    let id: TransactionID
    private let isReady = Monitor(false)

    init(_ test: TestStore, _ id: TransactionID, at path: String) {
      self.id = id
      let ready = isReady
      let database = test.database
      if test.store.takeTurns(
        id, in: database, at: [ResourcePath(unchecked: path)], ready: { ready.change { $0 = true } })
      {
        ready.change { $0 = true }
      }
    }

    func comes() throws { try eventually("the turn comes") { isReady.withLock { $0 } } }

    var hasCome: Bool { isReady.withLock { $0 } }
  }

  private func turn(at path: String) throws -> Turn { Turn(test, try begin(), at: path) }

  private func inLine(_ count: Int) throws {
    try eventually("\(count) reads stand in line") { test.store.turnWaitCount == count }
  }

  /// Two transactions fight over a document, and both are over.
  private func contend(_ path: String) throws {
    let winner = try begin()
    let loser = try begin()
    for id in [winner, loser] { try read(path, id) }
    let first = submit(.set(path, Self.n(10)), transaction: winner)
    try waiting(1)
    _ = try submit(.set(path, Self.n(20)), transaction: loser).refusal()
    try first.result()
  }

  // MARK: who stands in line

  @Test(
    "a transaction that waits to write what it has read is first in line, so newcomers are not in its way")
  func writerFirst() throws {
    let writer = try begin()
    let reader = try begin()
    for id in [writer, reader] { try read("c/a", id) }
    let commit = submit(.set("c/a", Self.n(10)), transaction: writer)
    try waiting(1)
    let newcomer = try turn(at: "c/a")
    try inLine(1)
    try test.store.rollBack(reader, in: test.database)
    try commit.result()
    try newcomer.comes()
    #expect(try test.fields("c/a", at: .transaction(newcomer.id)) == Self.n(10))
  }

  @Test(
    "a transaction that waits to write is the next one, whoever has the turn and however many wait for it")
  func writerNext() throws {
    try contend("c/a")
    let writer = try begin()
    let reader = try begin()
    for id in [writer, reader] { try read("c/a", id) }
    let holder = try turn(at: "c/a")
    let behind = try turn(at: "c/a")
    try holder.comes()
    let commit = submit(.set("c/a", Self.n(40)), transaction: writer)
    try waiting(1)
    try holder.end(in: test)
    #expect(!behind.hasCome)
    try test.store.rollBack(reader, in: test.database)
    try commit.result()
    try behind.comes()
  }

  @Test("one that writes what it has not read, and one that writes nothing new there, takes no turn")
  func writerElsewhere() throws {
    let writer = try begin()
    let reader = try begin()
    try read("c/b", writer)
    for path in ["c/a", "c/b"] { try read(path, reader) }
    let commit = submit(.set("c/a", Self.n(10)), .set("c/b", Self.n(2)), transaction: writer)
    try waiting(1)
    for path in ["c/a", "c/b"] { try turn(at: path).comes() }
    #expect(test.store.turnWaitCount == 0)
    try test.store.rollBack(reader, in: test.database)
    try commit.result()
  }

  @Test(
    "first attempts stand in line at a document for five seconds after it was fought over",
    arguments: [(0, true), (4, true), (5, false), (60, false)])
  func memory(seconds: Int64, standsInLine: Bool) throws {
    try contend("c/a")
    test.clock.advance(seconds: seconds)
    let first = try turn(at: "c/a")
    let second = try turn(at: "c/a")
    try first.comes()
    #expect(test.store.turnWaitCount == (standsInLine ? 1 : 0))
    #expect(second.hasCome != standsInLine)
    // Other documents are free.
    for _ in 0..<2 { try turn(at: "c/b").comes() }
  }

  @Test("each write in turn makes the document contended for five more seconds")
  func renewal() throws {
    try contend("c/a")
    for value in 1...3 {
      test.clock.advance(seconds: 4)
      let writer = try turn(at: "c/a")
      try writer.comes()
      try read("c/a", writer.id)
      try submit(.set("c/a", Self.n(Int64(100 + value))), transaction: writer.id).result()
    }
    test.clock.advance(seconds: 4)
    _ = try turn(at: "c/a")
    _ = try turn(at: "c/a")
    try inLine(1)
  }

  @Test(
    "where sixteen open transactions have read a document, the next ones take turns on trial",
    arguments: [(15, false), (16, true)])
  func suspicion(readers: Int, standsInLine: Bool) throws {
    for _ in 0..<readers { try read("c/a", begin()) }
    let first = try turn(at: "c/a")
    let second = try turn(at: "c/a")
    try first.comes()
    #expect(second.hasCome != standsInLine)
    for _ in 0..<2 { try turn(at: "c/b").comes() }
  }

  @Test(
    "four turns without a write, or an idle one, clear a crowd of the suspicion for ten minutes, a fight does not wait",
    arguments: [true, false])
  func calm(isIdle: Bool) throws {
    func crowd() throws { for _ in 0..<16 { try read("c/a", begin()) } }
    try crowd()
    let turns = try (0..<8).map { _ in try turn(at: "c/a") }
    try inLine(7)
    if isIdle {
      test.clock.advance(seconds: 2)
    } else {
      for turn in turns.prefix(4) { try turn.end(in: test) }
    }
    for turn in turns.dropFirst(4) { try turn.comes() }
    for _ in 0..<2 { try turn(at: "c/a").comes() }

    test.clock.advance(seconds: 599)
    try crowd()
    for _ in 0..<2 { try turn(at: "c/a").comes() }
    test.clock.advance(seconds: 1)
    _ = try turn(at: "c/a")
    _ = try turn(at: "c/a")
    try inLine(1)
  }

  @Test("at a contended document a crowd of first attempts needs one attempt each", arguments: [8, 40])
  func crowdInTurn(count: Int) throws {
    try contend("c/a")
    try test.set("c/a", Self.n(0))
    let test = self.test
    try runThreads(count) { _ in
      let id = try test.store.beginTransaction(test.database, TransactionOptions.readWrite)
      test.store.takeTurnsAndWait(id, in: test.database, at: [ResourcePath(unchecked: "c/a")])
      guard case .integer(let n)? = try test.fields("c/a", at: .transaction(id))?["n"] else {
        throw StoreError.storage(.corrupt)
      }
      try test.store.commitAndWait(test.database, [.set("c/a", Self.n(n + 1))], transaction: id)
    }
    #expect(try test.fields("c/a") == Self.n(Int64(count)))
  }

  // MARK: what ends it

  @Test("an idle transaction loses its turn to the next one alone, and who reads keeps it")
  func idleHolder() throws {
    try contend("c/a")
    let idle = try turn(at: "c/a")
    try idle.comes()
    let next = try turn(at: "c/a")
    let last = try turn(at: "c/a")
    try inLine(2)
    for _ in 0..<4 {
      test.clock.advance(seconds: 1)
      try read("c/b", idle.id)
    }
    #expect(test.store.turnWaitCount == 2)
    test.clock.advance(seconds: 2)
    try next.comes()
    #expect(!last.hasCome)
    test.clock.advance(seconds: 2)
    try last.comes()
  }

  @Test("a commit that waits for a lock is not idle: its turn stays until the wait is over")
  func parkedHolder() throws {
    try contend("c/a")
    let holder = try turn(at: "c/a")
    try holder.comes()
    for id in [holder.id, try begin()] { try read("c/a", id) }
    let commit = submit(.set("c/a", Self.n(30)), transaction: holder.id)
    try waiting(1)
    let next = try turn(at: "c/a")
    test.clock.advance(seconds: 19)
    try inLine(1)
    test.clock.advance(seconds: 1)
    #expect(try commit.refusal() == .aborted(.tooMuchContention))
    try next.comes()
  }

  @Test("who has stood in line for 45 seconds reads without a turn")
  func longLine() throws {
    try contend("c/a")
    let busy = try turn(at: "c/a")
    try busy.comes()
    let patient = try turn(at: "c/a")
    for _ in 0..<44 {
      test.clock.advance(seconds: 1)
      try read("c/b", busy.id)
    }
    #expect(!patient.hasCome)
    test.clock.advance(seconds: 1)
    try patient.comes()
  }

  @Test("after sixteen turns that write nothing nobody stands in line any more")
  func unwrittenTurns() throws {
    try contend("c/a")
    var turns = try (0..<20).map { _ in try turn(at: "c/a") }
    for count in 1...15 {
      try turns.removeFirst().end(in: test)
      try turns[0].comes()
      #expect(test.store.turnWaitCount == 19 - count)
    }
    try turns.removeFirst().end(in: test)
    for turn in turns { try turn.comes() }
    for _ in 0..<2 { try turn(at: "c/a").comes() }
  }

  @Test("of two that have their turn where the other wants one, the second reads without")
  func crossedTurns() throws {
    for path in ["c/a", "c/b"] { try contend(path) }
    let first = try turn(at: "c/a")
    let second = try turn(at: "c/b")
    for turn in [first, second] { try turn.comes() }
    let waits = Turn(test, first.id, at: "c/b")
    try inLine(1)
    try Turn(test, second.id, at: "c/a").comes()
    #expect(!waits.hasCome)
    try second.end(in: test)
    try waits.comes()
  }

  @Test("a commit does not wait for one that stands in line behind it")
  func readerBehindWriter() throws {
    try contend("c/a")
    let writer = try turn(at: "c/a")
    try writer.comes()
    try read("c/a", writer.id)
    let reader = try begin()
    try read("c/b", reader)
    let others = try (0..<3).map { _ in try turn(at: "c/a") }
    let behind = Turn(test, reader, at: "c/a")
    try inLine(4)
    // It must wait for the reader of `c/b`, which waits for it: that one goes ahead, the others stay.
    let commit = submit(.set("c/b", Self.n(50)), transaction: writer.id)
    try behind.comes()
    try waiting(1)
    #expect(others.allSatisfy { !$0.hasCome })
    try test.store.rollBack(reader, in: test.database)
    try commit.result()
    try others[0].comes()
  }
}

extension StoreLockTests.Turn {
  fileprivate func end(in test: TestStore) throws { try test.store.rollBack(id, in: test.database) }
}
