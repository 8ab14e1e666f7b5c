/// How a call ends.

/// The status codes of gRPC, with their numbers on the wire.
package enum StatusCode: UInt8, Sendable, CaseIterable {
  case ok, cancelled, unknown, invalidArgument, deadlineExceeded, notFound, alreadyExists,
    permissionDenied
  case resourceExhausted, failedPrecondition, aborted, outOfRange, unimplemented, `internal`,
    unavailable
  case dataLoss, unauthenticated
}

/// A code, and for everything but success a text for the person who reads the client's log.
package struct GRPCStatus: Error, Equatable, Sendable {
  package var code: StatusCode
  package var message: String
  /// An encoded `google.rpc.Status` for `grpc-status-details-bin`; nil for none.
  package var details: [UInt8]?

  package init(_ code: StatusCode, _ message: String = "", details: [UInt8]? = nil) {
    self.code = code
    self.message = message
    self.details = details
  }

  package static let ok = GRPCStatus(.ok)
}

extension StatusCode {
  /// The name in JSON errors. Source: google.rpc.Code.
  package var name: String {
    switch self {
    case .ok: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internal: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}
