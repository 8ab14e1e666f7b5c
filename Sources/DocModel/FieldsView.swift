/// Named values in place: the entries of a document or of a map.

/// Encoded entries `TAG len { 0A len key 12 len Value }`, sorted by key bytes.
///
/// The tag differs by place: field 2 of a `Document`, field 1 of a `MapValue`.
///
/// INVARIANT (of stored bytes): keys strictly ascend, each entry holds key then value and nothing else.
public struct FieldsView: Sequence {
  public static let documentEntryTag: UInt8 = 0x12
  public static let mapEntryTag: UInt8 = 0x0A

  public let start: UnsafeRawPointer
  public let byteCount: Int
  public let entryTag: UInt8

  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer, entryTag: UInt8) {
    start = bytes.baseAddress ?? WireCursor.empty.baseAddress.unsafelyUnwrapped
    byteCount = bytes.count
    self.entryTag = entryTag
  }

  /// A document's fields, as stored.
  @inlinable
  public init(document bytes: UnsafeRawBufferPointer) {
    self.init(bytes, entryTag: Self.documentEntryTag)
  }

  /// No fields at all.
  public static var none: FieldsView { FieldsView(document: WireCursor.empty) }

  @inlinable public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: byteCount)
  }
  @inlinable public var isEmpty: Bool { byteCount == 0 }

  public struct Entry {
    public let key: UnsafeRawBufferPointer
    public let value: ValueView

    @inlinable
    init(key: UnsafeRawBufferPointer, value: ValueView) {
      self.key = key
      self.value = value
    }
  }

  public struct Iterator: IteratorProtocol {
    @usableFromInline var cursor: WireCursor
    @usableFromInline let entryTag: UInt8

    @inlinable
    init(cursor: WireCursor, entryTag: UInt8) {
      self.cursor = cursor
      self.entryTag = entryTag
    }

    /// Where the entry behind the last one begins.
    @inlinable public var place: UnsafeRawPointer { cursor.mark }

    @inlinable
    public mutating func next() -> Entry? {
      let before = cursor
      if let bytes = cursor.shortField(tag: entryTag) {
        var entry = WireCursor(bytes)
        if let key = entry.shortField(tag: 0x0A), let value = entry.shortField(tag: 0x12) {
          return Entry(key: key, value: ValueView(value))
        }
      }
      cursor = before
      return nextInAnyForm()
    }

    /// The same for entries that need a long length, and for bytes that are no canonical entries at all.
    @usableFromInline
    mutating func nextInAnyForm() -> Entry? {
      while !cursor.isAtEnd {
        let tag = cursor.tag()
        guard tag == UInt32(entryTag) else {
          cursor.skip(tag: tag)
          continue
        }
        var entry = WireCursor(cursor.lengthDelimited())
        guard entry.tag() == 0x0A else { continue }
        let key = entry.lengthDelimited()
        guard entry.tag() == 0x12 else { continue }
        return Entry(key: key, value: ValueView(entry.lengthDelimited()))
      }
      return nil
    }
  }

  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(cursor: WireCursor(start: start, count: byteCount), entryTag: entryTag)
  }

  /// How many fields; walks them.
  @inlinable
  public var fieldCount: Int {
    var count = 0
    for _ in self { count += 1 }
    return count
  }

  /// The value of one key. A linear walk that stops at the first greater key: thirteen instructions for an entry
  /// that is passed.
  @inlinable
  public func value(keyBytes key: UnsafeRawBufferPointer) -> ValueView? { valueHere(keyBytes: key) }

  /// The same without a call, for the loops of rules.
  @inlinable @inline(__always)
  package func valueHere(keyBytes key: UnsafeRawBufferPointer) -> ValueView? {
    guard let wanted = key.baseAddress, key.count > 0, key.count < 0x80 else { return valueInAnyForm(key) }
    // Most entries are told from the one that is wanted by the first byte of their key, and need no other look.
    let first = wanted.load(as: UInt8.self)
    // An entry of one byte's length begins with its tag and length, and the tag and length of its key: one load.
    let form = 0x000A_0000 | UInt32(entryTag)
    var position = start
    let end = start + byteCount
    // No entry with a key and a value is below eight bytes.
    let last = end - 8
    // Bounds of an entry are checked where it is read further; a length that leads out of the bytes ends
    // the walk, and then `position` is not `end`.
    while position <= last {
      let word = UInt32(littleEndian: position.loadUnaligned(as: UInt32.self))
      if word & 0x80FF_80FF == form, position.load(fromByteOffset: 4, as: UInt8.self) < first {
        position += 2 &+ Int(word &>> 8 & 0xFF)
        continue
      }
      var entry = position + 2
      var size = Int(word &>> 8 & 0xFF)
      if word & 0x80FF_80FF != form {
        // A second byte of the entry's length; anything else is rare.
        guard word & 0xFF80_80FF == 0x0A00_8000 | UInt32(entryTag),
          position.load(fromByteOffset: 4, as: UInt8.self) < 0x80
        else { return valueInAnyForm(key) }
        size = size & 0x7F | Int(word &>> 16 & 0xFF) &<< 7
        entry = position + 3
      }
      let begins = entry.load(fromByteOffset: 2, as: UInt8.self)
      position = entry + size
      if begins < first { continue }
      // Keys ascend: one that begins with a greater byte ends the walk.
      if begins > first { return nil }
      guard Int(entry.load(fromByteOffset: 1, as: UInt8.self)) == key.count else { continue }
      guard position <= end, key.count &+ 2 <= size else { return valueInAnyForm(key) }
      let found = entry + 2
      if WireCursor.areEqualHere(found, wanted, count: key.count) {
        return Self.value(behindKey: found + key.count, end: position)
      }
    }
    return position == end ? nil : valueInAnyForm(key)
  }

  @inlinable @inline(__always)
  static func value(behindKey start: UnsafeRawPointer, end: UnsafeRawPointer) -> ValueView? {
    var rest = WireCursor(start: start, count: end - start)
    if let value = rest.shortField(tag: 0x12) { return ValueView(value) }
    return rest.tag() == 0x12 ? ValueView(rest.lengthDelimited()) : nil
  }

  /// The same for entries that need a long length, and for bytes that are no canonical entries at all.
  @usableFromInline
  func valueInAnyForm(_ key: UnsafeRawBufferPointer) -> ValueView? {
    for entry in self {
      let order = WireCursor.compare(entry.key, key)
      if order == 0 { return entry.value }
      if order > 0 { return nil }
    }
    return nil
  }

  public func value(named name: String) -> ValueView? {
    var name = name
    return name.withUTF8 { value(keyBytes: UnsafeRawBufferPointer($0)) }
  }

  public func value(named name: StaticString) -> ValueView? {
    name.withUTF8Buffer { value(keyBytes: UnsafeRawBufferPointer($0)) }
  }

  /// The value at a path through maps; nil when a step is missing or not a map. A vector is no map.
  public func value(at path: FieldPath) -> ValueView? {
    var fields = self
    var found: ValueView?
    for segment in path.segments {
      if let found {
        guard found.kind == .map else { return nil }
        fields = found.fields
      }
      guard let next = fields.value(named: segment) else { return nil }
      found = next
    }
    return found
  }

  /// Whether these are the insides of a vector. Ingest refuses `__type__` in any other map.
  @inlinable @inline(__always)
  public var isVector: Bool {
    // The first key of a vector has eight bytes, and its entry a length of one.
    guard byteCount >= 12,
      start.load(fromByteOffset: 1, as: UInt8.self) >= 0x80
        || start.load(fromByteOffset: 3, as: UInt8.self) == 8
    else { return false }
    return hasTypeKey
  }

  @inlinable @inline(never)
  var hasTypeKey: Bool {
    var cursor = WireCursor(start: start, count: byteCount)
    guard var entry = cursor.shortField(tag: entryTag).map({ WireCursor($0) }),
      let key = entry.shortField(tag: 0x0A), key.count == 8, let bytes = key.baseAddress
    else { return false }
    // `__type__`, as the bytes of a little-endian number.
    return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) == 0x5F5F_6570_7974_5F5F
  }

  @usableFromInline
  package static func isTypeKey(_ key: UnsafeRawBufferPointer) -> Bool {
    key.elementsEqual("__type__".utf8)
  }
}
