/// What decided one rule, in the rules' own words.
///
/// INVARIANT: no value is in them, only the rules' own text.

package enum DenialReason {
  /// LIMIT: characters of a piece of source, and how many pieces of one rule are shown.
  private static let textMax = 120
  private static let piecesMax = 4

  package static func text(_ trace: AllowTrace) -> String {
    let simple = trace.deciding.first { !ConditionText.isCompound($0.text) } ?? trace.deciding.last
    let text = simple.map(quoted) ?? "the condition"
    switch trace.outcome {
    case .granted: return "granted"
    case .refused: return "\(text) is false"
    case .fault(let fault):
      if trace.hidden.isEmpty { return "\(text) has no value" }
      let stored = stored(trace.hidden)
      return fault.code == .undetermined ? stored : "\(text) has no value, and \(stored)"
    }
  }

  /// Of questions that stored documents answered.
  private static func stored(_ questions: [DecidingExpression]) -> String {
    if questions.count == 1 { return "\(quoted(questions[0])) is not true of what is stored" }
    var pieces = questions.prefix(piecesMax).map(quoted)
    if questions.count > piecesMax { pieces.append("\(questions.count - piecesMax) more") }
    return
      "what is stored does not satisfy \(pieces.dropLast().joined(separator: ", ")) and \(pieces.last ?? "")"
  }

  private static func quoted(_ piece: DecidingExpression) -> String {
    "`\(OneLine.text(piece.text, most: textMax))`"
  }
}
