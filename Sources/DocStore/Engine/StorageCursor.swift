/// A place in a keyspace that moves.

/// The base is for engines without cursors of their own: every move is a short scan.
///
/// INVARIANT: bytes handed out live as long as those of the view it came from.
open class StorageCursor {
  /// The entry at hand; nil beyond the ends.
  public final var entry: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?

  private let view: StorageView?
  private let keyspace: Keyspace

  /// - Parameter view: what the base scans; nil for subclasses that override every move.
  public init(scanning view: StorageView?, _ keyspace: Keyspace) {
    self.view = view
    self.keyspace = keyspace
  }

  /// To the first key at or above `key`.
  open func seek(atLeast key: [UInt8]) throws(StorageError) {
    try scan(KeyRange(lower: key, upper: nil), .forward)
  }

  /// To the last key below `key`; without one, to the last of all.
  open func seek(below key: [UInt8]?) throws(StorageError) {
    try scan(KeyRange(lower: [], upper: key), .reverse)
  }

  open func next() throws(StorageError) {
    guard let entry else { return }
    try seek(atLeast: Array(entry.key) + [0])
  }

  open func previous() throws(StorageError) {
    guard let entry else { return }
    try seek(below: Array(entry.key))
  }

  private func scan(_ range: KeyRange, _ direction: ScanDirection) throws(StorageError) {
    var found: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?
    try view?.scan(keyspace, range, direction) { key, value in
      found = (key, value)
      return .stop
    }
    entry = found
  }
}
