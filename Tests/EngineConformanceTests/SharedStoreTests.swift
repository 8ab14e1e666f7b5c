/// Several servers with one store: every commit counts once, in one order, for all of them.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@testable import EnginePostgres

@Suite("a store that several servers have", .serialized, .enabled(if: PostgresCluster.shared != nil))
struct SharedStoreTests {
  private typealias Store = DocumentStore<PostgresEngine>

  private static let database = DatabaseID(project: "demo-shared")
  private let cluster: PostgresCluster
  private let address: String

  init() throws {
    cluster = try #require(PostgresCluster.shared)
    address = try cluster.database()
  }

  private func engine() throws -> PostgresEngine {
    try PostgresEngine.open(try PostgresAddress(address), isShared: true)
  }

  private func open(
    waits: Bool = true, _ environment: DocStore.Environment = .system
  ) throws -> DocumentStore<PostgresEngine> {
    let engine = try engine()
    if waits { engine.waitForCopy() }
    return try DocumentStore(engine: engine, environment: environment)
  }

  private func path(_ text: String) -> ResourcePath { ResourcePath(unchecked: text) }

  @discardableResult
  private func put(_ n: Int64, at name: String, _ store: DocumentStore<PostgresEngine>) throws -> Int64 {
    let fields = Fields([("n", .integer(n))]).encoded
    return try store.commitAndWait(
      Self.database, [Write(path(name), .update(fields: fields, mask: nil))]
    ).commitTime
  }

  private func raise(_ name: String, _ store: DocumentStore<PostgresEngine>) throws {
    let one = FieldTransform(try FieldPath.parse("n"), .increment(Value.integer(1).encoded))
    let write = Write(
      path(name), .update(fields: Fields([]).encoded, mask: []), transforms: [one])
    try store.commitAndWait(Self.database, [write])
  }

  private func value(
    _ name: String, _ store: DocumentStore<PostgresEngine>, at time: ReadTime = .newest
  ) throws -> Int64? {
    try store.waitUntilCurrent()
    return try store.read(Self.database, at: time) { (view) throws(StoreError) in
      try view.document(path(name)).flatMap { Self.number($0) }
    }
  }

  private static func number(_ document: StoredDocument) -> Int64? {
    document.fields.value(named: "n")?.integer
  }

  @Test("what one commits the others read, and none of them reads less")
  func readsWhatOthersCommit() throws {
    let stores = try (0..<3).map { _ in try open() }
    defer { for store in stores { store.close() } }
    for n in 0..<30 {
      try put(Int64(n), at: "a/b", stores[n % 3])
      for store in stores { #expect(try value("a/b", store) == Int64(n)) }
    }
  }

  @Test("counters that all of them raise at once lose nothing, and versions are in the order of commits")
  func countsAll() throws {
    let stores = try (0..<3).map { _ in try open(waits: false) }
    defer { for store in stores { store.close() } }
    try runThreads(6) { index in
      for _ in 0..<40 { try raise("counters/\(index % 2)", stores[index % 3]) }
    }
    for store in stores {
      #expect(try value("counters/0", store) == 120 && value("counters/1", store) == 120)
    }
    let log = try cluster.ask(address, "select count(*), max(n) - min(n) + 1 from docstore.log")
    let counts = log.split(separator: "|").map { $0.filter(\.isNumber) }
    #expect(counts.count == 2 && counts[0] == counts[1], "the log has no gap: \(log)")
  }

  @Test("who reads without looking while nobody commits misses nothing, and looks again when somebody does")
  func readsWithoutLooking() throws {
    let stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    let lease = try #require(stores[0].engine.feed).lease
    try put(0, at: "v/a", stores[1])
    // What was acknowledged, or that it was the last.
    let acknowledged = Monitor<Int64?>(0)
    let counts = Monitor((leased: 0, missed: 0))
    try runThreads(2) { thread in
      if thread == 0 {
        defer { acknowledged.change { $0 = nil } }
        for n in Int64(1)...12 {
          usleep(UInt32.random(in: 280_000...450_000))
          try put(n, at: "v/a", stores[1])
          acknowledged.change { $0 = n }
        }
        return
      }
      while let least = acknowledged.withLock({ $0 }) {
        let isLeased = lease.holds
        guard stores[0].isCurrent() else { continue }
        let found = try stores[0].read(Self.database) { (view) throws(StoreError) in
          try view.document(path("v/a")).flatMap { Self.number($0) }
        }
        counts.change { counts in
          if isLeased { counts.leased += 1 }
          if (found ?? -1) < least { counts.missed += 1 }
        }
      }
    }
    let (leased, missed) = counts.withLock { $0 }
    #expect(missed == 0)
    #expect(leased > 1_000)
  }

  @Test(
    "an announcement seen over another link is waited for again: a standby may give its number to another one"
  )
  func announcementsBelongToLinks() throws {
    let links = try (0..<2).map { _ in try PostgresLink(PostgresAddress(address)) }
    let lease = PostgresReadLease()
    let announcement = PostgresReadLease.Announcement(number: 7)
    let first = try #require(lease.commitTime(announcement, over: links[0]))
    usleep(10_000)
    #expect(lease.commitTime(announcement, over: links[0]) == first)
    #expect(try #require(lease.commitTime(announcement, over: links[1])) > SystemClock.monotonic)
    #expect(lease.commitTime(PostgresReadLease.Announcement(number: 8), over: links[1]) == nil)
  }

  @Test(
    "what changes nothing announces nothing, and what changes something waits until nobody reads without looking"
  )
  func announcesChangesOnly() throws {
    let stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    func announced() throws -> String {
      try cluster.ask(address, "select epoch from docstore.clock where id = 3")
    }
    try put(0, at: "q/a", stores[1])
    let lease = try #require(stores[0].engine.feed).lease
    let end = SystemClock.monotonic + 10_000_000_000
    while !lease.holds, SystemClock.monotonic < end { _ = stores[0].isCurrent() }
    try #require(lease.holds)
    let before = try announced()
    #expect(throws: StoreError.self) {
      try stores[1].commitAndWait(
        Self.database,
        [Write(path("q/none"), .update(fields: Fields([]).encoded, mask: nil), precondition: .exists(true))])
    }
    #expect(try announced() == before)
    try put(1, at: "q/a", stores[1])
    #expect(!lease.holds)
    #expect(try announced() != before)
    #expect(try value("q/a", stores[0]) == 1)
  }

