/// A decision for people: the verdict, each rule as a tree of expressions with values beside them, what was
/// read, what it cost.
///
/// ```
/// ✗ deny  get /users/bob  as carol
///
///   profile.get  rules/inspired.rules:119  refused
///     ✗ signedIn() && (isCaller(userId) || …)        false
///       ✓ signedIn()                                 true
///           ✓ request.auth != null                   true
/// ```

internal import DocModel
public import Rules

public enum ExplainText {
  /// - Parameters:
  ///   - width: columns of the terminal; texts are cut to fit.
  ///   - isColored: whether it shows colours.
  public static func text(_ explained: DetailedExplanation, width: Int = 110, isColored: Bool = false)
    -> String
  {
    let paint = Paint(isOn: isColored)
    var lines = [head(explained, paint)]
    var disjunct = -1
    for rule in explained.rules {
      if explained.disjuncts.count > 1, rule.trace.disjunct != disjunct {
        disjunct = rule.trace.disjunct
        let text = disjunct < explained.disjuncts.count ? explained.disjuncts[disjunct] : ""
        lines += [
          "",
          "  disjunct \(disjunct + 1) of \(explained.disjuncts.count): \(OneLine.text(text, most: width - 20))",
        ]
      }
      lines += [""] + self.rule(rule, explained, width, paint)
    }
    if explained.rules.isEmpty { lines += ["", "  no `allow` is about this path and method"] }
    lines += [""] + closing(explained, paint)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ explained: DetailedExplanation, _ paint: Paint) -> String {
    let verdict = explained.explanation.isAllowed ? paint.green("✓ allow") : paint.red("✗ deny")
    let who = explained.uid.map { $0.isEmpty ? "a token without uid" : $0 } ?? "nobody (request.auth is null)"
    var text = "\(paint.bold(verdict))  \(explained.method.name) /\(explained.path.text)  as \(who)"
    if explained.disjuncts.count == 1, explained.disjuncts[0] != "no filter" {
      text += "  where \(explained.disjuncts[0])"
    }
    return text
  }

  private static func rule(
    _ rule: ExplainedRule, _ explained: DetailedExplanation, _ width: Int, _ paint: Paint
  ) -> [String] {
    let outcome =
      switch rule.trace.outcome {
      case .granted: paint.green("granted")
      case .refused: paint.red("refused")
      case .fault: paint.yellow("no value, which refuses")
      }
    let place = paint.dim("\(explained.source.name):\(rule.trace.position.line)")
    let title = "  \(paint.bold(rule.trace.id))  \(place)  \(outcome)"
    guard let condition = rule.condition else { return [title, "    without condition"] }
    var rows = TreeRows()
    rows.add(condition, depth: 0)
    let reason = rule.trace.outcome == .granted ? [] : ["    because \(DenialReason.text(rule.trace))"]
    return [title] + rows.lines(width: width, paint) + reason
  }

  private static func closing(_ explained: DetailedExplanation, _ paint: Paint) -> [String] {
    let decision = explained.explanation.decision
    var lines: [String] = []
    let filters = explained.explanation.missingFilters.map { $0.text ?? $0.field }
    if !filters.isEmpty { lines.append("  a filter that would help: " + filters.joined(separator: ", or ")) }
    if !explained.documents.isEmpty {
      lines.append("  documents that rules read")
      let width = explained.documents.map(\.path.count).max() ?? 0
      for read in explained.documents {
        let padding = String(repeating: " ", count: width - read.path.count)
        let functions = read.functions.isEmpty ? "named by the query" : read.functions.joined(separator: ", ")
        lines.append("    \(read.path)\(padding)  \(found(read))  \(paint.dim(functions))")
      }
    }
    lines.append(
      "  cost: \(decision.expressions) of \(explained.expressionsMax) expressions, "
        + "\(decision.accesses) of \(explained.accessesMax) documents")
    return lines
  }

