/// Values and fields in place: trivial structs over encoded bytes.
///
/// A view is a pointer and a length. It is legal only inside the closure that handed it out, is never
/// stored, and never escapes. Views look at **canonical** bytes (see `Canonicalizer`): every value has
/// its kind's tag first and nothing after its payload, entries are sorted by key bytes. They stay inside
/// their bounds whatever the bytes are, because every advance goes through `WireCursor`.

/// One encoded `google.firestore.v1.Value`.
public struct ValueView {
  public let start: UnsafeRawPointer
  public let count: Int

  @inlinable
  public init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.init(start: bytes.baseAddress ?? WireCursor.empty.baseAddress.unsafelyUnwrapped, count: bytes.count)
  }

  @inlinable public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// First bytes of the canonical form of each kind: the tag of the oneof's member.
  /// Source: proto google/firestore/v1/document.proto, Value.
  public enum Tag {
    public static let boolean: UInt8 = 0x08
    public static let integer: UInt8 = 0x10
    public static let double: UInt8 = 0x19
    public static let reference: UInt8 = 0x2A
    public static let map: UInt8 = 0x32
    public static let geoPoint: UInt8 = 0x42
    public static let array: UInt8 = 0x4A
    public static let timestamp: UInt8 = 0x52
    public static let null: UInt8 = 0x58
    /// Field numbers above 15 have two bytes; the second is always 1.
    public static let string: UInt8 = 0x8A
    public static let bytes: UInt8 = 0x92
  }

  @inlinable
  public var tag: UInt8 { count > 0 ? start.load(as: UInt8.self) : 0 }

  /// The kind; `.null` for bytes that are no canonical value, which ingest never stores.
  @inlinable
  public var kind: ValueKind {
    switch tag {
    case Tag.boolean: .boolean
    case Tag.integer: .integer
    case Tag.double: .double
    case Tag.reference: .reference
    case Tag.map: fields.isVector ? .vector : .map
    case Tag.geoPoint: .geoPoint
    case Tag.array: .array
    case Tag.timestamp: .timestamp
    case Tag.string: .string
    case Tag.bytes: .bytes
    default: .null
    }
  }

  @inlinable public var isNull: Bool { tag == Tag.null }

  @inlinable
  package func payload(skipping tagBytes: Int) -> WireCursor {
    WireCursor(start: start + min(tagBytes, count), count: max(0, count - tagBytes))
  }

  /// What is behind the tag and the length: nearly always short, and all that there is.
  @inlinable @inline(__always)
  func contents(behind tagBytes: Int) -> UnsafeRawBufferPointer {
    if count > tagBytes {
      let size = Int(start.load(fromByteOffset: tagBytes, as: UInt8.self))
      if size < 0x80, size < count &- tagBytes {
        return UnsafeRawBufferPointer(start: start + tagBytes + 1, count: size)
      }
    }
    var cursor = payload(skipping: tagBytes)
    return cursor.lengthDelimited()
  }

  @inlinable
  public var boolean: Bool {
    var cursor = payload(skipping: 1)
    return cursor.varint() != 0
  }

  @inlinable
  public var integer: Int64 {
    var cursor = payload(skipping: 1)
    return Int64(bitPattern: cursor.varint())
  }

  @inlinable
  public var double: Double {
    var cursor = payload(skipping: 1)
    return Double(bitPattern: cursor.fixed64())
  }

  /// The UTF-8 bytes of a string.
  @inlinable
  public var string: UnsafeRawBufferPointer {
    contents(behind: 2)
  }

  /// The bytes of a string below `ArrayView.shortTextBytesMax`, in its one form; nil for anything else.
  @inlinable @inline(__always)
  public var shortText: (start: UnsafeRawPointer, count: Int)? {
    guard count > 2, count < ArrayView.shortTextBytesMax &+ 3, tag == Tag.string,
      Int(start.load(fromByteOffset: 2, as: UInt8.self)) == count &- 3
    else { return nil }
    return (start + 3, count &- 3)
  }

  /// The contents of a bytes value.
  @inlinable
  public var byteString: UnsafeRawBufferPointer {
    contents(behind: 2)
  }

  /// The full resource name of a reference.
  @inlinable
  public var reference: UnsafeRawBufferPointer {
    contents(behind: 1)
  }

  public var timestamp: Timestamp {
    var outer = payload(skipping: 1)
    var cursor = WireCursor(outer.lengthDelimited())
    var timestamp = Timestamp(seconds: 0, nanoseconds: 0)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x08: timestamp.seconds = Int64(bitPattern: cursor.varint())
      case 0x10: timestamp.nanoseconds = Int32(truncatingIfNeeded: cursor.varint())
      case let other: cursor.skip(tag: other)
      }
    }
    return timestamp
  }

  public var geoPoint: GeoPoint {
    var outer = payload(skipping: 1)
    var cursor = WireCursor(outer.lengthDelimited())
    var point = GeoPoint(latitude: 0, longitude: 0)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x09: point.latitude = Double(bitPattern: cursor.fixed64())
      case 0x11: point.longitude = Double(bitPattern: cursor.fixed64())
      case let other: cursor.skip(tag: other)
      }
    }
    return point
  }

  @inlinable
  public var array: ArrayView {
    ArrayView(contents(behind: 1))
  }

  /// The inside of a map (or of a vector, which is stored as a map).
  @inlinable
  public var fields: FieldsView {
    FieldsView(contents(behind: 1), entryTag: FieldsView.mapEntryTag)
  }

  /// The elements of a vector, each a double.
  public var vectorElements: ArrayView {
    fields.value(named: "value")?.array ?? ArrayView(WireCursor.empty)
  }
}

