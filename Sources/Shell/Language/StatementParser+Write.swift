/// Writes: single ones and `commit { ... }`.
///
/// write  = "create" path map | path ":=" map | path "+=" map | "update" path assign {"," assign}
///        | "delete" path ["recursive"] | "add" collection map
/// assign = field ("=" | "+=" | "-=") value | field "union" list | field "remove" list | "unset" field
///
/// A bare `@now` among what is written is the server's time at the commit.

import Conditions
import DocModel
import DocStore

extension StatementParser {
  /// What stands for the server's time until the fields are taken apart: an instant that no text can name.
  static var serverTime: Value { .timestamp(Timestamp(seconds: Timestamp.secondsMax + 1, nanoseconds: 0)) }

  /// Nil when no write begins here. Reads to the end.
  mutating func writeStatement() throws(ConditionError) -> WriteStatement? {
    values.serverTime = Self.serverTime
    defer { values.serverTime = nil }
    let start = values.index
    if values.eatWord("commit"), values.eat("{") { return try batch() }
    values.index = start
    if isChangeOfMany() { return nil }
    var actions = try sqlWrites()
    if actions == nil { actions = try calledWrite() }
    if actions == nil, let action = try action() { actions = [action] }
    guard let actions else { return nil }
    guard isAtEnd() else { throw values.error("expected the end of the write") }
    return WriteStatement(actions: actions)
  }

  private mutating func batch() throws(ConditionError) -> WriteStatement {
    var actions: [WriteStatement.Action] = []
    while true {
      while values.eat(";") {}
      if values.eat("}") { break }
      values.skipBlanks()
      guard values.index < values.text.count else { throw values.error("expected '}'") }
      guard let action = try action() else {
        throw values.error("expected a write: create, update, delete, add, := or +=")
      }
      actions.append(action)
    }
    guard isAtEnd() else { throw values.error("expected the end of the commit") }
    return WriteStatement(actions: actions)
  }

  /// Nil, and nothing taken, when this is no write.
  private mutating func action() throws(ConditionError) -> WriteStatement.Action? {
    if eatVerb("create") {
      return .write(try whole(try documentPath(), .exists(false)))
    } else if eatVerb("update") {
      let path = try documentPath()
      eatSet()
      return .write(try update(path))
    } else if eatVerb("delete") {
      let path = try documentPath()
      return values.eatWord("recursive") ? .deleteAll(path) : .write(Write(path, .delete))
    } else if eatKeyword("add") {
      return .add(try whole(try newDocument(), .exists(false)))
    }
    let start = values.index
    let isSet = eatAlone("set")
    guard let path = try? path() else {
      values.index = start
      return nil
    }
    let isMerge = values.eat("+=")
    guard isMerge || values.eat(":=") || isBefore("{", isSet: isSet) else {
      values.index = start
      return nil
    }
    guard path.isDocument else {
      throw values.error(
        "'\(path.text)' is no document: a document's path has an even number of segments", at: start)
    }
    return .write(isMerge ? try merge(path) : try whole(path, .none))
  }

  /// A word that writes begin with. In capitals it is one only before a document's path: collections may have such names.
  private mutating func eatVerb(_ word: String) -> Bool {
    if eatKeyword(word) { return true }
    let start = values.index
    guard eatAlone(word) else { return false }
    let end = values.index
    let isDocument = (try? documentPath()) != nil
    values.index = isDocument ? end : start
    return isDocument
  }

  /// Takes the `set` of SQL, which may also be a field's name: then an operator follows.
  private mutating func eatSet() {
    let start = values.index
    guard eatAlone("set") else { return }
    values.skipBlanks()
    let rest = values.text[values.index...]
    if ["=", "+=", "-=", "union", "remove"].contains(where: { rest.starts(with: $0.utf8) }) {
      values.index = start
    }
  }

  /// `set users/x {…}` and `users/x set {…}`, behind the path.
  private mutating func isBefore(_ bracket: String, isSet: Bool) -> Bool {
    let start = values.index
    let isWord = isSet || values.eatWord("set")
    let place = values.index
    if isWord, values.eat(bracket) {
      values.index = place
      return true
    }
    values.index = start
    return false
  }

  /// Whether `update COLLECTION set` or `delete from COLLECTION` begins here, which is a read with a write for each.
  private mutating func isChangeOfMany() -> Bool {
    let start = values.index
    defer { values.index = start }
    if eatAlone("update") { return (try? path())?.isCollection == true && eatAlone("set") }
    return eatAlone("delete") && eatAlone("from") && (try? path())?.isCollection == true
  }

  /// A new document of a collection.
  private mutating func newDocument() throws(ConditionError) -> ResourcePath {
    values.skipBlanks()
    let start = values.index
    let path = try path()
    guard path.isCollection else {
      throw values.error("'\(path.text)' is no collection; 'create' takes a document", at: start)
    }
    return path.appending(Environment.system.documentID())
  }

