/// Both verdicts on a query: the service's own, and what logic says.

internal import DocModel

/// What logic says of a query.
public enum StrictVerdict: Sendable, Hashable {
  /// Every result is granted.
  case allowed
  /// Some document that the query could return is not granted, or nothing shows that all are.
  case refused
  /// The proof was given up.
  case tooComplex
}

/// What is to be said about a query beside its verdict.
public enum ListFinding: String, Sendable, Hashable {
  /// Both verdicts agree, or nothing can be shown against the service's.
  case agreed
  /// The service allows the query although it can return a document that the rules refuse.
  case leak = "list-leak"
  /// Every result is granted, and the service refuses the query all the same.
  case provable = "list-provable"
  /// The service allows the query; logic found neither a proof nor a document that is refused.
  case unproven
}

/// The proof of one query. The verdict that counts is `mirror`.
public struct ListProof: Sendable {
  /// The service's own verdict.
  public let mirror: Decision
  /// Whether every possible result is granted.
  public let strict: StrictVerdict
  public let finding: ListFinding
  /// A document that the query could return and that is refused; nil where none could be shown.
  public let witness: ListWitness?
  /// Filters that would make the query pass, each tried; empty for a query that passes.
  public let advice: [ListAdvice]
  /// What to write in the rules instead, for `provable`: `resource.data.hidden != true`.
  public let rewriting: ListRewriting?
  /// The line of the `allow` that the finding is about; zero when there is none.
  public let line: Int
  /// Cases that the proof went through.
  public let branches: Int

  package init(
    mirror: Decision, strict: StrictVerdict, finding: ListFinding, witness: ListWitness?,
    advice: [ListAdvice],
    rewriting: ListRewriting?, line: Int, branches: Int
  ) {
    self.mirror = mirror
    self.strict = strict
    self.finding = finding
    self.witness = witness
    self.advice = advice
    self.rewriting = rewriting
    self.line = line
    self.branches = branches
  }

  /// A line for people: begins with `note:` or `warning:`; nil when there is nothing to say.
  public var message: String? {
    guard let label, let body else { return nil }
    return "\(label): \(body)"
  }

  /// How serious the finding is: `warning` for a leak, `note` for a query that the service refuses in vain.
  public var label: String? {
    switch finding {
    case .agreed, .unproven: nil
    case .leak: "warning"
    case .provable: "note"
    }
  }

  /// The message without its label.
  public var body: String? {
    switch finding {
    case .agreed, .unproven: return nil
    case .leak:
      let document = witness?.text ?? "a document"
      let help = advice.isEmpty ? "" : "; safe with \(adviceText)"
      return "the service allows this although it can return \(document), which rule L\(line) refuses\(help)"
    case .provable:
      var parts: [String] = []
      if let rewriting {
        parts.append("it cannot decide `\(rewriting.text)` at L\(rewriting.line)")
        if let better = rewriting.replacement { parts.append("write `\(better)`") }
      }
      if !advice.isEmpty { parts.append((advice[0].narrows ? "narrow it with " : "add ") + adviceText) }
      return (["safe, but the service refuses this shape"] + parts).joined(separator: "; ")
    }
  }

  /// `allowed with where author == "me" or where published == true`; nil without advice.
  public var adviceLine: String? { advice.isEmpty ? nil : "allowed with \(adviceText)" }

  private var adviceText: String {
    let text = advice.map { "where \($0.text)" }.joined(separator: " or ")
    return advice[0].replaces ? text + " instead" : text
  }
}

/// An expression of the rules that the service cannot decide for a query.
public struct ListRewriting: Sendable, Hashable {
  public let span: Span
  public let text: String
  public let line: Int
  /// What means the same and can be decided; nil when nothing is known.
  public let replacement: String?

  package init(span: Span, text: String, line: Int, replacement: String?) {
    self.span = span
    self.text = text
    self.line = line
    self.replacement = replacement
  }
}

/// Filters to add to a query.
public struct ListAdvice: Sendable, Hashable {
  /// `author == "me"`; several are all needed.
  public let filters: [String]
  /// Whether they take the place of the query's own filters on the same fields.
  public let replaces: Bool
  /// Whether the query then returns less: the filters do not follow from those it has.
  public let narrows: Bool

  package init(filters: [String], replaces: Bool, narrows: Bool) {
    self.filters = filters
    self.replaces = replaces
    self.narrows = narrows
  }

  /// `author == "me" and kind == "x"`
  public var text: String { filters.joined(separator: " and ") }
}
