/// The cases of a suite asked of an emulator: what it answers is compared with what the suite expects.
///
/// Each case is played here too, at the emulator's time: that tells which documents and writes to send, what
/// the emulator should say of its reasons, and whether the case needs the suite's clock, which stands still. A server of
/// ours whose clock stands as well is moved to that time.

internal import Access
internal import Client
internal import DocModel
internal import DocStore
internal import Platform
internal import Rules
internal import YAML

struct WireRunner {
  private let stage: Stage
  private let client: EmulatorClient
  private let texts: RuleTexts
  /// The suite's own clock.
  private let clock: Int64
  /// The suite as it is at the emulator's time.
  private let file: SuiteFile
  private let options: SuiteOptions
  /// Where the emulator's clock stands, in microseconds; nil where it is the machine's.
  private let standing: Int64?
  /// What the emulator holds, as far as we know.
  private var remote: [ResourcePath: Fields] = [:]
  /// Documents of which we do not know.
  private var unknown: Set<ResourcePath> = []
  private var comparison = WireComparison()

  init(_ file: SuiteFile, _ client: EmulatorClient, options: SuiteOptions) throws(SuiteFailure) {
    let standing: Int64?
    do throws(WireFailure) { standing = try client.standClock(at: file.clock) } catch {
      throw .engine(error.message)
    }
    self.standing = standing
    clock = file.clock
    self.options = options
    // Read again, because times may be relative to the clock.
    var atPresent = options
    atPresent.clock = standing ?? SystemClock.wall / 1_000_000 * 1_000
    var reader = SuiteReader(file.source, options: atPresent)
    self.file = try reader.read()
    self.client = client
    texts = RuleTexts(self.file.rules)
    stage = try Stage(self.file, options: options)
  }

  /// The same cases as they are at the emulator's time.
  func cases(like chosen: [TestCase]) throws(SuiteFailure) -> [TestCase] {
    let found = SuiteRunner.chosen(file, options)
    guard found.map(\.names) == chosen.map(\.names) else {
      throw .engine("\(file.source.name) was changed while it ran; run it again")
    }
    return found
  }

  func close() { stage.close() }

  /// Gives the emulator the rules and an empty database.
  func begin() throws(SuiteFailure) {
    do throws(WireFailure) {
      try client.setRules(file.rules.source.bytes)
      try client.clear()
    } catch {
      throw .engine(error.message)
    }
  }

  /// One case that passes in process: what the emulator makes of it.
  mutating func result(of testCase: TestCase, like local: CaseResult) throws(SuiteFailure) -> CaseResult {
    comparison = WireComparison()
    let start = SystemClock.milliseconds
    do throws(WireRunFailure) {
      try play(testCase)
    } catch {
      switch error {
      case .wire(let failure): throw .engine(failure.message)
      case .stage(.suite(let error, let source)): throw .invalid([SuiteFault(error, in: source)])
      case .stage(.store(let error)): throw .store("\(file.source.name): the store failed: \(error.message)")
      case .skipped(let why): return local.replacing(status: .skipped(why), notes: [], milliseconds: 0)
      }
    }
    return local.replacing(
      status: comparison.lines.isEmpty ? .passed : .failed(comparison.lines),
      notes: comparison.notCompared.map { FailureLine(label: CaseResult.notComparedLabel, text: $0) },
      milliseconds: SystemClock.milliseconds - start)
  }

  private enum WireRunFailure: Error {
    case wire(WireFailure)
    case stage(StageError)
    /// Cannot be compared; why.
    case skipped(String)
  }

  // MARK: cases

  private mutating func play(_ testCase: TestCase) throws(WireRunFailure) {
    switch testCase.body {
    case .steps(let steps):
      try prepare(testCase.given)
      var runner = RequestRunner(stage)
      for (index, step) in steps.enumerated() {
        let answers = try ask(step, &runner)
        comparison.compare(step, answers.theirs, answers.ours, texts, step: steps.count > 1 ? index + 1 : nil)
        guard comparison.lines.isEmpty else { return }
      }
    case .property(let runs):
      for run in runs {
        var ends: [Outcome.End] = []
        for request in run.requests {
          let overlays = [testCase.given, run.given].compactMap { $0 }
          try prepare(overlays.count == 2 ? overlays[0] + overlays[1] : overlays.first)
          var runner = RequestRunner(stage)
          let answers = try ask(request, &runner)
          ends.append(answers.theirs.end)
        }
        guard ends.contains(where: { $0 != ends[0] }) else { continue }
        return comparison.add("expected", "the same verdict for all with \(run.title)")
      }
    }
  }