  /// `PATH {data}` as `:can` takes it: of an update the fields that are named change, the others stay.
  mutating func writtenData(creates: Bool) throws(ConditionError) -> Write {
    values.serverTime = Self.serverTime
    defer { values.serverTime = nil }
    let path = try documentPath()
    if creates {
      let write = isAtEnd() ? Write(path, .update(fields: [], mask: nil)) : try whole(path, .none)
      try expectEnd()
      return Write(path, write.operation, transforms: write.transforms, precondition: .exists(false))
    }
    if isAtEnd() { return Write(path, .update(fields: [], mask: []), precondition: .exists(true)) }
    guard values.text[values.index] == UInt8(ascii: "{") else {
      let write = try update(path)
      try expectEnd()
      return write
    }
    let fields = try map()
    try expectEnd()
    let parts = try WrittenFields(.map(fields), at: [], values)
    let mask = fields.entries.compactMap { FieldPath.field($0.name) }.filter { field in
      !parts.transforms.contains { $0.path == field }
    }
    return Write(
      path, .update(fields: try encoded(parts.plainFields), mask: mask), transforms: parts.transforms,
      precondition: .exists(true))
  }

  mutating func expectEnd() throws(ConditionError) {
    guard isAtEnd() else { throw values.error("expected the end") }
  }

  // MARK: contents

  mutating func map() throws(ConditionError) -> Fields {
    let wanted = "the fields: {name: value}"
    guard !isAtEnd() else { throw values.error("expected \(wanted)") }
    return try value(wanted) { if case .map(let fields) = $0 { fields } else { nil } }
  }

  mutating func whole(
    _ path: ResourcePath, _ precondition: Precondition
  ) throws(ConditionError) -> Write {
    let fields = try map()
    return try write(fields, path, precondition)
  }

  func write(
    _ fields: Fields, _ path: ResourcePath, _ precondition: Precondition
  ) throws(ConditionError) -> Write {
    let parts = try WrittenFields(.map(fields), at: [], values)
    return Write(
      path, .update(fields: try encoded(parts.plainFields), mask: nil), transforms: parts.transforms,
      precondition: precondition)
  }

  private mutating func merge(_ path: ResourcePath) throws(ConditionError) -> Write {
    let fields = try map()
    return try merge(fields, path)
  }

  /// Merges down to the leaves of maps, as the client SDKs do.
  func merge(_ fields: Fields, _ path: ResourcePath) throws(ConditionError) -> Write {
    let parts = try WrittenFields(.map(fields), at: [], values)
    return Write(
      path, .update(fields: try encoded(parts.plainFields), mask: parts.leaves), transforms: parts.transforms)
  }

  mutating func update(_ path: ResourcePath) throws(ConditionError) -> Write {
    var fields = Fields()
    var mask: [FieldPath] = []
    var transforms: [FieldTransform] = []
    repeat {
      if eatKeyword("unset") {
        mask.append(try fieldPath())
        continue
      }
      let field = try fieldPath()
      if values.eat("+=") {
        transforms.append(.increment(field, by: try number(isNegated: false)))
      } else if values.eat("-=") {
        transforms.append(.increment(field, by: try number(isNegated: true)))
      } else if values.eat("=") {
        if let change = try sqlSum(of: field) {
          transforms.append(change)
          continue
        }
        switch try values.change(of: field) {
        case .transform(let change):
          transforms.append(change)
          continue
        case .removed:
          mask.append(field)
          continue
        case nil: break
        }
        let value = try values.value()
        if value == Self.serverTime {
          transforms.append(FieldTransform(field, .serverTime))
          continue
        }
        let parts = try WrittenFields(value, at: field.segments, values)
        mask.append(field)
        fields = fields.setting(field.segments[...], to: parts.plain)
        transforms += parts.transforms
      } else if values.eatWord("union") {
        transforms.append(.appendMissing(field, try list()))
      } else if values.eatWord("remove") {
        transforms.append(.removeAll(field, try list()))
      } else {
        throw values.error("expected =, +=, -=, union or remove")
      }
    } while values.eat(",")
    return Write(
      path, .update(fields: try encoded(fields), mask: mask), transforms: transforms,
      precondition: .exists(true))
  }

  mutating func number(isNegated: Bool) throws(ConditionError) -> Value {
    try value("a number") { value in
      switch value {
      case .integer(let number) where number != .min: .integer(isNegated ? -number : number)
      case .double(let number): .double(isNegated ? -number : number)
      default: nil
      }
    }
  }

  private mutating func list() throws(ConditionError) -> [Value] {
    try value("a list: [1, 2]") { if case .array(let elements) = $0 { elements } else { nil } }
  }

  func encoded(_ fields: Fields) throws(ConditionError) -> [UInt8] {
    do throws(InvalidArgument) { return try Canonicalizer.fields(fields) } catch {
      throw values.error(error.message)
    }
  }
}
