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
    guard let action = try action() else { return nil }
    guard isAtEnd() else { throw values.error("expected the end of the write") }
    return WriteStatement(actions: [action])
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
    if eatKeyword("create") {
      return .write(try whole(try documentPath(), .exists(false)))
    } else if eatKeyword("update") {
      return .write(try update(try documentPath()))
    } else if eatKeyword("delete") {
      let path = try documentPath()
      return values.eatWord("recursive") ? .deleteAll(path) : .write(Write(path, .delete))
    } else if eatKeyword("add") {
      return .add(try whole(try newDocument(), .exists(false)))
    }
    let start = values.index
    guard let path = try? path() else {
      values.index = start
      return nil
    }
    let isMerge = values.eat("+=")
    guard isMerge || values.eat(":=") else {
      values.index = start
      return nil
    }
    guard path.isDocument else {
      throw values.error(
        "'\(path.text)' is no document: a document's path has an even number of segments", at: start)
    }
    return .write(isMerge ? try merge(path) : try whole(path, .none))
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

  private mutating func map() throws(ConditionError) -> Fields {
    let wanted = "the fields: {name: value}"
    guard !isAtEnd() else { throw values.error("expected \(wanted)") }
    return try value(wanted) { if case .map(let fields) = $0 { fields } else { nil } }
  }

  private mutating func whole(
    _ path: ResourcePath, _ precondition: Precondition
  ) throws(ConditionError) -> Write {
    let parts = try WrittenFields(.map(try map()), at: [], values)
    return Write(
      path, .update(fields: try encoded(parts.plainFields), mask: nil), transforms: parts.transforms,
      precondition: precondition)
  }

  /// Merges down to the leaves of maps, as the client SDKs do.
  private mutating func merge(_ path: ResourcePath) throws(ConditionError) -> Write {
    let parts = try WrittenFields(.map(try map()), at: [], values)
    return Write(
      path, .update(fields: try encoded(parts.plainFields), mask: parts.leaves), transforms: parts.transforms)
  }

  private mutating func update(_ path: ResourcePath) throws(ConditionError) -> Write {
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

  private mutating func number(isNegated: Bool) throws(ConditionError) -> Value {
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

  private func encoded(_ fields: Fields) throws(ConditionError) -> [UInt8] {
    do throws(InvalidArgument) { return try Canonicalizer.fields(fields) } catch {
      throw values.error(error.message)
    }
  }
}

/// Fields as written, taken apart into values and server times.
struct WrittenFields {
  private(set) var plain = Value.null
  private(set) var transforms: [FieldTransform] = []
  /// Where values stand; an empty map is a value itself.
  private(set) var leaves: [FieldPath] = []

  var plainFields: Fields {
    if case .map(let fields) = plain { fields } else { Fields() }
  }

  init(_ value: Value, at segments: [String], _ reader: ValueTextReader) throws(ConditionError) {
    plain = try taken(value, segments, reader) ?? .null
  }

  /// The value without server times; nil for a server time itself.
  private mutating func taken(
    _ value: Value, _ segments: [String], _ reader: ValueTextReader
  ) throws(ConditionError) -> Value? {
    switch value {
    case .map(let fields) where !fields.isEmpty || segments.isEmpty:
      var kept = Fields()
      for entry in fields.entries {
        kept[entry.name] = try taken(entry.value, segments + [entry.name], reader)
      }
      return .map(kept)
    case .array(let elements):
      if elements.contains(where: { Self.holdsServerTime($0) }) {
        throw reader.error("a list cannot hold the server's time; write @now+0s for the shell's clock")
      }
    default: break
    }
    guard let path = FieldPath(segments: segments) else { throw reader.error("a field's name is empty") }
    if value == StatementParser.serverTime {
      transforms.append(FieldTransform(path, .serverTime))
      return nil
    }
    leaves.append(path)
    return value
  }

  private static func holdsServerTime(_ value: Value) -> Bool {
    switch value {
    case .array(let elements): elements.contains { holdsServerTime($0) }
    case .map(let fields): fields.entries.contains { holdsServerTime($0.value) }
    default: value == StatementParser.serverTime
    }
  }
}

extension Fields {
  /// With another value at the end of a way through maps, which are made where they are missing.
  func setting(_ way: ArraySlice<String>, to value: Value) -> Fields {
    guard let name = way.first else { return self }
    var result = self
    if way.count == 1 {
      result[name] = value
    } else {
      var inner = Fields()
      if case .map(let fields)? = self[name] { inner = fields }
      result[name] = .map(inner.setting(way.dropFirst(), to: value))
    }
    return result
  }

  /// The value at the end of a way through maps.
  func value(at path: FieldPath) -> Value? {
    var fields = self
    for segment in path.segments.dropLast() {
      guard case .map(let inner)? = fields[segment] else { return nil }
      fields = inner
    }
    return path.segments.last.flatMap { fields[$0] }
  }
}
