/// Commits that event loops gather in one turn and write themselves (`DocumentStore.submit(later:)`).

import DocModel
import DocStore
import EngineLMDB
import Platform
import Synchronization
import TestSupport
import Testing

/// Stands for an event loop: what is ready is looked at first, and then what it was given meanwhile.
private final class Turns: Sendable {
  private let tasks = Mutex<[@Sendable () -> Void]>([])

  var later: @Sendable (@escaping @Sendable () -> Void) -> Void {
    { [self] task in tasks.withLock { $0.append(task) } }
  }

  var count: Int { tasks.withLock { $0.count } }

  /// Ends the turn.
  func end() {
    let ready = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in ready { task() }
  }
}

/// What commits were answered, in the order of the answers.
private final class Answered: Sendable {
  private struct Entry {
    let name: String
    let result: Result<CommitResult, StoreError>
    let thread: PlatformThread.ID
  }

  private let entries = Mutex<[Entry]>([])

  func add(_ name: String, _ result: Result<CommitResult, StoreError>) {
    entries.withLock { $0.append(Entry(name: name, result: result, thread: PlatformThread.current)) }
  }

  var names: [String] { entries.withLock { $0.map(\.name) } }
  var versions: [Int64] { entries.withLock { $0.compactMap { try? $0.result.get().commitTime } } }
  var threads: Set<PlatformThread.ID> { entries.withLock { Set($0.map(\.thread)) } }
}

@Suite("commits that an event loop gathers")
struct GatheredCommitTests {
  let database = DatabaseID(project: "demo-test")
  let store: DocumentStore<LMDBEngine>

  init() throws { store = try storeThatLends() }

  private static let increment = Write.merge(
    "c/a", [:], transforms: [.increment(fieldPath("n"), by: .integer(1))])

  private func number() throws -> Int64? {
    try store.read(database) { (view) throws(StoreError) in
      let fields = try view.document(ResourcePath(unchecked: "c/a")).map { Fields($0.fields) }
      guard case .integer(let number) = fields?["n"] else { return nil }
      return number
    }
  }

  private func submit(
    _ name: String, _ writes: [Write] = [Self.increment], in turns: Turns, to answered: Answered,
    judge: CommitJudge? = nil
  ) {
    store.submit(database, writes, judge: judge, later: turns.later) { answered.add(name, $0) }
  }

  /// The thread that writes has first to find that nothing is to be tidied.
  private func untilLent() throws {
    try eventually("a commit on the thread that made it") {
      let (turns, answered) = (Turns(), Answered())
      submit("first", in: turns, to: answered)
      turns.end()
      try eventually("an answer") { !answered.names.isEmpty }
      return answered.threads == [PlatformThread.current]
    }
  }

  @Test("what one turn brings is written at its end, in order and on its thread, and asked for once")
  func turn() throws {
    defer { store.close() }
    try untilLent()
    let before = try number() ?? 0
    let (turns, answered) = (Turns(), Answered())
    let names = (0..<20).map(String.init)
    for name in names { submit(name, in: turns, to: answered) }
    #expect(turns.count == 1)
    #expect(answered.names.isEmpty)
    turns.end()
    #expect(answered.names == names)
    #expect(answered.threads == [PlatformThread.current])
    #expect(answered.versions == answered.versions.sorted() && Set(answered.versions).count == names.count)
    #expect(try number() == before + 20)
  }

  @Test(
    "what is much goes to the thread that writes, and what came behind it keeps its place",
    arguments: [17, 1])
  func heavy(count: Int) throws {
    defer { store.close() }
    try untilLent()
    let text = String(repeating: "x", count: count == 1 ? 70_000 : 10)
    let writes = (0..<count).map { Write.set("d/\($0)", ["t": .string(text)]) }
    let (turns, answered) = (Turns(), Answered())
    submit("light", in: turns, to: answered)
    submit("heavy", writes, in: turns, to: answered)
    submit("behind", in: turns, to: answered)
    turns.end()
    try eventually("three answers") { answered.names.count == 3 }
    #expect(answered.names == ["light", "heavy", "behind"])
  }

  @Test("a judge that gives up is asked once more, on the thread that writes, and the commit is made once")
  func givenUp() throws {
    defer { store.close() }
    try untilLent()
    let before = try number() ?? 0
    let judged = Mutex<[(isHurried: Bool, thread: PlatformThread.ID)]>([])
    let decided = Mutex(0)
    let (turns, answered) = (Turns(), Answered())
    submit("given up", in: turns, to: answered) { commit throws(StoreError) in
      judged.withLock { $0.append((commit.isHurried, PlatformThread.current)) }
      commit.whenDecided { decided.withLock { $0 += 1 } }
      guard commit.isHurried else { return }
      commit.giveUp()
      throw .resourceExhausted(message: "never told")
    }
    submit("behind", in: turns, to: answered)
    turns.end()
    try eventually("two answers") { answered.versions.count == 2 }
    let judgements = judged.withLock { $0 }
    #expect(judgements.map(\.isHurried) == [true, false])
    #expect(Set(judgements.map(\.thread)).count == 2)
    #expect(decided.withLock { $0 } == 1)
    #expect(try number() == before + 2)
  }

