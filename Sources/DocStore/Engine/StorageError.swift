/// What can go wrong below the documents.

/// Why an engine could not read or write. A case exists because a caller can react to it differently.
public enum StorageError: Error, Hashable, Sendable {
  /// Another writer was first; the same work may succeed when tried again.
  case conflict
  /// The connection died during a commit; it may or may not have happened.
  case outcomeUnknown
  /// The version asked for is no longer kept.
  case versionCollected
  /// The engine cannot serve now: no reader slot, closed, or its server is away.
  case unavailable
  /// A stored record does not match its checksum or its format.
  case corrupt
  /// The disk, the map or a quota is full. Nothing of the refused batch was written.
  case full
}

/// An error type that can carry a failure of the engine, so that a body which throws its own errors can
/// run inside `StorageEngine.read` and `write`.
public protocol StorageFailure: Error {
  init(storage error: StorageError)
}

extension StorageError: StorageFailure {
  public init(storage error: StorageError) { self = error }
}
