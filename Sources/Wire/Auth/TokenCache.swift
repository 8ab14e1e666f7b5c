/// What tokens say, kept: a client sends its token with every request, and reading one costs more than a document and its
/// rules together.

internal import Access
internal import DocModel
internal import JSON
internal import Platform
internal import Rules
internal import Synchronization

/// The bytes by which a header is known: its own, or Huffman's code for them, where the client sends that each time.
struct TokenSpelling: Sendable {
  let bytes: [UInt8]
  let isCoded: Bool

  /// Read again where it is coded.
  var header: [UInt8] { isCoded ? bytes.withUnsafeBytes { HuffmanText.text($0) } ?? [] : bytes }
}

/// The `authorization` header of a request.
package struct Authorization: Sendable {
  private enum Content {
    case known(KnownToken)
    case new(TokenSpelling, header: [UInt8])
  }

  private let content: Content

  package init(_ header: [UInt8]) { self.init(header, TokenSpelling(bytes: header, isCoded: false)) }

  init(_ header: [UInt8], _ spelling: TokenSpelling) { content = .new(spelling, header: header) }

  init(_ token: KnownToken) { content = .known(token) }

  /// What it means, where that is known.
  var known: KnownToken? { if case .known(let token) = content { token } else { nil } }

  var spelling: TokenSpelling {
    switch content {
    case .known(let token): token.spelling
    case .new(let spelling, _): spelling
    }
  }

  /// Its bytes, which few ask for where it is known.
  package var header: [UInt8] {
    switch content {
    case .known(let token): token.spelling.header
    case .new(_, let header): header
    }
  }

  /// Of the header.
  var headerBytes: Int {
    switch content {
    case .known(let token): token.headerBytes
    case .new(_, let header): header.count
    }
  }
}

/// A user's token that was read and accepted, and who asks with it. When it ends, and for whose documents it is, is asked for
/// each request.
final class KnownToken: AuthFacts, @unchecked Sendable {
  let spelling: TokenSpelling
  /// Of the header, which is not kept where it is coded.
  let headerBytes: Int
  let validity: TokenValidity
  /// A service account's.
  let isAdministrators: Bool
  /// `TokenKeys.generation` of the keys that it was read with.
  let keys: Int

  init(_ authorization: Authorization, _ user: UserToken, isAdministrators: Bool, keys: Int) {
    spelling = authorization.spelling
    headerBytes = authorization.headerBytes
    validity = user.validity
    self.isAdministrators = isAdministrators
    self.keys = keys
    super.init(uid: user.uid)
  }

  var credentials: Credentials { isAdministrators ? .admin : .user(self) }

  override func makeClaims() -> [UInt8] { TokenReader.claims(of: spelling.header) }

  /// What it counts for: the spelling, the claims that a rule may ask for, for which base64 makes four bytes of three, and
  /// what surrounds them.
  var byteCount: Int { spelling.bytes.count + headerBytes * 3 / 4 + Self.ownBytes }

  private static let ownBytes = 400
}

/// Tokens by the bytes of their header, or by Huffman's code for it where clients send that (`CodedTokens`), for all connections
/// of a server.
///
/// A token that nobody has asked for since its turn came last goes when there is no room (`KeptTokens`). One goes for one that
/// comes, so that its memory is the next one's: thousands that went at once left the allocator to search for each.
///
/// State and its guard: each part behind its mutex, held to find a token, or to keep one and let go of those that make room.
///
/// INVARIANT: only tokens that were accepted are here; who finds one still asks whether it ended. A checksum names a token
/// only together with its bytes.
package final class TokenCache: Sendable {
  /// LIMIT: bytes of all tokens that are kept, and what surrounds them: some 60,000 of the usual size.
  package static let bytesMax = 64 << 20
  /// No token is shorter: two objects in base64 and two points, behind `Bearer `.
  static let headerBytesMin = 15
  /// LIMIT: bytes of one header that is kept, so that a few strange ones do not fill a part.
  private static let headerBytesMax = 16 << 10
  /// LIMIT: bytes of the first segment that is kept.
  private static let headBytesMax = 1 << 10
  private static let partCount = 16

  private final class Part: Sendable {
    let tokens: Mutex<KeptTokens>

    init(bytesMax: Int) { tokens = Mutex(KeptTokens(bytesMax: bytesMax)) }
  }

  /// How the last token says it was made: most say the same.
  private let head = Mutex<(segment: [UInt8], text: JSONTape)?>(nil)
  private let parts: [Part]

  package init(bytesMax: Int = TokenCache.bytesMax) {
    parts = (0..<Self.partCount).map { _ in Part(bytesMax: max(1, bytesMax / Self.partCount)) }
  }

  /// The token of a header, or of Huffman's code for one; nil for one that is not known.
  func token(_ spelling: UnsafeRawBufferPointer) -> KnownToken? {
    guard spelling.count >= Self.headerBytesMin else { return nil }
    let name = CRC32C.checksum(spelling)
    guard let token = part(name).tokens.withLock({ $0.use(name) }), spelling.holds(token.spelling.bytes)
    else {
      return nil
    }
    return token
  }

  func token(_ spelling: [UInt8]) -> KnownToken? { spelling.withUnsafeBytes { token($0) } }

  func keep(_ token: KnownToken) {
    guard token.headerBytes <= Self.headerBytesMax else { return }
    let name = token.spelling.bytes.withUnsafeBytes { CRC32C.checksum($0) }
    part(name).tokens.withLock { $0.add(token, name) }
  }

  /// The token is not accepted any more.
  func forget(_ token: KnownToken) {
    let name = token.spelling.bytes.withUnsafeBytes { CRC32C.checksum($0) }
    part(name).tokens.withLock { $0.remove(token, name) }
  }

  /// What `read` reads in the first segment of a token, once for all that have the same.
  func head(_ segment: UnsafeRawBufferPointer, _ read: () -> JSONTape?) -> JSONTape? {
    if let last = head.withLock({ $0 }), segment.holds(last.segment) { return last.text }
    let text = read()
    if let text, segment.count <= Self.headBytesMax { head.withLock { $0 = (Array(segment), text) } }
    return text
  }

  private func part(_ name: UInt32) -> Part { parts[Int(name & UInt32(Self.partCount - 1))] }

  /// What is kept, for metrics.
  package var usage: (tokens: Int, bytes: Int) {
    parts.reduce((0, 0)) { sum, part in
      part.tokens.withLock { ($0.count + sum.0, $0.byteCount + sum.1) }
    }
  }
}

/// The last `authorization` header of a connection, so that a client that repeats itself costs a comparison.
struct RepeatedAuthorization {
  private var last: Authorization?

  /// - Parameter tokens: what is known; nil where nobody keeps tokens.
  mutating func take(_ value: UnsafeRawBufferPointer, _ tokens: TokenCache?) -> Authorization {
    if let last, last.known != nil || tokens == nil || value.count < TokenCache.headerBytesMin,
      value.holds(last.spelling.bytes)
    {
      return last
    }
    let header = tokens?.token(value).map(Authorization.init) ?? Authorization(Array(value))
    last = header
    return header
  }
}
