/// The report for people who run everything: a line for each failure, and grids with their wrong cells.
///
/// ```
/// ✗ inspired › who changes a profile  inspired.rules-test.yaml:229
///     state        operation       | anon  nina    alice   bob
///     groups-only  remove profile  | .     [.→A]   [.→A]   A
/// ✗ inspired › deleting one's profile  inspired.rules-test.yaml:767  expected deny, got allow by profile.delete inspired.rules:163
///   387 of 389 cells · 447 of 448 cases
/// 834 passed, 3 failed
/// ```

internal import RulesTools

public enum BriefReport {
  /// - Parameters:
  ///   - isTimed: whether the last line says what the cases took.
  ///   - isColored: whether it goes to a terminal that shows colours.
  public static func text(_ reports: [SuiteReport], isTimed: Bool = false, isColored: Bool = false) -> String
  {
    let ran = reports.reduce(0) { $0 + $1.results.count { !$0.isSkipped } }
    // Who asks for one case wants to know all of it.
    if ran <= 1 { return PrettyReport.text(reports, isTimed: isTimed, isColored: isColored) }
    let writer = BriefWriter(paint: Paint(isOn: isColored))
    var lines: [String] = []
    for report in reports { lines += writer.suite(report) }
    lines += PrettyReport.closingLines(reports, isTimed: isTimed, isColored: isColored)
    let hasMore = reports.contains { $0.results.contains { $0.hasFailed } }
    if reports.contains(where: BriefWriter.hasOtherDenials) {
      lines.append(
        writer.paint.dim(
          ". a condition was false, ! one had no value, ? the query is not provable; D: denied, whatever the reason"
        ))
    }
    if hasMore { lines.append(writer.paint.dim("`docsh test -v` tells why, `--filter TEXT` runs some")) }
    return lines.joined(separator: "\n") + "\n"
  }
}

private struct BriefWriter {
  let paint: Paint

  func suite(_ report: SuiteReport) -> [String] {
    var lines: [String] = []
    var grids = Dictionary(grouping: report.results.filter { $0.cell != nil }) { $0.names.first ?? "" }
    for result in report.results {
      if result.cell != nil, result.hasFailed, let matrix = result.names.first {
        // At the place of its first wrong cell.
        if let cells = grids.removeValue(forKey: matrix) { lines += grid(matrix, cells, report) }
      } else {
        lines += entry(result, report)
      }
    }
    return lines + PrettyReport.closingLines(of: report, paint)
  }

  private func entry(_ result: CaseResult, _ report: SuiteReport) -> [String] {
    let title = "\(([report.name] + result.names).joined(separator: " › "))  \(result.file):\(result.line)"
    switch result.status {
    case .skipped(CaseResult.otherOnly): return []
    case .skipped(let reason): return [paint.dim("- \(title)  skipped: \(reason)")]
    case .todo(let reason): return [paint.dim("- \(title)  todo: \(reason)")]
    case .todoPasses: return [paint.yellow("! \(title)  passes; remove 'todo'")]
    case .failed(let failures): return ["\(paint.red("✗ \(title)"))  \(summary(failures))"]
    case .passed:
      let note = result.notes.first { $0.label != CaseResult.notComparedLabel }
      return note.map { ["\(paint.yellow("• \(title)"))  \($0.label): \($0.text)"] } ?? []
    }
  }

  /// `step 1 of 4, expected deny, got allow by profile.delete`: the first line of each kind.
  private func summary(_ failures: [FailureLine]) -> String {
    var labels: Set<String> = []
    let parts = failures.filter {
      $0.label != "because" && $0.label != "since" && labels.insert($0.label).inserted
    }
    return parts.map { "\($0.label) \($0.text)" }.joined(separator: ", ")
  }

  // MARK: grids

  /// Whether a cell was denied, as it was to be, and for another reason.
  static func hasOtherDenials(_ report: SuiteReport) -> Bool {
    let denials: Set<Character> = [".", "!", "?"]
    return report.results.contains { result in
      guard result.hasFailed, let cell = result.cell, let got = cell.got else { return false }
      return denials.contains(cell.expected) && denials.contains(got)
    }
  }

  /// The rows of a matrix that have a wrong cell.
  private func grid(_ matrix: String, _ cells: [CaseResult], _ report: SuiteReport) -> [String] {
    var personas: [String] = []
    var rows: [(row: CaseResult.Cell, cells: [String: CaseResult])] = []
    for result in cells {
      guard let cell = result.cell else { continue }
      if !personas.contains(cell.persona) { personas.append(cell.persona) }
      if let last = rows.indices.last, rows[last].row.isInRow(of: cell) {
        rows[last].cells[cell.persona] = result
      } else {
        rows.append((cell, [cell.persona: result]))
      }
    }
    let wrong = rows.filter { row in row.cells.values.contains { $0.hasFailed } }
    let hasStates = wrong.contains { $0.row.state != nil }
    var table = [(hasStates ? ["state"] : []) + ["operation"] + personas]
    for (row, results) in wrong {
      table.append(
        (hasStates ? [row.state ?? ""] : []) + [row.operation] + personas.map { Self.text(results[$0]) })
    }
    let first = cells.first { $0.hasFailed } ?? cells[0]
    return ["\(paint.red("✗ \(report.name) › \(matrix)"))  \(first.file):\(first.line)"]
      + lines(table, names: hasStates ? 2 : 1)
  }

  /// `.`, or `[.→A]` for what was expected and what came.
  private static func text(_ result: CaseResult?) -> String {
    guard let result, let cell = result.cell else { return "" }
    guard result.hasFailed else { return String(cell.expected) }
    return "[\(cell.expected)→\(cell.got.map(String.init) ?? "neither")]"
  }

  private func lines(_ table: [[String]], names: Int) -> [String] {
    let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
    return table.map { row in
      let fields = zip(row, widths).map { text, width in
        let field = text.padded(to: width)
        return text.hasPrefix("[") ? paint.red(text) + field.dropFirst(text.count) : field
      }
      let line = fields[..<names].joined(separator: "  ") + " | " + fields[names...].joined(separator: "  ")
      return "    " + line.withoutBlanksAtEnd
    }
  }
}
