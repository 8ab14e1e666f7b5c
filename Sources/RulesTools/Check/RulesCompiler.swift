/// Compiling for people: the ruleset with a prover, and what lints say of it.

internal import DocModel
public import Rules

/// Compiles as `Ruleset.compile` does, and connects what RulesTools adds. Verdicts and errors are the same.
public enum RulesCompiler {
  /// Compiles a ruleset whose refusals say what logic finds; with `remarks` our own warnings and remarks are looked for
  /// too, which costs more than all the rest and which a release of rules does not need.
  public static func compile(
    source text: String, name: String, limitsSource: Bool = true, remarks: Bool = false
  ) -> Compilation {
    compile(source: Array(text.utf8), name: name, limitsSource: limitsSource, remarks: remarks)
  }

  /// - Parameter repairs: whether a text that does not parse is repaired to tell its mistakes apart.
  public static func compile(
    source bytes: [UInt8], name: String, limitsSource: Bool = true, remarks: Bool = false,
    repairs: Bool = true
  ) -> Compilation {
    let parsed = RulesParser.parse(source: bytes, name: name, repairs: repairs)
    let checked = RulesChecker.check(parsed, limitsSource: limitsSource)
    let prover = StrictProof()
    let compilation = Ruleset.compile(parsed, checked, prover: prover)
    guard remarks else { return compilation }
    var found = RulesLinter(parsed, checked.resolution, warned: checked.diagnostics).diagnostics()
    if let ruleset = compilation.ruleset { found += ruleset.listLeaks(prover.plan(of: ruleset)) }
    guard !found.isEmpty else { return compilation }
    return Compilation(
      ruleset: compilation.ruleset, diagnostics: (checked.diagnostics + found).sortedBySource(),
      source: parsed.source)
  }

  /// Checks what was parsed, and looks for remarks.
  static func check(_ parsed: ParseResult, limitsSource: Bool = true) -> CheckResult {
    let checked = RulesChecker.check(parsed, limitsSource: limitsSource)
    let found = RulesLinter(parsed, checked.resolution, warned: checked.diagnostics).diagnostics()
    return CheckResult(
      diagnostics: (checked.diagnostics + found).sortedBySource(), resolution: checked.resolution)
  }
}
