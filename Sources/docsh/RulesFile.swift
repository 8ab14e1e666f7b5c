/// Rules files as commands load them.

import ArgumentParser
import Rules
import RulesTools

enum RulesFile {
  /// Compiles a file; complains and ends with `ExitStatus.badInput` when it cannot be read.
  static func compile(_ path: String, limitsSource: Bool = true, remarks: Bool = true) throws -> Compilation {
    do throws(FileError) {
      return RulesCompiler.compile(
        source: try FileAccess.contents(of: path), name: path, limitsSource: limitsSource, remarks: remarks)
    } catch {
      Terminal.complain(error.description)
      throw ExitCode(ExitStatus.badInput)
    }
  }

  /// A ruleset without errors; what is wrong goes to standard error.
  static func load(_ path: String, limitsSource: Bool = true) throws -> Ruleset {
    let compilation = try compile(path, limitsSource: limitsSource)
    let report = report(compilation)
    if !report.isEmpty { Terminal.report(report) }
    guard let ruleset = compilation.ruleset else {
      Terminal.complain("`\(path)` does not compile")
      throw ExitCode(ExitStatus.badInput)
    }
    return ruleset
  }

  /// Every diagnostic with its source line and caret.
  static func report(_ compilation: Compilation) -> String {
    DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics)
  }
}
