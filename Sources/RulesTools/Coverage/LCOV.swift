/// Coverage as LCOV, which editors and review tools read.
///
/// A line counts as often as the expression on it that was evaluated most; a branch is one answer of a unit:
/// first true (or granted), then false (or refused).

public import Rules

public enum LCOV {
  public static func text(_ reports: [CoverageReport]) -> String {
    reports.map(record).joined()
  }

  private static func record(_ report: CoverageReport) -> String {
    var lines = ["TN:", "SF:\(report.source.name)"]
    for function in report.functions {
      lines.append("FN:\(function.position.line),\(name(function, in: report))")
    }
    for function in report.functions { lines.append("FNDA:\(function.calls),\(name(function, in: report))") }
    lines.append("FNF:\(report.functions.count)")
    lines.append("FNH:\(report.functions.count { $0.calls > 0 })")
    lines += branches(report)
    let counts = lineCounts(report)
    for (line, count) in counts { lines.append("DA:\(line),\(count)") }
    lines.append("LF:\(counts.count)")
    lines.append("LH:\(counts.count { $0.count > 0 })")
    lines.append("end_of_record")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Two functions of one name in different blocks are told apart by their lines.
  private static func name(_ function: FunctionCoverage, in report: CoverageReport) -> String {
    let isUnique = report.functions.count { $0.name.utf8.elementsEqual(function.name.utf8) } == 1
    return isUnique ? function.name : "\(function.name):\(function.position.line)"
  }

  private static func branches(_ report: CoverageReport) -> [String] {
    var lines: [String] = []
    var found = 0
    var hit = 0
    for (block, unit) in report.units.enumerated() {
      for (branch, count, isWanted) in [
        (0, unit.truths, unit.wantsTrue), (1, unit.falsehoods, unit.wantsFalse),
      ] {
        guard isWanted else { continue }
        found += 1
        hit += count > 0 ? 1 : 0
        let taken = unit.evaluations > 0 ? String(count) : "-"
        lines.append("BRDA:\(unit.position.line),\(block),\(branch),\(taken)")
      }
    }
    return lines + ["BRF:\(found)", "BRH:\(hit)"]
  }

  /// Lines on which an expression or an `allow` begins.
  private static func lineCounts(_ report: CoverageReport) -> [(line: Int, count: Int)] {
    var counts: [Int: Int] = [:]
    func count(_ line: Int, _ evaluations: Int) { counts[line] = max(counts[line] ?? 0, evaluations) }
    func visit(_ entries: [CoverageEntry]) {
      for entry in entries {
        count(report.source.lineNumber(of: entry.span.start), entry.evaluations)
        visit(entry.children)
      }
    }
    visit(report.entries)
    for allow in report.allows { count(allow.position.line, allow.granted + allow.refused + allow.failed) }
    return counts.map { (line: $0.key, count: $0.value) }.sorted { $0.line < $1.line }
  }
}
