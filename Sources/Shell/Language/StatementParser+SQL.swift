/// Statements as SQL writes them, where they mean one thing here. `select` is in StatementParser+Select.swift.
///
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

  /// `a + 1` behind `a =`; nil, and nothing taken, where a value stands. An update reads nothing else.
  mutating func sqlSum(of field: FieldPath) throws(ConditionError) -> FieldTransform? {
    let start = values.index
    if let other = try? values.fieldPath() {
      if other == field.text, values.eat("+") { return .increment(field, by: try number(isNegated: false)) }
      if other == field.text, values.eat("-") { return .increment(field, by: try number(isNegated: true)) }
      for sign in ["+", "-", "*", "/", "||"] where values.eat(sign) {
        throw values.error(
          "an update computes nothing but sums of a field with a number: \(field.text) += 1", at: start)
      }
    }
    values.index = start
    return nil
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