  @Test("a copy whose filling is cut short is filled once more", arguments: [true, false])
  func copiesAgain(isShared: Bool) throws {
    do {
      let store = try open()
      defer { store.close() }
      let long = Fields([("text", .string(String(repeating: "x", count: 60_000)))]).encoded
      for commit in 0..<6 {
        let writes = (0..<50).map { Write(path("c/\(commit)-\($0)"), .update(fields: long, mask: nil)) }
        try store.commitAndWait(Self.database, writes)
      }
    }
    // Not shared: taken when nobody has it any more.
    if !isShared { usleep(3_500_000) }
    let engine = try PostgresEngine.open(try PostgresAddress(address), isShared: isShared)
    for _ in 0..<10 {
      _ = try cluster.ask(
        address,
        "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and pid <> "
          + "pg_backend_pid()")
      usleep(5_000)
    }
    engine.waitForCopy()
    #expect(engine.copy?.whole != nil)
    let store = try DocumentStore(engine: engine, environment: .system)
    defer { store.close() }
    try put(7, at: "c/new", store)
    #expect(try value("c/new", store) == 7)
    let found = try store.read(Self.database) { (view) throws(StoreError) in
      try view.document(path("c/5-49")) != nil
    }
    #expect(found)
  }

  @Test("who follows the feed of one hears once, in order, what any of them does")
  func feedsAll() throws {
    let stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    try put(-1, at: "f/doc", stores[0])
    try stores[1].waitUntilCurrent()
    let subscription = stores[1].subscribe(Self.database, eventsMax: 10_000) {}
    defer { stores[1].unsubscribe(subscription) }
    try runThreads(2) { index in for _ in 0..<50 { try raise("f/doc", stores[index]) } }
    try stores[1].waitUntilCurrent()
    var (last, count) = (Int64(-1), 0)
    for event in subscription.take() {
      guard case .commit(_, let changes) = event else {
        Issue.record("\(event)")
        continue
      }
      for change in changes {
        let before = change.before?.withDocument { Self.number($0) }
        let after = change.after?.withDocument { Self.number($0) }
        #expect(before == last && after == last + 1)
        last += 1
        count += 1
      }
    }
    #expect(count == 100)
  }

  @Test("a clearing is heard of, and what is written afterwards")
  func clears() throws {
    let stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    try put(1, at: "c/a", stores[0])
    #expect(try value("c/a", stores[1]) == 1)
    let subscription = stores[1].subscribe(Self.database) {}
    defer { stores[1].unsubscribe(subscription) }
    try stores[0].clearAndWait(Self.database)
    try put(2, at: "c/b", stores[0])
    #expect(try value("c/a", stores[1]) == nil && value("c/b", stores[1]) == 2)
    let events = subscription.take()
    guard events.count == 2, case .cleared = events[0], case .commit = events[1] else {
      Issue.record("\(events)")
      return
    }
  }

