/// The store in which cases play: fixtures that are put back before each of them.
///
/// What differs from the fixtures is remembered, so putting back costs only what was written.
///
/// INVARIANT: `current` equals what is stored; documents outside `touched` are as in the fixtures.

internal import Access
internal import DocModel
internal import DocStore
internal import EngineLMDB
internal import Fixtures
internal import Rules
internal import Synchronization
internal import YAML

/// Judgements of the request at hand; commits may be judged on the thread that writes.
final class JudgementLog: Sendable {
  private let entries = Mutex<[Judgement]>([])

  func add(_ judgement: Judgement) { entries.withLock { $0.append(judgement) } }

  var isEmpty: Bool { entries.withLock { $0.isEmpty } }

  func takeAll() -> [Judgement] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }
}

/// A failure on the stage: an error of the suite, or of the store.
enum StageError: Error {
  case suite(YAMLError, YAMLSource)
  case store(StoreError)
}

final class Stage {
  let database: DatabaseID
  let clock: StandingClock
  let judgements = JudgementLog()
  let guarded: GuardedStore<LMDBEngine>
  /// What the requests see of the rules, if anybody wants it.
  let coverage: CoverageCollector?

  private let rulesets = RulesetRegistry()
  /// Every document as it is stored now, when requests are recorded.
  private(set) var snapshot: Snapshot?
  private let suiteTime: Int64
  private let templates: TemplateTable
  private var baseline: [ResourcePath: Fields] = [:]
  private(set) var current: [ResourcePath: Fields] = [:]
  private var touched: Set<ResourcePath> = []
  private var known = KnownDocuments()

  /// Opens the store and writes the fixtures past the rules.
  /// - Parameter shared: what collects coverage with other stages; nil for a collector of its own, where one is asked.
  init(
    _ file: SuiteFile, options: SuiteOptions, coverage shared: CoverageCollector? = nil
  ) throws(SuiteFailure) {
    database = file.database
    suiteTime = file.clock
    templates = file.templates
    clock = StandingClock(file.clock)
    snapshot = options.recordsRequests ? Snapshot() : nil
    let isWanted = options.collectsCoverage || file.requirement?.coverage != nil
    coverage = shared ?? (isWanted ? CoverageCollector(isCollecting: true) : nil)
    rulesets.setStandard(file.rules)
    let engine: LMDBEngine
    do { engine = try LMDBEngine.ephemeral() } catch { throw .store("cannot open a store: \(error)") }
    // Versions go on although time stands still; server times are the clock's.
    let random = Mutex<UInt64>(0x5DEE_CE66)
    let environment = clock.environment {
      random.withLock { state in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
      }
    }
    // Cases come one after the other: nobody else writes meanwhile.
    var storeOptions = StoreOptions()
    storeOptions.commitsOnCaller = true
    do throws(StoreError) {
      let judgements = judgements
      guarded = GuardedStore(
        try DocumentStore(engine: engine, environment: environment, options: storeOptions),
        rulesets: rulesets, detail: .terse,
        witness: { judgements.add($0) },
        witnessDetail: options.explains ? .values : options.recordsRequests ? .requests : .reasons,
        coverage: coverage)
    } catch {
      throw .store("cannot open a store: \(error.message)")
    }
    try writeFixtures(file)
  }

  func close() { guarded.store.close() }

  /// Judges with other rules from now on.
  func use(_ rules: Ruleset) { rulesets.setStandard(rules) }

  private func writeFixtures(_ file: SuiteFile) throws(SuiteFailure) {
    var errors = SuiteErrors()
    for fixture in file.fixtures {
      do throws(YAMLError) {
        var evaluator = self.evaluator
        let value = try evaluator.evaluate(fixture.form, at: DrawPlace(seed: 0))
        let fields = try settled(value, at: fixture.mark)
        baseline[fixture.path] = fields
        known.set(fixture.path, to: .plain(.map(fields)))
      } catch {
        errors.add(error, in: fixture.source)
        known.setFailed(fixture.path)
      }
    }
    guard errors.isEmpty else { throw .invalid(errors.faults) }
    do throws(StageError) {
      try store(baseline.mapValues { .some($0) })
    } catch {
      switch error {
      case .store(let error): throw .store("cannot write the fixtures: \(error.message)")
      case .suite(let error, let source): throw .invalid([SuiteFault(error, in: source)])
      }
    }
  }

