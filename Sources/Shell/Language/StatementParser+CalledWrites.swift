/// What the client SDKs' `set`, `add` and `update` write.

import Conditions
import DocModel
import DocStore

/// The fields of a call, of which some are changes rather than values.
private struct CalledFields {
  var plain = Fields()
  var transforms: [FieldTransform] = []
  /// `deleteField()`
  var removed: [FieldPath] = []
}

/// A change of a field that the SDKs write where values stand.
enum CalledChange {
  case transform(FieldTransform)
  case removed
}

extension ValueTextReader {
  /// `increment(1)`, `FieldValue.arrayUnion("a")`, `deleteField()`; nil, and nothing taken, for others.
  mutating func change(of field: FieldPath) throws(ConditionError) -> CalledChange? {
    guard let name = callee(among: ["increment", "arrayUnion", "arrayRemove", "deleteField", "delete"]) else {
      return nil
    }
    let place = index
    var operands: [Value] = []
    while !eat(")") {
      operands.append(try value())
      if eat(")") { break }
      guard eat(",") else { throw error("expected ',' or ')'") }
    }
    switch (name, operands.first, operands.count) {
    case ("increment", .integer?, 1), ("increment", .double?, 1):
      return .transform(.increment(field, by: operands[0]))
    case ("increment", _, _): throw error("expected a number", at: place)
    case ("arrayUnion", _, _): return .transform(.appendMissing(field, operands))
    case ("arrayRemove", _, _): return .transform(.removeAll(field, operands))
    default: return .removed
    }
  }
}

extension StatementParser {
  /// `{a: 1, n: increment(1)}`
  /// - Parameter arePaths: whether names are paths of fields.
  private mutating func calledFields(arePaths: Bool) throws(ConditionError) -> CalledFields {
    var called = CalledFields()
    values.skipBlanks()
    guard values.index < values.text.count, values.text[values.index] == UInt8(ascii: "{") else {
      throw values.error("expected the fields themselves: {name: value}")
    }
    try values.members { (reader, name) throws(ConditionError) in
      let place = reader.index
      guard let field = arePaths ? try? FieldPath.parse(name) : FieldPath.field(name) else {
        throw reader.error("'\(name)' is no field path", at: place)
      }
      switch try reader.change(of: field) {
      case .transform(let transform): called.transforms.append(transform)
      case .removed: called.removed.append(field)
      case nil: called.plain[name] = try reader.value()
      }
    }
    return called
  }

  /// `add({…})`, `create({…})`
  mutating func created(_ path: ResourcePath) throws(ConditionError) -> Write {
    try whole(try calledFields(arePaths: false), path, .exists(false))
  }

  /// `set({…})`, `set({…}, {merge: true})`
  mutating func set(_ path: ResourcePath) throws(ConditionError) -> Write {
    let called = try calledFields(arePaths: false)
    guard values.eat(",") else { return try whole(called, path, .none) }
    let place = values.index
    guard try map() == ["merge": .boolean(true)] else {
      throw values.error("expected {merge: true}", at: place)
    }
    let merged = try merge(called.plain, path)
    guard case .update(let fields, let mask) = merged.operation else { return merged }
    return Write(
      path, .update(fields: fields, mask: (mask ?? []) + called.removed),
      transforms: merged.transforms + called.transforms)
  }

  private func whole(
    _ called: CalledFields, _ path: ResourcePath, _ precondition: Precondition
  ) throws(ConditionError) -> Write {
    guard called.removed.isEmpty else {
      throw values.error("a whole document has no fields to delete: leave them out, or say {merge: true}")
    }
    let write = try write(called.plain, path, precondition)
    return Write(
      path, write.operation, transforms: write.transforms + called.transforms, precondition: precondition)
  }

  /// `update({a: 1, "b.c": 2})`: names are paths of fields.
  mutating func updated(_ path: ResourcePath) throws(ConditionError) -> Write {
    let place = values.index
    let called = try calledFields(arePaths: true)
    var fields = Fields()
    var mask = called.removed
    var transforms = called.transforms
    for entry in called.plain.entries {
      guard let field = try? FieldPath.parse(entry.name) else {
        throw values.error("'\(entry.name)' is no field path", at: place)
      }
      let parts = try WrittenFields(entry.value, at: field.segments, values)
      transforms += parts.transforms
      if entry.value == Self.serverTime { continue }
      mask.append(field)
      fields = fields.setting(field.segments[...], to: parts.plain)
    }
    return Write(
      path, .update(fields: try encoded(fields), mask: mask), transforms: transforms,
      precondition: .exists(true))
  }
}
