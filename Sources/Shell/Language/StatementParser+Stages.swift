/// What the shell does with the documents of a read: the stages behind it.

import Client
import Conditions
import DocModel
import DocStore

extension StatementParser {
  /// What clauses and stages begin with.
  static let clauseWords = ["where", "order", "limit", "offset", "start", "end", "select", "near"]
  static let stageWords =
    ["count", "sum", "avg", "group", "first", "ids", "each"] + OutputMode.allCases.map(\.rawValue)

  /// - Parameter hasGroups: whether rows of groups come here, which may be sorted and cut off.
  mutating func stage(hasGroups: Bool) throws(ConditionError) -> Stage {
    if hasGroups, let clause = try groupClause() { return clause }
    if values.eat("!") { return .program(try wanted(rest(), "a program")) }
    if values.eatWord("each") { return try each() }
    if values.eatWord("count") { return .count }
    if values.eatWord("sum") { return .sum(try fieldPath()) }
    if values.eatWord("avg") { return .average(try fieldPath()) }
    if values.eatWord("group") {
      guard values.eatWord("by") else { throw values.error("expected 'by' after 'group'") }
      return .groupBy(try fieldPath())
    }
    if values.eatWord("first") { return .first }
    if values.eatWord("ids") { return .ids }
    if values.eatWord("table") { return beginsField() ? .table(try fieldPaths()) : .format(.table) }
    for mode in OutputMode.allCases where values.eatWord(mode.rawValue) { return .format(mode) }
    throw values.error(
      "expected a stage: count, sum, avg, group by, table, doc, json, jsonl, csv, yaml, markdown, first, ids, "
        + "each or ! program")
  }

  /// `order by count desc`, `limit 3`; nil, and nothing taken, for others.
  private mutating func groupClause() throws(ConditionError) -> Stage? {
    if values.eatWord("limit") { return .limitGroups(try count()) }
    guard values.eatWord("order") else { return nil }
    guard values.eatWord("by") else { throw values.error("expected 'by' after 'order'") }
    return .orderGroups(try orders { (parser) throws(ConditionError) in try parser.values.fieldPath() })
  }

  /// Clauses of groups may follow each other as those of queries do.
  mutating func isBeforeGroupClause() -> Bool {
    let start = values.index
    defer { values.index = start }
    return values.eatWord("order") || values.eatWord("limit")
  }

  private mutating func beginsField() -> Bool {
    values.skipBlanks()
    guard values.index < values.text.count else { return false }
    let byte = values.text[values.index]
    return byte != UInt8(ascii: "|") && byte != UInt8(ascii: ">")
  }

  private mutating func wanted(_ text: String, _ what: String) throws(ConditionError) -> String {
    guard !text.isEmpty else { throw values.error("expected \(what)") }
    return text
  }

  /// The write is read once for each document; here once for its errors.
  private mutating func each() throws(ConditionError) -> Stage {
    values.skipBlanks()
    let start = values.index
    let text = try wanted(rest(), "a write with $id: each update $id seen = true")
    var trial = context
    trial.row = ResourcePath(unchecked: "collection/document")
    trial.variables["id"] = .string("document")
    trial.variables["path"] = .string("collection/document")
    var parser = StatementParser(text, trial)
    let before = String(decoding: values.text[..<start], as: UTF8.self).unicodeScalars.count
    do throws(ConditionError) {
      guard try parser.writeStatement() != nil else {
        throw ConditionError(message: "expected a write: create, update, delete, add, := or +=", offset: 0)
      }
    } catch {
      throw ConditionError(message: error.message, offset: before + error.offset)
    }
    return .each(text)
  }
}
