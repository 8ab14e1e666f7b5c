/// What tokens say is kept: bounded, by their bytes, and asked for each request whether they are still accepted.

import Access
import DocModel
import JSON
import Rules
import Testing

@testable import Wire

@Suite("kept tokens")
struct TokenCacheTests {
  private static let claims =
    #"{"sub":"a","iat":100,"exp":200,"aud":"p","iss":"https://securetoken.google.com/p"}"#

  private static func header(_ claims: String = claims) -> [UInt8] {
    Array(("Bearer " + TokenReaderTests.token(claims)).utf8)
  }

  private func facts(_ credentials: Credentials) -> AuthFacts? {
    if case .user(let facts) = credentials { facts } else { nil }
  }

  @Test("a token is read once, and refused when it ended or is of another project all the same")
  func readOnce() throws {
    let reader = TokenReader(.production)
    let header = Authorization(Self.header())
    let first = try facts(reader.credentials(header, for: "p", nowSeconds: 150))
    #expect(first != nil)
    #expect(try facts(reader.credentials(header, for: "p", nowSeconds: 151)) === first)
    #expect(throws: GRPCStatus.self) { try reader.credentials(header, for: "q", nowSeconds: 151) }
    #expect(try facts(reader.credentials(header, for: "p", nowSeconds: 152)) === first)
    #expect(reader.cache.usage.tokens == 1)
    #expect(throws: GRPCStatus.self) { try reader.credentials(header, for: "p", nowSeconds: 231) }
    #expect(reader.cache.usage == (0, 0))
  }

  @Test(
    "nothing is kept of what is refused, nor of administrators and of nobody",
    arguments: [
      "Bearer owner", "Bearer ", "Bearer no-token-at-all", "Basic abcdefghijklmnop",
      "Bearer \u{9}abcdefghijklmnop",
      "Bearer " + TokenReaderTests.token(#"{"sub":"a","iat":100,"exp":110}"#),
      "Bearer "
        + TokenReaderTests.token(#"{"sub":"a","iat":1,"aud":"q","iss":"https://securetoken.google.com/q"}"#),
    ])
  func refused(header: String) throws {
    let reader = TokenReader(.production)
    for _ in 0..<2 {
      _ = try? reader.credentials(Authorization(Array(header.utf8)), for: "p", nowSeconds: 150)
    }
    #expect(reader.cache.usage == (0, 0))
    #expect(try facts(reader.credentials(nil, for: "p", nowSeconds: 150)) == nil)
  }

  @Test(
    "a connection that repeats a header finds its token without reading, and another header is another user")
  func connection() throws {
    let reader = TokenReader(.production)
    var last = RepeatedAuthorization()
    func take(_ header: [UInt8]) -> Authorization { header.withUnsafeBytes { last.take($0, reader.cache) } }
    let (alice, bob) = (Self.header(#"{"sub":"alice"}"#), Self.header(#"{"sub":"bob"}"#))
    for (header, uid) in [(alice, "alice"), (alice, "alice"), (bob, "bob"), (alice, "alice"), (bob, "bob")] {
      let authorization = take(header)
      #expect(authorization.header == header)
      let credentials = try reader.credentials(authorization, for: "p", nowSeconds: 150)
      #expect(facts(credentials)?.uidText == uid)
    }
    #expect(take(alice).known != nil && take(bob).known != nil)
    #expect(take(Array("Bearer owner".utf8)).known == nil)
  }

  @Test("what is kept stays within its bytes, and what is used stays")
  func bounds() throws {
    let cache = TokenCache(bytesMax: 256 << 10)
    let reader = TokenReader(.production, cache: cache)
    let used = Self.header(#"{"sub":"used"}"#)
    _ = try reader.credentials(Authorization(used), for: "p", nowSeconds: 150)
    for number in 0..<5_000 {
      _ = try reader.credentials(
        Authorization(Self.header(#"{"sub":"user \#(number)"}"#)), for: "p", nowSeconds: 150)
      #expect(cache.token(used) != nil)
      #expect(cache.usage.bytes <= 256 << 10)
    }
    #expect(cache.usage.tokens > 100)
    #expect(cache.token(Self.header(#"{"sub":"user 0"}"#)) == nil)
    _ = try reader.credentials(
      Authorization(Self.header(#"{"sub":"\#(String(repeating: "x", count: 20_000))"}"#)), for: "p",
      nowSeconds: 150
    )
    #expect(cache.usage.bytes <= 256 << 10)
  }

  @Test("two headers of one checksum are two tokens")
  func checksums() throws {
    var seen: [UInt32: [UInt8]] = [:]
    var found: ([UInt8], [UInt8])?
    var number = 0
    while found == nil {
      number += 1
      let header = Self.header(#"{"sub":"\#(number)"}"#)
      let name = header.withUnsafeBytes { CRC32C.checksum($0) }
      if let other = seen.updateValue(header, forKey: name) { found = (other, header) }
    }
    let (one, other) = try #require(found)
    let reader = TokenReader(.production)
    for _ in 0..<2 {
      let first = try reader.credentials(Authorization(one), for: "p", nowSeconds: 150)
      let second = try reader.credentials(Authorization(other), for: "p", nowSeconds: 150)
      #expect(facts(first)?.uidText != facts(second)?.uidText)
    }
  }

  private static func token(_ bytes: Int) throws -> KnownToken {
    let claims = try #require(TokenClaims(JSONReader.tape(of: Array(#"{"sub":"a"}"#.utf8))))
    return KnownToken(
      Authorization(Array(repeating: 0x61, count: bytes)), UserToken(claims), isAdministrators: false, keys: 0
    )
  }

  @Test("who is asked for stays, and of the others the first goes first, one for one")
  func turns() throws {
    let token = try Self.token(100)
    var tokens = KeptTokens(bytesMax: 10 * token.byteCount)
    for name in 0..<10 { tokens.add(token, UInt32(name)) }
    for name in [0, 3, 4] { #expect(tokens.use(UInt32(name)) != nil) }
    for name in 10..<17 {
      tokens.add(token, UInt32(name))
      #expect(tokens.count == 10)
    }
    #expect([0, 3, 4].allSatisfy { tokens.use($0) != nil })
    #expect([1, 2, 5, 6, 7, 8, 9].allSatisfy { tokens.use($0) == nil })
  }

  @Test("a name finds the token that was kept under it last, and the bytes are those of all that are found")
  func model() throws {
    var (numbers, kept) = (SeededGenerator(seed: 11), [UInt32: KnownToken]())
    var tokens = KeptTokens(bytesMax: 20_000)
    for _ in 0..<20_000 {
      let name = UInt32(Int.random(in: 0..<60, using: &numbers))
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0:
        let token = try Self.token(Int.random(in: 0..<2_000, using: &numbers))
        tokens.add(token, name)
        // Who forgets the one that was there before does not forget this one.
        if let before = kept.updateValue(token, forKey: name) { tokens.remove(before, name) }
        #expect(tokens.use(name) === token)
      case 1: if let token = kept.removeValue(forKey: name) { tokens.remove(token, name) }
      default: if let found = tokens.use(name) { #expect(found === kept[name]) }
      }
      #expect(tokens.byteCount <= 20_000)
    }
    let found = (0..<60).compactMap { tokens.use(UInt32($0)) }
    #expect(found.count == tokens.count && found.count > 8)
    #expect(found.reduce(0) { $0 + $1.byteCount } == tokens.byteCount)
    for (name, token) in kept { tokens.remove(token, name) }
    #expect(tokens.count == 0 && tokens.byteCount == 0)
  }
}
