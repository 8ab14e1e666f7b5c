/// What may come of a call instead of its answer.

internal import DocModel

package enum ClientFailure: Error, Hashable, Sendable {
  /// The server cannot be asked, or what it answers is not of its protocol; in words for people.
  case connection(String)
  /// The server's own refusal. Codes of gRPC.
  case status(code: Int, message: String)
  /// Whoever waited gave it up.
  case interrupted

  package static let notFound = 5
  package static let permissionDenied = 7
  package static let unavailable = 14

  /// `NOT_FOUND` of a code.
  package static func name(of code: Int) -> String {
    (UInt8(exactly: code).flatMap { StatusCode(rawValue: $0) } ?? .unknown).name
  }
}
