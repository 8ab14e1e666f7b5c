/// Statements as SQL writes them, where they mean one thing here.
///
/// select = "select" column {"," column} "from" target { clause } [ "group" "by" field ]
/// insert = "insert" "into" path ( map | "(" field {"," field} ")" "values" row {"," row} )
/// update = "update" collection "set" assign {"," assign} [ clauses ]
/// delete = "delete" "from" path [ clauses ]
///
/// INVARIANT: a collection may be called like any of these words. Each form is recognized by its second word, which no
/// clause begins with; where that is missing, nothing is taken.

import Client
import Conditions
import DocModel
import DocStore

extension StatementParser {
  /// Takes a word in any case that stands alone.
  mutating func eatAlone(_ word: String) -> Bool {
    let start = values.index
    guard values.eatWord(word) else { return false }
    let isAlone = values.index < values.text.count && InputScanner.isBlank(values.text[values.index])
    if !isAlone { values.index = start }
    return isAlone
  }

  /// Nil, and nothing taken, where no read begins as SQL writes it.
  mutating func sqlRead() throws(ConditionError) -> ReadStatement? {
    let start = values.index
    if let read = try select() { return read }
    if let read = try countCall() { return read }
    if let read = try changeOfMany() { return read }
    values.index = start
    return nil
  }

  // MARK: select

  /// What stands between `select` and `from`.
  private struct Columns {
    var fields: [FieldPath] = []
    var totals: [Stage] = []
    var isAll = false
    var isDistinct = false
  }

