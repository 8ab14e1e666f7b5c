/// What a user's token says, read once.

internal import DocModel

/// How long a token is accepted, and for whose documents.
package struct TokenValidity: Equatable, Sendable {
  /// Whose token it is, as far as it says so: a token of an identity provider has both claims.
  package enum Audience: Equatable, Sendable {
    /// Anybody's: it was found to be right when the token was read.
    case any
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
  private static let issuerPrefix: StaticString = "https://securetoken.google.com/"

  func hasEnded(at seconds: Int64) -> Bool { refusedFromSeconds.map { seconds >= $0 } ?? false }

  init(_ claims: TokenClaims) {
    refusedFromSeconds = Self.end(claims)
    audience = Self.audience(claims)
  }

  private init(_ refusedFromSeconds: Int64?, _ audience: Audience) {
    self.refusedFromSeconds = refusedFromSeconds
    self.audience = audience
  }

  /// The same, for whom it was found to be when it was read.
  func with(_ audience: Audience) -> TokenValidity { TokenValidity(refusedFromSeconds, audience) }

  private static func audience(_ claims: TokenClaims) -> Audience {
    guard claims.saysAudience, claims.saysIssuer else { return .unsaid }
    return claims.project(behind: issuerPrefix).map { .project($0) } ?? .inconsistent
  }

  private static func end(_ claims: TokenClaims) -> Int64? {
    guard let issued = claims.issuedSeconds, issued > 0, let expiry = claims.expirySeconds else {
      return nil
    }
    let (end, overflow) = expiry.addingReportingOverflow(expiryGraceSeconds)
    return overflow ? nil : end
  }
}

/// A user's token.
package struct UserToken: Equatable, Sendable {
  /// `sub`; nil when it is no text. Source: docs/spec/production-differences.md C9 (`user_id` gives no uid).
  package let uid: String?
  package private(set) var validity: TokenValidity

  /// The same, for whom it was found to be when it was read.
  func with(_ audience: TokenValidity.Audience) -> UserToken {
    var token = self
    token.validity = validity.with(audience)
    return token
  }

  init(_ claims: TokenClaims) {
    uid = claims.subject
    validity = TokenValidity(claims)
  }
}