  /// Evaluates values with what is stored now.
  var evaluator: FormEvaluator {
    FormEvaluator(database: database, templates: templates, documents: known, now: clock.now)
  }

  // MARK: states

  /// Makes the store what the fixtures say, with an overlay.
  func prepare(_ overlay: Overlay?) throws(StageError) {
    clock.set(suiteTime)
    var target: [ResourcePath: Fields?] = [:]
    for path in touched {
      target.updateValue(baseline[path], forKey: path)
      note(path, baseline[path])
    }
    if let overlay { try add(overlay, to: &target) }
    try store(target)
    touched = Set(overlay?.entries.map(\.path) ?? [])
  }

  /// Changes documents past the rules, on top of what is stored.
  func apply(_ overlay: Overlay) throws(StageError) {
    var target: [ResourcePath: Fields?] = [:]
    try add(overlay, to: &target)
    try store(target)
    touched.formUnion(overlay.entries.map(\.path))
  }

  private func add(_ overlay: Overlay, to target: inout [ResourcePath: Fields?]) throws(StageError) {
    for entry in overlay.entries {
      let base = target[entry.path] ?? current[entry.path]
      do throws(YAMLError) {
        let fields = try changed(base, by: entry)
        target.updateValue(fields, forKey: entry.path)
        note(entry.path, fields)
      } catch {
        throw .suite(error, entry.source)
      }
    }
  }

  private func changed(_ base: Fields?, by entry: Overlay.Entry) throws(YAMLError) -> Fields? {
    var evaluator = self.evaluator
    switch entry.change {
    case .removed: return nil
    case .whole(let form):
      return try settled(try evaluator.evaluate(form, at: DrawPlace(seed: 0)), at: entry.mark)
    case .fields(let changes):
      var value = TypedValue.plain(.map(base ?? Fields()))
      for change in try evaluator.evaluate(changes, at: DrawPlace(seed: 0)) {
        let isAbsent = change.value == .marker(.absent)
        value = value.replacing(change.path.segments[...], with: isAbsent ? nil : change.value)
      }
      return try settled(value, at: entry.mark)
    }
  }

  /// A document that is stored past the rules: server times are the clock's, other transforms have
  /// nothing to apply to.
  private func settled(_ value: TypedValue, at mark: YAMLMark) throws(YAMLError) -> Fields {
    guard let document = TypedDocument(value) else {
      throw YAMLError("the fields of a document are a map; found \(value.kindName)", at: mark)
    }
    var settled = TypedValue.plain(.map(document.fields))
    for marked in document.markers {
      guard marked.marker == .serverTime else {
        throw YAMLError("'\(marked.marker.formName)' belongs to the data of a request", at: mark)
      }
      let now = Value.timestamp(Timestamp(microseconds: suiteTime))
      settled = settled.replacing(marked.path.segments[...], with: .plain(now))
    }
    guard case .plain(.map(let fields)) = settled else { return document.fields }
    return fields
  }

  // MARK: storing

  /// Writes what differs from what is stored; nil removes.
  private func store(_ target: [ResourcePath: Fields?]) throws(StageError) {
    var writes: [Write] = []
    for (path, fields) in target where current[path] != fields {
      do {
        let bytes = try fields.map(Canonicalizer.fields)
        snapshot?.set(path, bytes)
        writes.append(Write(path, bytes.map { .update(fields: $0, mask: nil) } ?? .delete))
      } catch {
        throw .store(.invalid(InvalidArgument("\(path.text): \(error.message)")))
      }
    }
    if !writes.isEmpty {
      do { try guarded.store.commitAndWait(database, writes) } catch { throw .store(error) }
    }
    for (path, fields) in target { current[path] = fields }
  }

  private func note(_ path: ResourcePath, _ fields: Fields?) {
    if let fields { known.set(path, to: .plain(.map(fields))) } else { known.remove(path) }
  }

  /// Learns what a request has written.
  func refresh(_ paths: [ResourcePath]) throws(StageError) {
    do throws(StoreError) {
      try guarded.store.read(database) { (view) throws(StoreError) in
        for path in paths {
          let document = try view.document(path)
          let fields = document.map { Fields($0.fields) }
          snapshot?.set(path, document.map { Array($0.fields.bytes) })
          current[path] = fields
          note(path, fields)
        }
      }
    } catch {
      throw .store(error)
    }
    touched.formUnion(paths)
  }
}