  @Test("a transaction that has read what another server changes is given up")
  func givesUpTransactions() throws {
    let stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    try put(1, at: "t/a", stores[0])
    #expect(try value("t/a", stores[1]) == 1)
    let rows: [(reads: String, query: Bool, changes: String, fails: Bool)] = [
      ("t/a", false, "t/a", true), ("t/a", false, "t/other", false), ("t", true, "t/new", true),
      ("t", true, "u/new", false),
    ]
    for row in rows {
      let transaction = try stores[1].beginTransaction(Self.database)
      try stores[1].read(Self.database, at: .transaction(transaction)) { (view) throws(StoreError) in
        if row.query {
          try view.scanCollection(path(row.reads), .forward) { _, _ in .more }
        } else {
          _ = try view.document(path(row.reads))
        }
      }
      try put(5, at: row.changes, stores[0])
      try stores[1].waitUntilCurrent()
      let write = Write(path("t/written"), .update(fields: Fields([]).encoded, mask: nil))
      let outcome = Result {
        try stores[1].commitAndWait(Self.database, [write], transaction: transaction)
      }
      #expect((try? outcome.get()) == nil ? row.fails : !row.fails, "\(row)")
    }
  }

  @Test("no commit comes below a time that was read at, whatever the clocks say")
  func neverGoesBack() throws {
    let behind = DocStore.Environment(
      now: { DocStore.Environment.system.now() - 3_600_000_000 },
      random: DocStore.Environment.system.random)
    let stores = [try open(), try open(behind)]
    defer { for store in stores { store.close() } }
    let first = try put(1, at: "v/a", stores[0])
    let second = try put(2, at: "v/a", stores[1])
    #expect(second > first)
    // A time that no commit has reached.
    let asked = DocStore.Environment.system.now()
    #expect(try value("v/a", stores[0], at: .at(asked)) == 2)
    let third = try put(3, at: "v/a", stores[1])
    #expect(third > asked)
    #expect(try value("v/a", stores[0], at: .at(asked)) == 2)
    #expect(try value("v/a", stores[0]) == 3)
  }

  @Test("indexes are built by the leader, whoever asks, and kept by all")
  func keepsIndexes() throws {
    let stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    try eventually("it is so") { stores.contains { $0.engine.isLeader } }
    let leader = stores.firstIndex { $0.engine.isLeader } ?? 0
    let other = 1 - leader
    for n in 0..<20 { try put(Int64(n), at: "i/\(n)", stores[n % 2]) }
    let wanted = IndexDefinition(
      collectionID: "i", scope: .collection, fields: [.init(try FieldPath.parse("n"), .ascending)])
    try stores[other].buildIndexes([wanted], in: Self.database, waitingAtMost: 1_000)
    try eventually("it is so") {
      try stores[other].keptIndexes(in: Self.database).contains(where: \.isReady)
    }
    try put(100, at: "i/late", stores[other])
    try put(101, at: "i/later", stores[leader])
    for store in stores {
      try store.waitUntilCurrent()
      #expect(try store.indexFaults(in: Self.database).isEmpty)
    }
  }

  @Test("an index that only other servers read is not idle for the leader, who retires those that are")
  func keepsIndexesInUse() throws {
    let time = Monitor(Int64(0))
    let environment = DocStore.Environment(
      now: DocStore.Environment.system.now, random: DocStore.Environment.system.random,
      elapsed: { time.withLock { $0 } })
    let stores = try (0..<2).map { _ in try open(environment) }
    defer { for store in stores { store.close() } }
    try eventually("one leads") { stores.contains { $0.engine.isLeader } }
    let leader = stores.firstIndex { $0.engine.isLeader } ?? 0
    let wanted = try ["used", "unused"].map { name in
      IndexDefinition(
        collectionID: name, scope: .collection, fields: [.init(try FieldPath.parse("n"), .ascending)])
    }
    for name in ["used", "unused"] { for n in 0..<20 { try put(Int64(n), at: "\(name)/\(n)", stores[0]) } }
    try stores[leader].buildIndexes(wanted, in: Self.database, waitingAtMost: 2_000)
    try eventually("both are there") { try stores[1 - leader].keptIndexes(in: Self.database).count == 2 }
    try eventually("one is retired, and the other one is not") {
      time.change { $0 += 20_000_000_000 }
      try stores[1 - leader].buildIndexes([wanted[0]], in: Self.database, waitingAtMost: 1)
      usleep(100_000)
      return try stores[leader].keptIndexes(in: Self.database).map(\.definition) == [wanted[0]]
    }
    // Also one that is read all the time.
    for _ in 0..<3_200 {
      time.change { $0 += 30_000_000 }
      try stores[1 - leader].buildIndexes([wanted[0]], in: Self.database, waitingAtMost: 1)
    }
    usleep(300_000)
    for _ in 0..<20 {
      time.change { $0 += 20_000_000_000 }
      try stores[1 - leader].buildIndexes([wanted[0]], in: Self.database, waitingAtMost: 1)
      usleep(30_000)
    }
    #expect(try stores[leader].keptIndexes(in: Self.database).map(\.definition) == [wanted[0]])
  }

