/// Makes a history: clients take turns at random, one step at a time.
///
/// The seed decides who takes which step. A patient run lets every commit be decided or begin to wait before the
/// next step; a hasty one goes on at once, so that reads meet commits on their way.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

/// How transactions are treated. All but `proper` are broken on purpose.
enum HistoryStore: Sendable, CaseIterable {
  case proper
  /// Reads take no locks.
  case withoutLocks
  /// Documents read by name are locked, what queries read is not.
  case withPhantoms
}

final class HistoryRunner {
  private enum Kind { case pessimistic, optimistic, readOnly, plainWrite, plainRead }

  private struct Client {
    let number: Int
    var kind = Kind.plainRead
    /// What is left to be done of this one: reads, then its commit.
    var readsLeft = 0
    var attempt = 0
    var isIdle = true
    var transaction: TransactionID?
    var earlier: TransactionID?
    var node = HistoryNode(name: "")
    var commit: PendingCommit?
    /// Set when its turn has come; nil when it waits for none.
    var turn: Monitor<Bool>?
    var tasksLeft: Int
  }

  private static let documentCount = 4
  private static let valueCount: Int64 = 3

  private let store: DocumentStore<LMDBEngine>
  private let database: DatabaseID
  private let collection: String
  private let treatment: HistoryStore
  private let isHasty: Bool
  private var random: SeededRandom
  private var clients: [Client]
  private var history = History()
  private var writeCount = 0

  init(
    seed: UInt64, _ store: DocumentStore<LMDBEngine>, _ database: DatabaseID, collection: String,
    _ treatment: HistoryStore = .proper
  ) {
    self.store = store
    self.database = database
    self.collection = collection
    self.treatment = treatment
    var random = SeededRandom(seed: seed)
    isHasty = Bool.random(using: &random)
    clients = (0..<Int.random(in: 2...6, using: &random)).map { number in
      Client(number: number, tasksLeft: Int.random(in: 1...3, using: &random))
    }
    self.random = random
  }

  /// Runs all clients to their end.
  func run() throws -> History {
    let deadline = ContinuousClock.now + .seconds(120)
    while true {
      let ready = clients.indices.filter { isReady(clients[$0]) }
      if let client = ready.randomElement(using: &random) {
        try step(client)
        if !isHasty { try settle() }
      } else if clients.allSatisfy({ $0.isIdle && $0.tasksLeft == 0 }) {
        return history
      } else {
        try #require(ContinuousClock.now < deadline, "nobody goes on")
        usleep(20)
      }
    }
  }

  private func isReady(_ client: Client) -> Bool {
    if client.isIdle { return client.tasksLeft > 0 }
    if let turn = client.turn, !turn.withLock({ $0 }) { return false }
    if let commit = client.commit, commit.outcome == nil { return false }
    return true
  }

