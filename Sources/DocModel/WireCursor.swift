/// Protobuf bytes, read in place.
///
/// The only file with unsafe loads. Every advance is checked against the end: a hostile length leaves
/// the cursor at its end with `isCorrupt` set, and every later read answers zero or nothing. So a walk
/// needs no `try` per field; whoever reads untrusted bytes asks `isCorrupt` once, after the walk.
///
/// INVARIANT: `position <= end`, both in one allocation that outlives the cursor.

internal import Platform

/// A pull parser over one encoded message.
public struct WireCursor {
  @usableFromInline package var position: UnsafeRawPointer
  @usableFromInline package let end: UnsafeRawPointer
  /// Whether something did not fit: an overlong varint, a length beyond the end, an unknown wire type.
  public private(set) var isCorrupt = false

  /// The address an empty view points to.
  /// Immutable and never freed, so sharing the pointer is safe.
  public nonisolated(unsafe) static let empty = UnsafeRawBufferPointer(
    start: UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)), count: 0)

  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    let base = bytes.baseAddress ?? Self.empty.baseAddress.unsafelyUnwrapped
    position = base
    end = base + bytes.count
  }

  @inlinable
  public init(start: UnsafeRawPointer, count: Int) {
    position = start
    end = start + count
  }

  @inlinable public var isAtEnd: Bool { position >= end }
  @inlinable public var remaining: Int { end - position }
  /// Where the next byte lies; with a later `bytes(since:)` this gives a range as it stands.
  @inlinable public var mark: UnsafeRawPointer { position }

  @inlinable
  public func bytes(since mark: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: mark, count: position - mark)
  }

  @usableFromInline
  package mutating func fail() {
    isCorrupt = true
    position = end
  }

  /// The next byte without taking it; 0 at the end.
  @inlinable
  public var peek: UInt8 { position < end ? position.load(as: UInt8.self) : 0 }

  @inlinable
  public mutating func varint() -> UInt64 {
    if position < end {
      let first = position.load(as: UInt8.self)
      if first < 0x80 {
        position += 1
        return UInt64(first)
      }
    }
    return longVarint()
  }

  @usableFromInline
  package mutating func longVarint() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end, shift < 70 {
      let byte = position.load(as: UInt8.self)
      position += 1
      if shift == 63, byte > 1 { break }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    fail()
    return 0
  }

  /// The next field's tag (number and wire type); 0 at the end or when corrupt.
  @inlinable @inline(__always)
  public mutating func tag() -> UInt32 {
    if isAtEnd { return 0 }
    let raw = varint()
    if raw == 0 || raw > UInt64(UInt32.max) || raw >> 3 == 0 {
      fail()
      return 0
    }
    return UInt32(truncatingIfNeeded: raw)
  }

  @inlinable
  public mutating func fixed64() -> UInt64 {
    guard end - position >= 8 else {
      fail()
      return 0
    }
    let value = position.loadUnaligned(as: UInt64.self)
    position += 8
    return UInt64(littleEndian: value)
  }

  @inlinable
  public mutating func fixed32() -> UInt32 {
    guard end - position >= 4 else {
      fail()
      return 0
    }
    let value = position.loadUnaligned(as: UInt32.self)
    position += 4
    return UInt32(littleEndian: value)
  }

  /// The contents of a length-delimited field.
  @inlinable @inline(__always)
  public mutating func lengthDelimited() -> UnsafeRawBufferPointer {
    let count = varint()
    guard count <= UInt64(end - position) else {
      fail()
      return Self.empty
    }
    let start = position
    position += Int(count)
    return UnsafeRawBufferPointer(start: start, count: Int(count))
  }

  /// Passes over the value of a field whose tag was just read.
  public mutating func skip(tag: UInt32) {
    switch tag & 7 {
    case 0: _ = varint()
    case 1: _ = fixed64()
    case 2: _ = lengthDelimited()
    case 3: skipGroup(number: tag >> 3)
    case 5: _ = fixed32()
    default: fail()
    }
  }

  /// Groups are long gone from the API, but a parser must pass over them. Nesting costs no stack.
  private mutating func skipGroup(number: UInt32) {
    var open: [UInt32] = [number]
    while let innermost = open.last {
      let tag = tag()
      if tag == 0 { return fail() }
      switch tag & 7 {
      case 3: open.append(tag >> 3)
      case 4:
        guard tag >> 3 == innermost else { return fail() }
        open.removeLast()
      default: skip(tag: tag)
      }
      if isCorrupt || open.count > 100 { return fail() }
    }
  }

  /// Negative, zero or positive as `left` sorts before, with or after `right`, by unsigned bytes.
  public static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, common)
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }

  @inlinable @inline(__always)
  public static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return true }
    return areEqual(a, b, count: left.count)
  }

  /// Whether two stretches of one length hold the same bytes.
  ///
  /// Names and ids are short, and a call of `memcmp` costs more than comparing them: two loads that may
  /// overlap, never beyond the end.
  @inlinable
  public static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
    if count > 32 { return areLongEqual(a, b, count: count) }
    if count > 16 {
      return areEqual(a, b, count: 16) && areEqual(a + (count - 16), b + (count - 16), count: 16)
    }
    if count >= 8 {
      let last = count - 8
      return a.loadUnaligned(as: UInt64.self) == b.loadUnaligned(as: UInt64.self)
        && a.loadUnaligned(fromByteOffset: last, as: UInt64.self)
          == b.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    }
    if count >= 4 {
      let last = count - 4
      return a.loadUnaligned(as: UInt32.self) == b.loadUnaligned(as: UInt32.self)
        && a.loadUnaligned(fromByteOffset: last, as: UInt32.self)
          == b.loadUnaligned(fromByteOffset: last, as: UInt32.self)
    }
    if count <= 0 { return true }
    // One, two or three bytes: the first, the middle and the last are all there are.
    return a.load(as: UInt8.self) == b.load(as: UInt8.self)
      && a.load(fromByteOffset: count / 2, as: UInt8.self)
        == b.load(fromByteOffset: count / 2, as: UInt8.self)
      && a.load(fromByteOffset: count - 1, as: UInt8.self)
        == b.load(fromByteOffset: count - 1, as: UInt8.self)
  }

  /// The same without a call for eight to sixteen bytes, for loops that compare one text with many.
  @inlinable @inline(__always)
  static func areEqualHere(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
    guard count >= 8 else { return areEqual(a, b, count: count) }
    let last = count &- 8
    guard a.loadUnaligned(as: UInt64.self) == b.loadUnaligned(as: UInt64.self),
      a.loadUnaligned(fromByteOffset: last, as: UInt64.self)
        == b.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    else { return false }
    return count <= 16 || areEqual(a + 8, b + 8, count: count &- 16)
  }

  @usableFromInline
  static func areLongEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
    memcmp(a, b, count) == 0
  }

  /// Reads a tag of one byte and the contents behind it when the length has one or two bytes and all of
  /// it is there; nil, with nothing read, for anything else. Stored documents are made of little else.
  @inlinable @inline(__always)
  public mutating func shortField(tag: UInt8) -> UnsafeRawBufferPointer? {
    let rest = end - position
    guard rest >= 2, position.load(as: UInt8.self) == tag else { return nil }
    var count = Int(position.load(fromByteOffset: 1, as: UInt8.self))
    var header = 2
    if count >= 0x80 {
      guard rest >= 3 else { return nil }
      let high = Int(position.load(fromByteOffset: 2, as: UInt8.self))
      guard high < 0x80 else { return nil }
      count = count & 0x7F | high &<< 7
      header = 3
    }
    guard count <= rest &- header else { return nil }
    let start = position + header
    position = start + count
    return UnsafeRawBufferPointer(start: start, count: count)
  }
}
