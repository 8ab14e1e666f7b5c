/// Why the store did not do what it was asked, and the words the client reads.
///
/// Texts are the service's own where they are known, because clients match on them.
/// Source: docs/spec/protocol.md 1.10, 4.2; docs/spec/production-differences.md W2, W3, 1.5.

public import DocModel

public enum StoreError: Error, Hashable, Sendable {
  /// A write required a document that is not there.
  case notFound(DocumentName)
  /// A write required that a document is not there.
  case alreadyExists(DocumentName)
  /// A listener asked for a target under a number that another one of its stream has.
  case targetExists(Int32)
  case failedPrecondition(Unmet)
  case invalid(InvalidArgument)
  /// The same request may succeed when tried again.
  case aborted(Conflict)
  /// A judge refused the commit.
  case permissionDenied(message: String)
  case resourceExhausted(message: String)
  case storage(StorageError)
  /// As `storage`, in the engine's own words.
  case engine(StorageError, message: String)

  /// What a precondition found instead.
  public enum Unmet: Hashable, Sendable {
    /// Versions in microseconds; 0 for a document that is not there.
    case version(stored: Int64, required: Int64)
    case readTimeTooOld
    /// A vector without length where an angle is measured.
    case zeroVector
    /// A query that the service would refuse; the text names the index.
    case missingIndex(message: String)
  }

  /// Why an attempt must be made again.
  public enum Conflict: Hashable, Sendable {
    /// Something the transaction had read has changed, or others could only go on without it.
    case contention
    /// Others held on to what a commit changes for too long.
    case tooMuchContention
    /// As the official emulator says both.
    case lockTimeout
    /// The transaction is over.
    case transactionOver
  }

  /// Whether a transaction whose commit is refused so is over; otherwise it is as before, with its locks.
  public var endsTransaction: Bool {
    switch self {
    case .notFound, .alreadyExists, .failedPrecondition, .aborted, .storage, .engine: true
    case .invalid, .permissionDenied, .resourceExhausted, .targetExists: false
    }
  }

  public var message: String {
    switch self {
    case .notFound(let name): "No document to update: \(name.resourceName)"
    case .alreadyExists(let name): "Document already exists: \(name.resourceName)"
    case .targetExists(let id): "Target ID already exists: \(id)"
    case .failedPrecondition(.version(let stored, let required)):
      "the stored version (\(stored)) does not match the required base version (\(required))"
    case .failedPrecondition(.readTimeTooOld): "The requested 'read_time' is too old."
    case .failedPrecondition(.zeroVector): NearestErrors.zeroVector
    case .failedPrecondition(.missingIndex(let message)): message
    case .invalid(let error): error.message
    case .aborted(.contention): TransactionText.contention
    case .aborted(.tooMuchContention): TransactionText.tooMuchContention
    case .aborted(.lockTimeout): TransactionText.lockTimeout
    case .aborted(.transactionOver): TransactionText.over
    case .permissionDenied(let message), .resourceExhausted(let message), .engine(_, let message): message
    case .storage(let error): Self.text(of: error)
    }
  }

  private static func text(of error: StorageError) -> String {
    switch error {
    case .conflict: "another writer was first"
    case .outcomeUnknown: "the outcome of the commit is not known"
    case .versionCollected: "the version is no longer kept"
    case .unavailable: "the storage engine is not available"
    case .corrupt: "a stored record is damaged"
    case .full: "the storage is full"
    }
  }
}

/// An error type that can carry a failure of the store, so that a body which throws its own errors can
/// run inside `DocumentStore.read`.
public protocol StoreFailure: StorageFailure {
  init(store error: StoreError)
}

extension StoreFailure {
  public init(storage error: StorageError) { self.init(store: .storage(error)) }
}

extension StoreError: StoreFailure {
  public init(store error: StoreError) { self = error }
}

/// Texts about transactions and read times. Source: docs/spec/protocol.md 1.10, docs/spec/production-differences.md 1.5.
enum TransactionText {
  static let contention =
    "Aborted due to cross-transaction contention. This occurs when multiple transactions attempt to access "
    + "the same data, requiring Firestore to abort at least one in order to enforce serializability."
  static let tooMuchContention = "Too much contention on these documents. Please try again."
  static let lockTimeout = "Transaction lock timeout."
  static let over = "The referenced transaction has expired or is no longer valid."
  static let malformed = InvalidArgument("Invalid transaction.")
  static let unknown = InvalidArgument("Transaction is invalid or expired.")
  static let malformedRetry = InvalidArgument("Invalid retry transaction.")
  static let readOnly = InvalidArgument("Cannot modify entities in a read-only transaction.")
  static let future = InvalidArgument("The requested 'read_time' cannot be in the future.")
}

extension InvalidArgument {
  /// Of a read time or a version.
  public static let beforeEpoch = InvalidArgument("Only timestamps past epoch are supported.")

  /// A precondition names a version that the document has never had. Clients tell this from a version
  /// that is outdated by the status alone. Source: the official emulator 1.19.9, where the text goes on
  /// with the entity's internal name. Assumed: the service says the document's, as in its other texts.
  static func baseVersionTooNew(_ name: DocumentName) -> InvalidArgument {
    InvalidArgument("Invalid base version, it is greater than the stored version: \(name.resourceName)")
  }
}
