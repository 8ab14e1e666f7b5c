/// A run: many cases, several workers, findings made small.

internal import Dispatch
internal import Platform
internal import Synchronization

/// Where and how much.
public struct CampaignOptions: Sendable {
  public var host = "127.0.0.1"
  public var port: UInt16 = 8080
  public var seed: UInt64 = 1
  /// The first case and how many.
  public var first = 0
  public var count = 4_000
  public var workers = 3
  public var batch = 150
  /// LIMIT: findings that are made small and printed; further ones are counted.
  public var findingsMax = 20
  /// Whether texts of reasons are compared, beside verdicts.
  public var comparesReasons = true

  public init() {}
}

/// What a run came to.
public struct CampaignSummary: Sendable {
  public var asked = 0
  public var granted = 0
  public var denied = 0
  public var refused = 0
  public var invalid = 0
  public var unexplained = 0
  public var explained: [String: Int] = [:]
}

/// Runs trials of one kind.
public final class Campaign<Case: Trial>: Sendable {
  private let options: CampaignOptions
  private let generate: @Sendable (UInt64, Int) -> Case
  private let print: @Sendable (String) -> Void
  private let state = Mutex(State())

  private struct State {
    var next = 0
    var summary = CampaignSummary()
    var known: Set<String> = []
    var failure: ConnectionError?
  }

  public init(
    _ options: CampaignOptions, print: @escaping @Sendable (String) -> Void,
    generate: @escaping @Sendable (UInt64, Int) -> Case
  ) {
    self.options = options
    self.generate = generate
    self.print = print
  }

  /// Runs all cases and returns when the last is judged.
  public func run() throws(ConnectionError) -> CampaignSummary {
    DispatchQueue.concurrentPerform(iterations: options.workers) { work($0) }
    return try state.withLock { (state) throws(ConnectionError) in
      if let failure = state.failure { throw failure }
      return state.summary
    }
  }

  private func work(_ number: Int) {
    let official = OfficialEmulator(
      host: options.host, port: options.port, project: "fuzz-\(getpid())-\(number)")
    let batch = Batch<Case>(official)
    do throws(ConnectionError) {
      while let numbers = take() {
        let cases = numbers.map { generate(options.seed, $0) }
        let outcomes = try batch.ask(cases)
        for (index, outcome) in outcomes.enumerated() {
          try weigh(cases[index], numbers.lowerBound + index, outcome, batch)
        }
      }
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
    }
  }

  private func take() -> Range<Int>? {
    state.withLock { state in
      guard state.next < options.count, state.failure == nil else { return nil }
      let start = state.next
      state.next = min(options.count, start + options.batch)
      return options.first + start..<options.first + state.next
    }
  }

  private func differs(_ outcome: Outcome) -> Bool {
    if case .invalid = outcome.official { return false }
    if outcome.ours.letter != outcome.official.letter { return true }
    return options.comparesReasons && outcome.ours != outcome.official
  }

  private func isFinding(_ outcome: Outcome) -> Bool {
    differs(outcome) && outcome.row == nil
  }

  private func weigh(
    _ trial: Case, _ number: Int, _ outcome: Outcome, _ batch: Batch<Case>
  ) throws(ConnectionError) {
    var name = differs(outcome) ? outcome.row?.name : nil
    var isFinding = differs(outcome) && name == nil
    if isFinding, try !isRepeatable(trial, batch) {
      name = "not repeatable"
      isFinding = false
    }
    let isShown = isFinding && state.withLock { $0.known.count < options.findingsMax }
    if isShown, try !show(trial, number, outcome, batch) {
      name = "not repeatable"
      isFinding = false
    }
    state.withLock { [name, isFinding] state in
      state.summary.count(outcome)
      if let name { state.summary.explained[name, default: 0] += 1 }
      if isFinding { state.summary.unexplained += 1 }
    }
  }

  /// Whether a finding stays one. The official emulator judges the writes of a commit side by side, so which
  /// of them reaches a limit, and which it names, may change from time to time.
  private func isRepeatable(_ trial: Case, _ batch: Batch<Case>) throws(ConnectionError) -> Bool {
    for _ in 0..<3 {
      if try !isFinding(batch.ask([trial])[0]) { return false }
    }
    return true
  }

  /// Makes a finding small and prints it, unless it shrinks to one that was printed before. False if the small
  /// form, asked once more, is none.
  private func show(
    _ trial: Case, _ number: Int, _ outcome: Outcome, _ batch: Batch<Case>
  ) throws(ConnectionError) -> Bool {
    let isVerdict = outcome.ours.letter != outcome.official.letter
    let small = try Shrinker.smallest(of: trial) { (candidates) throws(ConnectionError) in
      let outcomes = try batch.ask(candidates)
      return zip(candidates, outcomes).map { candidate, outcome in
        isFinding(outcome) && (outcome.ours.letter != outcome.official.letter) == isVerdict
      }
    }
    let last = try batch.ask([small])[0]
    guard isFinding(last) else { return false }
    let text = """
      DISAGREEMENT (seed \(options.seed), case \(number))
      \(small.account)
        official: \(last.official)
        ours:     \(last.ours)
      """
    let isNew = state.withLock { $0.known.insert(small.key).inserted }
    if isNew { print(text) }
    return true
  }
}

extension CampaignSummary {
  mutating func count(_ outcome: Outcome) {
    asked += 1
    switch outcome.official {
    case .granted: granted += 1
    case .denied: denied += 1
    case .refused: refused += 1
    case .invalid: invalid += 1
    }
  }
}
