/// What writes hold: values, and fields that the server sets to its time.

import Conditions
import DocModel
import DocStore

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

  /// Some of the fields, at the ends of ways through maps.
  func only(_ paths: [FieldPath]) -> Fields {
    paths.reduce(into: Fields()) { result, path in
      if let value = value(at: path) { result = result.setting(path.segments[...], to: value) }
    }
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
