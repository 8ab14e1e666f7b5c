/// The declarations of a ruleset as they are written. Expressions are in ExpressionSyntax.swift.
///
/// The parser always returns a tree; where something was missing or wrong, the tree says so with a
/// `missing` expression or an absent member, and a diagnostic says why. Only a tree without error
/// diagnostics may be planned.
///
/// INVARIANT: numbers of functions, matches and allows are each unique and dense from zero within a
/// ruleset, in the order of the source.

/// A whole file.
public struct RulesetSyntax: Sendable {
  /// Nil if there is no `rules_version` statement, which means version 1.
  public let version: VersionSyntax?
  /// Functions outside every service.
  public let functions: [FunctionSyntax]
  public let services: [ServiceSyntax]
  /// Every comment, in order, for the formatter and for documentation.
  public let comments: [CommentSyntax]
  /// How many expressions, functions, matches and allows there are: the sizes of side tables.
  public let expressionCount: Int
  public let functionCount: Int
  public let matchCount: Int
  public let allowCount: Int

  public init(
    version: VersionSyntax?, functions: [FunctionSyntax], services: [ServiceSyntax],
    comments: [CommentSyntax], expressionCount: Int, functionCount: Int, matchCount: Int, allowCount: Int
  ) {
    self.version = version
    self.functions = functions
    self.services = services
    self.comments = comments
    self.expressionCount = expressionCount
    self.functionCount = functionCount
    self.matchCount = matchCount
    self.allowCount = allowCount
  }

  /// The version whose semantics apply: 1 if the file says so or nothing. What cannot be read is an
  /// error, and is taken for 2 so that nothing else is said about it.
  public var languageVersion: Int { version.map { $0.text == "1" ? 1 : 2 } ?? 1 }
}

/// `rules_version = '2';`
public struct VersionSyntax: Sendable {
  /// The text between the quotes.
  public let text: String
  public let span: Span

  public init(text: String, span: Span) {
    self.text = text
    self.span = span
  }
}

/// A comment with its marks.
public struct CommentSyntax: Sendable {
  public let span: Span
  /// `/* … */`, otherwise `// …`.
  public let isBlock: Bool

  public init(span: Span, isBlock: Bool) {
    self.span = span
    self.isBlock = isBlock
  }
}

/// A name and where it stands.
public struct NameSyntax: Sendable, Hashable {
  public let text: String
  public let span: Span

  public init(text: String, span: Span) {
    self.text = text
    self.span = span
  }
}

/// `service cloud.firestore { … }`
public struct ServiceSyntax: Sendable {
  /// Dotted, without blanks.
  public let name: NameSyntax
  public let functions: [FunctionSyntax]
  public let matches: [MatchSyntax]
  public let span: Span

  public init(name: NameSyntax, functions: [FunctionSyntax], matches: [MatchSyntax], span: Span) {
    self.name = name
    self.functions = functions
    self.matches = matches
    self.span = span
  }
}

/// `match /a/{b} { … }`
public final class MatchSyntax: Sendable {
  public let number: Int
  public let pattern: [PatternSegmentSyntax]
  /// From the first slash to the end of the last segment.
  public let patternSpan: Span
  public let functions: [FunctionSyntax]
  public let matches: [MatchSyntax]
  public let allows: [AllowSyntax]
  /// The name in an `// @id name` comment directly above.
  public let id: NameSyntax?
  public let span: Span

  public init(
    number: Int, pattern: [PatternSegmentSyntax], patternSpan: Span, functions: [FunctionSyntax],
    matches: [MatchSyntax], allows: [AllowSyntax], id: NameSyntax?, span: Span
  ) {
    self.number = number
    self.pattern = pattern
    self.patternSpan = patternSpan
    self.functions = functions
    self.matches = matches
    self.allows = allows
    self.id = id
    self.span = span
  }
}

/// One segment of a match pattern.
public struct PatternSegmentSyntax: Sendable {
  /// What a segment is.
  public enum Kind: Sendable, Hashable {
    /// Written out, `(default)` included.
    case literal(String)
    /// `{name}`
    case capture(String)
    /// `{name=**}`
    case globCapture(String)
  }

  public let kind: Kind
  /// From the slash to the end of the segment.
  public let span: Span
  /// The literal's or the capture's name alone.
  public let nameSpan: Span

  public init(kind: Kind, span: Span, nameSpan: Span) {
    self.kind = kind
    self.span = span
    self.nameSpan = nameSpan
  }
}

/// The methods an `allow` may name.
public enum AllowMethod: String, Sendable, CaseIterable {
  case read, get, list, write, create, update, delete
}

/// One name in the method list of an `allow`.
public struct MethodSyntax: Sendable {
  public let name: NameSyntax

  public init(name: NameSyntax) { self.name = name }

  /// Nil for a name that is no method: it compiles and never applies. Case does not matter.
  /// Source: observed, `allow READ;` grants.
  public var method: AllowMethod? { AllowMethod(rawValue: name.text.lowercased()) }
}

/// `allow read, write: if condition;`
public final class AllowSyntax: Sendable {
  public let number: Int
  public let methods: [MethodSyntax]
  /// Nil for `allow read;`, which always grants.
  public let condition: ExpressionNode?
  /// The name in an `// @id name` comment directly above.
  public let id: NameSyntax?
  public let span: Span

  public init(number: Int, methods: [MethodSyntax], condition: ExpressionNode?, id: NameSyntax?, span: Span) {
    self.number = number
    self.methods = methods
    self.condition = condition
    self.id = id
    self.span = span
  }
}

/// `function name(parameters) { let …; return …; }`
public final class FunctionSyntax: Sendable {
  public let number: Int
  public let name: NameSyntax
  public let parameters: [NameSyntax]
  public let lets: [LetSyntax]
  public let result: ExpressionNode
  public let span: Span

  public init(
    number: Int, name: NameSyntax, parameters: [NameSyntax], lets: [LetSyntax], result: ExpressionNode,
    span: Span
  ) {
    self.number = number
    self.name = name
    self.parameters = parameters
    self.lets = lets
    self.result = result
    self.span = span
  }
}

/// `let name = value;`
public struct LetSyntax: Sendable {
  public let name: NameSyntax
  public let value: ExpressionNode
  public let span: Span

  public init(name: NameSyntax, value: ExpressionNode, span: Span) {
    self.name = name
    self.value = value
    self.span = span
  }
}

extension PatternSegmentSyntax {
  package var isGlob: Bool {
    if case .globCapture = kind { true } else { false }
  }

  /// As it is written, without its slash.
  package var text: String {
    switch kind {
    case .literal(let name): name
    case .capture(let name): "{\(name)}"
    case .globCapture(let name): "{\(name)=**}"
    }
  }
}
