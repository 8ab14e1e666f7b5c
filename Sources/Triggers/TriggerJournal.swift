/// The file in which positions, dead letters and registrations of triggers outlive the process.
///
/// ```
/// file   = "DSTRIG1\n" record*
/// record = RecordFrame around a JournalRecord
/// ```
///
/// Records are appended; a torn one at the end, which a crash leaves, is cut off. Losing the last records only
/// makes events come again. Damage that whole records follow is no torn end: such a file is refused and left
/// alone. The file is written anew when it has grown to many times what it says.
///
/// State: the file, behind a lock. One runner writes it, from its run loop and from whoever registers, retries or
/// discards, inside `TriggerRunner.writing`.

internal import DocModel
internal import Platform
internal import Synchronization

/// Why the journal cannot be read or written.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// What is wrong with it, and what to do where something can be done.
  public let reason: String

  public var description: String { "cannot use `\(path)`: \(reason)" }

  static func system(_ path: String) -> JournalError { system(path, SystemError(code: errno)) }

  static func system(_ path: String, _ error: SystemError) -> JournalError {
    JournalError(path: path, reason: error.description)
  }
}

public final class TriggerJournal: Sendable {
  private static let magic = Array("DSTRIG1\n".utf8)
  /// LIMIT: bytes of one record; longer ones are refused when they are written, and are no records when read.
  static let recordBytesMax = 8 << 20
  /// Bytes that may be appended before the file is written anew, beside four times what that would take.
  private static let slackBytes = 4 << 20

  private struct File {
    var descriptor: Int32
    var byteCount: Int
    /// How large the file was when it was last written anew.
    var compactBytes: Int
  }

  public let path: String
  private let file: Mutex<File>
  /// Writes bytes at an offset. Tests put a full disk in its place.
  typealias Writing =
    @Sendable (_ bytes: [UInt8], _ descriptor: Int32, _ offset: Int) throws(SystemError) -> Void
  private let write: Writing
  /// What the file said when it was opened.
  let opened: JournalImage

  /// Opens the journal of a data folder, `triggers.journal`, or begins one. The folder must be locked by this
  /// process: two writers would spoil it.
  public convenience init(folder: String) throws(JournalError) {
    try self.init(path: folder + "/triggers.journal")
  }

  init(path: String, write: @escaping Writing = TriggerJournal.writeAll) throws(JournalError) {
    self.path = path
    self.write = write
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .system(path) }
    do throws(JournalError) {
      let bytes = try Self.contents(descriptor, path)
      let (image, length) = try Self.read(bytes, path)
      if length < bytes.count, ftruncate(descriptor, off_t(length)) != 0 { throw .system(path) }
      if length == 0 {
        do throws(SystemError) { try Descriptor.writeAll(Self.magic, to: descriptor, at: 0) } catch {
          throw .system(path, error)
        }
        // A file whose name is lost with the power is none.
        try Self.syncFolder(of: path)
      }
      opened = image
      let count = max(length, Self.magic.count)
      file = Mutex(File(descriptor: descriptor, byteCount: count, compactBytes: count))
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    file.withLock { file in
      _ = close(file.descriptor)
    }
  }

