/// What can be said about a ruleset without running it: names, limits, patterns, types.
///
/// The entry. The passes are one file each: declarations and limits (DeclarationPass), calls among
/// functions (CallGraph), names and types inside expressions (ExpressionPass). They collect
/// diagnostics; none of them throws, and all work on trees with `missing` in them.

/// What checking gives.
public struct CheckResult: Sendable {
  /// Of the parser and the checker together, in the order of the source.
  public let diagnostics: [Diagnostic]
  public let resolution: Resolution

  package init(diagnostics: [Diagnostic], resolution: Resolution) {
    self.diagnostics = diagnostics
    self.resolution = resolution
  }
}

/// Checks parsed rulesets.
public enum RulesChecker {
  public typealias Limits = RulesetLimits

  /// Checks a parsed ruleset. With `limitsSource` a source over `Limits.sourceBytesMax` is refused,
  /// as production does and the official emulator does not.
  public static func check(_ parsed: ParseResult, limitsSource: Bool = true) -> CheckResult {
    var declarations = DeclarationPass(parsed.syntax)
    declarations.run()
    let isTooDeep = parsed.diagnostics.contains { $0.kind == .matchDepth }
    var diagnostics = parsed.diagnostics
    // The parser has said it where it stopped.
    diagnostics += declarations.diagnostics.filter { !isTooDeep || $0.kind != .matchDepth }
    if limitsSource, parsed.source.bytes.count > Limits.sourceBytesMax {
      diagnostics.append(CheckMessages.sourceTooLong(byteCount: parsed.source.bytes.count))
    }
    var expressions = ExpressionPass(
      parsed.syntax, parsed.source, scopes: declarations.scopes, functions: declarations.functions)
    expressions.run()
    let broken = BrokenStatements(parsed, declarations.scopes)
    diagnostics += expressions.diagnostics.filter { !broken.explain($0) }
    diagnostics += CallGraph(functions: declarations.functions, calls: expressions.calls).diagnostics()
    // In a broken file, what is unused may be used in the part that was not understood.
    if !parsed.diagnostics.containsError { diagnostics += expressions.unusedDiagnostics() }
    let resolution = Resolution(
      bindings: expressions.bindings, types: expressions.types, functions: declarations.functions,
      matches: declarations.matches)
    return CheckResult(diagnostics: diagnostics.sortedBySource(), resolution: resolution)
  }
}

/// Statements and functions with a mistake in their text: what their types seem to be is a consequence.
private struct BrokenStatements {
  /// Where each statement begins, in order.
  private let starts: [Int32]
  private var broken: Set<Int> = []

  init(_ parsed: ParseResult, _ code: [ScopedCode]) {
    let errors = parsed.diagnostics.filter { $0.severity == .error }
    starts = errors.isEmpty ? [] : code.map(\.start).sorted()
    for error in errors {
      if let place = error.span?.start, let statement = statement(at: place) { broken.insert(statement) }
    }
  }

  private func statement(at place: Int32) -> Int? {
    starts.lastIndex { $0 <= place }
  }

  /// Whether a mistake in the text is why this is said.
  func explain(_ diagnostic: Diagnostic) -> Bool {
    switch diagnostic.kind {
    case .wrongType, .conditionNotBool, .notComparable, .packageAsVariable: break
    default: return false
    }
    guard !broken.isEmpty, let place = diagnostic.span?.start, let statement = statement(at: place) else {
      return false
    }
    return broken.contains(statement)
  }
}

extension ScopedCode {
  fileprivate var start: Int32 {
    switch owner {
    case .function(let function): function.span.start
    case .allow(let allow): allow.span.start
    }
  }
}
