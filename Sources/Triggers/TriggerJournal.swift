/// Where positions, dead letters and registrations of triggers outlive the process.
///
/// ```
/// journal = "DSTRIG1\n" record*
/// record  = RecordFrame around a JournalRecord
/// ```
///
/// Records are appended; a torn one at the end, which a crash leaves, is cut off. Losing the last records only
/// makes events come again. Damage that whole records follow is no torn end: such a journal is refused and left
/// alone. It is written anew when it has grown to many times what it says.
///
/// State: its length, behind a lock that is held while bytes are written. One runner writes it, from its run loop and from
/// whoever registers, retries or discards, inside `TriggerRunner.writing`.

internal import DocModel
internal import Platform
internal import Synchronization

/// Why the journal cannot be read or written.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, or what else it is.
  public let path: String
  /// What is wrong with it, and what to do where something can be done.
  public let reason: String

  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

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
  /// Bytes that may be appended before the journal is written anew, beside four times what that would take.
  private static let slackBytes = 4 << 20

  private struct Length {
    var byteCount: Int
    /// How long the journal was when it was last written anew.
    var compactBytes: Int
  }

  /// The file, or what else keeps it.
  public var path: String { storage.name }

  private let storage: any JournalStorage
  private let length: Mutex<Length>
  /// What the journal said when it was opened.
  let opened: JournalImage

  /// Opens the journal of a data folder, `triggers.journal`, or begins one. The folder must be locked by this
  /// process: two writers would spoil it.
  public convenience init(folder: String) throws(JournalError) {
    try self.init(JournalFile(path: Self.file(in: folder)))
  }

  convenience init(path: String) throws(JournalError) { try self.init(JournalFile(path: path)) }

  /// Opens what is stored, or begins it. Nobody else may write to it.
  public init(_ storage: any JournalStorage) throws(JournalError) {
    self.storage = storage
    let bytes = try storage.contents()
    let (image, length) = try Self.read(bytes, storage.name)
    if length < bytes.count { try storage.cut(to: length) }
    if length == 0 { try storage.append(Self.magic, at: 0, isSynced: true) }
    opened = image
    let count = max(length, Self.magic.count)
    self.length = Mutex(Length(byteCount: count, compactBytes: count))
  }

  private static func file(in folder: String) -> String { folder + "/triggers.journal" }

  /// The version after which history is needed by the triggers of a data folder; nil when there are none.
  /// For `StoreOptions.historyHeldAfter`, before the store is opened and its folder locked.
  public static func historyNeeded(folder: String) throws(JournalError) -> Int64? {
    guard let bytes = try JournalFile.contents(file(in: folder)) else { return nil }
    return try historyNeeded(bytes, file(in: folder))
  }

  /// The bytes of a folder's journal, to be kept elsewhere; nil where there is none.
  public static func contents(folder: String) throws(JournalError) -> [UInt8]? {
    try JournalFile.contents(file(in: folder))
  }

  /// Makes a folder's journal of bytes that were kept elsewhere.
  public static func make(_ bytes: [UInt8], folder: String) throws(JournalError) {
    try JournalFile(path: file(in: folder)).replace(by: bytes)
  }

  /// The same of what is stored elsewhere.
  public static func historyNeeded(_ storage: any JournalStorage) throws(JournalError) -> Int64? {
    try historyNeeded(try storage.contents(), storage.name)
  }

  private static func historyNeeded(_ bytes: [UInt8], _ name: String) throws(JournalError) -> Int64? {
    try read(bytes, name).image.triggers.values.map(\.earliest).min()
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
    let failure = length.withLock { length -> JournalError? in
      do throws(JournalError) { try storage.append(bytes, at: length.byteCount, isSynced: isSynced) } catch {
        return error
      }
      length.byteCount += bytes.count
      return nil
    }
    if let failure { throw failure }
  }

  /// Whether the journal should be written anew.
  var isLong: Bool { length.withLock { $0.byteCount > Self.slackBytes + 4 * $0.compactBytes } }

  /// Writes the journal anew, so that a crash leaves the old one or the new one.
  func rewrite(_ image: JournalImage) throws(JournalError) {
    let bytes = Self.magic + (try framed(image.records))
    let failure = length.withLock { length -> JournalError? in
      do throws(JournalError) { try storage.replace(by: bytes) } catch { return error }
      length = Length(byteCount: bytes.count, compactBytes: bytes.count)
      return nil
    }
    if let failure { throw failure }
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

  // MARK: reading

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
