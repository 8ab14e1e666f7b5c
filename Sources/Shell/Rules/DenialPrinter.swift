/// A denial for people: the rule, its sub-expressions with their values, and what would have helped.
///
/// ```
/// DENIED get users/bob as carol                          inspired.rules:119  @profile.get
///   signedIn()                                   true
///   isCaller(userId)                             false   "carol" == "bob"
///   allowed if   resource.data.privacySettings.avatarPrivacy == 'public'
///           or   sharesCommunity(resource.data.joinedCommunities)
/// 1 lookup of 10 · 14 expressions of 1000
/// ```

import DocModel
import Rules

enum DenialPrinter {
  /// LIMIT: sub-expressions shown of one rule; `:why` shows all.
  private static let rowsMax = 24
  /// LIMIT: rules shown of one denial.
  private static let rulesMax = 4

  static func lines(_ denied: DetailedExplanation, as caller: Caller, width: Int) -> [String] {
    let what = "DENIED \(denied.method.name) \(TextEscape.printable(denied.path.text)) as \(caller.name)"
    if denied.method == .list { return list(denied, what, width) }
    guard !denied.rules.isEmpty else {
      return [what, "  no rule is about this path and method", cost(denied)]
    }
    var lines: [String] = []
    for (index, rule) in denied.rules.prefix(rulesMax).enumerated() {
      let place = self.place(rule, denied)
      let head = index == 0 ? what : "  and"
      lines.append(
        TextEscape.padded(head, to: min(64, max(head.count + 2, width - place.count - 2))) + "  " + place)
      lines += self.rule(rule, width)
    }
    if denied.rules.count > rulesMax { lines.append("  and \(denied.rules.count - rulesMax) more rules") }
    return lines + reads(denied) + [cost(denied)]
  }

  private static func place(_ rule: ExplainedRule, _ denied: DetailedExplanation) -> String {
    "\(fileName(denied.source.name)):\(rule.trace.position.line)  @\(rule.trace.id)"
  }

  static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func list(_ denied: DetailedExplanation, _ what: String, _ width: Int) -> [String] {
    let isUnprovable = denied.explanation.decision.reason == .unprovable
    var lines = [what + (isUnprovable ? ": not provable" : "")]
    let filters = denied.explanation.missingFilters.map { $0.text ?? "a filter on \($0.field)" }
    for (index, filter) in filters.enumerated() {
      lines.append((index == 0 ? "  add: where " : "       or    ") + filter)
    }
    if filters.isEmpty, let advice = denied.explanation.advice { lines.append("  " + advice) }
    if denied.rules.isEmpty { lines.append("  no rule is about this path and method") }
    if filters.isEmpty {
      for rule in denied.rules.prefix(rulesMax) {
        lines.append("  " + place(rule, denied))
        lines += self.rule(rule, width)
      }
    }
    return lines + reads(denied) + [cost(denied)]
  }

  // MARK: one rule

  private struct Row {
    let text: String
    let value: String
    let detail: String
  }

  /// Columns for a sub-expression: 56, or what a wide terminal has beside values of 46.
  private static func room(_ width: Int) -> Int { max(56, width - 46) }

  private static func rule(_ rule: ExplainedRule, _ columns: Int) -> [String] {
    guard let condition = rule.condition else { return [] }
    let rows = leaves(condition).prefix(rowsMax).map(row)
    let width = min(room(columns), rows.map { TextEscape.width($0.text) }.max() ?? 0)
    var lines = rows.map { row in
      let text = TextEscape.padded(TextEscape.cut(row.text, to: width), to: width)
      return TextEscape.trimmed("  \(text)  \(TextEscape.padded(row.value, to: 6))  \(row.detail)")
    }
    let ways = alternatives(condition)
    for (index, way) in ways.enumerated() {
      lines.append((index == 0 ? "  allowed if   " : "          or   ") + way)
    }
    return lines
  }

  /// Questions joined by `&&`, `||` and `!`, those that were asked.
  static func leaves(_ expression: ExplainedExpression) -> [ExplainedExpression] {
    if case .notEvaluated = expression.outcome { return [] }
    switch expression.kind {
    case "&&", "||", "parenthesized": return expression.operands.flatMap(leaves)
    default: return [expression]
    }
  }

