/// What came of a request, in words.

internal import Access
internal import DocModel
internal import Rules

struct OutcomeText {
  private let outcome: Outcome
  private let texts: RuleTexts
  private var rules: SourceText { texts.source }

  /// Whether the write is told that was refused, also where it is the first.
  private let namesWrite: Bool

  init(_ outcome: Outcome, _ texts: RuleTexts, namesWrite: Bool = false) {
    self.outcome = outcome
    self.texts = texts
    self.namesWrite = namesWrite
  }

  /// `allow by profile.get inspired.rules:31`, `deny: condition, write 1`.
  var summary: String {
    switch outcome.end {
    case .failed(let message): return "neither: \(message)"
    case .allowed:
      let rules = outcome.judgements.compactMap(\.explanation.granting)
      return rules.isEmpty ? "allow" : "allow by " + rules.map(place).joined(separator: ", ")
    case .denied:
      guard let last = outcome.judgements.indices.last else { return "deny" }
      var text = "deny: \(Denial(outcome.judgements[last].explanation, texts).kind.rawValue)"
      if let write = outcome.writeIndex(of: last), write > 0 || commits || namesWrite {
        text += ", write \(write)"
      }
      return text
    }
  }

  private var commits: Bool { outcome.judgements.count > 1 }

  /// One line for each `allow` that was tried in vain, and for filters that would have helped.
  var reasons: [String] {
    guard outcome.end == .denied, let last = outcome.judgements.last?.explanation else { return [] }
    let denial = Denial(last, texts)
    var lines = last.allows.compactMap { trace -> String? in
      switch trace.outcome {
      case .granted: return nil
      case .refused: return "\(deciding(trace)) is false  at \(place(trace))"
      case .fault(let fault):
        let kind = denial.errorKind(trace).map { " (\($0.rawValue))" } ?? ""
        return "\(oneLine(rules.text(of: fault.span))): \(oneLine(fault.message))\(kind)  at \(place(trace))"
      }
    }
    let filters = last.missingFilters.map { $0.text ?? $0.field }
    // First what can be done about it: the rest says that a query is asked about documents it does not know.
    if !filters.isEmpty { lines.insert("missing filter: " + filters.joined(separator: " or "), at: 0) }
    return lines
  }

  private func deciding(_ trace: AllowTrace) -> String {
    let simple = trace.deciding.first { !ConditionText.isCompound($0.text) } ?? trace.deciding.last
    return simple.map { oneLine($0.text) } ?? "the condition"
  }

  private func place(_ trace: AllowTrace) -> String { "\(trace.id) \(rules.name):\(trace.position.line)" }

  private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// Numbers for people.
enum Decimals {
  /// With at most three digits after the point.
  static func text(_ number: Double) -> String {
    let thousandths = Int64((number * 1_000).rounded())
    let fraction = String(thousandths.magnitude % 1_000)
    var digits = String(repeating: "0", count: 3 - fraction.utf8.count) + fraction
    while digits.hasSuffix("0") { digits.removeLast() }
    let whole = (thousandths < 0 ? "-" : "") + String(thousandths.magnitude / 1_000)
    return digits.isEmpty ? whole : whole + "." + digits
  }
}
