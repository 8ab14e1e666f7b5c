/// Commits that are written on the thread that makes them (`StoreOptions.commitsOnCaller`).

import DocModel
import DocStore
import EngineLMDB
import Platform
import Synchronization
import TestSupport
import Testing

@Suite("commits on the caller's thread")
struct CallerCommitTests {
  let database = DatabaseID(project: "demo-test")
  let store: DocumentStore<LMDBEngine>

  init() throws { store = try storeThatLends() }

  /// The thread that judged a commit of one write.
  private func judgingThread(_ write: Write) throws -> pthread_t {
    let thread = Mutex<pthread_t>(0)
    try store.commitAndWait(database, [write], judge: { _ in thread.withLock { $0 = pthread_self() } })
    return thread.withLock { $0 }
  }

  private func number(_ path: String) throws -> Int64? {
    try store.read(database) { (view) throws(StoreError) in
      let fields = try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) }
      guard case .integer(let number) = fields?["n"] else { return nil }
      return number
    }
  }

  private static let increment = Write.merge(
    "c/a", [:], transforms: [.increment(fieldPath("n"), by: .integer(1))])

  @Test("once the thread that writes has nothing to do, the caller writes")
  func callerWrites() throws {
    defer { store.close() }
    try eventually("a commit judged on the thread that made it") {
      pthread_equal(try judgingThread(Self.increment), pthread_self()) != 0
    }
  }

  @Test("a refusal changes nothing, and the next commit goes on")
  func refusal() throws {
    defer { store.close() }
    let refusal = StoreError.permissionDenied(message: "no")
    for _ in 0..<20 {
      #expect(throws: refusal) {
        try store.commitAndWait(
          database, [Self.increment], judge: { _ throws(StoreError) in throw refusal })
      }
      #expect(try number("c/a") == nil)
    }
    try store.commitAndWait(database, [Self.increment])
    #expect(try number("c/a") == 1)
  }

  @Test("commits of many threads, waited for and not, are all made, one after the other")
  func manyThreads() async throws {
    defer { store.close() }
    let (threads, each) = (4, 200)
    let versions = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for thread in 0..<threads {
        group.addTask { [store, database] in
          var versions: [Int64] = []
          for index in 0..<each {
            let isWaiting = (thread + index) % 3 > 0
            let result =
              isWaiting
              ? try store.commitAndWait(database, [Self.increment])
              : try await store.commit(database, [Self.increment])
            versions.append(result.commitTime)
          }
          return versions
        }
      }
      return try await group.reduce(into: [Int64]()) { all, versions in
        #expect(versions == versions.sorted())
        all += versions
      }
    }
    #expect(Set(versions).count == threads * each)
    #expect(try number("c/a") == Int64(threads * each))
  }

  @Test("a commit that waits for a lock goes on when the transaction has ended")
  func locks() throws {
    defer { store.close() }
    try store.commitAndWait(database, [Self.increment])
    for round in 1...5 {
      let transaction = try store.beginTransaction(database)
      let path = ResourcePath(unchecked: "c/a")
      try store.read(database, at: .transaction(transaction)) { (view) throws(StoreError) in
        _ = try view.document(path)
      }
      let isDone = Mutex(false)
      try PlatformThread.start { [store, database] in
        _ = try? store.commitAndWait(database, [Self.increment])
        isDone.withLock { $0 = true }
      }
      try eventually("a commit that waits") { store.lockWaitCount == 1 }
      #expect(try number("c/a") == Int64(round))
      try store.rollBack(transaction, in: database)
      try eventually("the commit made") { isDone.withLock { $0 } }
      #expect(try number("c/a") == Int64(round + 1))
    }
  }
}
