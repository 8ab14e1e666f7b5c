/// What the first two pages of a data file were when they were written last: the library gives them no checksum.
///
/// `head.sum` has a slot for each of them: commit u64 | CRC-32C of its head u32 | 0 u32, little-endian. It is written after
/// the commit and is not synced: after a loss of power it may be behind, and is not asked then. Without it nothing is known,
/// so a folder may be copied without it.

internal import DocModel
internal import Platform

final class PageHeaderChecksums: Sendable {
  static let name = "head.sum"
  private static let slotBytes = 16
  private let descriptor: Int32

  /// Nil where it cannot be written: then nothing is known the next time.
  init?(folder: String) {
    descriptor = open(folder + "/" + Self.name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  func note(_ page: Int, _ head: [UInt8]) {
    guard head.count == PageHeader.byteCount else { return }
    var slot = Array(head[PageHeader.commitOffset..<PageHeader.commitOffset + 8])
    slot += withUnsafeBytes(of: Self.sum(head).littleEndian) { Array($0) } + [0, 0, 0, 0]
    _ = pwrite(descriptor, slot, slot.count, off_t(page * Self.slotBytes))
  }

  private static func sum(_ head: [UInt8]) -> UInt32 { head.withUnsafeBytes { CRC32C.checksum($0) } }

  /// Commit and checksum of both heads; zeros where nothing is known.
  static func slots(folder: String) -> [(transaction: UInt64, sum: UInt32)] {
    var bytes = [UInt8](repeating: 0, count: 2 * slotBytes)
    let descriptor = open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 {
      _ = pread(descriptor, &bytes, bytes.count, 0)
      close(descriptor)
    }
    return bytes.withUnsafeBytes { bytes in
      (0..<2).map { page in
        (
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: page * slotBytes, as: UInt64.self)),
          UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: page * slotBytes + 8, as: UInt32.self))
        )
      }
    }
  }

  /// Why a head is not what was written last; nil where it may be.
  static func error(
    of head: [UInt8], _ transaction: UInt64, _ slot: (transaction: UInt64, sum: UInt32)
  ) -> String? {
    if slot == (0, 0) { return nil }
    var head = head
    withUnsafeBytes(of: slot.transaction.littleEndian) {
      head.replaceSubrange(PageHeader.commitOffset..<PageHeader.commitOffset + 8, with: $0)
    }
    let hasSameRest = sum(head) == slot.sum
    if transaction == slot.transaction {
      return hasSameRest ? nil : "does not match its checksum in `\(name)`"
    }
    // A commit that was killed before it was noted is newer, and its head says other things.
    if transaction > slot.transaction && !hasSameRest { return nil }
    return "is of commit \(transaction), and `\(name)` knows commit \(slot.transaction) of it "
      + "(if `data.mdb` was put back from a copy, remove `\(name)`)"
  }
}
