/// Gates: what `require` asks of a whole file, each a result of its own.

internal import Access
internal import DocModel
internal import Rules
internal import RulesTools
internal import YAML

/// The verdict of a gate, as a case of its own.
enum CoverageGate {
  /// LIMIT: gaps that a failure names.
  private static let gapsMax = 10

  static func result(_ requirement: Requirement, _ report: CoverageReport, file: String) -> CaseResult? {
    guard let gate = requirement.coverage,
      case .success(let share) = report.share(scope: requirement.scope)
    else { return nil }
    let lines = share.percent >= gate.least ? [] : lines(gate, requirement.scope, share, report)
    return CaseResult(gate: gate, requirement.scope, lines, file: file)
  }

  private static func lines(
    _ gate: Requirement.Gate, _ scope: [String], _ share: CoverageShare, _ report: CoverageReport
  ) -> [FailureLine] {
    let gaps = report.gaps(scope: scope)
    var lines = [
      FailureLine(label: "expected", text: gate.title),
      FailureLine(label: "got", text: "\(share.text), \(share.covered) of \(share.total) seen both ways"),
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

/// How many mutants of the rules fail a case.
enum MutationGate {
  /// LIMIT: survivors that a failure names; the report lists all.
  private static let survivorsMax = 10

  static func result(_ requirement: Requirement, _ report: MutationReport, file: String) -> CaseResult? {
    guard let gate = requirement.mutation else { return nil }
    var lines: [FailureLine] = []
    if report.percent < gate.least {
      lines.append(FailureLine(label: "expected", text: gate.title))
      lines.append(FailureLine(label: "got", text: "\(report.killed) of \(report.total) killed"))
      for survivor in report.survivors.prefix(survivorsMax) {
        lines.append(FailureLine(label: "survivor", text: survivor.text))
      }
      if report.survivors.count > survivorsMax {
        lines.append(
          FailureLine(label: "survivor", text: "and \(report.survivors.count - survivorsMax) more"))
      }
    }
    return CaseResult(gate: gate, requirement.scope, lines, file: file)
  }
}

/// That no request was refused because a condition had no value, expected or not.
enum ErrorGate {
  /// LIMIT: requests that a failure names.
  private static let casesMax = 10

  struct Seen: Sendable {
    let names: [String]
    let line: Int
    /// The rules without value.
    let rules: [String]
    let reason: String
  }

  static func seen(_ outcome: Outcome, in testCase: TestCase, _ texts: RuleTexts) -> [Seen] {
    guard outcome.end == .denied, let last = outcome.judgements.last?.explanation else { return [] }
    switch Denial(last, texts).kind {
    case .condition, .unmatched, .unprovable: return []
    case .error, .limit: break
    }
    let faulty = last.allows.filter { trace in
      if case .fault = trace.outcome { true } else { false }
    }
    return [
      Seen(
        names: testCase.names, line: Int(testCase.mark.line), rules: faulty.map(texts.id),
        reason: OutcomeText(outcome, texts).reasons.first ?? "")
    ]
  }

  static func result(
    _ requirement: Requirement, _ seen: [Seen], _ rules: Ruleset, file: String
  ) -> CaseResult? {
    guard let gate = requirement.errors else { return nil }
    let scope = RuleScope(requirement.scope, rules)
    let found = seen.filter { one in one.rules.contains(where: scope.holds(rule:)) }
    var lines = found.prefix(casesMax).map { one in
      FailureLine(
        label: "error", text: "line \(one.line) \(one.names.joined(separator: " › ")): \(one.reason)")
    }
    if found.count > casesMax {
      lines.append(FailureLine(label: "error", text: "and \(found.count - casesMax) more"))
    }
    return CaseResult(gate: gate, requirement.scope, lines, file: file)
  }
}

extension CaseResult {
  /// A gate, passed when nothing is to be said.
  fileprivate init(gate: Requirement.Gate, _ scope: [String], _ lines: [FailureLine], file: String) {
    let of = scope.isEmpty ? "" : " of \(scope.joined(separator: ", "))"
    self.init(
      kind: .gate, names: ["require \(gate.title)\(of)"], file: file, line: Int(gate.mark.line), tags: [],
      status: lines.isEmpty ? .passed : .failed(lines), milliseconds: 0, notes: [])
  }
}

/// The rules that a scope names; all when it names none.
struct RuleScope {
  /// By allow number; nil for all.
  private let allows: Set<Int>?
  private let ids: [String]
  private let resolution: Resolution
  /// By function number: the `allow`s whose conditions call it, through others too.
  private var callers: [Set<Int>]

  init(_ names: [String], _ rules: Ruleset) {
    resolution = rules.resolution
    ids = rules.allowIDs
    callers = Array(repeating: [], count: rules.resolution.functions.count)
    guard !names.isEmpty else {
      allows = nil
      return
    }
    // Units know the blocks that they belong to, by every name that a block has.
    let owners = RuleCoverage(rules).report().units.filter { unit in
      unit.isAllow && unit.blocks.contains { block in names.contains { $0.hasSameBytes(as: block) } }
    }.map(\.owner)
    var allows: Set<Int> = []
    for (number, id) in rules.allowIDs.enumerated() where owners.contains(where: { $0.hasSameBytes(as: id) })
    {
      allows.insert(number)
    }
    self.allows = allows
    for match in rules.resolution.matches {
      for allow in match.allows where allows.contains(allow.number) {
        if let condition = allow.condition { follow(condition, from: allow.number) }
      }
    }
  }

  private mutating func follow(_ node: ExpressionNode, from allow: Int) {
    if case .function(let number) = resolution.binding(of: node), callers[number].insert(allow).inserted {
      let function = resolution.functions[number]
      for binding in function.lets { follow(binding.value, from: allow) }
      follow(function.result, from: allow)
    }
    for child in node.children { follow(child, from: allow) }
  }

  func holds(rule id: String) -> Bool {
    guard let allows else { return true }
    return allows.contains { ids[$0].hasSameBytes(as: id) }
  }

  func holds(_ owner: Mutant.Owner) -> Bool {
    guard let allows else { return true }
    switch owner {
    case .allow(let number): return allows.contains(number)
    case .function(let number): return !callers[number].isEmpty
    case .match(let number): return resolution.matches[number].allows.contains { allows.contains($0.number) }
    }
  }
}
