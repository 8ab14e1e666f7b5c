/// `require`: gates that are checked when all cases of a file have run.

internal import Rules
internal import YAML

/// What a suite requires of its own coverage.
struct Requirement: Sendable {
  /// Percent of the questions that must be seen both ways; nil when nothing is required.
  var coverage: Double?
  /// Blocks of the rules that the gate looks at; all when empty.
  var scope: [String] = []
  /// As written: `coverage: 97%`.
  var title = ""
  var mark: YAMLMark
  /// Gates that were read and are not checked.
  var unchecked: [String] = []
}

enum RequirementReader {
  static func read(_ node: YAMLNode, rules: Ruleset) throws(YAMLError) -> Requirement {
    let map = try node.map("'require'")
    try map.refuseKeys(except: ["coverage", "mutation", "scope"])
    var requirement = Requirement(mark: map.mark)
    if let node = map["coverage"] {
      requirement.coverage = try percent(node)
      requirement.title = "coverage: \(try node.literal())"
      requirement.mark = node.start
    }
    if let node = map["mutation"] {
      _ = try percent(node)
      requirement.unchecked.append("require: mutation")
    }
    for node in map["scope"]?.oneOrMore ?? [] { requirement.scope.append(try scope(node, rules)) }
    return requirement
  }

  /// `97%`, or a number of percent.
  private static func percent(_ node: YAMLNode) throws(YAMLError) -> Double {
    var text = try node.literal()
    if text.hasSuffix("%") { text.removeLast() }
    guard let number = Double(text), (0...100).contains(number) else {
      throw node.error("a share is written as percent: 97%")
    }
    return number
  }

  private static func scope(_ node: YAMLNode, _ rules: Ruleset) throws(YAMLError) -> String {
    let name = try node.literal()
    switch RuleCoverage(rules).report().figure(scope: [name]) {
    case .success: return name
    case .failure(let unknown):
      let suggestion = Spelling.suggestion(for: name, among: unknown.known)
      throw node.error(
        "the rules have no block '\(name)'\(suggestion); a block is named by its @id, its pattern or the last "
          + "written segment of its pattern")
    }
  }
}

/// The verdict of a gate, as a case of its own.
enum CoverageGate {
  /// LIMIT: gaps that a failure names.
  private static let gapsMax = 10

  static func result(_ requirement: Requirement, _ report: CoverageReport, file: String) -> CaseResult? {
    guard let wanted = requirement.coverage,
      case .success(let figure) = report.figure(scope: requirement.scope)
    else { return nil }
    let scope = requirement.scope.isEmpty ? "" : " of \(requirement.scope.joined(separator: ", "))"
    let status: CaseResult.Status =
      figure.percent >= wanted ? .passed : .failed(lines(requirement, figure, report))
    return CaseResult(
      kind: .gate, names: ["require \(requirement.title)\(scope)"], file: file,
      line: Int(requirement.mark.line),
      tags: [], status: status, milliseconds: 0, notes: [])
  }

  private static func lines(
    _ requirement: Requirement, _ figure: CoverageFigure, _ report: CoverageReport
  ) -> [FailureLine] {
    let gaps = report.gaps(scope: requirement.scope)
    var lines = [
      FailureLine(label: "expected", text: requirement.title),
      FailureLine(label: "got", text: "\(figure.text), \(figure.covered) of \(figure.total) seen both ways"),
    ]
    for gap in gaps.prefix(gapsMax) {
      lines.append(FailureLine(label: "gap", text: "\(report.source.name):\(gap)"))
    }
    if gaps.count > gapsMax {
      lines.append(FailureLine(label: "gap", text: "and \(gaps.count - gapsMax) more"))
    }
    return lines
  }
}
