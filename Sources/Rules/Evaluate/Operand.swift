/// A value while a condition is evaluated.
///
/// Trivial: no case owns anything, so copying one is copying 17 bytes. What a case points to lives in
/// encoded documents (valid during the call), in the ruleset's `ConstantPool`, or in the evaluation's
/// `Arena`.
///
/// INVARIANT: `_isPOD(Operand.self)`; checked by OperandTests.

internal import DocModel

/// Bytes that somebody else owns.
struct ByteView {
  let start: UnsafeRawPointer
  let count: Int

  @inline(__always)
  init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      start: bytes.baseAddress ?? WireCursor.empty.baseAddress.unsafelyUnwrapped, count: bytes.count)
  }

  @inline(__always) var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  @inline(__always)
  static func == (left: ByteView, right: ByteView) -> Bool {
    left.count == right.count && WireCursor.areEqual(left.buffer, right.buffer)
  }

  var text: String { String(decoding: buffer, as: UTF8.self) }
}

/// One segment of a path value.
///
/// A template's placeholder has a name and, until it is bound, no text. The segments that a glob was
/// bound to all bear its name.
struct PathSegment {
  var text: ByteView?
  var name: ByteView?
  var isGlob: Bool

  init(text: ByteView) {
    self.text = text
    name = nil
    isGlob = false
  }

  init(name: ByteView, isGlob: Bool, text: ByteView? = nil) {
    self.text = text
    self.name = name
    self.isGlob = isGlob
  }
}

/// One entry of a map that was computed.
struct MapEntry {
  let key: ByteView
  let value: Operand
}

/// A length of time. The parts have the same sign, and `nanoseconds` is below a second.
struct Duration: Equatable {
  let seconds: Int64
  let nanoseconds: Int32
}

/// A value, or the reason why there is none.
enum Operand {
  case null
  case boolean(Bool)
  case integer(Int64)
  case float(Double)
  /// UTF-8; half of a surrogate pair cut off by an index is written like any other code point.
  case string(ByteView)
  case bytes(ByteView)
  case timestamp(Timestamp)
  case duration(Duration)
  case latlng(GeoPoint)
  case path(UnsafePointer<PathSegment>, Int)
  /// The elements of an encoded array.
  case array(ByteView)
  /// The fields of a document, encoded.
  case document(ByteView)
  /// The entries of an encoded map.
  case fields(ByteView)
  /// The encoded elements of a vector.
  case vector(ByteView)
  case list(UnsafePointer<Operand>, Int)
  /// In written order; no key twice.
  case map(UnsafePointer<MapEntry>, Int)
  /// No member twice.
  case set(UnsafePointer<Operand>, Int)
  /// Two operands, both maps: the new one and the old one.
  case mapDiff(UnsafePointer<Operand>)
  /// What a query says of a field that it does not fix. Source: spec/production-differences.md 1.10.
  case constraint(UnsafePointer<ConstraintFilter>, Int)
  /// `node` is the number of the expression that failed. `detail` counts the messages that a traced
  /// evaluation keeps; -1 in a plain one.
  case fault(FaultCode, node: Int32, detail: Int32)
}

/// One filter on a field of a query.
struct ConstraintFilter {
  let comparison: QueryShape.Operator
  let operand: Operand
}

/// The language's types, as `is` and messages name them.
enum OperandKind: UInt8, CaseIterable {
  case null, bool, int, float, string, bytes, timestamp, duration, latlng, path, list, map, set, mapDiff
  case vector, constraint, fault

  var name: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .string: "string"
    case .bytes: "bytes"
    case .timestamp: "timestamp"
    case .duration: "duration"
    case .latlng: "latlng"
    case .path: "path"
    case .list: "list"
    case .map: "map"
    case .set: "set"
    case .mapDiff: "map_diff"
    case .vector: "vector"
    case .constraint: "constraint"
    case .fault: "error"
    }
  }
}

extension Operand {
  @inline(__always)
  var kind: OperandKind {
    switch self {
    case .null: .null
    case .boolean: .bool
    case .integer: .int
    case .float: .float
    case .string: .string
    case .bytes: .bytes
    case .timestamp: .timestamp
    case .duration: .duration
    case .latlng: .latlng
    case .path: .path
    case .array, .list: .list
    case .document, .fields, .map: .map
    case .set: .set
    case .mapDiff: .mapDiff
    case .vector: .vector
    case .constraint: .constraint
    case .fault: .fault
    }
  }

  @inline(__always)
  var isFault: Bool {
    if case .fault = self { true } else { false }
  }

  @inline(__always)
  var isTrue: Bool {
    if case .boolean(true) = self { true } else { false }
  }

  @inline(__always)
  var isFalse: Bool {
    if case .boolean(false) = self { true } else { false }
  }

  @inline(__always)
  static func string(_ bytes: UnsafeRawBufferPointer) -> Operand { .string(ByteView(bytes)) }
}
