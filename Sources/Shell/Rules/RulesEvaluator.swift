/// Rules asked on copies of the documents that they need: what explains a verdict of any store.
///
/// A store of our own gets the documents of the request, the rules are asked there, and what they looked up
/// is fetched, until they look up nothing new. So a running server, ours or another's, needs nothing but its
/// documents and its rules to have its decisions explained.

import Access
import Client
import DocModel
import DocStore
import EngineLMDB
import Rules
internal import RulesTools
import Synchronization

/// Owner: the session's thread.
final class RulesEvaluator {
  enum Request {
    case get(ResourcePath)
    case list(StructuredQuery)
    case writes([Write])

    init(_ target: ReadStatement.Target) {
      switch target {
      case .document(let path): self = .get(path)
      case .query(let query): self = .list(query)
      }
    }
  }

  /// What came of a request: every judgement, and why the store would refuse it if the rules do not.
  struct Verdict {
    var decisions: [DetailedExplanation]
    var refusal: ShellError?
    /// The documents of the request and those that the rules looked up, as they were; nil for missing ones.
    var documents: [ResourcePath: ShellDocument?] = [:]

    var isAllowed: Bool { decisions.allSatisfy { $0.explanation.isAllowed } && refusal == nil }
    var denied: DetailedExplanation? { decisions.last { !$0.explanation.isAllowed } }
    var lookups: Int { decisions.reduce(0) { $0 + $1.explanation.decision.accesses } }
  }

  /// LIMIT: rounds of fetching; each finds at least one document, and rules may ask for 20.
  private static let roundsMax = 40

  let database: DatabaseID
  private let fetch: (ResourcePath) throws(ShellError) -> ShellDocument?
  /// The time of the store that is explained: its clock may stand.
  private let now: () -> Int64
  private let clock = StandingClock(0)
  private var store: DocumentStore<LMDBEngine>?
  private var compiled: (source: [UInt8], ruleset: Ruleset)?

  init(
    database: DatabaseID, now: @escaping () -> Int64,
    fetch: @escaping (ResourcePath) throws(ShellError) -> ShellDocument?
  ) {
    self.now = now
    self.database = database
    self.fetch = fetch
  }

  deinit { store?.close() }

  /// Compiles rules, once for each text of them.
  func ruleset(_ name: String, _ source: [UInt8]) throws(ShellError) -> Ruleset {
    if let compiled, compiled.source == source { return compiled.ruleset }
    let compilation = RulesCompiler.compile(source: source, name: name, limitsSource: false)
    guard let ruleset = compilation.ruleset else {
      throw .failed(
        "the rules do not compile:\n"
          + DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics))
    }
    compiled = (source, ruleset)
    return ruleset
  }

  func judge(_ request: Request, as caller: Caller, by rules: Ruleset) throws(ShellError) -> Verdict {
    let store = try openStore()
    clock.set(now())
    let log = JudgementNotes()
    let rulesets = RulesetRegistry()
    rulesets.setStandard(rules)
    let guarded = GuardedStore(
      store, rulesets: rulesets, detail: .terse, witness: { log.add($0) }, witnessDetail: .values)
    var documents: [ResourcePath: ShellDocument?] = [:]
    for path in Self.paths(request) { documents[path] = try fetch(path) }
    for _ in 0..<Self.roundsMax {
      try fill(store, documents.values.compactMap { $0 })
      let refusal = perform(request, on: guarded, caller)
      let decisions = log.takeAll()
      let wanted = decisions.flatMap(\.documents).map { ResourcePath(unchecked: $0.path) }
        .filter { $0.isDocument && documents[$0] == nil }
      if wanted.isEmpty { return Verdict(decisions: decisions, refusal: refusal, documents: documents) }
      for path in wanted { documents[path] = try fetch(path) }
    }
    throw .failed("the rules ask for ever more documents")
  }

  private func openStore() throws(ShellError) -> DocumentStore<LMDBEngine> {
    if let store { return store }
    let engine: LMDBEngine
    do throws(LMDBOpenError) { engine = try LMDBEngine.ephemeral() } catch {
      throw .failed(error.description)
    }
    let opened = try storing { () throws(StoreError) in
      try DocumentStore(
        engine: engine, environment: clock.environment(random: Environment.system.random))
    }
    store = opened
    return opened
  }

  private static func paths(_ request: Request) -> [ResourcePath] {
    switch request {
    case .get(let path): [path]
    case .list: []
    case .writes(let writes): writes.map(\.path)
    }
  }

  /// Nothing but these documents.
  private func fill(
    _ store: DocumentStore<LMDBEngine>, _ documents: [ShellDocument]
  ) throws(ShellError) {
    let writes = documents.map { Write($0.path, .update(fields: $0.fields.encoded, mask: nil)) }
    try storing { () throws(StoreError) in
      _ = try store.clearAndWait(database)
      if !writes.isEmpty { try store.commitAndWait(database, writes) }
    }
  }

  /// Why it was refused for a reason other than the rules.
  private func perform(
    _ request: Request, on guarded: GuardedStore<LMDBEngine>, _ caller: Caller
  ) -> ShellError? {
    do throws(ShellError) {
      switch request {
      case .get(let path):
        try storing { () throws(StoreError) in
          try guarded.get(DocumentName(database: database, path: path), as: caller.credentials) {
            (_, _) throws(StoreError) in
          }
        }
      case .list(let query):
        let normalized = try checking { () throws(InvalidArgument) in try QueryValidator.validate(query) }
        _ = try storing { () throws(StoreError) in
          try guarded.run(normalized, as: caller.credentials) { _ in .stop }
        }
      case .writes(let writes):
        _ = try storing { () throws(StoreError) in
          try guarded.commitAndWait(database, writes, as: caller.credentials)
        }
      }
      return nil
    } catch {
      return error.kind == .denied ? nil : error
    }
  }
}

/// Judgements as they are made, on the threads that make them.
private final class JudgementNotes: Sendable {
  private let taken = Mutex<[DetailedExplanation]>([])

  func add(_ judgement: Judgement) {
    guard let detailed = judgement.detailed else { return }
    taken.withLock { $0.append(detailed) }
  }

  func takeAll() -> [DetailedExplanation] {
    taken.withLock { notes in
      defer { notes = [] }
      return notes
    }
  }
}
