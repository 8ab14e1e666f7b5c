/// The values that transforms give.
///
/// Source: docs/spec/protocol.md 4.7.

internal import DocModel

enum TransformApplication {
  /// Applies `transforms` in order to a document's fields.
  ///
  /// `serverTime` is in microseconds. Returns the new fields and one result a transform.
  static func apply(
    _ transforms: [FieldTransform], to fields: FieldsView, serverTime: Int64
  ) -> (fields: [UInt8], results: [[UInt8]]) {
    if transforms.count == 1 { return apply(transforms[0], to: fields, serverTime) }
    // Values already computed, for a second transform of the same path.
    var computed: [FieldPath: [UInt8]] = [:]
    var results: [[UInt8]] = []
    results.reserveCapacity(transforms.count)
    for transform in transforms {
      let value: [UInt8]
      if let earlier = computed[transform.path] {
        value = earlier.withUnsafeBytes { apply(transform.operation, to: ValueView($0), serverTime) }
      } else {
        value = apply(transform.operation, to: fields.value(at: transform.path), serverTime)
      }
      computed[transform.path] = value
      results.append(transform.operation.answersNull ? Value.null.encoded : value)
    }
    return (merge(computed, into: fields), results)
  }

  private static func apply(
    _ transform: FieldTransform, to fields: FieldsView, _ serverTime: Int64
  ) -> (fields: [UInt8], results: [[UInt8]]) {
    let value = apply(transform.operation, to: fields.value(at: transform.path), serverTime)
    let merged = value.withUnsafeBytes {
      FieldsMerge.apply([FieldEdit(transform.path, .set($0))], to: fields)
    }
    return (merged, [transform.operation.answersNull ? Value.null.encoded : value])
  }

  private static func merge(_ computed: [FieldPath: [UInt8]], into fields: FieldsView) -> [UInt8] {
    // The edits point into one buffer, which outlives the merge.
    var bytes: [UInt8] = []
    var places: [(path: FieldPath, range: Range<Int>)] = []
    for (path, value) in computed {
      places.append((path, bytes.count..<bytes.count + value.count))
      bytes.append(contentsOf: value)
    }
    return bytes.withUnsafeBytes { buffer in
      let edits = places.map { FieldEdit($0.path, .set(UnsafeRawBufferPointer(rebasing: buffer[$0.range]))) }
      return FieldsMerge.apply(edits, to: fields)
    }
  }

  static func apply(
    _ operation: FieldTransform.Operation, to old: ValueView?, _ serverTime: Int64
  ) -> [UInt8] {
    switch operation {
    case .serverTime: Value.timestamp(Timestamp(microseconds: serverTime)).encoded
    case .increment(let operand): operand.withUnsafeBytes { increment(old, by: ValueView($0)) }
    case .maximum(let operand): operand.withUnsafeBytes { extreme(old, ValueView($0), sign: 1) }
    case .minimum(let operand): operand.withUnsafeBytes { extreme(old, ValueView($0), sign: -1) }
    case .appendMissing(let elements): appendMissing(old, elements)
    case .removeAll(let elements): removeAll(old, elements)
    }
  }

  /// Towards the past, so that the stamp is never later than the commit.
  @Sendable static func wholeMilliseconds(_ microseconds: Int64) -> Int64 {
    let rest = microseconds % 1_000
    return microseconds - (rest < 0 ? rest + 1_000 : rest)
  }

  private static func isNumber(_ value: ValueView) -> Bool { value.kind == .integer || value.kind == .double }

  private static func asDouble(_ value: ValueView) -> Double {
    value.kind == .integer ? Double(value.integer) : value.double
  }

  /// Integers saturate; a double on either side makes the sum a double.
  private static func increment(_ old: ValueView?, by operand: ValueView) -> [UInt8] {
    guard let old, isNumber(old) else { return Array(operand.bytes) }
    guard old.kind == .integer, operand.kind == .integer else {
      return Value.double(asDouble(old) + asDouble(operand)).encoded
    }
    let (sum, overflow) = old.integer.addingReportingOverflow(operand.integer)
    guard overflow else { return Value.integer(sum).encoded }
    return Value.integer(operand.integer < 0 ? .min : .max).encoded
  }

  /// The greater (`sign` 1) or smaller (-1) of both. Equal keeps the stored value and its type; NaN on
  /// either side is the result.
  private static func extreme(_ old: ValueView?, _ operand: ValueView, sign: Int) -> [UInt8] {
    guard let old, isNumber(old) else { return Array(operand.bytes) }
    if asDouble(old).isNaN || asDouble(operand).isNaN { return Value.double(.nan).encoded }
    return Array((ValueOrder.compare(operand, old) * sign > 0 ? operand : old).bytes)
  }

  private static func appendMissing(_ old: ValueView?, _ elements: [[UInt8]]) -> [UInt8] {
    let stored = storedElements(old)
    var present = ElementSet(stored)
    var added: [[UInt8]] = []
    for element in elements where element.withUnsafeBytes({ present.insert(ValueView($0)) }) {
      added.append(element)
    }
    return encodeArray { writer in
      for element in stored { writer.field(1, bytes: element.bytes) }
      for element in added { writer.field(1, bytes: element) }
    }
  }

  private static func removeAll(_ old: ValueView?, _ elements: [[UInt8]]) -> [UInt8] {
    var removed = ElementSet([])
    for element in elements { _ = element.withUnsafeBytes { removed.insert(ValueView($0)) } }
    return encodeArray { writer in
      for element in storedElements(old) where !removed.contains(element) {
        writer.field(1, bytes: element.bytes)
      }
    }
  }

  private static func storedElements(_ old: ValueView?) -> [ValueView] {
    guard let old, old.kind == .array else { return [] }
    return Array(old.array)
  }

  static func encodeArray(_ body: (inout WireWriter) -> Void) -> [UInt8] {
    var writer = WireWriter()
    writer.message(9, body)
    return writer.bytes
  }
}

/// What values have in common that are equal to array transforms (1 equals 1.0, NaN equals NaN).
///
/// Ordered keys are equal exactly when values are, so they serve as hash keys and large unions stay linear.
enum ElementKey {
  static func of(_ value: ValueView) -> [UInt8] {
    var writer = KeyWriter()
    writer.value(value, budget: .max / 2)
    return writer.bytes
  }
}

/// A set of values under that equality.
private struct ElementSet {
  private var keys: Set<[UInt8]> = []

  init(_ elements: [ValueView]) {
    for element in elements { keys.insert(ElementKey.of(element)) }
  }

  func contains(_ value: ValueView) -> Bool { keys.contains(ElementKey.of(value)) }

  /// False when it was there already.
  mutating func insert(_ value: ValueView) -> Bool { keys.insert(ElementKey.of(value)).inserted }
}

extension FieldTransform.Operation {
  /// Array transforms answer null instead of the new value.
  var answersNull: Bool {
    switch self {
    case .serverTime, .increment, .maximum, .minimum: false
    case .appendMissing, .removeAll: true
    }
  }
}
