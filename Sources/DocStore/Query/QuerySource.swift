/// What the executor asks of a snapshot.

public import DocModel

/// One immutable state of one database, as queries read it.
///
/// `StoreView` is the real one; tests have one in memory. Documents stay readable as long as the source
/// is; the bytes of a path die when the visitor returns.
public protocol QuerySource {
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
