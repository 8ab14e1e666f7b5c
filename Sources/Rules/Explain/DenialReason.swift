/// The few lines that a denial adds to the official words: which rule, and what in it decided.
///
/// INVARIANT: no value of a document is in them, because whoever is refused may not read it: only the rules'
/// own text, error texts as the official engine writes them, and how many documents were read.

extension Explanation {
  /// LIMIT: rules that a denial tells of.
  private static let rulesMax = 4

  /// One line for each rule that was tried; empty when allowed or when no rule is about the request.
  public var reasonLines: [String] {
    if isAllowed { return [] }
    var lines: [String] = []
    let tried = allows.filter { $0.outcome != .granted }
    for trace in tried.prefix(Self.rulesMax) {
      lines.append("\(trace.id) (line \(trace.position.line)): \(DenialReason.text(trace))")
    }
    if tried.count > Self.rulesMax { lines.append("and \(tried.count - Self.rulesMax) more") }
    if decision.accesses > 0 {
      lines.append(
        "the rules read \(decision.accesses == 1 ? "1 document" : "\(decision.accesses) documents")")
    }
    return lines
  }
}

/// What decided one rule, in the rules' own words.
enum DenialReason {
  /// LIMIT: characters of a piece of source.
  private static let textMax = 120

  static func text(_ trace: AllowTrace) -> String {
    let simple = trace.deciding.first { !ConditionText.isCompound($0.text) } ?? trace.deciding.last
    let text = simple.map { "`\(OneLine.text($0.text, most: textMax))`" } ?? "the condition"
    switch trace.outcome {
    case .granted: return "granted"
    case .refused: return "\(text) is false"
    case .fault: return "\(text) has no value"
    }
  }
}
