/// What a user's token says, read once.

internal import DocModel
internal import DocStore
internal import JSON

/// A user's token.
package struct UserToken: Equatable, Sendable {
  /// Whose token it is, as far as it says so: a token of an identity provider has both claims.
  package enum Audience: Equatable, Sendable {
    /// `aud` or `iss` is missing.
    case unsaid
    /// Both name this project.
    case project(String)
    /// They do not fit together, or are no texts.
    case inconsistent
  }

  /// `sub`; nil when it is no text. Source: docs/spec/production-differences.md C9 (`user_id` gives no uid).
  package let uid: String?
  /// All claims, in the stored form of a document's fields.
  package let claims: [UInt8]
  /// Seconds since the epoch from which the token is refused; nil when it never is.
  package let refusedFromSeconds: Int64?
  package let audience: Audience

  /// What production grants beyond `exp`. Source: docs/spec/production-differences.md C4.
  static let expiryGraceSeconds: Int64 = 30
  /// What comes before the project in `iss`.
  private static let issuerPrefix = "https://securetoken.google.com/"

  init(_ claims: JSONValue) {
    uid = claims["sub"]?.text
    guard case .map(let fields) = claims.value else {
      self.claims = []
      refusedFromSeconds = nil
      audience = .unsaid
      return
    }
    self.claims = fields.encoded
    refusedFromSeconds = Self.end(claims)
    audience = Self.audience(claims)
  }

  private static func audience(_ claims: JSONValue) -> Audience {
    guard let audience = claims["aud"], let issuer = claims["iss"] else { return .unsaid }
    guard let project = audience.text, let issuer = issuer.text,
      issuer.hasSameBytes(as: issuerPrefix + project)
    else { return .inconsistent }
    return .project(project)
  }

  private static func end(_ claims: JSONValue) -> Int64? {
    guard let issued = seconds(claims["iat"]), issued > 0, let expiry = seconds(claims["exp"])
    else { return nil }
    let (end, overflow) = expiry.addingReportingOverflow(expiryGraceSeconds)
    return overflow ? nil : end
  }

  private static func seconds(_ claim: JSONValue?) -> Int64? {
    claim?.integer ?? claim?.number.flatMap { Int64(exactly: $0.rounded(.down)) }
  }
}
