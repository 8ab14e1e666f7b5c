/// What an unclean end left in the log of a data folder, and how the folder is put in order.

internal import DocModel
internal import DocStore
internal import Platform

/// The checkpoint that the log leads back to, and the records that follow it.
struct CommitLogRemains {
  private let folder: String
  private let checkpoint: CommitLogSlot
  /// In the order in which they were applied; the bytes of the files that hold them.
  private let pieces: [LogImage]
  /// Of the last record, or of the checkpoint.
  private let last: UInt64
  /// All files of the log, older ones first.
  private let paths: [String]

  /// Nil where the log holds nothing that the data file does not.
  init?(folder: String) throws(LMDBOpenError) {
    var files: [LogImage] = []
    for path in CommitLogFile.paths(folder) {
      if let file = try LogImage(path, folder) { files.append(file) }
    }
    files.sort { $0.slot.generation < $1.slot.generation }
    // A checkpoint that was not finished: the one before it counts, and the records of both.
    guard let first = files.lastIndex(where: { $0.head != nil }), let head = files[first].head else {
      return nil
    }
    self.folder = folder
    checkpoint = head
    var last = head.base
    for file in files[first...] {
      if let damage = file.damage {
        throw .damaged(
          folder: folder, reason: "`\(file.path)` is damaged at byte \(damage), and records of commits follow"
        )
      }
      guard file.slot.base == last || file.records.isEmpty else {
        throw .damaged(
          folder: folder,
          reason: "`\(file.path)` goes on from commit \(file.slot.base), and the log ends with \(last)")
      }
      last += UInt64(file.records.count)
    }
    pieces = Array(files[first...])
    self.last = last
    paths = files.map(\.path)
  }

  var checkpointCommit: UInt64 { checkpoint.base }

  /// Where the records lie, by files.
  var recordPlaces: [(path: String, place: Range<Int>)] {
    pieces.flatMap { piece in piece.records.map { (piece.path, $0) } }
  }

  /// What is to be done with the data file.
  enum Outcome {
    /// It was put back to the checkpoint; the records follow.
    case isAtCheckpoint
    /// It needs nothing of the log.
    case isWhole
  }

  /// Puts the data file back to the checkpoint, if it is this log's.
  ///
  /// Not where another process reads the folder: what it sees must stay as it is, and all that the other one did to the file
  /// is there for as long as anybody has it open.
  func restore() throws(LMDBOpenError) -> Outcome {
    let path = folder + "/data.mdb"
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT {
      throw .damaged(
        folder: folder,
        reason: "`data.mdb` is missing, and its log is there; put it back, or remove `commits.0.log` and "
          + "`commits.1.log` to begin with nothing")
    }
    guard descriptor >= 0 else { throw .system(folder, "open its data.mdb", code: errno) }
    defer { close(descriptor) }
    let heads = (0..<2).compactMap { page in
      PageHeader(PageHeader.read(descriptor, at: page * checkpointPageBytes), page: page)
    }
    guard let newest = heads.map(\.commit).max() else {
      throw .damaged(folder: folder, reason: "`data.mdb` does not say where the data begins")
    }
    // An earlier version of this program has opened the folder, and knows nothing of a log.
    if newest > last + 1 { return .isWhole }
    guard newest >= checkpoint.base else {
      throw .damaged(
        folder: folder,
        reason: "`data.mdb` is of commit \(newest), and its log begins with commit \(checkpoint.base); "
          + "if `data.mdb` was put back from a copy, remove `commits.0.log` and `commits.1.log`")
    }
    if Self.isReadElsewhere(folder) { return .isWhole }
    try write(descriptor)
    return .isAtCheckpoint
  }

  /// Applies the records of a file that was put back, each as one transaction, and has all of it on disk; then the log goes.
  func settle(
    _ outcome: Outcome, _ environment: LMDBEnvironment,
    _ apply: (MutationBatch, _ commit: UInt64) throws(LMDBOpenError) -> Void
  ) throws(LMDBOpenError) {
    // Until all is on disk, whoever comes after the next unclean end begins with the checkpoint again.
    guard let held = HeldState(environment) else {
      throw .system(folder, "read its checkpoint", code: ENOMEM)
    }
    defer { withExtendedLifetime(held) {} }
    switch outcome {
    case .isAtCheckpoint: try replay(apply)
    case .isWhole: break
    }
    let code = environment.sync()
    if code != 0 { throw .library(folder, "write to its disk", code: code) }
    CommitLog.remove(paths)
  }

