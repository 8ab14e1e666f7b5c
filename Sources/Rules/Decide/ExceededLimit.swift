/// Limits of the language that ended an evaluation: which one, how much it is, and where it was crossed.

/// A limit that was crossed while an operation was judged.
public struct ExceededLimit: Sendable, Hashable, CustomStringConvertible {
  /// What is counted.
  public enum Kind: Sendable, Hashable {
    /// Evaluated expressions, over all `allow`s that were tried for one operation.
    case expressions
    /// Distinct documents that rules read for one operation.
    case documents
    /// Distinct documents that rules read for all operations of a commit or a batch of reads.
    case documentsOfRequest
    /// Bytes of one computed value, or of all of them together.
    case valueBytes
    /// Steps through texts, lists and maps, in the operation or in all of its commit.
    case work
  }

  public let kind: Kind
  /// How many there may be.
  public let maximum: Int
  /// The expression that crossed it.
  public let span: Span
  public let text: String
  /// `firestore.rules`
  public let file: String
  public let position: SourcePosition

  /// `firestore.rules:12:9: over the limit of 1,000 evaluated expressions for one operation, in ...`
  public var description: String {
    let place = "\(file):\(position.line):\(position.column)"
    let shown = text.count > Self.shownMax ? text.prefix(Self.shownMax) + "…" : text[...]
    switch kind {
    case .expressions:
      return "\(place): over the limit of 1,000 evaluated expressions for one operation, in `\(shown)`"
    case .documents:
      return "\(place): over the limit of \(maximum) distinct documents for one operation, in `\(shown)`"
    case .documentsOfRequest:
      return "\(place): over the limit of \(maximum) distinct documents for one request, in `\(shown)`"
    case .valueBytes:
      return "\(place): over the limit of \(maximum) bytes for one value, in `\(shown)`"
    case .work:
      return
        "\(place): patterns, long texts and large lists take too long, over the limit of \(maximum) steps, "
        + "in `\(shown)`; bound their sizes first"
    }
  }

  /// LIMIT: characters of an expression in a message.
  private static let shownMax = 80
}

extension Tracer {
  func exceeded(_ kind: ExceededLimit.Kind, _ maximum: Int, at span: Span) -> ExceededLimit {
    ExceededLimit(
      kind: kind, maximum: maximum, span: span, text: ruleset.source.text(of: span),
      file: ruleset.source.name, position: ruleset.source.position(of: span.start))
  }

  /// The limit behind a fault; nil when it has another cause.
  ///
  /// - Parameter before: what the operation had spent when the condition began.
  func exceeded(_ fault: Fault, _ condition: PlanNode?, from before: Int) -> ExceededLimit? {
    switch fault.code {
    case .budget:
      guard let condition, !e.isBroken else { return nil }
      // Looking for the place would take all the steps again.
      if e.isOverworked { return exceeded(.work, max(0, e.workMax), at: fault.span) }
      let isValue = e.isOvergrown
      let number = BudgetCrossing(e: e).find(in: condition, from: before)
      let span = ruleset.spans[Int(number)]
      return isValue
        ? exceeded(.valueBytes, Evaluation.valueBytesMax, at: span)
        : exceeded(.expressions, Evaluation.budget, at: span)
    case .accessLimit:
      let isOperationFull = e.log.operationCount >= e.accessMax
      return isOperationFull
        ? exceeded(.documents, e.accessMax, at: fault.span)
        : exceeded(.documentsOfRequest, AccessLog.requestMax, at: fault.span)
    case .undefinedProperty, .nullValue, .type, .unsupportedOperation, .functionNotFound, .argumentCount,
      .indexOutOfBounds, .illegalRange, .divideByZero, .overflow, .conversion, .unboundVariable, .serviceCall,
      .pattern, .argument, .undetermined:
      return nil
    }
  }
}

/// Finds the innermost expression during which the budget ran out: the condition is evaluated again, part
/// by part, in the order of evaluation.
///
/// Plans are pure and documents are cached, so the parts cost what they cost before.
struct BudgetCrossing {
  let e: Evaluation

  /// - Parameter before: what was spent when `node` began; with it `node` spends too much.
  func find(in node: PlanNode, from before: Int) -> Int32 {
    var spent = before + node.cost
    defer { e.spent = Evaluation.budget + 1 }
    if spent > Evaluation.budget { return node.number }
    switch node {
    case let and as AndNode: return find(in: [and.left, and.right], of: and, from: spent) { $0.isFalse }
    case let or as OrNode: return find(in: [or.left, or.right], of: or, from: spent) { $0.isTrue }
    case let ternary as TernaryNode:
      let (test, over) = evaluate(ternary.condition, &spent)
      if over { return find(in: ternary.condition, from: spent) }
      // A branch not taken costs nothing, and the second one two more.
      return test.isTrue ? find(in: ternary.then, from: spent) : find(in: ternary.otherwise, from: spent + 2)
    case let call as FunctionCallNode: return find(in: call, from: spent)
    default:
      for part in node.operands {
        if evaluate(part, &spent).over { return find(in: part, from: spent) }
      }
      return node.number
    }
  }

  /// Two sides, of which the second is evaluated, and costs one more, unless the first decides.
  private func find(
    in sides: [PlanNode], of node: PlanNode, from start: Int, unless decides: (Operand) -> Bool
  ) -> Int32 {
    var spent = start
    let (left, over) = evaluate(sides[0], &spent)
    if over { return find(in: sides[0], from: spent) }
    return decides(left) ? node.number : find(in: sides[1], from: spent + 1)
  }

  private func find(in call: FunctionCallNode, from start: Int) -> Int32 {
    var spent = start
    for argument in call.arguments {
      if evaluate(argument, &spent).over { return find(in: argument, from: spent) }
    }
    let saved = call.enter(e)
    defer { e.frame = saved }
    for binding in call.function.lets {
      spent += 1
      if evaluate(binding, &spent).over { return find(in: binding, from: spent) }
    }
    return find(in: call.function.body, from: spent)
  }

  /// The value of a part. `spent` moves on when the budget suffices.
  private func evaluate(_ node: PlanNode, _ spent: inout Int) -> (value: Operand, over: Bool) {
    e.spent = spent
    let value = node.value(e)
    if e.isExhausted { return (value, true) }
    spent = e.spent
    return (value, false)
  }
}
