/// What an engine must be: ordered maps of bytes, consistent views, one writer.
///
/// The engine does not know what a document is. Everything above it (history, queries, feed, retention,
/// group commit) is written once, against this contract. Calls are synchronous: an embedded engine never
/// waits, and one that waits for a network is run on threads of its owner.
///
/// Source: docs/design/storage-and-scale.md section 16.
/// Checked by: `Tests/EngineConformanceTests`, which every engine passes.

/// One immutable state of all keyspaces.
///
/// This class is the view of an empty store; engines override its questions. A class and not a protocol,
/// so that whoever reads is not generic over the engine and pays one indirect call.
///
/// INVARIANT: bytes handed out stay valid and unchanged until the closure that was given the view returns;
/// visitors of `scan` may ask the same view for more.
open class StorageView {
  public init() {}

  /// The value of `key`, in place.
  open func get(
    _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? { nil }

  /// Visits the keys of `range` in order, or from its end backwards, until `visit` says stop.
  open func scan(
    _ keyspace: Keyspace, _ range: KeyRange, _ direction: ScanDirection,
    _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
  ) throws(StorageError) {}

  /// A cursor over a keyspace, at no entry yet. It ends with the view.
  open func cursor(_ keyspace: Keyspace) throws(StorageError) -> StorageCursor {
    StorageCursor(scanning: self, keyspace)
  }

  /// What a keyspace takes. Asked with every batch, so it must not walk through the entries.
  open func size(of keyspace: Keyspace) throws(StorageError) -> KeyspaceSize { KeyspaceSize() }

  public final func get(_ keyspace: Keyspace, _ key: [UInt8]) throws(StorageError) -> UnsafeRawBufferPointer?
  {
    // withUnsafeBytes may not outlive the call; the value's bytes belong to the view, not to the key.
    let found = key.withUnsafeBytes { bytes -> Result<UnsafeRawBufferPointer?, StorageError> in
      Result { () throws(StorageError) in try get(keyspace, bytes) }
    }
    return try found.get()
  }
}

extension StorageEngine {
  public var isDurable: Bool { true }

  public var writesElsewhere: Bool { false }

  public var sharing: (any SharedStore)? { nil }

  public func explanation(of error: StorageError) -> String? { nil }

  public func stopWaiting() {}

  public func settle() {}

  public func afterBatch() {}

  func storeError(_ error: StorageError) -> StoreError {
    explanation(of: error).map { .engine(error, message: $0) } ?? .storage(error)
  }
}

/// What an engine can hold.
public struct EngineLimits: Sendable {
  public let keyBytesMax: Int
  public let valueBytesMax: Int

  public init(keyBytesMax: Int, valueBytesMax: Int) {
    self.keyBytesMax = keyBytesMax
    self.valueBytesMax = valueBytesMax
  }
}

public protocol StorageEngine: Sendable {
  var limits: EngineLimits { get }

  /// Whether what is written outlives the process.
  var isDurable: Bool { get }

  /// Whether another process writes, for this one alone: commits of the next batch are read meanwhile, so that the clients of
  /// half a batch are better waited for than all.
  var writesElsewhere: Bool { get }

  /// How other processes that have the store at the same time are followed; nil where there can be none.
  var sharing: (any SharedStore)? { get }

  /// What to tell of an error that the engine has just thrown, where it knows more than the error says.
  func explanation(of error: StorageError) -> String?

  /// Runs `body` on the newest durable state. Never waits for a writer, never sees half of a write.
  /// Reads may nest and run on any number of threads.
  func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R

  /// Runs `plan` on the newest state and then applies the mutations it put into the batch, all or none.
  /// Returns when they are durable.
  ///
  /// One write at a time; a second caller waits. When `plan` throws, nothing is written. `plan` runs once,
  /// its mutations may be applied again when the engine has to make room.
  func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R

  /// The store is about to close: nothing that may never come is waited for any more.
  func stopWaiting()

  /// Who waited for the last writes has been told: the moment for what nobody need wait for. Called by the thread that commits,
  /// not after every write, and also when there was none.
  func afterBatch()

  /// Leaves nothing for whoever opens the store next to put in order. More may be written afterwards, and then there is again.
  func settle()
}
