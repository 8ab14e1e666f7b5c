/// A value while a condition is evaluated.
///
/// Trivial: no case owns anything, so copying one is copying 17 bytes. What a case points to lives in
/// encoded documents (valid during the call), in the ruleset's `ConstantPool`, or in the evaluation's
/// `Arena`.
///
/// INVARIANT: `_isPOD(Operand.self)`; checked by OperandTests.

package import DocModel

/// Bytes that somebody else owns.
package struct ByteView {
  let start: UnsafeRawPointer
  let count: Int

  @inline(__always)
  init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  @inline(__always)
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      start: bytes.baseAddress ?? WireCursor.empty.baseAddress.unsafelyUnwrapped, count: bytes.count)
  }

  @inline(__always) package var buffer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
  }

  @inline(__always)
  package static func == (left: ByteView, right: ByteView) -> Bool {
    left.count == right.count && WireCursor.areEqual(left.start, right.start, count: left.count)
  }

  /// For people: half of a surrogate pair is a question mark.
  package var text: String {
    UTF16Text.hasHalf(buffer)
      ? String(decoding: UTF16Text.replacingHalves(buffer), as: UTF8.self)
      : String(decoding: buffer, as: UTF8.self)
  }

  /// The position of the first slash at or behind `from`; `count` when there is none.
  @inline(__always)
  func firstSlash(from: Int) -> Int {
    var index = from
    // Eight bytes at a time: a byte of `zeros` is zero where there is a slash, and the lowest bit that
    // the subtraction borrows belongs to the first of them.
    while index &+ 8 <= count {
      let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let zeros = word ^ 0x2F2F_2F2F_2F2F_2F2F
      let found = (zeros &- 0x0101_0101_0101_0101) & ~zeros & 0x8080_8080_8080_8080
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < count {
      if start.load(fromByteOffset: index, as: UInt8.self) == UInt8(ascii: "/") { return index }
      index &+= 1
    }
    return count
  }
}

/// One segment of a path value.
///
/// A template's placeholder has a name and, until it is bound, no text. The segments that a glob was
/// bound to all bear its name.
package struct PathSegment {
  package var text: ByteView?
  var name: ByteView?
  var isGlob: Bool

  package init(text: ByteView) {
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
package struct MapEntry {
  package let key: ByteView
  package let value: Operand
}

/// A length of time. The parts have the same sign, and `nanoseconds` is below a second.
package struct Duration: Equatable {
  let seconds: Int64
  let nanoseconds: Int32
}

/// A value, or the reason why there is none.
package enum Operand {
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
  /// What a query says of a field that it does not fix. Source: docs/spec/production-differences.md 1.10.
  case constraint(UnsafePointer<ConstraintFilter>, Int)
  /// `node` is the number of the expression that failed. `detail` counts the messages that a traced
  /// evaluation keeps; -1 in a plain one.
  case fault(FaultCode, node: Int32, detail: Int32)
}

/// One filter on a field of a query.
package struct ConstraintFilter {
  let comparison: FieldTest.Comparison
  let operand: Operand
}

/// The language's types, as `is` and messages name them.
package enum OperandKind: UInt8, CaseIterable {
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
  package var kind: OperandKind {
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
  package var isFault: Bool {
    if case .fault = self { true } else { false }
  }

  @inline(__always)
  package var isTrue: Bool {
    if case .boolean(true) = self { true } else { false }
  }

  @inline(__always)
  package var isFalse: Bool {
    if case .boolean(false) = self { true } else { false }
  }

  @inline(__always)
  static func string(_ bytes: UnsafeRawBufferPointer) -> Operand { .string(ByteView(bytes)) }
}
