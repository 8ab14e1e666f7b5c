/// One thing that is wrong with a suite or with its rules, for people and for GitHub's workflows.

internal import Rules
internal import RulesTools
internal import YAML

public struct SuiteFault: Sendable, Hashable {
  /// `file:line:column: error: …` with the line and a caret, wherever there is a place.
  public let text: String
  /// A workflow command a line.
  public let annotations: String

  init(_ text: String, file: String) {
    self.text = text
    annotations = WorkflowCommand.line("error", [("file", file)], text)
  }

  init(_ diagnostic: YAMLDiagnostic) {
    text = diagnostic.description
    annotations = WorkflowCommand.line(
      "error",
      [
        ("file", diagnostic.file), ("line", "\(diagnostic.mark.line)"), ("col", "\(diagnostic.mark.column)"),
        ("title", "the suite cannot be run"),
      ], diagnostic.message)
  }

  init(_ error: YAMLError, in source: YAMLSource) { self.init(source.diagnostic(for: error)) }

  /// The mistakes of rules.
  init(_ diagnostics: [Diagnostic], in source: SourceText) {
    text = DiagnosticRenderer(source: source).render(diagnostics)
    annotations = DiagnosticFormats(source: source).annotations(diagnostics)
  }
}

extension SuiteFailure {
  /// As GitHub's workflows read it, a line each.
  ///
  /// - Parameter path: the suite.
  public func annotations(of path: String) -> String {
    if case .invalid(let faults) = self { return faults.map(\.annotations).joined(separator: "\n") }
    return SuiteFault(description, file: path).annotations
  }
}
