/// A decision with every sub-expression's value: what `docsh rules explain` shows.

public import DocModel

/// A decision, taken apart.
public struct DetailedExplanation: Sendable {
  /// The verdict, the rules tried, what decided, the official message.
  public let explanation: Explanation
  public let source: SourceText
  public let method: RuleMethod
  public let path: ResourcePath
  /// Nil when nobody is signed in; empty for a token that names nobody.
  public let uid: String?
  /// For a query: each of its disjuncts, as filters; empty otherwise.
  public let disjuncts: [String]
  /// Every `allow` tried, in the order of `explanation.allows`.
  public let rules: [ExplainedRule]
  /// In the order in which they were first asked for.
  public let documents: [DocumentRead]
  /// LIMIT: what one operation may cost.
  public var expressionsMax: Int { RulesetLimits.expressionsMax }
  /// LIMIT: documents that the rules of this operation may ask for.
  public var accessesMax: Int { RulesetLimits.lookupsMax(method) }
}

/// One `allow` with the values of its condition.
public struct ExplainedRule: Sendable {
  public let trace: AllowTrace
  /// Nil for an `allow` without condition.
  public let condition: ExplainedExpression?
}

/// One expression of the source and what it came to.
public struct ExplainedExpression: Sendable {
  public enum Outcome: Sendable {
    case value(RecordedValue)
    /// Nothing needed it.
    case notEvaluated
    /// A literal is what it is.
    case literal
  }

  /// How it is written, for readers of the tree.
  public let kind: String
  public let span: Span
  /// As written, on one line.
  public let text: String
  public let outcome: Outcome
  /// Sub-expressions in the order in which they are written.
  public let operands: [ExplainedExpression]
  /// For a call of a function that ran: what happened inside.
  public let call: ExplainedCall?
}

/// One run of a function.
public final class ExplainedCall: Sendable {
  public let name: String
  /// `let`s, in order.
  public let lets: [(name: String, value: ExplainedExpression)]
  public let result: ExplainedExpression

  init(name: String, lets: [(name: String, value: ExplainedExpression)], result: ExplainedExpression) {
    self.name = name
    self.lets = lets
    self.result = result
  }
}

/// A document that rules asked for.
public struct DocumentRead: Sendable {
  /// Relative to the database's root.
  public let path: String
  /// `get`, `exists`, `getAfter`, `existsAfter`, in the order in which they asked; empty when a query named it.
  public let functions: [String]
  /// As it was before the request; nil when nobody asked.
  public let isFoundBefore: Bool?
  /// As it will be after the commit; nil when nobody asked.
  public let isFoundAfter: Bool?
}

extension Ruleset {
  /// Judges one operation and tells what every expression came to.
  ///
  /// The verdict is that of `decide`. Costs several times as much; for people who ask.
  public func explainInDetail(
    _ request: borrowing RuleRequest, documents: DocumentAccess
  ) -> DetailedExplanation {
    let explanation = explain(request, documents: documents)
    let tree = ExpressionTree(self)
    var rules: [ExplainedRule] = []
    var asked = RequestedDocuments()
    record(request, documents) { allow, log, e in
      if let trace = explanation.allows.first(where: {
        $0.allow == allow.allow && $0.disjunct == allow.disjunct
      }) {
        rules.append(ExplainedRule(trace: trace, condition: tree.condition(of: allow, log, e)))
      }
      asked.note(allow.steps, log, e, tree)
    }
    return DetailedExplanation(
      explanation: explanation, source: source, method: request.method, path: request.path,
      uid: request.auth.map { auth in auth.uid.map { String(decoding: $0, as: UTF8.self) } ?? "" },
      disjuncts: request.query.map(ListDisjunctText.texts) ?? [], rules: rules,
      documents: asked.reads(documents.log))
  }
}
