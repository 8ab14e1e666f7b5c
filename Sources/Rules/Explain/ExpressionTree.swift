/// Steps of a recording to trees of expressions with their values.

internal import DocModel

/// Puts what was recorded into the shape of the source.
struct ExpressionTree {
  private let ruleset: Ruleset
  private let faults: FaultTokens
  /// By allow number.
  private let conditions: [ExpressionNode?]

  init(_ ruleset: Ruleset) {
    self.ruleset = ruleset
    faults = FaultTokens(ruleset.syntax, ruleset.resolution, ruleset.source)
    conditions = ruleset.syntax.allows.map(\.condition)
  }

  /// What the steps of one `allow` say about its condition.
  func condition(of allow: RecordedAllow, _ log: StepLog, _ e: Evaluation) -> ExplainedExpression? {
    guard let condition = conditions[allow.allow] else { return nil }
    return expression(condition, in: -1, Steps(allow.steps, log, e))
  }

  /// Steps by what they were evaluated for.
  private struct Steps {
    struct Key: Hashable {
      let parent: Int32
      let number: Int32
    }

    let places: [Key: Int]
    let log: StepLog
    let e: Evaluation

    init(_ range: Range<Int>, _ log: StepLog, _ e: Evaluation) {
      var places: [Key: Int] = [:]
      for place in range {
        let step = log.steps[place]
        places[Key(parent: step.parent, number: step.number)] = place
      }
      self.places = places
      self.log = log
      self.e = e
    }
  }

  /// `parent` is the place of the step that the expression was evaluated for; nil when there was none.
  private func expression(_ written: ExpressionNode, in parent: Int?, _ steps: Steps) -> ExplainedExpression {
    let node = written.unwrapped
    var outcome = ExplainedExpression.Outcome.notEvaluated
    var place: Int?
    if case .literal = node.kind {
      outcome = .literal
    } else if let parent {
      place = steps.places[Steps.Key(parent: Int32(parent), number: Int32(node.number))]
      if let place {
        var recorder = ValueRecorder(steps.e, faults)
        outcome = .value(recorder.value(steps.log.steps[place].operand))
      }
    }
    return ExplainedExpression(
      kind: Self.name(of: node.kind), span: node.span,
      text: OneLine.text(ruleset.source.text(of: node.span)), outcome: outcome,
      operands: operands(node).map { expression($0, in: place, steps) },
      call: place.flatMap { call(node, $0, steps) })
  }

  /// The name in front of `math.abs(x)` is no operand.
  private func operands(_ node: ExpressionNode) -> [ExpressionNode] {
    guard case .methodCall(_, _, _, let arguments) = node.kind,
      case .namespaceFunction = ruleset.resolution.binding(of: node)
    else { return node.children }
    return arguments
  }

  private func call(_ node: ExpressionNode, _ place: Int, _ steps: Steps) -> ExplainedCall? {
    guard case .call(_, _, let arguments) = node.kind,
      case .function(let number) = ruleset.resolution.binding(of: node)
    else { return nil }
    let function = ruleset.resolution.functions[number]
    guard function.parameters.count == arguments.count else { return nil }
    return ExplainedCall(
      name: function.name.text,
      lets: function.lets.map { (name: $0.name.text, value: expression($0.value, in: place, steps)) },
      result: expression(function.result, in: place, steps))
  }

  private static func name(of kind: ExpressionKind) -> String {
    switch kind {
    case .literal: "literal"
    case .identifier: "identifier"
    case .member: "member"
    case .index: "index"
    case .slice: "slice"
    case .call: "call"
    case .methodCall: "methodCall"
    case .unary(let symbol, _): symbol.rawValue
    case .binary(let symbol, _, _, _): symbol.rawValue
    case .typeTest: "is"
    case .ternary: "?:"
    case .list: "list"
    case .map: "map"
    case .path: "path"
    case .parenthesized: "parenthesized"
    case .missing: "missing"
    }
  }

  /// The access function that a step calls, and the path it asks for.
  func access(at place: Int, _ range: Range<Int>, _ log: StepLog) -> (function: String, path: String)? {
    let number = log.steps[place].number
    guard case .libraryFunction(let name) = ruleset.resolution.bindings[Int(number)],
      AccessKind(rawValue: name) != nil
    else { return nil }
    for inner in (place + 1)..<max(place + 1, range.upperBound) where log.steps[inner].parent == Int32(place)
    {
      guard case .path(let segments, let count) = log.steps[inner].operand, count > 3 else { continue }
      return (name, (3..<count).map { segments[$0].text?.text ?? "" }.joined(separator: "/"))
    }
    return nil
  }
}

/// Which functions asked for which documents.
struct RequestedDocuments {
  private var functions: [String: [String]] = [:]

  mutating func note(_ range: Range<Int>, _ log: StepLog, _ e: Evaluation, _ tree: ExpressionTree) {
    for place in range {
      guard let access = tree.access(at: place, range, log) else { continue }
      if !functions[access.path, default: []].contains(access.function) {
        functions[access.path, default: []].append(access.function)
      }
    }
  }

  func reads(_ log: AccessLog) -> [DocumentRead] {
    log.findings.map { finding in
      DocumentRead(
        path: finding.path, functions: functions[finding.path] ?? [], isFoundBefore: finding.before,
        isFoundAfter: finding.after)
    }
  }
}

/// The disjuncts of a query as filters.
enum ListDisjunctText {
  static func texts(_ shape: QueryShape) -> [String] {
    let e = Evaluation()
    return (shape.expandedDisjuncts() ?? []).map { disjunct in
      var parts = disjunct.tests.map { text($0, e) }
      if let name = disjunct.documentName {
        parts.append("__name__ == \(String(decoding: name, as: UTF8.self))")
      }
      return parts.isEmpty ? "no filter" : parts.joined(separator: " && ")
    }
  }

  private static func text(_ test: FieldTest, _ e: Evaluation) -> String {
    switch test.comparison {
    case .isNull: return "\(test.path.text) == null"
    case .isNotNull: return "\(test.path.text) != null"
    case .isNaN: return "\(test.path.text) == NaN"
    case .isNotNaN: return "\(test.path.text) != NaN"
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains,
      .in, .arrayContainsAny, .notIn:
      let operands = test.operands.map { e.operand(ValueView(e.arena.copy($0).buffer)) }
      let operand = test.comparison.takesList ? e.list(operands) : operands.first ?? .null
      return "\(test.path.text) \(symbol(test.comparison)) \(OperandText.description(operand, e))"
    }
  }

  private static func symbol(_ comparison: FieldTest.Comparison) -> String {
    switch comparison {
    case .equal, .isNull, .isNaN: "=="
    case .notEqual, .isNotNull, .isNotNaN: "!="
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    case .arrayContains: "has"
    case .in: "in"
    case .arrayContainsAny: "has any"
    case .notIn: "not in"
    }
  }
}
