/// Rules files as commands load them.

import Access
import ArgumentParser
import Rules
import RulesTools
import Wire

enum RulesFile {
  /// Compiles a file; what is wrong goes to standard error. Complains and ends with `ExitStatus.badInput` when it cannot
  /// be read.
  static func compile(_ path: String, limitsSource: Bool = true, remarks: Bool = true) throws -> Compilation {
    let (name, bytes) = try FileAccess.required(path)
    let compilation = RulesCompiler.compile(
      source: bytes, name: name, limitsSource: limitsSource, remarks: remarks)
    let report = DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics)
    if !report.isEmpty { Terminal.report(report) }
    if compilation.ruleset == nil { Terminal.complain("`\(path)` does not compile") }
    return compilation
  }

  /// A ruleset without errors. Remarks are for `docsh rules check`: who asks for something else does not want them each time.
  static func load(_ path: String) throws -> Ruleset {
    guard let ruleset = try compile(path, remarks: false).ruleset else { throw ExitCode(ExitStatus.badInput) }
    return ruleset
  }
}

extension DatabaseFiles {
  /// Compiles the files for a registry; complains and ends when one does not compile.
  ///
  /// - Parameter keepsBroken: takes such rules, by which users are refused with the compiler's words.
  func load(into registry: RulesetRegistry, _ profile: ServiceProfile, keepsBroken: Bool) throws {
    for source in sources {
      let compilation = try RulesFile.compile(
        source.path, limitsSource: profile.limitsRulesSource, remarks: false)
      if let ruleset = compilation.ruleset {
        registry.setStandard(.rules(ruleset), ofDatabase: source.database)
        continue
      }
      guard keepsBroken else { throw ExitCode(ExitStatus.badInput) }
      registry.setStandard(
        .broken(OfficialIssue.refusal(compilation), compilation.source), ofDatabase: source.database)
    }
  }
}