  private static func row(_ expression: ExplainedExpression) -> Row {
    let text = TextEscape.printable(expression.text)
    guard case .value(let value) = expression.outcome else { return Row(text: text, value: "", detail: "") }
    if case .error(let fault) = value {
      return Row(text: text, value: "error", detail: TextEscape.printable(fault.message))
    }
    return Row(text: text, value: self.text(value), detail: detail(expression))
  }

  static func text(_ value: RecordedValue) -> String { TextEscape.printable(ReportText.text(value)) }

  /// The values that made the answer: `"carol" == "bob"`.
  static func detail(_ expression: ExplainedExpression) -> String {
    if let call = expression.call {
      let inner = leaves(call.result)
      let deciding = inner.first { truth($0) == false } ?? inner.first
      return deciding.map(detail) ?? ""
    }
    switch expression.kind {
    case "==", "!=", "<", "<=", ">", ">=", "in":
      let sides = expression.operands.map(value)
      // Whether something is there is said by the answer itself.
      guard sides.count == 2, !expression.operands.contains(where: { $0.text == "null" }) else { return "" }
      if case .literal = expression.operands[1].outcome { return sides[0] }
      if case .literal = expression.operands[0].outcome { return sides[1] }
      return "\(sides[0]) \(expression.kind) \(sides[1])"
    case "!": return expression.operands.first.map(detail) ?? ""
    case "is": return expression.operands.first.map(value) ?? ""
    case "methodCall":
      let parts = expression.operands.map(value)
      let receiver = expression.operands.first?.text ?? ""
      let isOverlap = expression.text.hasPrefix(receiver + ".hasAny(")
      if isOverlap, parts.count == 2, truth(expression) == false { return "\(parts[0]) ∩ \(parts[1]) = []" }
      return parts.joined(separator: ", ")
    default: return ""
    }
  }

  private static func truth(_ expression: ExplainedExpression) -> Bool? {
    if case .value(let value) = expression.outcome { value.truth } else { nil }
  }

  private static func value(_ expression: ExplainedExpression) -> String {
    switch expression.outcome {
    case .literal: expression.text
    case .notEvaluated: "?"
    case .value(let value): text(value)
    }
  }

  // MARK: what would have helped

  /// LIMIT: ways to be allowed that are shown.
  private static let waysMax = 6

  /// For each way to make the condition true, what is not true yet.
  static func alternatives(_ condition: ExplainedExpression) -> [String] {
    let ways = missing(condition)
    return ways.prefix(waysMax).map { $0.joined(separator: " && ") }.filter { !$0.isEmpty }
  }

  private static func missing(_ expression: ExplainedExpression) -> [[String]] {
    if truth(expression) == true { return [[]] }
    switch expression.kind {
    case "parenthesized": return expression.operands.first.map(missing) ?? [[]]
    case "||":
      return Array(expression.operands.flatMap(missing).prefix(waysMax))
    case "&&":
      return expression.operands.reduce([[]]) { ways, operand in
        let more = missing(operand)
        return Array(ways.flatMap { way in more.map { way + $0 } }.prefix(waysMax))
      }
    default: return [[TextEscape.printable(expression.text)]]
    }
  }

  // MARK: what was read

  private static func reads(_ denied: DetailedExplanation) -> [String] {
    denied.documents.map { read in
      let isFound = read.isFoundAfter ?? read.isFoundBefore ?? false
      let functions = read.functions.joined(separator: ", ")
      return "  read \(TextEscape.printable(read.path))  \(isFound ? "found" : "missing")"
        + (functions.isEmpty ? "" : "  by \(functions)")
    }
  }

  private static func cost(_ denied: DetailedExplanation) -> String {
    let decision = denied.explanation.decision
    return "\(decision.accesses) \(decision.accesses == 1 ? "lookup" : "lookups") of \(denied.accessesMax) · "
      + "\(decision.expressions) expressions of \(denied.expressionsMax)"
  }

  /// The denial for machines.
  static func facts(_ denied: DetailedExplanation) -> DenialFacts {
    let rule = denied.rules.first
    let reason = rule?.condition.map(leaves)?.first { truth($0) != true }.map {
      TextEscape.printable($0.text)
    }
    return DenialFacts(
      rule: rule?.trace.id, file: rule.map { _ in denied.source.name },
      line: rule.map { Int($0.trace.position.line) },
      reason: reason ?? "\(denied.explanation.decision.reason)")
  }
}