  private func replay(_ apply: (MutationBatch, UInt64) throws(LMDBOpenError) -> Void) throws(LMDBOpenError) {
    let batch = MutationBatch()
    for piece in pieces {
      for range in piece.records {
        batch.reset()
        let commit = piece.bytes.withUnsafeBytes { bytes -> UInt64? in
          let record = CommitLogRecord(UnsafeRawBufferPointer(rebasing: bytes[range]))
          return record?.fill(batch) == true ? record?.commit : nil
        }
        guard let commit else {
          throw .system(
            folder: folder, operation: "apply what its log of commits holds",
            reason: "only a newer version of this program can read it")
        }
        try apply(batch, commit)
      }
    }
  }

  private var checkpointPageBytes: Int {
    PageHeader(checkpoint.head, page: PageHeader.page(of: checkpoint.base))?.pageBytes ?? LMDBEngine.pageBytes
  }

  /// Both heads lead to the checkpoint; the older one says that it is of the commit before it, as heads do.
  private func write(_ descriptor: Int32) throws(LMDBOpenError) {
    do throws(SystemError) {
      let heads = PageHeaderChecksums(folder: folder)
      var written: [(page: Int, bytes: [UInt8])] = []
      for commit in [checkpoint.base, checkpoint.base &- 1] {
        let page = PageHeader.page(of: commit)
        let bytes = PageHeader.moved(checkpoint.head, to: page, commit: commit)
        try Descriptor.writeAll(bytes, to: descriptor, at: page * checkpointPageBytes)
        written.append((page, bytes))
      }
      if fdatasync(descriptor) != 0 { throw SystemError(code: errno) }
      for head in written { heads?.note(head.page, head.bytes) }
    } catch {
      throw .system(folder, "put its data.mdb in order", code: error.code)
    }
  }

  /// Whether another process has the folder open for reading: the library keeps a lock on its first byte.
  private static func isReadElsewhere(_ folder: String) -> Bool {
    let descriptor = open(folder + "/lock.mdb", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_len = 1
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}

/// A file of the log, read.
private struct LogImage {
  let path: String
  let slot: CommitLogSlot
  /// Nil where its checkpoint was not finished.
  let head: CommitLogSlot?
  let bytes: [UInt8]
  let records: [Range<Int>]
  /// A byte that is no record, and records follow.
  let damage: Int?

  /// LIMIT: files of the log are a few megabytes.
  private static let bytesMax = 1 << 30

  /// Nil for a file that is not there, or was never begun.
  init?(_ path: String, _ folder: String) throws(LMDBOpenError) {
    if FolderWatch.Identity(path: path) == nil { return nil }
    do throws(FileFailure) { bytes = try FileContents.read(path, bytesMax: Self.bytesMax) } catch {
      throw .system(folder: folder, operation: "read `\(path)`", reason: error.reason)
    }
    self.path = path
    let read = bytes.withUnsafeBytes { buffer -> (CommitLogSlot, CommitLogSlot?, [Range<Int>], Int?)? in
      guard let slot = CommitLogSlot(buffer, at: 0) else { return nil }
      let head = CommitLogSlot(buffer, at: CommitLogFile.slotBytes)
      let (records, damage) = Self.records(buffer, slot)
      return (slot, head?.generation == slot.generation ? head : nil, records, damage)
    }
    guard let read else { return nil }
    (slot, head, records, damage) = read
  }

  /// The records of a generation, each of the commit after the one before; and where damage was found.
  private static func records(
    _ buffer: UnsafeRawBufferPointer, _ slot: CommitLogSlot
  ) -> ([Range<Int>], Int?) {
    var records: [Range<Int>] = []
    var index = CommitLogFile.recordsOffset
    func isOfThisLife(_ content: UnsafeRawBufferPointer) -> Bool {
      CommitLogRecord(content)?.generation == slot.generation
    }
    while let content = RecordFrame.content(buffer, at: index, CommitLogFile.recordBytesMax),
      let record = CommitLogRecord(content), record.generation == slot.generation,
      record.commit == slot.base + UInt64(records.count) + 1
    {
      let start = index + RecordFrame.headBytes
      index = start + content.count
      records.append(start..<index)
    }
    if index >= buffer.count { return (records, nil) }
    // Each record was on disk before the next one was written.
    let isTorn = RecordFrame.isTornEnd(
      buffer, from: index, CommitLogFile.recordBytesMax, hasHoles: false, counts: isOfThisLife)
    return (records, isTorn ? nil : index)
  }
}
