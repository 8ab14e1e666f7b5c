/// Finding all damage of a data folder, and saving what can be read.

internal import DocModel
public import DocStore

/// What a data folder holds, and what is wrong with it.
public struct FolderReport: Sendable {
  public var documentCount = 0
  public var historyCount = 0
  public var databaseCount = 0
  public var pages: [PageFault] = []
  public var records: [RecordDamage] = []
  /// Why the log of commits, which an unclean end left, could not be put into the data.
  public var log: String?

  public var isClean: Bool { pages.isEmpty && records.isEmpty && log == nil }

  /// A line for each damage.
  public var lines: [String] {
    (log.map { [$0] } ?? []) + pages.map(\.description) + records.map(\.description)
  }
}

public enum FolderCheck {
  /// In the order in which entries are understood.
  private static let keyspaces: [Keyspace] = [
    .catalog, .documents, .documentHistory, .changes, .indexEntries, .indexHistory,
  ]

  /// Reads every entry of a folder that nobody writes to. Nothing is changed, but that commits which an unclean end left in the
  /// log are put into the data.
  public static func run(folder: String) throws(LMDBOpenError) -> FolderReport {
    let log = putInOrder(folder)
    let pages = try StoredPages(folder: folder)
    var report = look(pages, StoreInspection())
    report.log = log
    return report
  }

  /// Puts what an unclean end left in the log into the data, unless a process has the folder, which did that when it opened it.
  /// Why that cannot be.
  static func putInOrder(_ folder: String) -> String? {
    do throws(LMDBOpenError) {
      // A log that is being written to is not to be read.
      try FolderLock.check(folder)
      guard try CommitLogRemains(folder: folder) != nil else { return nil }
      _ = try LMDBEngine.durable(folder: folder)
      return nil
    } catch {
      if case .inUse = error { return nil }
      return error.description
    }
  }

  private static func look(_ pages: StoredPages, _ inspection: StoreInspection) -> FolderReport {
    var report = FolderReport()
    report.pages = pages.headFaults
    for keyspace in keyspaces {
      pages.walk(
        keyspace, fault: { if !report.pages.contains($0) { report.pages.append($0) } },
        visit: { key, value in _ = inspection.isSound(keyspace, key, value) })
    }
    report.records = inspection.damages
    report.documentCount = inspection.documentCount
    report.historyCount = inspection.historyCount
    report.databaseCount = inspection.databases.count
    return report
  }

  /// What a repair made.
  public struct Repair: Sendable {
    /// Of the folder that was read.
    public let report: FolderReport
    public let savedDocuments: Int
    public let keepsHistory: Bool
    /// Databases whose names were lost, as they are called now.
    public let renamed: [String]
  }

  /// Writes all that is sound to a new store in `output`. Earlier states are saved when they and what leads to them are
  /// whole; otherwise only documents as they are now.
  public static func repair(folder: String, to output: String) throws(LMDBOpenError) -> Repair {
    let log = putInOrder(folder)
    let pages = try StoredPages(folder: folder)
    let inspection = StoreInspection()
    var report = look(pages, inspection)
    report.log = log
    let keepsHistory = report.isClean
    let engine = try LMDBEngine.durable(folder: output)
    let copy = EntryCopy(engine)
    do {
      for (key, value) in inspection.catalogEntries(keepsHistory: keepsHistory) {
        try copy.put(.catalog, key, value)
      }
      let again = StoreInspection()
      let saved: [Keyspace] =
        keepsHistory ? [.catalog, .documents, .documentHistory, .changes] : [.catalog, .documents]
      for keyspace in saved {
        try pages.walk(
          keyspace, fault: { _ in },
          visit: { key, value in
            guard again.isSound(keyspace, key, value) else { return }
            if keyspace == .catalog, !inspection.isKept(catalogKey: key) { return }
            try copy.put(keyspace, Array(key), Array(value))
          })
      }
      try copy.flush()
      return Repair(
        report: report, savedDocuments: again.documentCount, keepsHistory: keepsHistory,
        renamed: inspection.recoveredDatabases.map { "projects/\($0.project)/databases/\($0.database)" })
    } catch {
      throw .system(folder: output, operation: "write to it", reason: "\(error)")
    }
  }
}

/// Writes entries in batches.
private final class EntryCopy {
  /// LIMIT: bytes of a batch.
  private static let batchBytes = 8 << 20

  private let engine: LMDBEngine
  private let batch = MutationBatch()

  init(_ engine: LMDBEngine) { self.engine = engine }

  func put(_ keyspace: Keyspace, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) {
    batch.put(keyspace, key, value)
    if batch.byteCount > Self.batchBytes { try flush() }
  }

  func flush() throws(StorageError) {
    try engine.write(batch) { (_, _) throws(StorageError) in }
    batch.reset()
  }
}
