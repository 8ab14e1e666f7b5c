/// The text of a skeleton, with a dot in every cell.

internal import Conditions
internal import DocModel
internal import RulesTools

struct SkeletonDraft {
  private let path: String
  private let database: String?
  private let blocks: [SkeletonBlock]
  private let personas: SkeletonPersonas
  /// Patterns below which no document is.
  let leftOut: [String]

  init(_ survey: RulesSurvey, path: String, database: String?) {
    self.path = path
    self.database = database
    personas = SkeletonPersonas(survey)
    blocks = survey.blocks.compactMap { $0.methods.isEmpty ? nil : SkeletonBlock($0) }
    leftOut = survey.blocks.filter { !$0.methods.isEmpty && SkeletonBlock($0) == nil }.map(\.pattern)
  }

  func hasRows(without refused: Set<String>) -> Bool {
    blocks.contains { block in block.rows.contains { !refused.contains($0.operation) } }
  }

  static func rulesLine(in text: String) -> String {
    text.split(separator: "\n").first { $0.hasPrefix("rules: ") }.map(String.init) ?? ""
  }

  /// - Parameter refused: operations to be left out.
  func text(without refused: Set<String>) -> String {
    let name = path.split(separator: "/").last.map { String($0.prefix { $0 != "." }) } ?? path
    var lines = [
      "# Written by `docsh init` from \(path). The letters are what the rules answer today, not what they should answer:",
      "# read each of them, put right those that are wrong, then mend the rules. docs/rules-tests.md has the format.",
      "# A allowed, . denied, ! denied because a condition had no value, ? the query is not provable, D denied.",
      "version: 1", "name: \(SuiteText.scalar(name))", "rules: \(SuiteText.scalar(path))",
    ]
    if let database { lines.append("database: \(SuiteText.scalar(database))") }
    lines += ["clock: \(SuiteSkeleton.clock)", "", "personas:"]
    lines += personas.all.map { "  \($0.name): \($0.text)" }
    lines += ["", "fixtures:"] + fixtures
    lines += ["", "states:", "  \(SuiteSkeleton.standardState): {}"]
    var states: Set<String> = []
    for state in blocks.flatMap(\.states) where states.insert(state.name).inserted {
      lines.append("  \(SuiteText.scalar(state.name)): \(state.text)")
    }
    let (operations, grids) = self.grids(without: refused)
    lines += ["", "operations:"] + operations + ["", "matrices:"] + grids
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: documents

  private var fixtures: [String] {
    var documents: [(path: String, node: SuiteNode)] = []
    func add(_ path: String, _ node: SuiteNode) {
      if !documents.contains(where: { $0.path == path }) { documents.append((path, node)) }
    }
    for block in blocks {
      add(block.pathText, block.stored)
      for document in personas.documents {
        guard let path = block.path(of: document.path, uid: document.uid) else { continue }
        add(path, .map([]))
        guard !document.field.isEmpty, let index = documents.firstIndex(where: { $0.path == path }) else {
          continue
        }
        documents[index].node = documents[index].node.setting(
          block.text(document.operand), at: document.field[...])
      }
    }
    return documents.map { "  \(SuiteText.scalar($0.path)): \($0.node.text)" }
  }

  // MARK: grids

  /// Operations, each name once, and the grids that have them.
  private func grids(without refused: Set<String>) -> (operations: [String], grids: [String]) {
    var operations: [(name: String, text: String)] = []
    var grids: [String] = []
    for block in blocks {
      let rows = block.rows.filter { !refused.contains($0.operation) }.map { row -> SkeletonBlock.Row in
        var name = row.operation
        // Another block may have the same path and send something else.
        while let known = operations.first(where: { $0.name == name }), known.text != row.text {
          name += " again"
        }
        if !operations.contains(where: { $0.name == name }) { operations.append((name, row.text)) }
        return SkeletonBlock.Row(state: row.state, operation: name, text: row.text)
      }
      if !rows.isEmpty { grids += grid(block, rows) }
    }
    return (operations.map { "  \(SuiteText.scalar($0.name)): \($0.text)" }, grids)
  }

  private func grid(_ block: SkeletonBlock, _ rows: [SkeletonBlock.Row]) -> [String] {
    let names = personas.all.map(\.name)
    let states = (["state"] + rows.map(\.state)).map(\.count).max() ?? 0
    let operations = (["operation"] + rows.map(\.operation)).map(\.count).max() ?? 0
    func line(_ state: String, _ operation: String, _ cells: [String]) -> String {
      let padded = zip(cells, names).map { $0.padded(to: $1.count) }.joined(separator: "  ")
      let left = state.padded(to: states) + "  " + operation.padded(to: operations)
      return "      \(left) | \(padded)".withoutBlanksAtEnd
    }
    return [
      "  - name: \(SuiteText.scalar(block.block.pattern))", "    grid: |", line("state", "operation", names),
    ]
      + rows.map { row in line(row.state, row.operation, names.map { _ in "." }) } + [""]
  }
}
