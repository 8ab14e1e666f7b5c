/// Carries out requests on the stage, through the same guard as the server, and notes what came of them.

internal import Access
internal import DocModel
internal import DocStore
internal import Fixtures
internal import Platform
internal import Rules
internal import YAML

struct RequestRunner {
  let stage: Stage
  /// What `relisten` refers to.
  private var listeners: [(name: String, action: Action)] = []

  init(_ stage: Stage) { self.stage = stage }

  mutating func run(_ request: Request) throws(StageError) -> Outcome { try perform(try prepare(request)) }

  /// A request whose documents are in place and whose values are known.
  struct Prepared {
    let request: Request
    let plan: Plan
  }

  func prepare(_ request: Request) throws(StageError) -> Prepared {
    if let given = request.given { try stage.apply(given) }
    return Prepared(request: request, plan: try plan(request.action, request.source))
  }

  mutating func perform(_ prepared: Prepared) throws(StageError) -> Outcome {
    let request = prepared.request
    let suiteTime = stage.clock.now
    if let time = request.time { stage.clock.set(time) }
    defer { stage.clock.set(suiteTime) }
    _ = stage.judgements.takeAll()
    var outcome = Outcome(
      end: .allowed, judgements: [], returned: [], milliseconds: 0, before: stage.snapshot)
    let start = SystemClock.monotonic
    do throws(StoreError) {
      outcome.returned = try perform(prepared.plan, request.persona.credentials)
    } catch {
      switch error {
      case .permissionDenied: outcome.end = .denied
      case .notFound, .alreadyExists, .failedPrecondition, .invalid, .aborted, .resourceExhausted,
        .targetExists:
        outcome.end = .failed(error.message)
      case .storage, .engine: throw .store(error)
      }
    }
    outcome.milliseconds = Double(SystemClock.monotonic - start) / 1_000_000
    outcome.judgements = stage.judgements.takeAll()
    if case .writes(_, let writes) = prepared.plan, outcome.end == .allowed {
      try stage.refresh(writes.map(\.path))
    }
    if case .listen(let action, let name?) = request.action { listeners.append((name, action)) }
    return outcome
  }

  // MARK: plans

  /// A request with its values.
  enum Plan {
    case reads([Action])
    case writes([Action]?, [Write])
  }

  private func plan(_ action: Action, _ source: YAMLSource) throws(StageError) -> Plan {
    switch action {
    case .get, .getAll, .query: return .reads([action])
    case .listen(let action, _): return .reads([action])
    case .relisten(let name):
      return .reads(listeners.last { $0.name.hasSameBytes(as: name) }.map { [$0.action] } ?? [])
    case .commit(let forms): return .writes(nil, try writes(forms, source))
    case .transaction(let reads, let forms): return .writes(reads, try writes(forms, source))
    }
  }

  private func writes(_ forms: [WriteForm], _ source: YAMLSource) throws(StageError) -> [Write] {
    var builder = WriteBuilder(evaluator: stage.evaluator)
    var writes: [Write] = []
    for form in forms {
      do { writes.append(try builder.write(form)) } catch { throw .suite(error, source) }
    }
    return writes
  }

  // MARK: doing

  private func perform(_ plan: Plan, _ credentials: Credentials) throws(StoreError) -> [String] {
    switch plan {
    case .reads(let actions):
      var returned: [String] = []
      for action in actions { returned += try read(action, credentials, at: .newest) }
      return returned
    case .writes(.none, let writes):
      try stage.guarded.commitAndWait(stage.database, writes, as: credentials)
      return []
    case .writes(.some(let reads), let writes):
      return try transact(reads, writes, credentials)
    }
  }

  private func transact(
    _ reads: [Action], _ writes: [Write], _ credentials: Credentials
  ) throws(StoreError) -> [String] {
    let transaction = try stage.guarded.store.beginTransaction(stage.database)
    var returned: [String] = []
    do throws(StoreError) {
      for action in reads { returned += try read(action, credentials, at: .transaction(transaction)) }
    } catch {
      try stage.guarded.store.rollBack(transaction, in: stage.database)
      throw error
    }
    do throws(StoreError) {
      try stage.guarded.commitAndWait(stage.database, writes, transaction: transaction, as: credentials)
    } catch {
      // A refused commit leaves its transaction open, and what that has read locked.
      try? stage.guarded.store.rollBack(transaction, in: stage.database)
      throw error
    }
    return returned
  }

  private func read(
    _ action: Action, _ credentials: Credentials, at time: ReadTime
  ) throws(StoreError) -> [String] {
    var returned: [String] = []
    switch action {
    case .get(let path):
      let name = DocumentName(database: stage.database, path: path)
      try stage.guarded.get(name, as: credentials, at: time) { (document, _) throws(StoreError) in
        if document != nil { returned.append(path.text) }
      }
    case .getAll(let paths):
      try stage.guarded.getAll(paths, in: stage.database, as: credentials, at: time) { path, document, _ in
        if document != nil { returned.append(path.text) }
      }
    case .query(let query, _):
      _ = try stage.guarded.run(query.normalized, as: credentials, at: time) { row in
        returned.append(String(decoding: row.path, as: UTF8.self))
        return .more
      }
    case .commit, .transaction, .listen, .relisten: break
    }
    return returned
  }
}
