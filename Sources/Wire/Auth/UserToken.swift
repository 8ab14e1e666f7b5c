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

  init(_ claims: FieldsView) {
    refusedFromSeconds = Self.end(claims)
    audience = Self.audience(claims)
  }

  private init(_ refusedFromSeconds: Int64?, _ audience: Audience) {
    self.refusedFromSeconds = refusedFromSeconds
    self.audience = audience
  }

  /// The same, for whom it was found to be when it was read.
  func with(_ audience: Audience) -> TokenValidity { TokenValidity(refusedFromSeconds, audience) }

  private static func audience(_ claims: FieldsView) -> Audience {
    guard let audience = claims.value(named: "aud"), let issuer = claims.value(named: "iss")
    else { return .unsaid }
    guard let project = audience.bytesOfText, let issuer = issuer.bytesOfText,
      issuerPrefix.withUTF8Buffer({ issuer.starts(with: $0) }),
      WireCursor.areEqual(
        UnsafeRawBufferPointer(rebasing: issuer[issuerPrefix.utf8CodeUnitCount...]), project)
    else { return .inconsistent }
    return .project(String(decoding: project, as: UTF8.self))
  }

  private static func end(_ claims: FieldsView) -> Int64? {
    guard let issued = seconds(claims.value(named: "iat")), issued > 0,
      let expiry = seconds(claims.value(named: "exp"))
    else { return nil }
    let (end, overflow) = expiry.addingReportingOverflow(expiryGraceSeconds)
    return overflow ? nil : end
  }

  static func seconds(_ claim: ValueView?) -> Int64? {
    guard let claim else { return nil }
    if claim.kind == .integer { return claim.integer }
    return claim.kind == .double ? Int64(exactly: claim.double.rounded(.down)) : nil
  }
}

/// A user's token.
package struct UserToken: Equatable, Sendable {
  /// `sub`; nil when it is no text. Source: docs/spec/production-differences.md C9 (`user_id` gives no uid).
  package let uid: String?
  /// All claims, in the stored form of a document's fields.
  package let claims: [UInt8]
  package private(set) var validity: TokenValidity

  /// The same, for whom it was found to be when it was read.
  func with(_ audience: TokenValidity.Audience) -> UserToken {
    var token = self
    token.validity = validity.with(audience)
    return token
  }

  /// - Parameter claims: in the stored form.
  init(claims: [UInt8]) {
    self.claims = claims
    (uid, validity) = claims.withUnsafeBytes { bytes in
      let claims = FieldsView(document: bytes)
      let uid = claims.value(named: "sub")?.bytesOfText.map { String(decoding: $0, as: UTF8.self) }
      return (uid, TokenValidity(claims))
    }
  }
}

extension ValueView {
  /// The bytes of a text; nil for everything else.
  var bytesOfText: UnsafeRawBufferPointer? { kind == .string ? string : nil }
}