  /// Lets every commit be decided or wait.
  private func settle() throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while clients.count(where: { $0.commit != nil && $0.commit?.outcome == nil }) != store.lockWaitCount {
      try #require(ContinuousClock.now < deadline, "a commit is neither decided nor waits")
      usleep(20)
    }
  }

  // MARK: steps

  private func step(_ index: Int) throws {
    if clients[index].isIdle { return begin(index) }
    if clients[index].commit != nil { return try finish(index) }
    if clients[index].transaction == nil, clients[index].kind != .plainRead,
      clients[index].kind != .plainWrite
    {
      return try open(index)
    }
    clients[index].turn = nil
    if clients[index].readsLeft > 0 { return try read(index) }
    try commit(index)
  }

  private func begin(_ index: Int) {
    let kinds: [Kind] = [
      .pessimistic, .pessimistic, .pessimistic, .optimistic, .readOnly, .plainWrite, .plainWrite, .plainRead,
    ]
    clients[index].kind = kinds.randomElement(using: &random) ?? .pessimistic
    clients[index].isIdle = false
    clients[index].tasksLeft -= 1
    clients[index].attempt = 0
    clients[index].earlier = nil
    prepare(index)
  }

  /// Draws what the attempt will do.
  private func prepare(_ index: Int) {
    clients[index].attempt += 1
    clients[index].transaction = nil
    clients[index].commit = nil
    clients[index].node = HistoryNode(
      name:
        "\(clients[index].kind) \(clients[index].number).\(clients[index].tasksLeft).\(clients[index].attempt)"
    )
    switch clients[index].kind {
    case .plainWrite: clients[index].readsLeft = 0
    case .plainRead: clients[index].readsLeft = 1
    case .pessimistic, .optimistic, .readOnly:
      clients[index].readsLeft = Int.random(in: 1...3, using: &random)
    }
  }

  private func open(_ index: Int) throws {
    var options = TransactionOptions.readOnly
    if clients[index].kind != .readOnly {
      options = TransactionOptions(
        .readWrite(retrying: clients[index].earlier.map { store.token(of: $0, in: database) } ?? []))
      options.isOptimistic = clients[index].kind == .optimistic
    }
    let id = try store.beginTransaction(database, options)
    clients[index].transaction = id
    let ready = Monitor(false)
    if !store.takeTurns(id, in: database, ready: { ready.change { $0 = true } }) {
      clients[index].turn = ready
    }
  }

  private func read(_ index: Int) throws {
    clients[index].readsLeft -= 1
    let query = drawQuery()
    var time = clients[index].transaction.map { ReadTime.transaction($0) } ?? .newest
    switch treatment {
    case .proper: break
    case .withoutLocks: if clients[index].kind != .readOnly { time = .newest }
    case .withPhantoms:
      if case .document = query { break }
      if clients[index].kind != .readOnly { time = .newest }
    }
    let (answer, readTime) = try store.read(database, at: time) { (view) throws(StoreError) in
      (try HistoryReading.answer(query, on: view, database, collection), view.readTime)
    }
    clients[index].node.reads.append(HistoryRead(query: query, time: readTime, answer: answer))
  }

  private func drawQuery() -> HistoryQuery {
    let document = Int.random(in: 0..<Self.documentCount, using: &random)
    let n = Int64.random(in: 0..<Self.valueCount, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .all
    case 1: return .equal(n)
    case 2: return .first(Int.random(in: 1...2, using: &random), from: n)
    case 3: return .count(n)
    default: return .document(document)
    }
  }

  private func commit(_ index: Int) throws {
    switch clients[index].kind {
    case .plainRead:
      history.nodes.append(clients[index].node)
      clients[index].isIdle = true
      return
    case .readOnly: break
    case .plainWrite: drawWrites(index, 1...2)
    case .pessimistic, .optimistic: drawWrites(index, 0...2)
    }
    let writes = clients[index].node.writes.sorted { $0.key < $1.key }.map { document, n in
      writeCount += 1
      return n.map { Write.set(path(document), ["n": .integer($0), "w": .integer(Int64(writeCount))]) }
        ?? Write.delete(path(document))
    }
    clients[index].commit = PendingCommit(
      store, database, writes, transaction: clients[index].transaction)
  }

  private func drawWrites(_ index: Int, _ counts: ClosedRange<Int>) {
    for _ in 0..<Int.random(in: counts, using: &random) {
      let document = Int.random(in: 0..<Self.documentCount, using: &random)
      let isDelete = Int.random(in: 0..<4, using: &random) == 0
      clients[index].node.writes[document] = .some(
        isDelete ? nil : Int64.random(in: 0..<Self.valueCount, using: &random))
    }
  }

  private func path(_ document: Int) -> String { "\(collection)/\(document)" }

  private func finish(_ index: Int) throws {
    switch clients[index].commit?.outcome {
    case .none: return
    case .success(let result):
      if !clients[index].node.writes.isEmpty { clients[index].node.time = result.commitTime }
      history.nodes.append(clients[index].node)
    case .failure(.aborted):
      if clients[index].attempt < 5 {
        clients[index].earlier = clients[index].transaction
        return prepare(index)
      }
    case .failure(let error): throw error
    }
    clients[index].commit = nil
    clients[index].isIdle = true
  }
}

/// Reads of histories, on a view.
enum HistoryReading {
  static func answer(
    _ query: HistoryQuery, on view: StoreView, _ database: DatabaseID, _ collection: String
  ) throws(StoreError) -> HistoryAnswer {
    var structured = StructuredQuery(database: database, collection: ResourcePath(unchecked: collection))
    switch query {
    case .document(let document):
      let found = try view.document(ResourcePath(unchecked: "\(collection)/\(document)"))
      return .documents(found.map { [document: $0.updateTime] } ?? [:])
    case .all: break
    case .equal(let n): structured.filter = .field("n", .equal, .integer(n))
    case .first(let count, let least):
      structured.filter = .field("n", .greaterThanOrEqual, .integer(least))
      structured.limit = count
    case .count(let n):
      structured.filter = .field("n", .equal, .integer(n))
      return .count(try found(try validated(structured), on: view).count)
    }
    return .documents(try found(try validated(structured), on: view))
  }

  private static func validated(_ query: StructuredQuery) throws(StoreError) -> NormalizedQuery {
    do { return try QueryValidator.validate(query) } catch { throw .invalid(error) }
  }

  private static func found(
    _ query: NormalizedQuery, on view: StoreView
  ) throws(StoreError) -> [Int: Int64] {
    var found: [Int: Int64] = [:]
    _ = try QueryExecutor.run(query, on: view) { row in
      let id = String(decoding: row.path, as: UTF8.self).split(separator: "/").last ?? ""
      if let document = Int(id) { found[document] = row.document.updateTime }
      return .more
    }
    return found
  }
}