  @Test("the commit of a transaction that was given up goes on as the same one")
  func givenUpTransaction() throws {
    defer { store.close() }
    try untilLent()
    let before = try number() ?? 0
    let transaction = try store.beginTransaction(database)
    try store.read(database, at: .transaction(transaction)) { (view) throws(StoreError) in
      _ = try view.document(ResourcePath(unchecked: "c/a"))
    }
    let (turns, answered) = (Turns(), Answered())
    let judge: CommitJudge = { commit throws(StoreError) in
      guard commit.isHurried else { return }
      commit.giveUp()
      throw .resourceExhausted(message: "never told")
    }
    store.submit(database, [Self.increment], transaction: transaction, judge: judge, later: turns.later) {
      answered.add("transaction", $0)
    }
    turns.end()
    try eventually("an answer") { answered.names.count == 1 }
    #expect(answered.versions.count == 1)
    #expect(try number() == before + 1)
    #expect(store.openTransactionCount == 0)
  }

  @Test("a commit of an event loop waits for a lock, and goes on when the transaction has ended")
  func locks() throws {
    defer { store.close() }
    try untilLent()
    for _ in 1...5 {
      let before = try number() ?? 0
      let transaction = try store.beginTransaction(database)
      try store.read(database, at: .transaction(transaction)) { (view) throws(StoreError) in
        _ = try view.document(ResourcePath(unchecked: "c/a"))
      }
      let (turns, answered) = (Turns(), Answered())
      submit("waits", in: turns, to: answered)
      turns.end()
      try eventually("a commit that waits") { store.lockWaitCount == 1 }
      // What others bring meanwhile goes on, though the thread looks after the one that waits.
      submit("other", [Write.set("e/a", [:])], in: turns, to: answered)
      turns.end()
      try eventually("the other commit made") { answered.names == ["other"] }
      try store.rollBack(transaction, in: database)
      try eventually("the commit made") { answered.names == ["other", "waits"] }
      #expect(try number() == before + 1)
    }
  }

  @Test("where two event loops meet, the thread that writes does the work for a while")
  func crowded() throws {
    defer { store.close() }
    try untilLent()
    let (turns, others, answered) = (Turns(), Turns(), Answered())
    let submitted = Monitor(false)
    submit("first", in: turns, to: answered) { [self] _ throws(StoreError) in
      // While this loop writes, another one brings a commit.
      try? PlatformThread.start { [self] in
        submit("second", in: others, to: answered)
        submitted.change { $0 = true }
      }
      submitted.wait { $0 ? () : nil }
    }
    turns.end()
    try eventually("two answers") { answered.versions.count == 2 }
    #expect(answered.names == ["first", "second"])
    #expect(others.count == 0, "nobody had to come for the second commit")
    #expect(answered.threads.count == 2)
    // And the next one, which meets nobody, still goes there.
    submit("third", in: turns, to: answered)
    #expect(turns.count == 0)
    try eventually("the answer") { answered.versions.count == 3 }
    // Until so many batches have come that nobody is likely to be met.
    try untilLent()
  }

  @Test("event loops, threads that wait and those that do not: every commit is made once and answered once")
  func together() async throws {
    defer { store.close() }
    let (loops, turnsOfEach, inTurn) = (3, 60, 4)
    let answered = Answered()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for loop in 0..<loops {
        group.addTask {
          let turns = Turns()
          for turn in 0..<turnsOfEach {
            for index in 0..<inTurn {
              submit("\(loop) \(turn) \(index)", in: turns, to: answered) { commit throws(StoreError) in
                guard commit.isHurried, (turn + index) % 5 == 0 else { return }
                commit.giveUp()
                throw .resourceExhausted(message: "never told")
              }
            }
            turns.end()
          }
        }
      }
      group.addTask { [store, database] in
        for _ in 0..<100 { _ = try await store.commit(database, [Self.increment]) }
      }
      group.addTask { [store, database] in
        for _ in 0..<100 { try store.commitAndWait(database, [Self.increment]) }
      }
      try await group.waitForAll()
    }
    let count = loops * turnsOfEach * inTurn
    try eventually("all answers") { answered.names.count >= count }
    #expect(answered.versions.count == count)
    #expect(Set(answered.names).count == count && answered.names.count == count)
    #expect(try number() == Int64(count + 200))
  }

  @Test("what was gathered when the store closes is still made")
  func closing() throws {
    try untilLent()
    let before = try number() ?? 0
    let (turns, answered) = (Turns(), Answered())
    submit("left", in: turns, to: answered)
    store.close()
    turns.end()
    #expect(answered.versions.count == 1)
    #expect(try number() == before + 1)
  }
}
