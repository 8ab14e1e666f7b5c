/// The report for people: failures with their reasons, notes on queries, mutants, then the counts.
///
/// ```
/// ✗ inspired › who reads a profile › groups-only × read × carol  inspired.rules-test.yaml:180
///     expected  .
///     got       allow by profile.get inspired.rules:129
/// • inspired › browsing › carol lists public profiles  inspired.rules-test.yaml:212
///     note      safe, but the service refuses this shape; add where rank <= 5
///   44 of 45 cells · 12 of 12 cases
/// 56 passed, 1 failed
/// ```

internal import Rules

public enum PrettyReport {
  /// - Parameter isTimed: whether the last line says what the cases took.
  public static func text(_ reports: [SuiteReport], isTimed: Bool = false) -> String {
    var lines: [String] = []
    for report in reports { lines += suite(report) }
    lines.append(reports.closingLine + (isTimed ? " in \(reports.took)" : ""))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func suite(_ report: SuiteReport) -> [String] {
    var lines: [String] = []
    for result in report.results { lines += entry(result, in: report) }
    for section in report.unchecked { lines.append("  not checked: \(section)") }
    let mutation = report.mutation
    for survivor in mutation?.survivors ?? [] { lines.append("  survivor  \(survivor.text)") }
    for equal in mutation?.equivalents ?? [] { lines.append("  no change \(equal.text)") }
    let parts = [counts(report.results), coverage(report), mutation?.summary].compactMap { $0 }
    lines.append("  \(report.name): \(parts.joined(separator: " · "))")
    return lines
  }

  /// `coverage 97% (2 of 68 not seen both ways)`, when it was collected.
  private static func coverage(_ report: SuiteReport) -> String? {
    guard let figure = report.coverage?.report().figure else { return nil }
    let open = figure.total - figure.covered
    return "coverage \(figure.text)" + (open == 0 ? "" : " (\(open) of \(figure.total) not seen both ways)")
  }

  private static func entry(_ result: CaseResult, in report: SuiteReport) -> [String] {
    let title = "\(([report.name] + result.names).joined(separator: " › "))  \(result.file):\(result.line)"
    let notes = result.notes.filter { $0.label != CaseResult.notComparedLabel }.flatMap {
      detail($0.label, $0.text)
    }
    switch result.status {
    case .passed: return notes.isEmpty ? [] : ["• \(title)"] + notes
    case .skipped(CaseResult.otherOnly): return []
    case .skipped(let reason): return ["- \(title)"] + detail("skipped", reason)
    case .todo(let reason): return ["- \(title)"] + detail("todo", reason) + notes
    case .todoPasses(let reason):
      return ["! \(title)"] + detail("todo", "passes; remove 'todo'. \(reason)") + notes
    case .failed(let failures):
      return ["✗ \(title)"] + failures.flatMap { detail($0.label, $0.text) } + notes
    }
  }

  private static func detail(_ label: String, _ text: String) -> [String] {
    let padding = String(repeating: " ", count: max(1, 10 - label.count))
    return ["    \(label)\(text.isEmpty ? "" : padding + text)"]
  }

  /// `44 of 45 cells · 12 of 12 cases`; what was skipped is not counted.
  private static func counts(_ results: [CaseResult]) -> String {
    let parts = [(CaseResult.Kind.cell, "cells"), (.single, "cases"), (.gate, "gates")].compactMap {
      kind, noun -> String? in
      let run = results.filter { $0.kind == kind && !$0.isSkipped }
      return run.isEmpty ? nil : "\(run.count { !$0.hasFailed }) of \(run.count) \(noun)"
    }
    return parts.isEmpty ? "nothing run" : parts.joined(separator: " · ")
  }
}
