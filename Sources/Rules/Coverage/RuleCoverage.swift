/// What the requests of a while have seen of a ruleset.
///
/// ```
/// let coverage = RuleCoverage(ruleset)
/// coverage.record(request, documents: documents)     // after the request was judged
/// print(CoverageText.text(coverage.report()))
/// ```

internal import DocModel
internal import Synchronization

/// Counts and values of every expression, collected over many requests.
///
/// State and its guard: `state` behind its mutex, held while the steps of one operation are added.
public final class RuleCoverage: Sendable {
  /// LIMIT: different values kept of one expression; further ones are counted, not kept.
  public static let valuesMax = 24
  /// LIMIT: bytes of values kept in all; beyond, evaluations are counted only.
  public static let memoryMax = 32 << 20

  /// One expression.
  struct Entry: Sendable {
    var evaluations = 0
    var truths = 0
    var falsehoods = 0
    var errors = 0
    var values: [CountedValue] = []
  }

  /// One `allow`.
  struct AllowEntry: Sendable {
    var granted = 0
    var refused = 0
    var failed = 0
  }

  struct State: Sendable {
    /// By expression number.
    var entries: [Entry]
    /// By allow number.
    var allows: [AllowEntry]
    /// By function number.
    var calls: [Int]
    var operations = 0
    var bytes = 0
    var isCut = false
  }

  public let ruleset: Ruleset
  private let faults: FaultTokens
  /// By expression number: the function that a call runs.
  private let called: [Int?]
  private let state: Mutex<State>

  public init(_ ruleset: Ruleset) {
    self.ruleset = ruleset
    faults = FaultTokens(ruleset.syntax, ruleset.resolution, ruleset.source)
    called = ruleset.resolution.bindings.map { binding in
      if case .function(let number) = binding { number } else { nil }
    }
    state = Mutex(
      State(
        entries: Array(repeating: Entry(), count: ruleset.syntax.expressionCount),
        allows: Array(repeating: AllowEntry(), count: ruleset.syntax.allowCount),
        calls: Array(repeating: 0, count: ruleset.syntax.functionCount)))
  }

  /// Whether another compilation of the same text can be recorded here.
  public func fits(_ other: Ruleset) -> Bool {
    ruleset === other
      || (ruleset.source.bytes == other.source.bytes
        && ruleset.syntax.expressionCount == other.syntax.expressionCount)
  }

  /// Evaluates an operation once more and adds what it sees. To be called after the operation was judged,
  /// with the same `documents`; its document reads are known then and are not counted again.
  /// - Parameter other: the ruleset that judged, if it is another compilation of the same text.
  public func record(
    _ request: borrowing RuleRequest, by other: Ruleset? = nil, documents: DocumentAccess
  ) {
    let judge = other ?? ruleset
    guard fits(judge) else { return }
    state.withLock { $0.operations += 1 }
    judge.record(request, documents) { allow, log, e in
      state.withLock { add(allow, log, e, to: &$0) }
    }
  }

  private func add(_ allow: RecordedAllow, _ log: StepLog, _ e: Evaluation, to state: inout State) {
    switch allow.value {
    case .boolean(true): state.allows[allow.allow].granted += 1
    case .boolean(false): state.allows[allow.allow].refused += 1
    default: state.allows[allow.allow].failed += 1
    }
    for place in allow.steps {
      let step = log.steps[place]
      let number = Int(step.number)
      if let function = called[number], !isWrongCall(step.operand, number) { state.calls[function] += 1 }
      state.entries[number].evaluations += 1
      switch step.operand {
      case .boolean(true): state.entries[number].truths += 1
      case .boolean(false): state.entries[number].falsehoods += 1
      case .fault: state.entries[number].errors += 1
      default: break
      }
      keep(step.operand, of: number, e, in: &state)
    }
  }

  /// A call with the wrong number of arguments runs nothing.
  private func isWrongCall(_ value: Operand, _ number: Int) -> Bool {
    if case .fault(.argumentCount, let node, _) = value { Int(node) == number } else { false }
  }

  private func keep(_ operand: Operand, of number: Int, _ e: Evaluation, in state: inout State) {
    let isFull = state.entries[number].values.count >= Self.valuesMax || state.bytes >= Self.memoryMax
    if isFull, !isSmall(operand) {
      state.isCut = true
      return
    }
    var recorder = ValueRecorder(e, faults)
    let value = recorder.value(operand)
    if let place = state.entries[number].values.firstIndex(where: { $0.value == value }) {
      state.entries[number].values[place].count += 1
    } else if isFull, value.truth == nil {
      state.isCut = true
    } else {
      if value.isCut { state.isCut = true }
      state.entries[number].values.append(CountedValue(value: value, count: 1))
      state.bytes += recorder.size
    }
  }

  /// What costs little to look up among the values kept; booleans are always counted.
  private func isSmall(_ operand: Operand) -> Bool {
    switch operand {
    case .null, .boolean, .integer, .float, .timestamp, .duration, .latlng, .fault: true
    case .string(let text): text.count <= 64
    case .bytes, .path, .array, .document, .fields, .vector, .list, .map, .set, .mapDiff, .constraint: false
    }
  }

  /// Adds what another coverage of the same text has seen.
  public func merge(_ other: RuleCoverage) {
    guard fits(other.ruleset), other !== self else { return }
    let theirs = other.state.withLock { $0 }
    state.withLock { state in
      state.operations += theirs.operations
      state.isCut = state.isCut || theirs.isCut
      for (number, counts) in theirs.allows.enumerated() {
        state.allows[number].granted += counts.granted
        state.allows[number].refused += counts.refused
        state.allows[number].failed += counts.failed
      }
      for (number, calls) in theirs.calls.enumerated() { state.calls[number] += calls }
      for (number, entry) in theirs.entries.enumerated() { Self.merge(entry, into: number, of: &state) }
    }
  }

  private static func merge(_ entry: Entry, into number: Int, of state: inout State) {
    state.entries[number].evaluations += entry.evaluations
    state.entries[number].truths += entry.truths
    state.entries[number].falsehoods += entry.falsehoods
    state.entries[number].errors += entry.errors
    for counted in entry.values {
      if let place = state.entries[number].values.firstIndex(where: { $0.value == counted.value }) {
        state.entries[number].values[place].count += counted.count
      } else if state.entries[number].values.count < valuesMax || counted.value.truth != nil {
        state.entries[number].values.append(counted)
      } else {
        state.isCut = true
      }
    }
  }

  /// Forgets what was recorded.
  public func reset() {
    state.withLock { state in
      state = State(
        entries: Array(repeating: Entry(), count: state.entries.count),
        allows: Array(repeating: AllowEntry(), count: state.allows.count),
        calls: Array(repeating: 0, count: state.calls.count))
    }
  }

  /// Everything so far.
  public func report() -> CoverageReport {
    CoverageReport(ruleset, state.withLock { $0 })
  }
}

/// A value that an expression had, and how often.
public struct CountedValue: Sendable {
  public let value: RecordedValue
  public internal(set) var count: Int
}
