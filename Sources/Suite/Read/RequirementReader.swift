/// `require`: gates that are checked when all cases of a file have run.

internal import Platform
internal import Rules
internal import YAML

enum RequirementReader {
  static func read(_ node: YAMLNode, rules: Ruleset) throws(YAMLError) -> Requirement {
    let map = try node.map("'require'")
    try map.refuseKeys(except: ["coverage", "mutation", "noErrors", "scope"])
    var requirement = Requirement()
    requirement.coverage = try gate("coverage", map)
    requirement.mutation = try gate("mutation", map)
    if let node = map["noErrors"], try node.boolean() {
      requirement.errors = Requirement.Gate(least: 100, title: "noErrors", mark: node.start)
    }
    for node in map["scope"]?.oneOrMore ?? [] { requirement.scope.append(try scope(node, rules)) }
    return requirement
  }

  private static func gate(_ name: String, _ map: YAMLMap) throws(YAMLError) -> Requirement.Gate? {
    guard let node = map[name] else { return nil }
    return Requirement.Gate(
      least: try percent(node), title: "\(name): \(try node.literal())", mark: node.start)
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
    switch RuleCoverage(rules).report().share(scope: [name]) {
    case .success: return name
    case .failure(let unknown):
      let suggestion = Spelling.suggestion(for: name, among: unknown.known)
      throw node.error(
        "the rules have no block '\(name)'\(suggestion); a block is named by its @id, its pattern or the last "
          + "written segment of its pattern")
    }
  }
}