  private static func found(_ read: DocumentRead) -> String {
    func word(_ isFound: Bool) -> String { isFound ? "found" : "missing" }
    switch (read.isFoundBefore, read.isFoundAfter) {
    case (let before?, let after?): return "\(word(before)), after the commit \(word(after))"
    case (nil, let after?): return "after the commit \(word(after))"
    case (let before?, nil): return word(before)
    case (nil, nil): return "not looked at"
    }
  }
}

/// The lines of one tree.
struct TreeRows {
  private struct Row {
    let depth: Int
    let label: String
    let text: String
    let value: RecordedValue?
    let isReached: Bool
  }

  private var rows: [Row] = []

  /// LIMIT: lines of one tree; JSON has everything.
  private static let rowsMax = 400

  mutating func add(_ expression: ExplainedExpression, depth: Int, label: String = "") {
    guard rows.count < Self.rowsMax else { return }
    switch expression.outcome {
    case .literal:
      if depth == 0 || !label.isEmpty { append(expression, depth, label, nil) }
    case .notEvaluated: append(expression, depth, label, nil)
    case .value(let value):
      append(expression, depth, label, value)
      addParts(expression, value, depth + 1)
    }
  }

  private mutating func append(
    _ expression: ExplainedExpression, _ depth: Int, _ label: String, _ value: RecordedValue?
  ) {
    var isReached = true
    if case .notEvaluated = expression.outcome { isReached = false }
    rows.append(
      Row(depth: depth, label: label, text: expression.text, value: value, isReached: isReached))
  }

  /// Paths of members are one line, unless they err on the way; what is known from the line is left out.
  private mutating func addParts(_ expression: ExplainedExpression, _ value: RecordedValue, _ depth: Int) {
    for operand in expression.operands {
      if isPlainPath(operand), isPlainPath(expression) || isTrivial(operand) {
        if value.isError, !isError(operand), !isTrivial(operand) { add(operand, depth: depth) }
        continue
      }
      if case .notEvaluated = operand.outcome, value.isError { continue }
      add(operand, depth: depth)
    }
    guard let call = expression.call else { return }
    for binding in call.lets { add(binding.value, depth: depth, label: "let \(binding.name) = ") }
    add(call.result, depth: depth, label: "return ")
  }

  /// `a.b.c`
  private func isPlainPath(_ expression: ExplainedExpression) -> Bool {
    expression.kind == "identifier"
      || (expression.kind == "member" && expression.operands.allSatisfy { isPlainPath($0) })
  }

  private func isTrivial(_ expression: ExplainedExpression) -> Bool {
    expression.kind == "identifier" && (expression.text == "request" || expression.text == "resource")
  }

  private func isError(_ expression: ExplainedExpression) -> Bool {
    if case .value(let value) = expression.outcome { value.isError } else { false }
  }

  func lines(width: Int, _ paint: Paint) -> [String] {
    let widest = rows.map { row -> Int in 2 * row.depth + row.label.count + row.text.count }.max() ?? 0
    let column = min(max(24, widest), width * 3 / 5)
    return rows.map { row in
      let indent = String(repeating: "  ", count: row.depth)
      let room = max(12, column - indent.count - row.label.count)
      let text = OneLine.text(row.text, most: room)
      let padding = String(repeating: " ", count: max(0, room - text.count))
      let value = row.value.map { ReportText.text($0, most: max(20, width - column - 10)) }
      return
        "    \(indent)\(mark(row, paint)) \(paint.dim(row.label))\(row.isReached ? text : paint.dim(text))"
        + padding + "  " + painted(value, row, paint)
    }.map { line in
      var line = line
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  private func mark(_ row: Row, _ paint: Paint) -> String {
    switch row.value {
    case .boolean(true): paint.green("✓")
    case .boolean(false): paint.red("✗")
    case .error: paint.yellow("!")
    case .some: " "
    case nil: row.isReached ? " " : paint.dim("·")
    }
  }

  private func painted(_ value: String?, _ row: Row, _ paint: Paint) -> String {
    guard let value else { return row.isReached ? "" : paint.dim("not evaluated") }
    switch row.value {
    case .boolean(true): return paint.green(value)
    case .boolean(false): return paint.red(value)
    case .error: return paint.yellow(value)
    default: return paint.cyan(value)
    }
  }
}
