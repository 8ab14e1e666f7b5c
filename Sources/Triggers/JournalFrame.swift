/// Where records lie in the bytes of a journal: `length u32 LE | CRC-32C u32 LE of the content | content`.

internal import DocModel

enum JournalFrame {
  static let headBytes = 8

  /// The content of the whole record at a place; nil when none is there.
  static func content(
    _ buffer: UnsafeRawBufferPointer, at index: Int, _ bytesMax: Int
  ) -> UnsafeRawBufferPointer? {
    let start = index + headBytes
    guard start <= buffer.count else { return nil }
    let size = Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt32.self)))
    let checksum = UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
    // An empty record says nothing: such a head is a hole of zeros, which a power failure may leave.
    guard size > 0, size <= bytesMax, start + size <= buffer.count else { return nil }
    let content = UnsafeRawBufferPointer(rebasing: buffer[start..<start + size])
    return CRC32C.checksum(content) == checksum ? content : nil
  }

  /// Whether what begins at a place, and is no whole record, may be what a crash left: nothing whole follows it,
  /// or it is a hole of zeros.
  static func isTornEnd(_ buffer: UnsafeRawBufferPointer, from index: Int, _ bytesMax: Int) -> Bool {
    if buffer[index...].prefix(headBytes).allSatisfy({ $0 == 0 }) { return true }
    var next = index + 1
    while next + headBytes < buffer.count {
      if isPlausible(buffer, at: next), content(buffer, at: next, bytesMax) != nil { return false }
      next += 1
    }
    return true
  }

  /// Whether a record may begin here: its content is one message that fills it. Spares most checksums.
  private static func isPlausible(_ buffer: UnsafeRawBufferPointer, at index: Int) -> Bool {
    let size = Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt32.self)))
    let start = index + headBytes
    guard size > 1, start + size <= buffer.count else { return false }
    var cursor = WireCursor(UnsafeRawBufferPointer(rebasing: buffer[start..<start + min(size, 12)]))
    let tag = cursor.tag()
    let length = cursor.varint()
    guard !cursor.isCorrupt, tag & 7 == 2, length < UInt64(size) else { return false }
    var head = 1
    var rest = length
    while rest >= 0x80 {
      head += 1
      rest >>= 7
    }
    return 1 + head + Int(length) == size
  }
}
