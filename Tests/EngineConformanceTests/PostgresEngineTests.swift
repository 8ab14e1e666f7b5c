/// What only the engine on PostgreSQL must do: have one owner, lose nothing when the server or a connection ends, and keep
/// its copy the same as the tables.

import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@testable import EnginePostgres

@Suite("the engine on PostgreSQL", .serialized, .enabled(if: PostgresCluster.shared != nil))
struct PostgresEngineTests {
  private let cluster: PostgresCluster
  private let address: String

  init() throws {
    cluster = try #require(PostgresCluster.shared)
    address = try cluster.database()
  }

  private func open(keepsCopy: Bool = true) throws -> PostgresEngine {
    let engine = try PostgresEngine.open(try PostgresAddress(address), keepsCopy: keepsCopy)
    engine.waitForCopy()
    return engine
  }

  /// A counter in the store, and an entry for each time it was raised.
  private func raise(_ engine: PostgresEngine) throws -> Int {
    try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
      let old = try view.get(.documents, [0]).map { Int($0[0]) << 16 | Int($0[1]) << 8 | Int($0[2]) } ?? 0
      let count = old + 1
      let bytes = [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
      batch.put(.documents, [0], bytes)
      batch.put(.changes, [1] + bytes, bytes)
      return count
    }
  }

  /// Raises the counter until `isEnough`, and returns how often that was acknowledged.
  private func raise(_ engine: PostgresEngine, until isEnough: (Int) -> Bool) -> Int {
    var acknowledged = 0
    while !isEnough(acknowledged) {
      do {
        _ = try raise(engine)
        acknowledged += 1
      } catch { usleep(10_000) }
    }
    return acknowledged
  }

  private func stored() throws -> Int {
    Int(try cluster.ask(address, "select count(*) from docstore.changes").filter(\.isNumber)) ?? -1
  }

  @Test("finds again what it wrote, from a copy and without one")
  func findsAgain() throws {
    let first = try open()
    try first.put((0..<2_000).map { ([UInt8($0 / 256), UInt8($0 % 256)], [UInt8](repeating: 1, count: $0)) })
    first.settle()
    for keepsCopy in [true, false] {
      let again = try open(keepsCopy: keepsCopy)
      #expect(try again.keys().count == 2_000)
      #expect(try again.value([7, 207])?.count == 1_999)
      again.settle()
    }
  }