/// The encoded elements of an array: `0A len Value` each.
public struct ArrayView: Sequence {
  public let start: UnsafeRawPointer
  public let byteCount: Int

  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    start = bytes.baseAddress ?? WireCursor.empty.baseAddress.unsafelyUnwrapped
    byteCount = bytes.count
  }

  public struct Iterator: IteratorProtocol {
    @usableFromInline var cursor: WireCursor

    @inlinable
    init(cursor: WireCursor) { self.cursor = cursor }

    @inlinable
    public mutating func next() -> ValueView? {
      if let element = cursor.shortField(tag: 0x0A) { return ValueView(element) }
      return nextInAnyForm()
    }

    /// The same for elements that need a long length, and for bytes that are no canonical array at all.
    @usableFromInline
    mutating func nextInAnyForm() -> ValueView? {
      while !cursor.isAtEnd {
        let tag = cursor.tag()
        if tag == 0x0A { return ValueView(cursor.lengthDelimited()) }
        cursor.skip(tag: tag)
      }
      return nil
    }
  }

  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(cursor: WireCursor(start: start, count: byteCount))
  }

  /// Texts below this length have one form as an element: `0A len 8A 01 len text`.
  public static let shortTextBytesMax = 120

  /// Whether an element is a string with these bytes, of which there must be less than
  /// `shortTextBytesMax`.
  @inlinable @inline(__always)
  public func containsShortText(_ text: UnsafeRawPointer, count: Int) -> Bool {
    // The element's tag and length, and the string's tag of two bytes: one load.
    let head = 0x018A_000A | UInt32(truncatingIfNeeded: count &+ 3) &<< 8
    var position = start
    let end = start + byteCount
    // No element is below four bytes.
    while end - position >= 4 {
      let word = UInt32(littleEndian: position.loadUnaligned(as: UInt32.self))
      let next = position + 2 + Int(word &>> 8 & 0xFF)
      guard word & 0x80FF == 0x0A, next <= end else { break }
      if word == head, WireCursor.areEqualHere(position + 5, text, count: count) { return true }
      position = next
    }
    // An element that needs a long length: the rest in any form.
    return position < end && containsTextInAnyForm(text, count: count, from: position)
  }

  @inlinable @inline(never)
  func containsTextInAnyForm(_ text: UnsafeRawPointer, count: Int, from position: UnsafeRawPointer) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: position, count: start + byteCount - position)
    var rest = ArrayView(bytes).makeIterator()
    let wanted = UnsafeRawBufferPointer(start: text, count: count)
    while let element = rest.next() {
      if element.tag == ValueView.Tag.string, WireCursor.areEqual(element.string, wanted) { return true }
    }
    return false
  }

  /// How many elements; walks the array.
  @inlinable
  public var elementCount: Int {
    var count = 0
    for _ in self { count += 1 }
    return count
  }

  @inlinable
  public subscript(index: Int) -> ValueView? {
    var rest = index
    for element in self {
      if rest == 0 { return element }
      rest -= 1
    }
    return nil
  }
}
