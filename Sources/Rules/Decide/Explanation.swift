/// The verdict with everything that led to it.

/// How one `allow` ended.
public enum AllowOutcome: Sendable, Hashable {
  case granted
  case refused
  /// No value: the language's own name for it is error.
  case fault(Fault)
}

/// Why an expression has no value.
public struct Fault: Sendable, Hashable {
  public let code: FaultCode
  /// The official engine's words. Source: docs/spec/rules-language.md 8.4.
  public let message: String
  /// The expression that failed.
  public let span: Span
}

/// One `allow` that was tried.
public struct AllowTrace: Sendable {
  /// Which `allow`, by its number in the source.
  public let allow: Int
  /// The name of its `@id` comment, or of its `match`'s, otherwise pattern and methods
  /// (`/users/{userId} get, list`).
  public let id: String
  /// For which method it was tried: of a write whose client does not say which, both are.
  public let method: RuleMethod
  /// Where the condition begins.
  public let position: SourcePosition
  /// For a query: which of its disjuncts was judged.
  public let disjunct: Int
  public let outcome: AllowOutcome
  /// What decided, from the condition down to the innermost sub-expression, through function calls.
  /// The last is the deciding one; empty for an `allow` without condition.
  public let deciding: [DecidingExpression]
  /// The same for the other sides of disjunctions that were false as a whole, one after the other.
  public let beside: [DecidingExpression]
  /// Innermost sub-expressions that were false, when a disjunction had several, in source order.
  public let falseLeaves: [DecidingExpression]
  /// Where stored documents were not looked at: the questions that they would have answered.
  public let hidden: [DecidingExpression]
}

/// A piece of the source that decided. Its text is made when somebody asks for it: most pieces are only counted.
public struct DecidingExpression: Sendable, Hashable {
  public let span: Span
  /// The bytes of the whole text alone: there are dozens of pieces to a refusal.
  private let source: [UInt8]

  init(_ span: Span, in source: SourceText) {
    self.span = span
    self.source = source.bytes
  }

  public var text: String { span.text(in: source) }

  public static func == (left: Self, right: Self) -> Bool {
    left.span == right.span && left.text == right.text
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(span) }
}

/// What a query would have had to say.
public struct MissingFilter: Sendable, Hashable {
  /// The field the rule needed, in canonical text.
  public let field: String
  /// A filter that would satisfy the rule, when it is simple: `privacySettings.avatarPrivacy == "public"`.
  public let text: String?
}

/// A decision with its trace.
public struct Explanation: Sendable {
  public let decision: Decision
  /// Every `allow` tried, in order; the last one granted if the operation was.
  public let allows: [AllowTrace]
  /// For refused queries: what would have helped, the most telling first.
  public let missingFilters: [MissingFilter]
  /// Paths of the documents the rules asked for, relative to the database's root.
  public let accessedPaths: [String]
  /// Limits of the language that kept an `allow` from granting, in the order in which they were crossed.
  public let limits: [ExceededLimit]
  /// What the official emulator answers to a refusal: a line break, then one entry per `allow` tried.
  /// Empty when allowed.
  public let message: String
  /// Of a query: what logic says beside the service's verdict.
  public let proof: ListProof?

  /// Our own line after a refusal: what to change about the query or the rules; nil when nothing is known.
  public var advice: String? {
    guard !isAllowed, let proof else { return nil }
    return proof.message ?? proof.adviceLine
  }

  public var isAllowed: Bool { decision.isAllowed }
  /// The `allow` that granted.
  public var granting: AllowTrace? { isAllowed ? allows.last : nil }
}
