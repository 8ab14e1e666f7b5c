/// Where records lie in a file that is appended to: `length u32 LE | CRC-32C u32 LE of the content | content`, where a content is
/// one protobuf field that holds a message.
///
/// Used by the journal of triggers and the log of commits. What a crash leaves at the end of such a file is told from damage.

internal import Platform

package enum RecordFrame {
  package static let headBytes = 8

  /// Appends a record with this content.
  package static func append(_ content: [UInt8], to bytes: inout [UInt8]) {
    let checksum = content.withUnsafeBytes { CRC32C.checksum($0) }
    withUnsafeBytes(of: UInt32(content.count).littleEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: content)
  }

  /// The content of the whole record at a place; nil when none is there.
  package static func content(
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

  /// Whether what begins at a place, and is no whole record, may be what a crash left: no whole record follows it, or it is a
  /// hole of zeros.
  ///
  /// - Parameters:
  ///   - hasHoles: whether records may follow a hole, because several were written before they were synced.
  ///   - counts: whether a whole record is one of this file's present life, and not what was there before.
  package static func isTornEnd(
    _ buffer: UnsafeRawBufferPointer, from index: Int, _ bytesMax: Int, hasHoles: Bool = true,
    counts: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  ) -> Bool {
    if hasHoles, buffer[index...].prefix(headBytes).allSatisfy({ $0 == 0 }) { return true }
    var next = index + 1
    while next + headBytes < buffer.count {
      if isPlausible(buffer, at: next), let content = content(buffer, at: next, bytesMax), counts(content) {
        return false
      }
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