  private mutating func select() throws(ConditionError) -> ReadStatement? {
    let start = values.index
    guard eatAlone("select"), let columns = try columns(), eatAlone("from") else {
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
    if values.eatWord("group") {
      guard values.eatWord("by") else { throw values.error("expected 'by' after 'group'") }
      group = try fieldPath()
    }
    try apply(columns, group, to: &read, start)
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
    guard word.isEmpty || clauses.contains(lower) || Misspelling.nearest(to: lower, among: clauses) != nil
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
        guard let stage = try total(field.text, place) else { return nil }
        columns.totals.append(stage)
      } else {
        columns.fields.append(field)
      }
      let alias = values.index
      if eatAlone("as"), (try? fieldPath()) != nil {
        throw values.error("columns have no other names; leave out 'as …'", at: alias)
      }
    } while values.eat(",")
    return columns
  }

  /// `count(*)`, behind its bracket.
  private mutating func total(_ name: String, _ place: Int) throws(ConditionError) -> Stage? {
    let stage: Stage
    switch name.lowercased() {
    case "count":
      if !values.eat("*") { _ = try? fieldPath() }
      stage = .count
    case "sum": stage = .sum(try fieldPath())
    case "avg", "average": stage = .average(try fieldPath())
    case "min", "max":
      let field = try fieldPath().text
      let order = name.lowercased() == "max" ? " desc" : ""
      throw values.error(
        "there is no '\(name)'; write  COLLECTION order by \(field)\(order) limit 1 select \(field)",
        at: place)
    default: return nil
    }
    guard values.eat(")") else { throw values.error("expected ')'") }
    return stage
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

  /// `count(users where age > 3)`
  private mutating func countCall() throws(ConditionError) -> ReadStatement? {
    let start = values.index
    guard values.eatWord("count"), values.index < values.text.count,
      values.text[values.index] == UInt8(ascii: "(")
    else {
      values.index = start
      return nil
    }
    _ = values.eat("(")
    var read = try target()
    try clauses(&read)
    guard values.eat(")") else { throw values.error("expected ')'") }
    read.stages = [.count]
    return read
  }

  // MARK: changes

  /// `update users set a = 1 where …` and `delete from users where …`: a write for each document of a read.
  private mutating func changeOfMany() throws(ConditionError) -> ReadStatement? {
    let start = values.index
    var write = "delete $id"
    if eatAlone("update") {
      guard let path = try? path(), path.isCollection, eatAlone("set") else {
        values.index = start
        return nil
      }
      values.skipBlanks()
      let assigns = values.index
      _ = try update(path.appending("document"))
      write = "update $id " + TextEscape.trimmed(text(from: assigns))
      return try each(write, of: path)
    }
    guard eatAlone("delete"), eatAlone("from"), let path = try? path(), path.isCollection else {
      values.index = start
      return nil
    }
    return try each(write, of: path)
  }

  private mutating func each(_ write: String, of collection: ResourcePath) throws(ConditionError)
    -> ReadStatement
  {
    var read = ReadStatement(
      target: .query(StructuredQuery(database: context.database, collection: collection)))
    try clauses(&read)
    read.stages = [.each(write)]
    return read
  }

  private func text(from start: Int) -> String {
    String(decoding: values.text[start..<values.index], as: UTF8.self)
  }

  /// Nil, and nothing taken, where no write begins as SQL writes it.
  mutating func sqlWrites() throws(ConditionError) -> [WriteStatement.Action]? {
    let start = values.index
    if eatAlone("insert"), eatAlone("into") { return try insert(start) }
    values.index = start
    if eatAlone("delete"), eatAlone("from"), let path = try? path(), path.isDocument, isAtEnd() {
      return [.write(Write(path, .delete))]
    }
    values.index = start
    return nil
  }

  private mutating func insert(_ start: Int) throws(ConditionError) -> [WriteStatement.Action] {
    let path = try path()
    guard values.eat("(") else {
      guard !values.eatWord("values") else {
        throw values.error("the fields need names: add \(path.text) {name: value}", at: start)
      }
      let row = try map()
      return [try inserted(row, path)]
    }
    let fields = try fieldPaths()
    guard values.eat(")"), values.eatWord("values") else { throw values.error("expected ') values'") }
    var actions: [WriteStatement.Action] = []
    repeat {
      var row = Fields()
      guard values.eat("(") else { throw values.error("expected '('") }
      for (index, field) in fields.enumerated() {
        if index > 0, !values.eat(",") { throw values.error("expected as many values as fields") }
        row = row.setting(field.segments[...], to: try values.value())
      }
      guard values.eat(")") else { throw values.error("expected ')'") }
      if case .string(let id)? = row["id"] { throw ambiguous(row, id, path, start) }
      actions.append(try inserted(row, path))
    } while values.eat(",")
    return actions
  }

  private mutating func inserted(_ row: Fields, _ path: ResourcePath) throws(ConditionError)
    -> WriteStatement.Action
  {
    if path.isDocument { return .write(try write(row, path, .exists(false))) }
    return .add(try write(row, path.appending(Environment.system.documentID()), .exists(false)))
  }

  /// A column `id` may be the document's id or a field.
  private func ambiguous(_ row: Fields, _ id: String, _ path: ResourcePath, _ start: Int) -> ConditionError {
    var rest = row
    rest["id"] = nil
    return values.error(
      "is 'id' the document's id? Then write  create \(path.appending(id).text) \(ValueText.literal(.map(rest)))"
        + "  and if it is a field  add \(path.text) \(ValueText.literal(.map(row)))", at: start)
  }

  // MARK: looking around

  /// `show collections`, `describe users`: commands of this shell.
  mutating func sqlCommand() -> CommandText? {
    let start = values.index
    if eatAlone("show"), values.eatWord("collections") || values.eatWord("tables"), isAtEnd() {
      return CommandText(name: "ls", rest: "/" + context.place.documentOrRoot.text, restOffset: 0)
    }
    values.index = start
    if eatAlone("describe") || eatAlone("desc"), let path = try? path(), path.isCollection, isAtEnd() {
      return CommandText(name: "d", rest: "/" + path.text, restOffset: 0)
    }
    values.index = start
    return nil
  }
}

extension ResourcePath {
  /// Itself, or the document that a collection belongs to.
  fileprivate var documentOrRoot: ResourcePath { isCollection ? parent : self }
}
