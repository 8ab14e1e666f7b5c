/// The rows of a block's grid: each method as it is, and with what makes a difference to the rules.

internal import Conditions
internal import DocModel
internal import RulesTools

extension SkeletonBlock {
  /// A row of the block's grid.
  struct Row {
    let state: String
    let operation: String
    /// The operation as suites have it.
    let text: String
  }

  /// A stored field that conditions compare with a value, and another value for it: a document that is not public, where the
  /// fixture is.
  private struct Variant {
    let field: [String]
    /// As conditions of queries have it; nil where any other value would do.
    let value: String?
    /// As documents of suites have it.
    let other: String

    /// `open`, `settings.open`
    var path: String { field.joined(separator: ".") }
  }

  /// LIMIT: rows of a kind in one grid. Who reads it is to look at each.
  private static let variantsMax = 2

  var rows: [Row] { block.methods.flatMap(rows) }

  /// What the rows' states change of the fixtures.
  var states: [(name: String, text: String)] {
    var states: [(name: String, text: String)] = []
    let path = SuiteText.scalar(pathText)
    if block.methods.contains("create") { states.append((absentState, "{\(path): \(SuiteText.absent)}")) }
    for variant in variants where block.methods.contains(where: { isSeen(variant, by: $0) }) {
      states.append((state(variant), "{\(path): {\(SuiteText.key(variant.path)): \(variant.other)}}"))
    }
    return states
  }

  private func rows(_ method: String) -> [Row] {
    var rows = [row(method)]
    switch method {
    case "list": return rows + filteredLists
    case "update": rows += handovers
    case "create": return rows
    default: break
    }
    let row = rows[0]
    return rows
      + variants.filter { isSeen($0, by: method) }.map {
        Row(state: state($0), operation: row.operation, text: row.text)
      }
  }

  private func row(_ method: String) -> Row {
    let path = SuiteText.scalar(pathText)
    let state = method == "create" ? absentState : SuiteSkeleton.standardState
    switch method {
    case "list": return Row(state: state, operation: listName, text: "{list: \(listed(where: nil))}")
    case "create":
      return Row(
        state: state, operation: "create \(label)", text: "{create: \(path), data: \(sent(method).text)}")
    case "update":
      return Row(
        state: state, operation: "update \(label)", text: "{update: \(path), data: \(changes.text)}")
    default: return Row(state: state, operation: "\(method) \(label)", text: "{\(method): \(path)}")
    }
  }

  // MARK: documents that differ

  /// Of the fields that are compared with a truth value or a text.
  private var variants: [Variant] {
    var variants: [Variant] = []
    for fact in block.allFacts {
      guard variants.count < Self.variantsMax, case .stored(let field) = fact.place, Self.isPlain(field),
        !variants.contains(where: { $0.field == field })
      else { continue }
      switch fact.operand {
      case .value(let value):
        guard let text = Self.literal(value) else { continue }
        variants.append(Variant(field: field, value: text, other: Self.another(value)))
      case .other(let value):
        guard Self.literal(value) != nil else { continue }
        variants.append(Variant(field: field, value: nil, other: SuiteText.value(value)))
      case .caller, .capture, .now, .unchanged, .type, .list, .present: continue
      }
    }
    return variants
  }

  /// A truth value or a text as conditions of queries have it; nil for any other value.
  private static func literal(_ value: Value) -> String? {
    switch value {
    case .boolean(let flag): "\(flag)"
    case .string(let text): text.contains { "'\\".contains($0) } ? nil : "'\(text)'"
    default: nil
    }
  }

  /// Whether a condition of the method reads the field: only then does the row say something new.
  private func isSeen(_ variant: Variant, by method: String) -> Bool {
    guard method != "create", method != "list" else { return false }
    return (block.facts[method] ?? []).contains { $0.place == .stored(variant.field) }
  }

  private func state(_ variant: Variant) -> String { "\(label) \(variant.path) \(Self.label(variant.other))" }

  /// What can stand in the name of a state, and as a path of fields.
  private static func isPlain(_ field: [String]) -> Bool {
    field.allSatisfy { name in
      !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
  }

  // MARK: lists

  private var isGroup: Bool { if case .glob? = block.segments.dropLast(2).last { true } else { false } }

  private var listName: String {
    isGroup ? "list all \(Self.label(path[path.count - 2]))" : "list \(Self.label(collection))"
  }

  private func listed(where condition: String?) -> String {
    let from =
      isGroup
      ? "group: \(SuiteText.scalar(path[path.count - 2]))" : "from: \(SuiteText.scalar(collection))"
    if let condition { return "{\(from), where: [\(SuiteText.scalar(condition))]}" }
    return isGroup ? "{\(from)}" : SuiteText.scalar(collection)
  }

  /// Queries that ask only for what the rules demand: without them a list that is provable would be in no row.
  private var filteredLists: [Row] {
    let facts = block.facts["list"] ?? []
    var conditions: [(name: String, text: String)] = []
    for variant in variants where facts.contains(where: { $0.place == .stored(variant.field) }) {
      guard let value = variant.value else { continue }
      let word = Self.label(value.filter { $0 != "'" })
      conditions.append(("\(variant.path) \(word)", "\(variant.path) == \(value)"))
    }
    for fact in facts where fact.operand == .caller {
      guard case .stored(let field) = fact.place, Self.isPlain(field) else { continue }
      let path = field.joined(separator: ".")
      conditions.append((path, "\(path) == '\(SkeletonPersonas.user)'"))
    }
    return conditions.prefix(Self.variantsMax).map { condition in
      Row(
        state: SuiteSkeleton.standardState, operation: "\(listName) by \(condition.name)",
        text: "{list: \(listed(where: condition.text))}")
    }
  }

  // MARK: updates

  /// Updates that make a document another user's: a grid without them shows no rule that forgets about it.
  private var handovers: [Row] {
    owners.filter(Self.isPlain).prefix(Self.variantsMax).map { field in
      Row(
        state: SuiteSkeleton.standardState,
        operation: "hand over \(label) \(field.joined(separator: "."))",
        text: "{update: \(SuiteText.scalar(pathText)), data: "
          + "\(sent("update").setting(SkeletonPersonas.other, at: field[...]).text)}")
    }
  }

  /// The fields that an update may change, or that a condition on it looks at.
  private var changes: SuiteNode {
    let facts = block.facts["update"] ?? []
    let sent = sent("update")
    guard sent.members.isEmpty else { return sent }
    let name = facts.lazy.compactMap { fact in
      if case .changed(let name) = fact.place { name } else { nil }
    }.first
    return SuiteNode.map([]).setting("changed", at: [name ?? "note"])
  }
}
