internal import Rules

/// Our own warnings and remarks: programs that compile and do not do what was probably meant.
///
/// Looked for only when somebody will read them (`docsh rules check`), because it costs more than
/// compiling. Four subjects, one file each: values (Estimator), what a statement grants (GrantLint),
/// statements that others make pointless (OverlapLint), and paths that no document has (PatternLint).
struct RulesLinter {
  private let syntax: RulesetSyntax
  private let resolution: Resolution
  private let warned: [Diagnostic]

  init(_ parsed: ParseResult, _ resolution: Resolution, warned: [Diagnostic]) {
    syntax = parsed.syntax
    self.resolution = resolution
    self.warned = warned
  }

  /// Every finding, each place once.
  func diagnostics() -> [Diagnostic] {
    let statements = LintStatement.all(in: syntax)
    // What is not whole would seem to be somewhere else.
    let isBroken = warned.containsError
    var found = isBroken ? [] : PatternLint.diagnostics(syntax, statements)
    var estimator = Estimator(resolution, warned: WarnedPlaces(warned))
    var grants = GrantLint(warned: WarnedPlaces(warned))
    for statement in statements { grants.judge(statement, &estimator) }
    estimator.isFirestore = !syntax.services.contains { $0.name.text == "firebase.storage" }
    estimator.visitUnreached()
    found += estimator.diagnostics
    if !isBroken {
      found += grants.diagnostics(estimator)
      found += CallerLint.diagnostics(statements, resolution)
    }
    found += ConditionLint(syntax).diagnostics()
    if !isBroken {
      found += OverlapLint(statements, resolution, syntax.languageVersion, grants.openStatements)
        .diagnostics()
    }
    var seen: Set<Finding> = []
    return found.filter { seen.insert(Finding(kind: $0.kind, span: $0.span)).inserted }
  }

  private struct Finding: Hashable {
    let kind: DiagnosticID
    let span: Span?
  }
}

/// An `allow` with where it stands.
struct LintStatement {
  let allow: AllowSyntax
  /// From the root of the service to the block.
  let pattern: [PatternSegmentSyntax]
  /// What the pattern comes to; nil when no path fits.
  let whole: BlockPattern?
  /// Number of the block of each segment of `pattern`.
  let blocks: [Int]
  let isFirestore: Bool

  /// The methods it grants, one by one.
  var methods: [AllowMethod] {
    Estimator.granular.filter { method in allow.methods.contains { $0.method?.covers(method) == true } }
  }

  /// Whether a method is named itself, not by `read` or `write`.
  func names(_ method: AllowMethod) -> Bool { allow.methods.contains { $0.method == method } }

  /// Every statement of a ruleset, in the order of the source.
  static func all(in syntax: RulesetSyntax) -> [LintStatement] {
    var statements: [LintStatement] = []
    func visit(
      _ match: MatchSyntax, _ patterns: [[PatternSegmentSyntax]], _ blocks: [Int], _ isFirestore: Bool
    ) {
      let patterns = patterns + [match.pattern]
      let whole = BlockPattern(patterns, languageVersion: syntax.languageVersion)
      let blocks = blocks + Array(repeating: match.number, count: match.pattern.count)
      for allow in match.allows {
        statements.append(
          LintStatement(
            allow: allow, pattern: Array(patterns.joined()), whole: whole, blocks: blocks,
            isFirestore: isFirestore))
      }
      for child in match.matches { visit(child, patterns, blocks, isFirestore) }
    }
    for service in syntax.services {
      for match in service.matches { visit(match, [], [], service.name.text == "cloud.firestore") }
    }
    return statements
  }
}

extension AllowMethod {
  /// Whether naming this one grants another.
  func covers(_ method: AllowMethod) -> Bool {
    switch self {
    case .read: method == .get || method == .list || method == .read
    case .write: method == .create || method == .update || method == .delete || method == .write
    case .get, .list, .create, .update, .delete: self == method
    }
  }
}
