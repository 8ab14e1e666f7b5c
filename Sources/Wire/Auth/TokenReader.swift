/// Who asks: the `authorization` header, classified.
///
/// Source: spec/protocol.md section 8; expiry: spec/production-differences.md C4. Signatures are not
/// checked: local identity providers sign nothing.

package import Access
internal import DocModel
internal import Rules

/// What a header says about the caller.
package enum Bearer: Equatable, Sendable {
  /// No token: `request.auth` is null.
  case anonymous
  /// Past the security rules.
  case administrator
  case user(UserToken)
}

/// A user's token, read once.
package struct UserToken: Equatable, Sendable {
  /// `sub`; nil when it is no text. Source: spec/production-differences.md C9 (`user_id` gives no uid).
  package let uid: String?
  /// All claims, in the stored form of a document's fields.
  package let claims: [UInt8]
  /// Seconds since the epoch from which the token is refused; nil when it never is.
  package let refusedFromSeconds: Int64?
}

package struct TokenReader: Sendable {
  /// Refuse expired tokens, as production does, unless their `iat` is 0 as in mock tokens.
  package var checksExpiry: Bool
  /// What production grants beyond `exp`. Source: spec/production-differences.md C4.
  static let expiryGraceSeconds: Int64 = 30

  package init(checksExpiry: Bool) { self.checksExpiry = checksExpiry }

  static let invalidToken = GRPCStatus(.invalidArgument, "invalid jwt")
  static let notAuthenticated = GRPCStatus(.unauthenticated, "Missing or invalid authentication.")

  /// Classifies a header.
  package func read(_ header: [UInt8]?, nowSeconds: Int64) throws(GRPCStatus) -> Bearer {
    guard let header, !header.isEmpty else { return .anonymous }
    guard header.count > 6, Self.isEqualIgnoringCase(header[..<6], "bearer") else {
      throw Self.notAuthenticated
    }
    // The official parser splits at blanks alone and finds no token after a tab.
    if header[6] == 0x09 { return .anonymous }
    guard header[6] == 0x20 else { throw Self.notAuthenticated }
    let token = header[7...]
    if token.isEmpty { throw Self.notAuthenticated }
    if Self.isEqualIgnoringCase(token, "owner") { return .administrator }
    if Self.isEqualIgnoringCase(token.prefix(5), "ya29.") { return .administrator }
    let user = try Self.user(token)
    try check(user, nowSeconds: nowSeconds)
    return .user(user)
  }

  /// Refuses an expired token. Asked again for every request, because time goes on.
  func check(_ user: UserToken, nowSeconds: Int64) throws(GRPCStatus) {
    if checksExpiry, let end = user.refusedFromSeconds, nowSeconds >= end {
      throw Self.notAuthenticated
    }
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

  /// Checks the structure alone: three segments, the first two base64url of JSON objects.
  private static func user(_ token: ArraySlice<UInt8>) throws(GRPCStatus) -> UserToken {
    let segments = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard segments.count == 3, object(segments[0]) != nil, let claims = object(segments[1]),
      Base64.decodeURLSafe(segments[2]) != nil
    else { throw invalidToken }
    return UserToken(claims)
  }

  private static func object(_ segment: ArraySlice<UInt8>) -> JSON? {
    guard !segment.isEmpty, let text = Base64.decodeURLSafe(segment),
      let json = try? JSONReader.read(text),
      case .object = json
    else { return nil }
    return json
  }
}

extension UserToken {
  init(_ claims: JSON) {
    uid = claims["sub"]?.text
    guard case .map(let fields) = claims.value else {
      self.claims = []
      refusedFromSeconds = nil
      return
    }
    self.claims = fields.encoded
    refusedFromSeconds = Self.end(claims)
  }

  private static func end(_ claims: JSON) -> Int64? {
    guard let issued = seconds(claims["iat"]), issued > 0, let expiry = seconds(claims["exp"])
    else { return nil }
    let (end, overflow) = expiry.addingReportingOverflow(TokenReader.expiryGraceSeconds)
    return overflow ? nil : end
  }

  private static func seconds(_ claim: JSON?) -> Int64? {
    switch claim {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number.rounded(.down))
    case .null, .boolean, .string, .array, .object, nil: nil
    }
  }
}

extension Bearer {
  /// Who this is to the guard. Made once per token: the claims are copied.
  var credentials: Credentials {
    switch self {
    case .anonymous: .anonymous
    case .administrator: .admin
    case .user(let user): .user(AuthFacts(uid: user.uid, claims: user.claims))
    }
  }

  func check(with reader: TokenReader, nowSeconds: Int64) throws(GRPCStatus) {
    switch self {
    case .anonymous, .administrator: return
    case .user(let user): try reader.check(user, nowSeconds: nowSeconds)
    }
  }
}

/// The last header of a connection and what it meant, so that a client that repeats its token has it
/// read once.
package struct CredentialCache {
  private var header: [UInt8]?
  private var bearer = Bearer.anonymous
  private var credentials = Credentials.anonymous

  package init() {}

  package mutating func read(
    _ header: [UInt8]?, with reader: TokenReader, nowSeconds: () -> Int64
  ) throws(GRPCStatus) -> Credentials {
    guard let header else { return .anonymous }
    if let known = self.header, known == header {
      if reader.checksExpiry { try bearer.check(with: reader, nowSeconds: nowSeconds()) }
      return credentials
    }
    let read = try reader.read(header, nowSeconds: nowSeconds())
    self.header = header
    bearer = read
    credentials = read.credentials
    return credentials
  }
}
