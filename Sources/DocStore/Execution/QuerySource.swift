/// What the executor asks of a snapshot.

public import DocModel

/// One immutable state of one database, as queries read it.
///
/// `StoreView` is the real one; tests have one in memory. Documents stay readable as long as the source
/// is; the bytes of a path die when the visitor returns.
public protocol QuerySource {
  /// How a query is run on this source.
  func plan(_ query: NormalizedQuery) throws(StoreError) -> QueryPlan

  /// Notes a query in the transaction that reads, if there is one, before its first document. The source
  /// that is given back notes nothing else of it.
  func noting(_ query: NormalizedQuery) -> (source: Self, note: QueryNote?)

  /// Visits the documents that indexes lead to, in their order; only asked for what `plan` gave. Adds the
  /// index entries read to `entriesRead`.
  func scan(
    _ access: IndexAccess, entriesRead: inout Int,
    _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError)

  /// How many documents an exact access leads to, no more than `limit`, from entries alone.
  func count(_ access: IndexAccess, limit: Int?, entriesRead: inout Int) throws(StoreError) -> Int

  /// Hears of a run that is over.
  func learn(_ query: NormalizedQuery, _ run: QueryRun)

  /// One document; nil when there is none.
  func document(_ path: ResourcePath) throws(StoreError) -> StoredDocument?

  /// Visits a run of one collection in the order of names, in the range's direction, until told to stop.
  /// The visitor gets paths relative to the database's root.
  func scan(
    _ range: NameRange, _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError)

  /// Visits every document of a scope, in any order, until told to stop.
  func scan(
    _ scope: QueryScope, _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError)

  /// Visits documents and phantoms of a run of one collection in ascending order of ids; a phantom has no
  /// document.
  func scanWithMissing(
    _ range: NameRange, _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument?) -> ScanStep
  ) throws(StoreError)
}

/// A source without indexes.
extension QuerySource {
  public func noting(_ query: NormalizedQuery) -> (source: Self, note: QueryNote?) { (self, nil) }

  public func plan(_ query: NormalizedQuery) throws(StoreError) -> QueryPlan { QueryPlanner.plan(query) }

  public func scan(
    _ access: IndexAccess, entriesRead: inout Int,
    _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {}

  public func count(
    _ access: IndexAccess, limit: Int?, entriesRead: inout Int
  ) throws(StoreError) -> Int { 0 }

  public func learn(_ query: NormalizedQuery, _ run: QueryRun) {}
}
