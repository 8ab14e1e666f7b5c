/// What the client SDKs' `set` and `update` write.

import Conditions
import DocModel
import DocStore

extension StatementParser {
  /// `set({…})`, `set({…}, {merge: true})`
  mutating func set(_ path: ResourcePath) throws(ConditionError) -> Write {
    let fields = try map()
    guard values.eat(",") else { return try write(fields, path, .none) }
    let place = values.index
    guard try map() == ["merge": .boolean(true)] else {
      throw values.error("expected {merge: true}", at: place)
    }
    return try merge(fields, path)
  }

  /// `update({a: 1, "b.c": 2})`: names are paths of fields.
  mutating func updated(_ path: ResourcePath) throws(ConditionError) -> Write {
    let place = values.index
    var fields = Fields()
    var mask: [FieldPath] = []
    var transforms: [FieldTransform] = []
    for entry in try map().entries {
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
