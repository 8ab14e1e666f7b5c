/// What may come of a call instead of its answer.

package enum ClientFailure: Error, Hashable, Sendable {
  /// The server cannot be asked, or what it answers is not of its protocol; in words for people.
  case connection(String)
  /// The server's own refusal. Codes of gRPC.
  case status(code: Int, message: String)
  /// Whoever waited gave it up.
  case interrupted

  /// Source: grpc/doc/statuscodes.md.
  private static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
    "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  package static let notFound = 5
  package static let permissionDenied = 7
  package static let unavailable = 14

  /// `NOT_FOUND` of a code.
  package static func name(of code: Int) -> String { names.indices.contains(code) ? names[code] : "UNKNOWN" }
}
