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
internal import RulesTools

public enum PrettyReport {
  /// - Parameters:
  ///   - isTimed: whether the last line says what the cases took.
  ///   - isColored: whether it goes to a terminal that shows colours.
  public static func text(_ reports: [SuiteReport], isTimed: Bool = false, isColored: Bool = false) -> String
  {
    let writer = PrettyWriter(paint: Paint(isOn: isColored))
    var lines: [String] = []
    for report in reports { lines += writer.suite(report) }
    lines += closingLines(reports, isTimed: isTimed, isColored: isColored)
    return lines.joined(separator: "\n") + "\n"
  }

  /// How all suites ended.
  static func closingLines(_ reports: [SuiteReport], isTimed: Bool, isColored: Bool) -> [String] {
    let paint = Paint(isOn: isColored)
    let closing = reports.closingLine + (isTimed ? " in \(reports.took)" : "")
    let hasFailed = reports.contains { $0.failedCount > 0 }
    return [hasFailed ? paint.red(closing) : paint.green(closing)]
  }

  /// How one suite ended: gates, mutants, counts.
  static func closingLines(of report: SuiteReport, _ paint: Paint) -> [String] {
    PrettyWriter(paint: paint).closing(report)
  }
}

/// The lines of one suite.
private struct PrettyWriter {
  let paint: Paint

  func suite(_ report: SuiteReport) -> [String] {
    var lines: [String] = []
    for result in report.results { lines += entry(result, in: report) }
    for text in report.isWhole ? report.dearestOperations : [] {
      lines.append(paint.dim("  dearest   \(text)"))
    }
    return lines + closing(report)
  }

  func closing(_ report: SuiteReport) -> [String] {
    var lines: [String] = []
    for section in report.unchecked { lines.append(paint.dim("  not checked: \(section)")) }
    for text in report.operationsNearLimits {
      lines.append(paint.yellow("  near the service's limit: \(text)"))
    }
    let mutation = report.mutation
    for survivor in mutation?.survivors ?? [] { lines.append("  \(paint.red("survivor"))  \(survivor.text)") }
    for equal in mutation?.equivalents ?? [] { lines.append(paint.dim("  no change \(equal.text)")) }
    let parts = [counts(report.results), coverage(report), mutation?.summary].compactMap { $0 }
    lines.append("  \(report.name): \(parts.joined(separator: " · "))")
    return lines
  }

  /// `coverage 97% (2 of 68 not seen both disjuncts)`, when it was collected.
  private func coverage(_ report: SuiteReport) -> String? {
    guard let share = report.coverage?.report().share else { return nil }
    let open = share.total - share.covered
    return "coverage \(share.text)" + (open == 0 ? "" : " (\(open) of \(share.total) not seen both ways)")
  }

  private func entry(_ result: CaseResult, in report: SuiteReport) -> [String] {
    let title = "\(([report.name] + result.names).joined(separator: " › "))  \(result.file):\(result.line)"
    let notes = result.notes.filter { $0.label != CaseResult.notComparedLabel }.flatMap {
      detail($0.label, $0.text)
    }
    switch result.status {
    case .passed: return notes.isEmpty ? [] : [paint.yellow("• \(title)")] + notes
    case .skipped(CaseResult.otherOnly): return []
    case .skipped(let reason): return [paint.dim("- \(title)")] + detail("skipped", reason)
    case .todo(let reason): return [paint.dim("- \(title)")] + detail("todo", reason) + notes
    case .todoPasses(let reason):
      return [paint.yellow("! \(title)")] + detail("todo", "passes; remove 'todo'. \(reason)") + notes
    case .failed(let failures):
      return [paint.red("✗ \(title)")] + failures.flatMap { detail($0.label, $0.text) } + notes
    }
  }

  /// What was asked for is green and what came of it red; the rest of the labels stay in the background.
  private func detail(_ label: String, _ text: String) -> [String] {
    let padding = String(repeating: " ", count: max(1, 10 - label.count))
    let shown =
      switch label {
      case "expected": paint.green(text)
      case "got": paint.red(text)
      default: text
      }
    return ["    \(paint.dim(label))\(text.isEmpty ? "" : padding + shown)"]
  }

  /// `44 of 45 cells · 12 of 12 cases`; what was skipped is not counted.
  private func counts(_ results: [CaseResult]) -> String {
    let parts = [(CaseResult.Kind.cell, "cell"), (.single, "case"), (.gate, "gate")].compactMap {
      kind, noun -> String? in
      let run = results.filter { $0.kind == kind && !$0.isSkipped }
      return run.isEmpty
        ? nil : "\(run.count { !$0.hasFailed }) of \(run.count) \(noun)\(run.count == 1 ? "" : "s")"
    }
    return parts.isEmpty ? "nothing run" : parts.joined(separator: " · ")
  }
}