  /// The version after which history is needed by the triggers of a data folder; nil when there are none.
  /// For `StoreOptions.historyHeldAfter`, before the store is opened and its folder locked.
  public static func historyNeeded(folder: String) throws(JournalError) -> Int64? {
    let path = folder + "/triggers.journal"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(path)
    }
    defer { close(descriptor) }
    return try read(try contents(descriptor, path), path).image.triggers.values.map(\.earliest).min()
  }

  /// How triggers and scheduled functions were registered that registrations were written down for.
  public var registrations: [(name: String, body: [UInt8])] {
    let triggers = opened.triggers.compactMap { name, memory in memory.registration.map { (name, $0) } }
    let schedules = opened.schedules.compactMap { name, memory in memory.registration.map { (name, $0) } }
    return (triggers + schedules).sorted { $0.0 < $1.0 }
  }

  // MARK: writing

  /// Appends records; `isSynced` when they must outlive a power failure.
  func append(_ records: [JournalRecord], isSynced: Bool) throws(JournalError) {
    if records.isEmpty { return }
    let bytes = try framed(records)
    let failure = file.withLock { file -> JournalError? in
      do throws(SystemError) { try write(bytes, file.descriptor, file.byteCount) } catch {
        // What was written by half would hide what is written later.
        _ = ftruncate(file.descriptor, off_t(file.byteCount))
        return .system(path, error)
      }
      file.byteCount += bytes.count
      if isSynced, fdatasync(file.descriptor) != 0 { return .system(path) }
      return nil
    }
    if let failure { throw failure }
  }

  /// Whether the file should be written anew.
  var isLong: Bool { file.withLock { $0.byteCount > Self.slackBytes + 4 * $0.compactBytes } }

  /// Writes the file anew, so that a crash leaves the old one or the new one.
  func rewrite(_ image: JournalImage) throws(JournalError) {
    let bytes = Self.magic + (try framed(image.records))
    let descriptor = try replaced(by: bytes)
    // Before the folder is synced: whatever that says, this is the file from now on.
    file.withLock { file in
      _ = close(file.descriptor)
      file = File(descriptor: descriptor, byteCount: bytes.count, compactBytes: bytes.count)
    }
    try Self.syncFolder(of: path)
  }

  /// The descriptor of the file that took the place of the one before it.
  private func replaced(by bytes: [UInt8]) throws(JournalError) -> Int32 {
    do throws(FileReplacement.Failure) {
      let new = try FileReplacement(of: path, draft: .fixed)
      do throws(SystemError) { try write(bytes, new.descriptor, 0) } catch {
        throw FileReplacement.Failure(path: path, code: error.code)
      }
      return try new.finishOpen()
    } catch {
      throw JournalError(path: path, reason: error.reason)
    }
  }

  private func framed(_ records: [JournalRecord]) throws(JournalError) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      let content = record.encoded
      guard content.count <= Self.recordBytesMax else {
        throw JournalError(
          path: path,
          reason: "a record of \(content.count) bytes does not fit in; \(Self.recordBytesMax) are the most")
      }
      RecordFrame.append(content, to: &bytes)
    }
    return bytes
  }

  private static func syncFolder(of path: String) throws(JournalError) {
    do throws(FileReplacement.Failure) { try FileReplacement.syncFolder(of: path) } catch {
      throw JournalError(path: path, reason: error.reason)
    }
  }

  @Sendable
  static func writeAll(_ bytes: [UInt8], _ descriptor: Int32, _ offset: Int) throws(SystemError) {
    try Descriptor.writeAll(bytes, to: descriptor, at: offset)
  }

  // MARK: reading

  private static func contents(_ descriptor: Int32, _ path: String) throws(JournalError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .system(path) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// What the bytes say, and how many of them are whole records; what follows those is a torn end.
  private static func read(
    _ bytes: [UInt8], _ path: String
  ) throws(JournalError) -> (image: JournalImage, length: Int) {
    var image = JournalImage()
    if bytes.count < magic.count, magic.starts(with: bytes) { return (image, 0) }
    guard bytes.starts(with: magic) else {
      throw JournalError(path: path, reason: "it is no journal of triggers; move it away to begin anew")
    }
    let (length, fault) = bytes.withUnsafeBytes { buffer -> (Int, String?) in
      var index = magic.count
      while let content = RecordFrame.content(buffer, at: index, recordBytesMax) {
        guard let record = JournalRecord(content) else {
          return (index, "byte \(index) begins what only a newer version of this program can read")
        }
        image.apply(record)
        index += RecordFrame.headBytes + content.count
      }
      return (index, RecordFrame.isTornEnd(buffer, from: index, recordBytesMax) ? nil : damage(at: index))
    }
    if let fault { throw JournalError(path: path, reason: fault) }
    return (image, length)
  }

  private static func damage(at index: Int) -> String {
    "it is damaged at byte \(index), and more follows; put a copy of it back, or move it away, and triggers begin "
      + "with what is committed from then on"
  }
}
