/// How a store goes about its indexes and commits.

/// Choices made when a store is opened.
public struct StoreOptions: Sendable {
  /// When single-field indexes, and the defined ones, are built.
  public enum IndexBuilding: Hashable, Sendable {
    /// When a query over at least so many documents would have been served by one.
    case onDemand(scannedDocumentsMin: Int)
    /// Never: every query is a scan.
    case never
  }

  public var indexBuilding: IndexBuilding
  /// After so long without a query that reads it an index is retired: commits stop keeping it, until a query wants it
  /// again. Nil keeps indexes for good, as `.never` does, where nothing would build them again.
  public var indexIdleSeconds: Int? = 86_400
  /// Composite indexes of every database that has no list of its own (`DocumentStore.setIndexes`).
  public var indexes: [IndexDefinition]
  /// As `DocumentStore.holdHistory(after:)`, from before anything is collected.
  public var historyHeldAfter: Int64?
  /// LIMIT: bytes that earlier states and the changes that lead to them take. Beyond, the oldest go, however young they
  /// are; what is held stays. A little more is taken while commits come.
  public var historyBytesMax = 256 << 20
  /// Whether `commitAndWait`, and `submit` of an event loop, write on the thread that calls them while the thread that
  /// writes has nothing to do: two changes of threads less for each commit. Judges then run on the caller's stack. Not
  /// for an engine that is durable: the caller would wait for the disk.
  public var commitsOnCaller = false
  /// Whether nothing is written: the engine refuses it, since another process writes to what is read. Commits are
  /// refused, queries are scans (indexes come and go with the other process), and no change is heard of.
  public var isReadOnly = false

  public init(
    indexBuilding: IndexBuilding = .onDemand(scannedDocumentsMin: 1_000), indexes: [IndexDefinition] = []
  ) {
    self.indexBuilding = indexBuilding
    self.indexes = indexes
  }
}
