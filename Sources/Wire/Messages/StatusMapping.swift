/// The one place that says which error is which status, over gRPC and over HTTP.

internal import DocModel
internal import DocStore
internal import Exports

extension GRPCStatus {
  /// A request that asks for something the service refuses.
  init(_ error: InvalidArgument) { self.init(.invalidArgument, error.message) }

  init(_ error: StoreError) {
    self.init(Self.code(of: error), error.message)
    // Source: docs/spec/production-differences.md Q12.
    if case .failedPrecondition(.zeroVector) = error {
      self = with(
        ErrorInfo(reason: "COSINE_DISTANCE_ON_ZERO_VECTOR", domain: ErrorInfo.firestore, metadata: []).detail)
    }
    // Source: docs/spec/production-differences.md L8.
    if case .invalid(let error) = error,
      error.message.hasPrefix("too many index entries for entity /")
    {
      self = with(
        ErrorInfo(reason: "INDEX_ENTRIES_COUNT_LIMIT_EXCEEDED", domain: ErrorInfo.firestore, metadata: [])
          .detail)
    }
  }

  init(_ error: ExportError) {
    switch error.kind {
    case .invalid: self.init(.invalidArgument, error.message)
    case .precondition: self.init(.failedPrecondition, error.message)
    case .unwritable, .store: self.init(.internal, error.message)
    }
  }

  private static func code(of error: StoreError) -> StatusCode {
    switch error {
    case .notFound: .notFound
    case .alreadyExists, .targetExists: .alreadyExists
    case .failedPrecondition: .failedPrecondition
    case .invalid: .invalidArgument
    case .aborted: .aborted
    case .permissionDenied: .permissionDenied
    case .resourceExhausted: .resourceExhausted
    case .storage(let storage), .engine(let storage, _): code(of: storage)
    }
  }

  private static func code(of error: StorageError) -> StatusCode {
    switch error {
    case .conflict: .aborted
    // Not UNAVAILABLE: clients would try again what may have happened.
    case .outcomeUnknown: .unknown
    case .versionCollected: .failedPrecondition
    case .unavailable: .unavailable
    case .corrupt: .dataLoss
    case .full: .resourceExhausted
    }
  }
}

extension StatusCode {
  /// Source: docs/spec/protocol.md 6.4.
  package var httpStatus: Int {
    switch self {
    case .ok: 200
    case .cancelled: 499
    case .unknown, .internal, .dataLoss: 500
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .deadlineExceeded: 504
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .permissionDenied: 403
    case .resourceExhausted: 429
    case .unimplemented: 501
    case .unavailable: 503
    case .unauthenticated: 401
    }
  }
}