  @Test("has one owner: who comes second is told who is first, and gets it when that one has ended")
  func hasOneOwner() throws {
    let first = try open()
    try first.put([([1], [1])])
    #expect {
      _ = try open()
    } throws: { error in
      guard case PostgresOpenError.inUse(_, let owner) = error else { return false }
      return owner.hasPrefix("process \(getpid()) on ")
    }
    first.settle()
    let second = try open()
    #expect(try second.value([1]) == [1])
    // The first one may write again only when the second one has let go, and nothing was written.
    #expect(throws: StorageError.unavailable) { try first.put([([1], [2])]) }
    #expect(try second.value([1]) == [1])
  }

  @Test("takes the store of a process of this machine that has ended at once, and waits for one of another")
  func takesOver() throws {
    try open().settle()
    let rows: [(owner: String, seconds: ClosedRange<Double>)] = [
      ("'process 1 on elsewhere' || chr(10) || '1 elsewhere'", 2.5...6),
      ("'process 1 on elsewhere'", 2.5...6),
    ]
    for (owner, seconds) in rows {
      _ = try cluster.ask(address, "update docstore.clock set owner = \(owner)")
      let began = SystemClock.milliseconds
      try open().settle()
      #expect(seconds.contains((SystemClock.milliseconds - began) / 1_000), "\(owner)")
    }
    // As this machine writes it, of a process that is not there.
    let engine = try open()
    let own = try cluster.ask(address, "select owner from docstore.clock").split(separator: "\n")
    let ended = own.map { $0.replacing("\(getpid())", with: "2147483646") }.joined(
      separator: "' || chr(10) || '")
    engine.settle()
    _ = try cluster.ask(address, "update docstore.clock set owner = '\(ended)'")
    let began = SystemClock.milliseconds
    try open().settle()
    #expect(SystemClock.milliseconds - began < 1_500)
  }

  @Test("a server that another one has taken the store from commits nothing, and says so")
  func isDeposed() throws {
    let engine = try open()
    try engine.put([([1], [1])])
    _ = try cluster.ask(address, "update docstore.clock set epoch = epoch + 1, owner = 'another'")
    #expect(throws: StorageError.unavailable) { try engine.put([([1], [2])]) }
    #expect(engine.explanation(of: .unavailable)?.contains("another server has taken the store") == true)
    #expect(try cluster.ask(address, "select v from docstore.documents") == "\\x01\n")
  }

  @Test("a server that has gone back to an earlier state is not written to")
  func hasGoneBack() throws {
    let engine = try open()
    try engine.put([([1], [1])])
    try engine.put([([1], [2])])
    _ = try cluster.ask(address, "update docstore.clock set commit = commit - 1")
    #expect(throws: StorageError.unavailable) { try engine.put([([1], [3])]) }
    #expect(try cluster.ask(address, "select v from docstore.documents") == "\\x02\n")
  }

  @Test("no commit is lost or doubled while its connections are cut", arguments: [true, false])
  func survivesCuts(keepsCopy: Bool) throws {
    let engine = try open(keepsCopy: keepsCopy)
    let isDone = Monitor(false)
    let acknowledged = Monitor(0)
    try runThreads(2) { index in
      if index == 0 {
        let count = raise(engine) { $0 >= 1_000 }
        acknowledged.change { $0 = count }
        isDone.change { $0 = true }
      } else {
        while !isDone.withLock({ $0 }) {
          _ = try cluster.ask(
            address,
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'docsh' "
              + "and datname = current_database()")
        }
      }
    }
    #expect(acknowledged.withLock { $0 } == 1_000)
    #expect(try stored() == 1_000)
    try eventually("it is known that nobody cuts any more") { engine.health.outage == nil }
    #expect(try raise(engine) == 1_001)
    engine.settle()
  }

  @Test(
    "no commit is lost or doubled when the server ends and starts, and what cannot be done meanwhile is explained"
  )
  func survivesRestarts() throws {
    let own = try #require(PostgresCluster())
    let address = try own.database()
    let engine = try PostgresEngine.open(try PostgresAddress(address))
    engine.waitForCopy()
    let isDone = Monitor(false)
    let acknowledged = Monitor(0)
    try runThreads(2) { index in
      if index == 0 {
        let count = raise(engine) { _ in isDone.withLock { $0 } }
        acknowledged.change { $0 = count }
      } else {
        for mode in ["immediate", "fast", "immediate"] {
          usleep(150_000)
          try own.stop(mode)
          usleep(700_000)
          try own.startAgain()
        }
        usleep(800_000)
        isDone.change { $0 = true }
      }
    }
    let count = Int(try own.ask(address, "select count(*) from docstore.changes").filter(\.isNumber))
    #expect(count == acknowledged.withLock { $0 })
    #expect(try raise(engine) == (count ?? 0) + 1)
    try own.stop()
    try eventually("it is known that the server is away") { engine.health.outage != nil }
    #expect(throws: StorageError.unavailable) { try raise(engine) }
    #expect(engine.explanation(of: .unavailable)?.contains("cannot be reached") == true)
    try own.startAgain()
    try eventually("it is known that the server is back") { engine.health.outage == nil }
    #expect(try raise(engine) == (count ?? 0) + 2)
    engine.settle()
  }

  @Test(
    "no commit is lost or doubled when the server is killed and a synchronous standby takes over",
    arguments: [true, false])
  func survivesFailOver(keepsCopy: Bool) throws {
    let primary = try #require(PostgresCluster())
    _ = try primary.database()
    let standby = try PostgresCluster(following: primary)
    let address = PostgresCluster.address(of: "t1", on: standby, primary)
    let engine = try PostgresEngine.open(try PostgresAddress(address), keepsCopy: keepsCopy)
    engine.waitForCopy()
    let isOver = Monitor(false)
    let acknowledged = Monitor(0)
    let before = Monitor(0)
    try runThreads(2) { index in
      if index == 0 {
        var after = 0
        var total = 0
        while after < 50 {
          do {
            _ = try raise(engine)
            total += 1
            if isOver.withLock({ $0 }) { after += 1 } else { before.change { $0 = total } }
          } catch { usleep(10_000) }
        }
        acknowledged.change { $0 = total }
      } else {
        try eventually("some commits") { before.withLock { $0 } > 100 }
        try primary.stop("immediate")
        try standby.promote()
        isOver.change { $0 = true }
      }
    }
    let count = acknowledged.withLock { $0 }
    let stored = try standby.ask(address, "select count(*) from docstore.changes").filter(\.isNumber)
    #expect(Int(stored) == count && count >= 150)
    #expect(try raise(engine) == count + 1)
    engine.settle()
  }

  @Test(
    "a commit in the middle of which the server ends is answered when it is back, or unknown where the store closes first",
    arguments: [false, true])
  func waitsForOutcomes(isClosing: Bool) throws {
    let own = try #require(PostgresCluster())
    let address = try own.database()
    let engine = try PostgresEngine.open(try PostgresAddress(address))
    engine.waitForCopy()
    #expect(try raise(engine) == 1)
    let outcome = Monitor<Result<Int, any Error>?>(nil)
    try runThreads(3) { index in
      switch index {
      case 0:
        // Whoever commits waits for this one.
        _ = try? own.ask(
          address, "begin; update docstore.clock set beat = beat where id = 1; select pg_sleep(60)")
      case 1:
        try eventually("somebody is at the clock's row") { own.isAsleep }
        let result = Result { try raise(engine) }
        outcome.change { $0 = result }
      default:
        try eventually("a commit waits") { own.isLockedOut }
        if isClosing { engine.stopWaiting() }
        try own.stop()
        if isClosing { try eventually("an answer") { outcome.withLock { $0 != nil } } }
        usleep(300_000)
        #expect(outcome.withLock { $0 != nil } == isClosing)
        try own.startAgain()
      }
    }
    let answer = try #require(outcome.withLock { $0 })
    if isClosing {
      #expect(throws: StorageError.outcomeUnknown) { try answer.get() }
      try eventually("it is known that the server is back") { engine.health.outage == nil }
    } else {
      #expect(try answer.get() == 2)
    }
    #expect(try raise(engine) == (isClosing ? 2 : 3))
    engine.settle()
  }

  @Test("a commit that takes long is waited for, and documents are read meanwhile")
  func waitsForSlowCommits() throws {
    let engine = try open()
    #expect(try raise(engine) == 1)
    let isOver = Monitor(false)
    try runThreads(3) { index in
      switch index {
      case 0:
        _ = try cluster.ask(
          address, "begin; update docstore.clock set beat = beat where id = 1; select pg_sleep(5); rollback")
      case 1:
        try eventually("somebody is at the clock's row") { cluster.isAsleep }
        #expect(try raise(engine) == 2)
        isOver.change { $0 = true }
      default:
        try eventually("a commit waits") { cluster.isLockedOut }
        while !isOver.withLock({ $0 }) {
          let read = try engine.value([0])
          #expect(read == [0, 0, 1] || read == [0, 0, 2])
          #expect(engine.health.outage == nil)
          usleep(20_000)
        }
      }
    }
    #expect(try raise(engine) == 3)
    engine.settle()
  }

  @Test(
    "what the number of the last commit says when a store is kept",
    arguments: [
      // What the row said, what was known when it was asked and when it answered, whether a commit is under way.
      (7, 7, 7, false, PostgresOwnership.Finding.own), (8, 7, 7, false, .foreign), (6, 7, 7, false, .foreign),
      (8, 7, 7, true, .open), (7, 7, 7, true, .open),
      // A commit came to its end while the answer was on its way: it may have been in the row, or not.
      (7, 7, 8, false, .open), (8, 7, 8, false, .open),
    ])
  func findsOthers(
    _ row: (said: Int64, before: Int64, now: Int64, isCommitting: Bool, finding: PostgresOwnership.Finding)
  ) {
    #expect(
      PostgresOwnership.Finding(
        said: row.said, before: row.before, now: row.now, isCommitting: row.isCommitting)
        == row.finding)
  }

  @Test("a copy that is filled while commits go on is the same as the tables")
  func fillsCopyBesideCommits() throws {
    let first = try open()
    for slice in 0..<20 {
      try first.put((0..<1_000).map { ([UInt8(slice), UInt8($0 / 256), UInt8($0 % 256)], [UInt8(slice)]) })
    }
    first.settle()
    let engine = try PostgresEngine.open(try PostgresAddress(address))
    var random = SeededRandom(seed: testSeed())
    for _ in 0..<200 {
      try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
        let key = [UInt8.random(in: 0..<20, using: &random), UInt8.random(in: 0..<4, using: &random)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: batch.put(.documents, key + [0], Array(repeating: 9, count: 3_000))
        case 1: batch.remove(.documents, key + [1])
        default: batch.removeRange(.documents, KeyRange(prefix: key), limit: 5)
        }
      }
    }
    engine.waitForCopy()
    let copied = try engine.contents()
    engine.settle()
    let tables = try open(keepsCopy: false)
    let kept = try tables.contents()
    #expect(copied == kept)
    #expect(kept.count > 15_000 && kept.count < 20_200)
    let size = try tables.read { (view) throws(StorageError) in try view.size(of: .documents) }
    #expect(
      size == KeyspaceSize(entries: kept.count, bytes: kept.reduce(0) { $0 + $1.key.count + $1.value.count }))
    tables.settle()
  }

  @Test("a state that was begun is read to its end while commits go on", arguments: [true, false])
  func viewsLast(keepsCopy: Bool) throws {
    let engine = try open(keepsCopy: keepsCopy)
    try engine.put((0..<200).map { ([UInt8($0)], [0]) })
    let sums = try engine.read { (view) throws(StorageError) in
      _ = try view.get(.documents, [0])
      try? engine.put((0..<200).map { ([UInt8($0)], [1]) })
      var sum = 0
      try view.scan(.documents, .all, .forward) { _, value in
        sum += Int(value[0])
        return .more
      }
      return sum
    }
    #expect(sums == 0)
    engine.settle()
  }

  @Test(
    "addresses are told without their passwords",
    arguments: [
      ("postgres://me:secret@host:5432/data", "postgres://me@host:5432/data"),
      ("postgresql://me:s%40cret@host/data?sslmode=require", "postgresql://me@host/data?sslmode=require"),
      ("postgres://me:a@b@host/data", "postgres://me@host/data"),
      ("postgres:///data?host=/tmp&password=secret&user=me", "postgres:///data?host=/tmp&user=me"),
      ("postgres:///data?password=secret", "postgres:///data"),
      ("postgres://host", "postgres://host"),
    ])
  func hidesPasswords(_ row: (given: String, told: String)) throws {
    #expect(try PostgresAddress(row.given).text == row.told)
  }

  @Test(
    "what is wrong with an address is told",
    arguments: [
      ("mysql://host/data", "does not begin with postgres://"),
      ("postgres://host/data?nonsense=1", "nonsense"),
      ("postgres://host:port/data", "port"),
    ])
  func refusesAddresses(_ row: (given: String, told: String)) {
    #expect {
      _ = try PostgresEngine.open(try PostgresAddress(row.given))
    } throws: { "\($0)".contains(row.told) }
  }

  @Test("a server that is not there, or lets nobody in, is told")
  func tellsOfNoServer() throws {
    for (address, told) in [
      ("postgres://127.0.0.1:1/data?user=me", "cannot be reached"),
      (address.replacing("postgres:///t", with: "postgres:///nothere"), "does not exist"),
    ] {
      #expect {
        _ = try PostgresEngine.open(try PostgresAddress(address))
      } throws: { "\($0)".contains(told) }
    }
  }

  @Test("a store of a later version, and tables that are somebody else's, are refused and stay as they are")
  func refusesOthers() throws {
    try open().settle()
    _ = try cluster.ask(address, "update docstore.clock set layout = 9")
    #expect { _ = try open() } throws: { "\($0)".contains("its layout is 9") }
    _ = try cluster.ask(
      address, "drop schema docstore cascade; create schema docstore; create table docstore.clock (id int)")
    #expect { _ = try open() } throws: { "\($0)".contains("cannot be used") }
    #expect(try cluster.ask(address, "select count(*) from pg_tables where schemaname = 'docstore'") == "1\n")
  }
}

extension StorageEngine {
  fileprivate func contents() throws -> [[UInt8]: [UInt8]] {
    try read { (view) throws(StorageError) in
      var found: [[UInt8]: [UInt8]] = [:]
      try view.scan(.documents, .all, .forward) { key, value in
        found[Array(key)] = Array(value)
        return .more
      }
      return found
    }
  }
}
