/// Tokens whose signatures are checked.
///
/// What a user's token must say is what the provider tells others to ask of it; what a service account's must, is what its
/// clients put there: who it is twice, and the service or the scope it is for.

internal import Access
internal import DocModel
internal import JSON

extension TokenReader {
  /// What server clients name as the service. Source: google-auth, self-signed JWT of a client without scopes.
  private static let serviceAudience = "https://firestore.googleapis.com/"
  private static let serviceScopes = [
    "https://www.googleapis.com/auth/datastore", "https://www.googleapis.com/auth/cloud-platform",
  ]

  /// Who a token is of, when its signature and all its claims are right.
  func verified(
    _ user: UserToken, _ parts: Parts, _ token: ArraySlice<UInt8>, for project: String, nowSeconds: Int64
  ) throws(GRPCStatus) -> Bearer {
    let header = JSONValue(parts.header)
    let claims = parts.claims
    // What a header says has to be understood must be. Source: RFC 7515, 4.1.11.
    if header["crit"] != nil { throw refusedSignature("The token is refused: its header has a `crit`.") }
    let verdict = token.withUnsafeBufferPointer { token in
      let end = token.lastIndex(of: UInt8(ascii: ".")) ?? token.startIndex
      return keys.verdict(
        algorithm: header["alg"]?.text, key: header["kid"]?.text, issuer: claims.issuer,
        message: UnsafeBufferPointer(rebasing: token[..<end]), signature: parts.signature)
    }
    switch verdict {
    case .pending: throw Self.keysPending
    case .refused(let reason): throw refusedSignature("The token is refused: \(reason).")
    case .serviceAccount:
      try checkTimes(claims, nowSeconds)
      try check(user.validity.with(.any), for: project, nowSeconds: nowSeconds)
      let scopes = (claims.text("scope") ?? "").split(separator: " ").map(String.init)
      guard claims.subject == claims.issuer,
        claims.text("aud") == Self.serviceAudience || scopes.contains(where: Self.serviceScopes.contains)
      else {
        throw refused(
          "A service account's token has itself as `iss` and `sub`, and as `aud` \(Self.serviceAudience) or a `scope` of it."
        )
      }
      return .serviceAccount(user.with(.any))
    case .user:
      try checkTimes(claims, nowSeconds)
      guard user.uid?.isEmpty == false else { throw refused("The token's `sub` names nobody.") }
      guard keys.issuer != nil || keys.audience != nil else {
        try check(user.validity, for: project, nowSeconds: nowSeconds)
        return .user(user)
      }
      try check(user.validity.with(.any), for: project, nowSeconds: nowSeconds)
      let issuer = keys.issuer ?? "https://securetoken.google.com/" + project
      guard claims.issuer == issuer else { throw refused("The token's `iss` is not `\(issuer)`.") }
      guard claims.audiences.contains(keys.audience ?? project) else {
        throw refused("The token's `aud` is not `\(keys.audience ?? project)`.")
      }
      // Where the project stands in for one of them, it is of no other.
      let isOfAll = keys.issuer != nil && keys.audience != nil
      return .user(user.with(isOfAll ? .any : .project(project)))
    }
  }

  /// When it was issued and when it ends: both must be there, and neither lie in the future.
  private func checkTimes(_ claims: TokenClaims, _ nowSeconds: Int64) throws(GRPCStatus) {
    guard claims.expirySeconds != nil, let issued = claims.issuedSeconds, issued > 0 else {
      throw refused("The token lacks `exp` or `iat`.")
    }
    for name in ["iat", "nbf", "auth_time"] as [StaticString] {
      guard let time = claims.seconds(name) else { continue }
      if time > nowSeconds + TokenValidity.expiryGraceSeconds {
        throw refused("The token's `\(name)` is in the future: \(time) seconds since 1970.")
      }
    }
  }

  /// Source: docs/spec/production-differences.md C2, C3.
  private func refusedSignature(_ reason: String) -> GRPCStatus {
    GRPCStatus(.permissionDenied, isExplaining ? "\(DenialText.bare) \(reason)" : DenialText.bare)
  }

  /// Clients try again by themselves.
  static let keysPending = GRPCStatus(
    .unavailable, "the keys that tokens are signed with are being fetched; try again")
}
