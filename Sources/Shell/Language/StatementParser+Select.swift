/// Reads as SQL writes them.
///
/// select = "select" column {"," column} "from" target { clause } [ "group" "by" field { group clause } ]

import Client
import Conditions
import DocModel
import DocStore
internal import Platform

extension StatementParser {
  /// What stands between `select` and `from`.
  private struct Columns {
    var fields: [FieldPath] = []
    var totals: [Stage] = []
    var isAll = false
    var isDistinct = false
  }

  mutating func select() throws(ConditionError) -> ReadStatement? {
    let start = values.index
    guard eatAlone("select"), var columns = try columns(), eatAlone("from") else {
      values.index = start
      return nil
    }
    var read = try target()
    if values.eatWord("join") || values.eatWord("inner") || values.eatWord("left") || values.eat(",") {
      throw values.error("there are no joins: read the other collection by a statement of its own", at: start)
    }
    try refuseAlias()
    try clauses(&read)
    var group: FieldPath?
    var clauses: [Stage] = []
    if values.eatWord("group") {
      guard values.eatWord("by") else { throw values.error("expected 'by' after 'group'") }
      group = try fieldPath()
      clauses = try groupClauses(&columns)
    } else if columns.isDistinct, case .query(var query) = read.target {
      // Of distinct values, not of the documents that have them.
      if !query.orders.isEmpty { clauses.append(.orderGroups(query.orders)) }
      if let limit = query.limit { clauses.append(.limitGroups(limit)) }
      (query.orders, query.limit) = ([], nil)
      read.target = .query(query)
    }
    try apply(columns, group, to: &read, start)
    read.stages += clauses
    return read
  }

  /// `from users u`: such a name is for joins. A slip in a clause's word is told by the clauses.
  private mutating func refuseAlias() throws(ConditionError) {
    values.skipBlanks()
    let place = values.index
    var word = values.take(while: \.isWordByte)
    if word.lowercased() == "as" {
      values.skipBlanks()
      word = values.take(while: \.isWordByte)
    }
    let clauses = Self.clauseWords + ["orderby", "group", "having"]
    let lower = word.lowercased()
    guard word.isEmpty || clauses.contains(lower) || Spelling.nearest(to: lower, among: clauses) != nil
    else {
      throw values.error(
        "there are no joins, and collections have no other names; leave out '\(word)'", at: place)
    }
    values.index = place
  }

  private mutating func columns() throws(ConditionError) -> Columns? {
    var columns = Columns()
    columns.isDistinct = eatAlone("distinct")
    repeat {
      if values.eat("*") {
        columns.isAll = true
        continue
      }
      let place = values.index
      guard let field = try? fieldPath() else { return nil }
      if values.eat("(") {
        columns.totals.append(try total(field.text, place))
      } else {
        columns.fields.append(field)
      }
      let alias = values.index
      if eatAlone("as"), (try? fieldPath()) != nil {
        throw values.error("columns have no other names; leave out 'as …'", at: alias)
      }
      if let name = try? fieldPath(), name.text.lowercased() != "from", values.eat(",") || eatAlone("from") {
        throw values.error("columns have no other names; leave out '\(name.text)'", at: alias)
      }
      values.index = alias
    } while values.eat(",")
    return columns
  }

  /// `order by count(*) desc limit 3` behind groups. A total that is only ordered by is shown as well.
  private mutating func groupClauses(_ columns: inout Columns) throws(ConditionError) -> [Stage] {
    let place = values.index
    if values.eatWord("having") {
      throw values.error(
        "there is no 'having': all groups are shown; 'order by' and 'limit' sort and cut them", at: place)
    }
    var stages: [Stage] = []
    var totals = columns.totals
    if values.eatWord("order") {
      guard values.eatWord("by") else { throw values.error("expected 'by' after 'order'") }
      stages.append(
        .orderGroups(
          try orders { (parser) throws(ConditionError) in
            let place = parser.values.index
            let field = try parser.fieldPath()
            guard parser.values.eat("(") else { return field.text }
            let total = try parser.total(field.text, place)
            if totals.isEmpty { totals = [total] }
            return total.column
          }))
    }
    columns.totals = totals
    if values.eatWord("limit") { stages.append(.limitGroups(try count())) }
    return stages
  }

  /// `count(*)`, behind its bracket.
  private mutating func total(_ name: String, _ place: Int) throws(ConditionError) -> Stage {
    let stage: Stage
    switch name.lowercased() {
    case "count":
      if eatAlone("distinct") {
        let field = try fieldPath().text
        throw values.error(
          "values are not counted, but shown, a line each; write  \(from()) | group by \(field)", at: place)
      }
      if !values.eat("*") { _ = try? fieldPath() }
      stage = .count
    case "sum": stage = .sum(try fieldPath())
    case "avg", "average": stage = .average(try fieldPath())
    case "min", "max":
      let field = try fieldPath().text
      let order = name.lowercased() == "max" ? " desc" : ""
      throw values.error(
        "there is no '\(name)'; write  \(from()) order by \(field)\(order) limit 1 select \(field)",
        at: place)
    default:
      throw values.error(
        "there is no '\(name)'; columns show fields as they are stored, or are count(*), sum(f) or avg(f)",
        at: place)
    }
    guard values.eat(")") else { throw values.error("expected ')'") }
    return stage
  }

  /// What stands behind `from`, for answers; the reader stands behind the field of the one column.
  private mutating func from() -> String {
    let unknown = "COLLECTION"
    guard values.eat(")"), eatAlone("from") else { return unknown }
    let read = TextEscape.trimmed(rest())
    return (try? StatementParser.read(read, context)) == nil ? unknown : read
  }

  private func apply(
    _ columns: Columns, _ group: FieldPath?, to read: inout ReadStatement, _ start: Int
  ) throws(ConditionError) {
    let group = columns.isDistinct && columns.fields.count == 1 && group == nil ? columns.fields[0] : group
    if let group {
      guard columns.fields.allSatisfy({ $0 == group }), !columns.isAll, columns.totals.count <= 1 else {
        throw values.error(
          "of groups there are the field and one total: select \(group.text), count(*) from … group by \(group.text)",
          at: start)
      }
      read.stages = [.groupBy(group)] + columns.totals
    } else if columns.totals.isEmpty {
      guard !columns.isDistinct else { throw values.error("'distinct' takes one field", at: start) }
      guard !columns.isAll else { return }
      guard case .query(var query) = read.target else {
        read.selection = columns.fields
        return
      }
      query.projection = columns.fields.map(\.text)
      read.target = .query(query)
    } else {
      guard columns.totals.count == 1, columns.fields.isEmpty, !columns.isAll else {
        throw values.error("a read has one total: ask for each by a statement of its own", at: start)
      }
      read.stages = columns.totals
    }
  }
}
