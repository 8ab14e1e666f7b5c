/// What a user's token says, read once.

internal import DocModel
internal import DocStore
internal import JSON

/// How long a token is accepted, and for whose documents.
package struct TokenValidity: Equatable, Sendable {
  /// Whose token it is, as far as it says so: a token of an identity provider has both claims.
  package enum Audience: Equatable, Sendable {
    /// `aud` or `iss` is missing.
    case unsaid
    /// Both name this project.
    case project(String)
    /// They do not fit together, or are no texts.
    case inconsistent
  }

  /// Seconds since the epoch from which the token is refused; nil when it never is.
  package let refusedFromSeconds: Int64?
  package let audience: Audience

  /// What production grants beyond `exp`. Source: docs/spec/production-differences.md C4.
  static let expiryGraceSeconds: Int64 = 30
  /// What comes before the project in `iss`.
  private static let issuerPrefix = "https://securetoken.google.com/"

  func hasEnded(at seconds: Int64) -> Bool { refusedFromSeconds.map { seconds >= $0 } ?? false }

  init(_ claims: JSONValue) {
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

/// A user's token.
package struct UserToken: Equatable, Sendable {
  /// `sub`; nil when it is no text. Source: docs/spec/production-differences.md C9 (`user_id` gives no uid).
  package let uid: String?
  /// All claims, in the stored form of a document's fields.
  package let claims: [UInt8]
  package let validity: TokenValidity

  /// - Parameter claims: an object.
  init(_ claims: JSONValue) {
    uid = claims["sub"]?.text
    validity = TokenValidity(claims)
    self.claims = claims.storedFields ?? []
  }
}
