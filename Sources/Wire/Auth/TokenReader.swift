/// Who asks: the `authorization` header, classified.
///
/// Source: docs/spec/protocol.md section 8, docs/spec/production-differences.md C1 to C9. Signatures are checked where
/// somebody has said whose are believed: local identity providers sign nothing.

package import Access
package import DocModel
internal import DocStore
internal import JSON
internal import Rules

/// What a header says about the caller.
package enum Bearer: Equatable, Sendable {
  /// No token: `request.auth` is null.
  case anonymous
  /// Past the security rules.
  case administrator
  /// Past the security rules until the token expires: one that a service account signed for itself.
  case serviceAccount(UserToken)
  case user(UserToken)
}

package struct TokenReader: Sendable {
  package let checks: TokenChecks
  package let texts: ErrorTexts
  /// Whether a refusal says what is wrong with the token.
  package let isExplaining: Bool

  /// Who counts as an administrator.
  package let access: AdministratorAccess
  /// Tokens that were read before.
  package let cache: TokenCache
  /// Whose signatures are believed, where they are checked.
  let keys: TokenKeys

  package init(
    _ profile: ServiceProfile, _ access: AdministratorAccess = AdministratorAccess(),
    cache: TokenCache = TokenCache(), keys: TokenKeys = TokenKeys()
  ) {
    self.access = access
    self.keys = keys
    self.cache = cache
    checks = profile.tokenChecks
    texts = profile.errorTexts
    isExplaining = profile.denialDetail == .explained
  }

  /// Something that is no JWT. Source: docs/spec/production-differences.md C6.
  var invalidToken: GRPCStatus {
    switch texts {
    case .production: AuthStatus.invalidCredentials
    case .emulator: GRPCStatus(.invalidArgument, "invalid jwt")
    }
  }

  /// Another scheme, or no token behind it. Source: docs/spec/production-differences.md C7.
  var otherScheme: GRPCStatus {
    switch texts {
    case .production: GRPCStatus(.permissionDenied, DenialText.bare)
    case .emulator: GRPCStatus(.invalidArgument, "invalid jwt")
    }
  }

  /// Who calls; a token is read once.
  package func credentials(
    _ authorization: Authorization?, for project: String, nowSeconds: @autoclosure () -> Int64
  ) throws(GRPCStatus) -> Credentials {
    guard let authorization else { return .anonymous }
    guard let token = authorization.known ?? cache.token(authorization.spelling.bytes) else {
      return try readNew(authorization, for: project, nowSeconds: nowSeconds())
    }
    if checks == .off { return token.credentials }
    let now = nowSeconds()
    if token.validity.hasEnded(at: now) { cache.forget(token) }
    if checks == .jwks, token.keys != keys.generation {
      return try readNew(Authorization(token), for: project, nowSeconds: now)
    }
    try check(token.validity, for: project, nowSeconds: now)
    return token.credentials
  }

  private func readNew(
    _ authorization: Authorization, for project: String, nowSeconds: Int64
  ) throws(GRPCStatus) -> Credentials {
    let generation = keys.generation
    let token: KnownToken
    switch try read(authorization.header, for: project, nowSeconds: nowSeconds) {
    case .anonymous: return .anonymous
    case .administrator: return .admin
    case .serviceAccount(let account):
      token = KnownToken(authorization, account, isAdministrators: true, keys: generation)
    case .user(let user): token = KnownToken(authorization, user, isAdministrators: false, keys: generation)
    }
    cache.keep(token)
    return token.credentials
  }

  /// What rules see of a token that was accepted: all claims, in the stored form of a document's fields.
  static func claims(of header: [UInt8]) -> [UInt8] { parts(of: header.dropFirst(7))?.claims.stored ?? [] }

  /// Classifies a header.
  /// - Parameter project: whose documents are asked for.
  package func read(
    _ header: [UInt8]?, for project: String, nowSeconds: Int64
  ) throws(GRPCStatus) -> Bearer {
    guard let header, !header.isEmpty else { return .anonymous }
    guard header.count > 6, Self.isEqualIgnoringCase(header[..<6], "bearer") else { throw otherScheme }
    // The official parser splits at blanks alone and finds no token after a tab.
    if header[6] == 0x09 { return .anonymous }
    guard header[6] == 0x20 else { throw otherScheme }
    let token = header[7...]
    if token.isEmpty { throw otherScheme }
    if access.key?.matches(token) == true { return .administrator }
    if Self.isAdministrators(token) {
      guard access.takesOwner else { throw Self.ownerRefused }
      return .administrator
    }
    guard let parts = Self.parts(of: token, cache) else { throw invalidToken }
    let user = UserToken(parts.claims)
    if checks == .jwks { return try verified(user, parts, token, for: project, nowSeconds: nowSeconds) }
    try check(user.validity, for: project, nowSeconds: nowSeconds)
    guard checks == .claims, Self.isServiceAccounts(parts) else { return .user(user) }
    guard access.takesOwner else { throw Self.ownerRefused }
    return .serviceAccount(user)
  }

  /// Anybody can send these tokens, so they are for servers that only this machine reaches.
  static let ownerRefused = GRPCStatus(
    .permissionDenied,
    "administrators' tokens (`Bearer owner`, `Bearer ya29.…`, a service account's own) are off on a server that other"
      + " machines reach: start it with --allow-owner to accept them, or with --admin-key-file FILE and send its key"
  )

  /// Whether a header holds the key of administrators.
  static func holdsKey(_ header: [UInt8]?, of access: AdministratorAccess) -> Bool {
    guard let key = access.key, let header, header.count > 7, isEqualIgnoringCase(header[..<6], "bearer"),
      header[6] == 0x20
    else { return false }
    return key.matches(header[7...])
  }

  /// Whether a header passes by the security rules, whatever time it is.
  package static func isAdministrator(_ header: [UInt8]?, _ checks: TokenChecks) -> Bool {
    guard let header, header.count > 7, isEqualIgnoringCase(header[..<6], "bearer"), header[6] == 0x20
    else { return false }
    if isAdministrators(header[7...]) { return true }
    guard checks != .off, let parts = parts(of: header[7...]) else { return false }
    return checks == .jwks ? parts.claims.issuesItself : isServiceAccounts(parts)
  }

  private static func isAdministrators(_ token: ArraySlice<UInt8>) -> Bool {
    isEqualIgnoringCase(token, "owner") || isEqualIgnoringCase(token.prefix(5), "ya29.")
  }

  /// Refuses an expired token and one of another project. Asked again for every request, because time goes
  /// on and a connection may serve several projects.
  func check(
    _ token: TokenValidity, for project: String, nowSeconds: Int64
  ) throws(GRPCStatus) {
    if checks == .off { return }
    if let end = token.refusedFromSeconds, nowSeconds >= end {
      throw refused("The token expired at \(end - TokenValidity.expiryGraceSeconds) seconds since 1970.")
    }
    switch token.audience {
    case .any: return
    case .unsaid:
      if checks == .jwks { throw refused("The token lacks `aud` or `iss`.") }
    case .project(let named):
      if named.hasSameBytes(as: project) { return }
      throw refused("The token was issued for project `\(named)`, the request is for `\(project)`.")
    case .inconsistent:
      throw refused("The token's `iss` is not https://securetoken.google.com/ with its `aud` behind it.")
    }
  }

  func refused(_ reason: @autoclosure () -> String) -> GRPCStatus {
    guard isExplaining else { return AuthStatus.notAuthenticated }
    return GRPCStatus(
      .unauthenticated,
      AuthStatus.notAuthenticated.message + " " + reason()
        + (checks == .claims ? " --verify-tokens off accepts it." : ""))
  }

  private static func isEqualIgnoringCase(_ text: ArraySlice<UInt8>, _ lowercase: StaticString)
    -> Bool
  {
    guard text.count == lowercase.utf8CodeUnitCount else { return false }
    return lowercase.withUTF8Buffer { expected in
      zip(text, expected).allSatisfy { byte, expected in
        (byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte) == expected
      }
    }
  }

  /// What a token says of itself.
  struct Parts {
    let header: JSONTape
    let claims: TokenClaims
    let signature: [UInt8]
  }

  /// Checks the structure alone: three segments, the first two base64url of JSON objects.
  private static func parts(of token: ArraySlice<UInt8>, _ cache: TokenCache? = nil) -> Parts? {
    token.withUnsafeBufferPointer { token in
      let point = UInt8(ascii: ".")
      guard let first = token.firstIndex(of: point), let last = token.lastIndex(of: point), first < last,
        let header = head(token[..<first], cache),
        let claims = object(token[(first + 1)..<last]).flatMap(TokenClaims.init),
        let signature = Base64.decodeURLSafe(UnsafeBufferPointer(rebasing: token[(last + 1)...]))
      else { return nil }
      return Parts(header: header, claims: claims, signature: signature)
    }
  }

  /// Whether a server made the token itself, with its account's key, instead of asking for an access token: clients do so
  /// over REST. Only the production service takes it; to the official emulator it is a user's.
  private static func isServiceAccounts(_ token: Parts) -> Bool {
    token.claims.text("scope") != nil && !token.claims.saysAudience && token.claims.issuesItself
      && JSONValue(token.header)["alg"]?.text == "RS256"
  }

  private static func head(
    _ segment: Slice<UnsafeBufferPointer<UInt8>>, _ cache: TokenCache?
  ) -> JSONTape? {
    guard let cache else { return object(segment) }
    return cache.head(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: segment))) { object(segment) }
  }

  private static func object(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> JSONTape? {
    guard !segment.isEmpty, let text = Base64.decodeURLSafe(UnsafeBufferPointer(rebasing: segment)),
      let tape = try? JSONReader.tape(of: text), tape.isObject
    else { return nil }
    return tape
  }
}