  @Test("the leader is followed by another one, and nobody else may have the store meanwhile")
  func leads() throws {
    var stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    try eventually("it is so") { stores.contains { $0.engine.isLeader } }
    #expect(!stores.allSatisfy { $0.engine.isLeader })
    let leader = stores.firstIndex { $0.engine.isLeader } ?? 0
    stores.remove(at: leader).close()
    try eventually("it is so") { stores[0].engine.isLeader }
    #expect {
      _ = try PostgresEngine.open(try PostgresAddress(address))
    } throws: { error in
      guard case PostgresOpenError.inUse(_, let owner) = error else { return false }
      return owner.contains("--shared")
    }
  }

  @Test("connections that are cut while all of them commit cost no commit, and double none")
  func survivesCuts() throws {
    let stores = try (0..<3).map { _ in try open() }
    defer { for store in stores { store.close() } }
    let acknowledged = Monitor(0)
    let isOver = Monitor(false)
    try runThreads(4) { index in
      if index == 3 {
        for _ in 0..<12 {
          usleep(120_000)
          _ = try cluster.ask(
            address,
            "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
              + "and datname = current_database() and random() < 0.4")
        }
        return isOver.change { $0 = true }
      }
      while !isOver.withLock({ $0 }) {
        do {
          try raise("cuts/doc", stores[index])
          acknowledged.change { $0 += 1 }
        } catch { usleep(20_000) }
      }
    }
    let count = acknowledged.withLock { Int64($0) }
    _ = try eventually("a server that answers") { (try? value("cuts/doc", stores[0])) != nil }
    for store in stores { #expect(try value("cuts/doc", store) == count) }
    #expect(count > 0)
  }

  @Test("servers that begin the same store at the same moment begin one store")
  func beginTogether() throws {
    let stores = Monitor<[DocumentStore<PostgresEngine>]>([])
    try runThreads(4) { index in
      let store = try open(waits: false)
      try put(Int64(index), at: "b/\(index)", store)
      stores.change { $0.append(store) }
    }
    let all = stores.withLock { $0 }
    defer { for store in all { store.close() } }
    for store in all {
      for index in 0..<4 { #expect(try value("b/\(index)", store) == Int64(index)) }
    }
    #expect(try all[0].databases().count == 1)
  }

  @Test("who was stopped while it had the row has lost it, and takes it again")
  func losesTheRow() throws {
    let stores = try (0..<2).map { _ in try open() }
    defer { for store in stores { store.close() } }
    try put(0, at: "r/a", stores[0])
    let feed = try #require(stores[0].engine.feed)
    feed.takeOrder()
    let isDone = Monitor(false)
    try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes) {
      #expect(throws: Never.self) { try raise("r/b", stores[0]) }
      isDone.change { $0 = true }
    }
    // As long as PostgreSQL leaves the row to somebody who does nothing.
    for n in 1...3 { try put(Int64(n), at: "r/a", stores[1]) }
    feed.giveOrderBack()
    isDone.wait { $0 ? () : nil }
    for store in stores { #expect(try value("r/a", store) == 3 && value("r/b", store) == 1) }
  }

  @Test(
    "a server that cannot know what was committed serves nothing more, and says why",
    arguments: [
      ("update docstore.clock set commit = commit + 5 where id = 1", "no longer has what it missed"),
      (
        "update docstore.clock set commit = commit - 1 where id = 1",
        "is not the one that this server wrote to"
      ),
      (
        "update docstore.log set token = '\\x00' where n = (select max(n) from docstore.log)",
        "is another one"
      ),
      ("update docstore.clock set epoch = epoch + 1 where id = 1", "another server has taken the store"),
    ])
  func isLost(_ change: String, _ says: String) throws {
    let store = try open()
    defer { store.close() }
    try put(1, at: "l/a", store)
    try store.waitUntilCurrent()
    _ = try cluster.ask(address, change)
    try eventually("it says so") { store.engine.health.outage?.text.contains(says) == true }
    #expect(throws: StoreError.self) { try store.waitUntilCurrent() }
    #expect(throws: StoreError.self) { try put(2, at: "l/a", store) }
  }
}
