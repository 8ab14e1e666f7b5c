/// One of the two files of the log of commits.
///
/// ```
/// file   = slot (at 0) | slot of a checkpoint (at 4,096) | record* (from 8,192 on) | what was there before, or zeros
/// ```
///
/// Files are used again and again, and are as long as they ever were: a write into them changes nothing but their contents, and
/// is one write of the disk. What follows the last record is of an earlier generation.

internal import DocModel
internal import Platform

/// `@unchecked Sendable`: `end` and `length` are the writer's; a checkpoint, which may be made by another thread, touches neither.
final class CommitLogFile: @unchecked Sendable {
  static let slotBytes = 4_096
  static let recordsOffset = 2 * slotBytes
  /// LIMIT: bytes of a record, with its frame.
  static let recordBytesMax = 4 << 20
  /// By how much a file grows: zeros, which go to the disk with the first record.
  private static let growthBytes = 64 << 10

  let path: String
  private let descriptor: Int32
  private let identity: FolderWatch.Identity?
  /// Where the next record goes.
  private(set) var end = recordsOffset
  /// Bytes of the record that was written there and has not been accepted.
  private var writtenBytes = 0
  private var length: Int

  static func paths(_ folder: String) -> [String] { (0..<2).map { "\(folder)/commits.\($0).log" } }

  /// Makes a file with room for both slots and some records: a checkpoint never fails for want of room. Its name is on disk when
  /// the folder is synced.
  init(creating path: String) throws(SystemError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    do throws(SystemError) {
      let zeros = [UInt8](repeating: 0, count: Self.growthBytes)
      try Descriptor.writeAll(zeros, to: descriptor, at: 0)
    } catch {
      close(descriptor)
      unlink(path)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
    length = Self.growthBytes
    identity = FolderWatch.Identity(descriptor)
  }

  deinit { close(descriptor) }

  /// Whether the file still has its name.
  var isInPlace: Bool { FolderWatch.Identity(path: path) == identity }

  /// Begins a generation: what the file held before no longer counts, once a record of this one is on disk.
  func begin(_ slot: CommitLogSlot) throws(SystemError) {
    (end, writtenBytes) = (Self.recordsOffset, 0)
    try write(slot.framed, at: 0)
  }

  /// Says, on disk, that all of the generation's base is on disk.
  func seal(_ slot: CommitLogSlot) throws(SystemError) {
    try write(slot.framed, at: Self.slotBytes)
    try sync()
  }

  /// Writes a record behind the others; it counts when `sync` has returned. The next one takes its place if nobody accepts it.
  func write(record: [UInt8]) throws(SystemError) {
    while length < end + record.count {
      let growth = [UInt8](repeating: 0, count: max(Self.growthBytes, end + record.count - length))
      try write(growth, at: length)
      length += growth.count
    }
    try write(record, at: end)
    writtenBytes = record.count
  }

  func accept() { (end, writtenBytes) = (end + writtenBytes, 0) }

  /// Removes the record that was not accepted, also from the disk.
  func takeBack() throws(SystemError) {
    writtenBytes = 0
    try write([UInt8](repeating: 0, count: RecordFrame.headBytes), at: end)
    try sync()
  }

  func sync() throws(SystemError) {
    if fdatasync(descriptor) != 0 { throw SystemError(code: errno) }
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    try Descriptor.writeAll(bytes, to: descriptor, at: offset)
  }
}