  /// One request, asked here and there.
  private mutating func ask(
    _ request: Request, _ runner: inout RequestRunner
  ) throws(WireRunFailure) -> (theirs: WireOutcome, ours: Outcome) {
    if request.time != nil { throw .skipped("over the wire: 'at' sets a clock that the emulator has not") }
    let prepared: RequestRunner.Prepared
    do throws(StageError) { prepared = try runner.prepare(request) } catch { throw .stage(error) }
    if let given = request.given { try send(given.entries.map(\.path)) }
    let ours: Outcome
    let theirs: WireOutcome
    do throws(WireFailure) {
      theirs = try ask(prepared.plan, request.persona)
    } catch {
      throw .wire(error)
    }
    do throws(StageError) { ours = try runner.perform(prepared) } catch { throw .stage(error) }
    switch (request.expectation.verdict, ours.end) {
    case (.anything, _), (.allow, .allowed), (.deny, .denied): break
    case (.allow, _), (.deny, _):
      throw .skipped("over the wire: needs the suite's clock, \(Timestamp(microseconds: clock).rfc3339)")
    }
    return (theirs, ours)
  }

  // MARK: documents

  /// Makes the emulator hold what the case begins with.
  private mutating func prepare(_ overlay: Overlay?) throws(WireRunFailure) {
    do throws(StageError) { try stage.prepare(overlay) } catch { throw .stage(error) }
    let stored = stage.current
    var paths = Array(unknown)
    for (path, fields) in stored where !unknown.contains(path) && remote[path] != fields {
      paths.append(path)
    }
    for path in remote.keys where !unknown.contains(path) && stored[path] == nil { paths.append(path) }
    try send(paths)
    unknown = []
  }

  private mutating func send(_ paths: [ResourcePath]) throws(WireRunFailure) {
    var writes: [Write] = []
    for path in paths {
      let fields = stage.current[path]
      remote[path] = fields
      writes.append(
        Write(path, fields.map { .update(fields: $0.encoded, mask: nil) } ?? .delete))
    }
    guard !writes.isEmpty else { return }
    do throws(WireFailure) { try client.store(writes) } catch { throw .wire(error) }
  }

  // MARK: requests

  private func bearer(_ persona: Persona) -> EmulatorClient.Bearer {
    switch persona.credentials {
    case .admin: .owner
    case .user(nil): .nobody
    case .user(.some):
      persona.claims.map {
        .token(WireToken.text($0, now: standing.map { $0 / 1_000_000 } ?? SystemClock.wall / 1_000_000_000))
      } ?? .nobody
    }
  }

  private mutating func ask(
    _ plan: RequestRunner.Plan, _ persona: Persona
  ) throws(WireFailure) -> WireOutcome {
    let bearer = bearer(persona)
    var outcome = WireOutcome()
    switch plan {
    case .reads(let actions):
      for action in actions { try read(action, nil, bearer, &outcome) }
    case .writes(nil, let writes):
      unknown.formUnion(writes.map(\.path))
      outcome.add(try client.commit(writes, as: bearer))
    case .writes(.some(let reads), let writes):
      unknown.formUnion(writes.map(\.path))
      let transaction = try client.begin(as: bearer)
      for action in reads { try read(action, transaction, bearer, &outcome) }
      if outcome.end == .allowed {
        outcome.add(try client.commit(writes, transaction: transaction, as: bearer))
      } else {
        try client.rollBack(transaction, as: bearer)
      }
    }
    return outcome
  }

  private func read(
    _ action: Action, _ transaction: TransactionToken?, _ bearer: EmulatorClient.Bearer,
    _ outcome: inout WireOutcome
  ) throws(WireFailure) {
    guard outcome.end == .allowed else { return }
    switch action {
    case .get(let path): outcome.add(try client.get([path], transaction: transaction, as: bearer))
    case .getAll(let paths): outcome.add(try client.get(paths, transaction: transaction, as: bearer))
    case .query(let query, let counts):
      outcome.add(try client.run(query.written, counts: counts, transaction: transaction, as: bearer))
    case .commit, .transaction, .listen, .relisten: break  // No plan reads with these.
    }
  }
}
