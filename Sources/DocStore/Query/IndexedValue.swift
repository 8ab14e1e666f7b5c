/// The part of a value that the service's indexes know: its first 1,500 bytes.
///
/// Values that agree in that part are equal to sorts and cursors, and tie by name; a value that was cut
/// sorts after one that ends where it was cut. Filters refuse operands that would have to be cut.
///
/// Sizes, asked of the official emulator byte by byte: null and boolean 1; number and timestamp 8; string
/// and map key length + 1; bytes length; reference 16 + (length + 1) for each path segment; vector 8 for
/// the dimension and 8 an element; array and map the sum of their parts. Assumed: geo point 16.
/// Source: docs/spec/protocol.md 11 item 6; production's recorded answers to `runQuery_truncation` and
/// `*Truncation`.

internal import DocModel

enum IndexedValue {
  static let bytesMax = IndexLimits.valueBytesMax

  /// Whether the index would hold the whole value.
  static func fits(_ value: ValueView) -> Bool {
    // No encoding is smaller than a quarter of its size in the index: an element `0` of an array takes
    // 4 bytes and counts 8, an empty geo point 4 and counts 16.
    value.count <= bytesMax / 4 || size(value) <= bytesMax
  }

  static func size(_ value: ValueView) -> Int {
    switch value.kind {
    case .null, .boolean: 1
    case .integer, .double, .timestamp: 8
    case .string: value.string.count + 1
    case .bytes: value.byteString.count
    case .reference: pathSegments(value.reference).reduce(16) { $0 + $1.count + 1 }
    case .geoPoint: 16
    case .array: value.array.reduce(0) { $0 + size($1) }
    case .vector: 8 + 8 * value.vectorElements.elementCount
    case .map: value.fields.reduce(0) { $0 + $1.key.count + 1 + size($1.value) }
    }
  }

  /// The segments of a full name below `projects/P/databases/D/documents`.
  private static func pathSegments(_ name: UnsafeRawBufferPointer) -> ArraySlice<
    Slice<UnsafeRawBufferPointer>
  > {
    name.split(separator: UInt8(ascii: "/")).dropFirst(5)
  }

  /// The value as the index holds it when it does not fit: an encoded value that sorts where the cut one
  /// does among values of its kind.
  static func cut(_ value: ValueView) -> [UInt8] {
    var cutter = Cutter()
    cutter.write(value)
    return cutter.writer.bytes
  }

  private struct Cutter {
    var writer = WireWriter(reserving: 2 * bytesMax)
    var remaining = bytesMax

    /// Depth is that of stored values, at most `Limits.nestingMax`.
    mutating func write(_ value: ValueView) {
      switch value.kind {
      case .null, .boolean, .integer, .double, .timestamp, .geoPoint:
        writer.bytes.append(contentsOf: value.bytes)
        remaining -= size(value)
      case .string:
        writer.field(17, bytes: taking(value.string, terminator: 1))
      case .bytes:
        writer.field(18, bytes: taking(value.byteString, terminator: 0))
      case .reference: reference(value.reference)
      case .array: array(value.array)
      case .vector: vector(value.vectorElements)
      case .map: map(value.fields)
      }
    }

    private mutating func taking(_ bytes: UnsafeRawBufferPointer, terminator: Int) -> UnsafeRawBufferPointer {
      let kept = max(0, min(bytes.count, remaining - terminator))
      remaining -= bytes.count + terminator
      return UnsafeRawBufferPointer(rebasing: bytes[..<kept])
    }

    private mutating func reference(_ name: UnsafeRawBufferPointer) {
      remaining -= 16
      var end = name.count
      for segment in pathSegments(name) {
        let kept = max(0, min(segment.count, remaining - 1))
        remaining -= segment.count + 1
        end = segment.startIndex + kept
        if remaining < 0 { break }
      }
      writer.field(5, bytes: UnsafeRawBufferPointer(rebasing: name[..<end]))
    }

    private mutating func array(_ elements: ArrayView) {
      writer.bytes.append(ValueView.Tag.array)
      let start = writer.bytes.count
      writer.bytes.append(0)
      for element in elements where remaining > 0 { self.element(element) }
      writer.closeLength(at: start)
    }

    private mutating func element(_ value: ValueView) {
      writer.bytes.append(0x0A)
      let start = writer.bytes.count
      writer.bytes.append(0)
      write(value)
      writer.closeLength(at: start)
    }

    /// The dimension sorts first, so elements beyond the cut become zeros instead of going away.
    private mutating func vector(_ elements: ArrayView) {
      remaining -= 8
      var numbers: [Double] = []
      for element in elements {
        numbers.append(remaining > 0 ? element.double : 0)
        remaining -= 8
      }
      writer.value(.vector(numbers))
    }

    private mutating func map(_ fields: FieldsView) {
      writer.bytes.append(ValueView.Tag.map)
      let start = writer.bytes.count
      writer.bytes.append(0)
      for entry in fields {
        // Assumed: a key that does not fit is not indexed at all.
        if remaining <= entry.key.count + 1 { remaining = 0 }
        if remaining <= 0 { break }
        remaining -= entry.key.count + 1
        let entryStart = open(FieldsView.mapEntryTag)
        writer.field(1, bytes: entry.key)
        let valueStart = open(0x12)
        write(entry.value)
        writer.closeLength(at: valueStart)
        writer.closeLength(at: entryStart)
      }
      writer.closeLength(at: start)
    }

    private mutating func open(_ tag: UInt8) -> Int {
      writer.bytes.append(tag)
      let start = writer.bytes.count
      writer.bytes.append(0)
      return start
    }
  }
}
