/// Operands to recorded values, within bounds.

internal import DocModel

/// Copies one value out of an evaluation.
struct ValueRecorder {
  /// LIMIT: what one value may take, in bytes of texts and keys and 16 for each part. What is beyond is
  /// left out and said to be.
  static let sizeMax = 8_192
  /// LIMIT: bytes of one text; a condition seldom looks at more than the beginning.
  static let textMax = 2_048
  /// LIMIT: lists and maps inside each other; documents have 20, and rules can put them into lists.
  static let depthMax = 32

  private let e: Evaluation
  private let faults: FaultTokens
  private var left = ValueRecorder.sizeMax

  /// About what the value that was recorded takes.
  var size: Int { Self.sizeMax - left }

  init(_ e: Evaluation, _ faults: FaultTokens) {
    self.e = e
    self.faults = faults
  }

  mutating func value(_ operand: Operand) -> RecordedValue { value(operand, depth: 0) }

  private mutating func value(_ operand: Operand, depth: Int) -> RecordedValue {
    left -= 16
    switch operand {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .float(let number): return .float(RecordedValue.FloatBits(number))
    case .string(let text): return .string(self.text(text))
    case .bytes(let bytes): return .bytes(self.bytes(bytes))
    case .timestamp(let time): return .timestamp(time)
    case .duration(let length):
      return .duration(seconds: length.seconds, nanoseconds: length.nanoseconds)
    case .latlng(let point):
      return .latlng(
        latitude: RecordedValue.FloatBits(point.latitude), longitude: RecordedValue.FloatBits(point.longitude)
      )
    case .path(let segments, let count): return .path((0..<count).map { segment(segments[$0]) })
    case .array, .list: return .list(elements(operand, depth))
    case .set: return .set(elements(operand, depth))
    case .document, .fields, .map: return .map(entries(operand, depth))
    case .mapDiff(let sides): return .mapDiff(changes(sides))
    case .vector(let bytes):
      left -= 16 * ArrayView(bytes.buffer).elementCount
      return .vector(ArrayView(bytes.buffer).prefix(64).map { RecordedValue.FloatBits($0.double) })
    case .constraint(let filters, let count): return .constraint(bounds(filters, count, depth))
    case .fault(let code, let node, let detail):
      let message = e.message(detail)
      return .error(RecordedFault(code: code, message: message, token: faults.token(of: node, code, message)))
    }
  }

  /// A text, for whoever reads UTF-8.
  private mutating func text(_ view: ByteView) -> [UInt8] { bytes(UTF16Text.encoded(view, in: e.arena)) }

  /// Cut between characters.
  private mutating func bytes(_ view: ByteView) -> [UInt8] {
    left -= min(view.count, Self.textMax)
    guard view.count > Self.textMax else { return Array(view.buffer) }
    var end = Self.textMax
    while end > 0, view.buffer[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(view.buffer[..<end]) + Array("… (\(view.count) bytes)".utf8)
  }

  private mutating func segment(_ segment: PathSegment) -> RecordedValue.Segment {
    RecordedValue.Segment(
      text: segment.text.map { self.text($0) }, name: segment.name.map { self.text($0) },
      isGlob: segment.isGlob)
  }

  private mutating func elements(_ operand: Operand, _ depth: Int) -> [RecordedValue] {
    let count = e.elementCount(operand)
    var found: [RecordedValue] = []
    var rest = Elements(operand)
    while let element = rest.next(e) {
      guard left > 0, depth < Self.depthMax else { return found + [.cut(count - found.count)] }
      found.append(value(element, depth: depth + 1))
    }
    return found
  }

  private mutating func entries(_ operand: Operand, _ depth: Int) -> [RecordedValue.Entry] {
    let all = e.entries(operand)
    var found: [RecordedValue.Entry] = []
    for entry in all {
      guard left > 0, depth < Self.depthMax else {
        return found + [RecordedValue.Entry(key: Array("…".utf8), value: .cut(all.count - found.count))]
      }
      found.append(RecordedValue.Entry(key: text(entry.key), value: value(entry.value, depth: depth + 1)))
    }
    return found
  }

  private mutating func changes(_ sides: UnsafePointer<Operand>) -> [RecordedValue.KeyStatus] {
    var found: [RecordedValue.KeyStatus] = []
    e.forEachChange(new: sides[0], old: sides[1]) { key, change in
      let status =
        switch change {
        case .added: "ADDED"
        case .removed: "REMOVED"
        case .changed: "CHANGED"
        case .unchanged: "UNCHANGED"
        }
      found.append(RecordedValue.KeyStatus(key: text(key), status: status))
      return left > 0
    }
    return found
  }

  private mutating func bounds(
    _ filters: UnsafePointer<ConstraintFilter>, _ count: Int, _ depth: Int
  ) -> [RecordedValue.Bound] {
    var found: [RecordedValue.Bound] = []
    for index in 0..<count {
      let filter = filters[index]
      let operand = filter.comparison == .isNotNaN ? .float(.nan) : filter.operand
      found.append(
        RecordedValue.Bound(
          comparator: Self.comparator(filter.comparison), value: value(operand, depth: depth + 1)))
    }
    return found
  }

  /// Source: the official emulator's coverage reports.
  private static func comparator(_ comparison: FieldTest.Comparison) -> String {
    switch comparison {
    case .equal, .isNull, .isNaN: "EQ"
    case .notEqual, .isNotNull, .isNotNaN: "NEQ"
    case .lessThan: "LT"
    case .lessThanOrEqual: "LTE"
    case .greaterThan: "GT"
    case .greaterThanOrEqual: "GTE"
    case .arrayContains: "LIST_CONTAINS"
    case .arrayContainsAny: "LIST_CONTAINS_ANY"
    case .in: "IN"
    case .notIn: "NOT_IN"
    }
  }
}
