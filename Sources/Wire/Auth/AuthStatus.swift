/// How production refuses credentials.

internal import DocModel

enum AuthStatus {
  /// A token that was one: expired, or of somebody else. Source: spec/production-differences.md C4, C5.
  static let notAuthenticated = GRPCStatus(.unauthenticated, "Missing or invalid authentication.")

  /// A bearer that is no token at all. Source: spec/production-differences.md C6; the words are those of all
  /// services of the provider.
  static let credentialsMissing = GRPCStatus(
    .unauthenticated,
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or "
      + "other valid authentication credential. See "
      + "https://developers.google.com/identity/sign-in/web/devconsole-project.")
}

/// A machine's reason for a status: `google.rpc.ErrorInfo`.
struct ErrorInfo {
  let reason: String
  let domain: String
  let metadata: [(key: String, value: String)]

  /// - Parameter method: `google.firestore.v1.Firestore/GetDocument`.
  static func credentialsMissing(_ method: String) -> ErrorInfo {
    ErrorInfo(
      reason: "CREDENTIALS_MISSING", domain: "googleapis.com",
      metadata: [
        ("method", String(method.map { $0 == "/" ? "." : $0 })), ("service", "firestore.googleapis.com"),
      ])
  }

  /// The encoded message. Source: google/rpc/error_details.proto.
  private var message: [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: reason)
    writer.field(2, text: domain)
    for entry in metadata {
      writer.message(3) { pair in
        pair.field(1, text: entry.key)
        pair.field(2, text: entry.value)
      }
    }
    return writer.bytes
  }

  /// A `google.rpc.Status` with this as its only detail, for `grpc-status-details-bin`.
  func details(of status: GRPCStatus) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, varint: UInt64(status.code.rawValue))
    writer.field(2, text: status.message)
    writer.message(3) { any in
      any.field(1, text: "type.googleapis.com/google.rpc.ErrorInfo")
      any.field(2, bytes: message)
    }
    return writer.bytes
  }
}
