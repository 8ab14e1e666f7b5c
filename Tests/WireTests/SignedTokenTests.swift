/// Tokens whose signatures are checked: who passes, who does not and why, and keys that change.

import Access
import DocModel
import DocStore
import Synchronization
import TestSupport
import Testing

@testable import Wire

@Suite("tokens whose signatures are checked")
struct SignedTokenTests {
  private static let now: Int64 = 1_900_000_000
  private static let account = "server@p.iam.gserviceaccount.com"

  /// Made once: keys take a while.
  private struct Keys {
    let rsa: TestKey
    let curve: TestKey
    let other: TestKey

    var set: String {
      #"{"keys":[{"kid":"r","alg":"RS256","use":"sig",\#(rsa.members)},{"kid":"c",\#(curve.members)}]}"#
    }
  }
  private static let made = Result {
    Keys(rsa: try TestKey(.rsa), curve: try TestKey(.curve), other: try TestKey(.rsa))
  }

  private let keys: Keys
  private let reader: TokenReader

  init() throws {
    keys = try Self.made.get()
    let known = TokenKeys(accounts: [Self.account])
    known.set(try KeySet(Array(keys.set.utf8)))
    known.set(
      try KeySet(Array(#"{"keys":[{"kid":"s",\#(keys.other.members)}]}"#.utf8)), ofAccount: Self.account)
    reader = Self.reader(known)
  }

  private static func reader(_ keys: TokenKeys) -> TokenReader {
    var profile = ServiceProfile.production
    profile.tokenChecks = .jwks
    return TokenReader(profile, AdministratorAccess(takesOwner: false), keys: keys)
  }

  private static func claims(_ changes: [String: String?] = [:]) -> String {
    var claims: [String: String] = [
      "iss": #""https://securetoken.google.com/p""#, "aud": #""p""#, "sub": #""alice""#,
      "iat": "\(now - 60)", "exp": "\(now + 3_600)",
    ]
    for (name, value) in changes { claims[name] = value }
    return "{" + claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
      + "}"
  }

  private func outcome(
    _ token: String, _ reader: TokenReader? = nil, project: String = "p", now: Int64 = now
  ) -> String {
    do {
      switch try (reader ?? self.reader).read(Array("Bearer \(token)".utf8), for: project, nowSeconds: now) {
      case .anonymous: return "anonymous"
      case .administrator: return "administrator"
      case .serviceAccount: return "service account"
      case .user(let user): return "user \(user.uid ?? "-")"
      }
    } catch { return "\(error.code): \(error.message)" }
  }

  @Test("signed with a key of the set, by either algorithm, it is the user's")
  func takesSigned() throws {
    for (key, header) in [
      (keys.rsa, #"{"alg":"RS256","kid":"r","typ":"JWT"}"#), (keys.curve, #"{"alg":"ES256","kid":"c"}"#),
    ] {
      let token = try key.token(header: header, claims: Self.claims())
      #expect(outcome(token) == "user alice")
      #expect(outcome(token, project: "q").contains("issued for project `p`"))
      #expect(outcome(token, now: Self.now + 3_629) == "user alice")
      #expect(outcome(token, now: Self.now + 3_630).contains("expired"))
    }
  }

  @Test(
    "what is not signed by whom is believed is denied",
    arguments: [
      (#"{"alg":"none"}"#, "rsa", "it is not signed"),
      (#"{"kid":"r"}"#, "rsa", "it is not signed"),
      (#"{"alg":"HS256","kid":"r"}"#, "rsa", "it is signed with HS256"),
      (#"{"alg":"RS256"}"#, "rsa", "has no `kid`"),
      (#"{"alg":"RS256","kid":"x"}"#, "rsa", "its key `x` is not among those"),
      (#"{"alg":"RS256","kid":"s"}"#, "other", "its key `s` is not among those"),
      (#"{"alg":"RS256","kid":"r"}"#, "other", "its signature is not that of its key"),
      (#"{"alg":"ES256","kid":"r"}"#, "curve", "its signature is not that of its key"),
      (#"{"alg":"RS256","kid":"c"}"#, "rsa", "its signature is not that of its key"),
      (#"{"alg":"RS256","kid":"r","crit":["b64"],"b64":false}"#, "rsa", "has a `crit`"),
    ])
  func deniesOthers(_ row: (header: String, key: String, told: String)) throws {
    let key = ["rsa": keys.rsa, "curve": keys.curve, "other": keys.other][row.key]
    let said = outcome(try #require(key).token(header: row.header, claims: Self.claims()))
    #expect(
      said.hasPrefix("permissionDenied: Missing or insufficient permissions.") && said.contains(row.told),
      "\(said)")
  }

  @Test("claims that are changed after the signature are denied")
  func deniesChanged() throws {
    let token = try keys.rsa.token(header: #"{"alg":"RS256","kid":"r"}"#, claims: Self.claims())
    var parts = token.split(separator: ".").map(String.init)
    parts[1] = TestKey.urlSafe(Array(Self.claims(["sub": #""bob""#]).utf8))
    #expect(outcome(parts.joined(separator: ".")).contains("its signature is not that of its key"))
    #expect(outcome("owner").hasPrefix("permissionDenied"))
  }

  @Test(
    "claims that are missing or wrong are refused",
    arguments: [
      (["iss": #""https://securetoken.google.com/q""#], "`iss`"),
      (["iss": nil], "lacks `aud` or `iss`"), (["aud": nil], "lacks `aud` or `iss`"),
      (["aud": #""q""#, "iss": #""https://securetoken.google.com/q""#], "issued for project `q`"),
      (["aud": #"["p"]"#], "`iss`"),
      (["exp": nil], "lacks `exp` or `iat`"), (["iat": nil], "lacks `exp` or `iat`"),
      (["iat": "0"], "lacks `exp` or `iat`"), (["exp": #""soon""#], "lacks `exp` or `iat`"),
      (["iat": "1900000031"], "`iat` is in the future"),
      (["auth_time": "1900000031"], "`auth_time` is in the future"),
      (["nbf": "1900000031"], "`nbf` is in the future"),
      (["sub": nil], "names nobody"), (["sub": #""""#], "names nobody"), (["sub": "7"], "names nobody"),
      (["exp": "1899999970"], "expired"),
    ] as [([String: String?], String)])
  func refusesClaims(_ row: ([String: String?], told: String)) throws {
    let token = try keys.rsa.token(header: #"{"alg":"RS256","kid":"r"}"#, claims: Self.claims(row.0))
    let said = outcome(token)
    #expect(said.hasPrefix("unauthenticated: ") && said.contains(row.told), "\(said)")
  }

  @Test("a service account's own token passes by the rules, with its key alone")
  func takesAccounts() throws {
    let own: [String: String?] = ["iss": "\"\(Self.account)\"", "sub": "\"\(Self.account)\""]
    let service = #""https://firestore.googleapis.com/""#
    let rows: [(key: TestKey, kid: String, claims: [String: String?], outcome: String)] = [
      (keys.other, "s", ["aud": service], "service account"),
      (
        keys.other, "s", ["aud": nil, "scope": #""https://www.googleapis.com/auth/datastore""#],
        "service account"
      ),
      (
        keys.other, "s", ["aud": nil, "scope": #""a https://www.googleapis.com/auth/cloud-platform""#],
        "service account"
      ),
      (
        keys.other, "s", ["aud": nil, "scope": #""https://www.googleapis.com/auth/drive""#], "unauthenticated"
      ),
      (keys.other, "s", ["aud": #""https://pubsub.googleapis.com/""#], "unauthenticated"),
      (keys.other, "s", ["aud": service, "sub": #""alice""#], "unauthenticated"),
      (keys.other, "s", ["aud": service, "exp": "1899999970"], "unauthenticated"),
      // Who signs for users may not sign for servers.
      (keys.rsa, "r", ["aud": service], "permissionDenied"),
      (keys.other, "s", ["aud": service, "iss": #""x@p.iam.gserviceaccount.com""#], "permissionDenied"),
    ]
    for row in rows {
      let claims = Self.claims(own.merging(row.claims) { $1 })
      let token = try row.key.token(header: #"{"alg":"RS256","kid":"\#(row.kid)"}"#, claims: claims)
      #expect(outcome(token).hasPrefix(row.outcome), "\(claims): \(outcome(token))")
    }
  }

  @Test("another issuer and another audience take the place of the provider's")
  func takesOtherIssuers() throws {
    func token(_ claims: [String: String?]) throws -> String {
      try keys.rsa.token(header: #"{"alg":"RS256","kid":"r"}"#, claims: Self.claims(claims))
    }
    func reader(_ issuer: String?, _ audience: String?) throws -> TokenReader {
      let known = TokenKeys(issuer: issuer, audience: audience)
      known.set(try KeySet(Array(keys.set.utf8)))
      return Self.reader(known)
    }
    let both = try reader("https://id.example", "app")
    let ours = try token(["iss": #""https://id.example""#, "aud": #"["app","more"]"#])
    #expect(outcome(ours, both, project: "anything") == "user alice")
    #expect(outcome(try token([:]), both).contains("`iss` is not `https://id.example`"))
    #expect(outcome(try token(["iss": #""https://id.example""#]), both).contains("`aud` is not `app`"))
    let issuer = try reader("https://id.example", nil)
    let named = try token(["iss": #""https://id.example""#])
    #expect(outcome(named, issuer) == "user alice")
    #expect(outcome(named, issuer, project: "q").contains("`aud` is not `q`"))
    // What was found out for one project is asked again for another one, also of a token that is kept.
    let header = Authorization(Array("Bearer \(named)".utf8))
    #expect(throws: Never.self) { try issuer.credentials(header, for: "p", nowSeconds: Self.now) }
    #expect(throws: Never.self) { try issuer.credentials(header, for: "p", nowSeconds: Self.now) }
    #expect(throws: GRPCStatus.self) { try issuer.credentials(header, for: "q", nowSeconds: Self.now) }
  }

  @Test("a key that was taken back ends the tokens that were read with it, also those that are kept")
  func followsKeys() throws {
    let known = TokenKeys()
    let reader = Self.reader(known)
    let token = try keys.rsa.token(header: #"{"alg":"RS256","kid":"r"}"#, claims: Self.claims())
    #expect(outcome(token, reader).hasPrefix("unavailable"), "the keys are not there yet")
    known.set(try KeySet(Array(keys.set.utf8)))
    let header = Authorization(Array("Bearer \(token)".utf8))
    for _ in 0..<2 {
      #expect(throws: Never.self) { try reader.credentials(header, for: "p", nowSeconds: Self.now) }
    }
    known.set(try KeySet(Array(#"{"keys":[{"kid":"c",\#(keys.curve.members)}]}"#.utf8)))
    #expect(throws: GRPCStatus.self) { try reader.credentials(header, for: "p", nowSeconds: Self.now) }
  }

  @Test("a token of a key that is not known has the keys asked for, once in a while")
  func asksForKeys() throws {
    let known = TokenKeys()
    let asked = Mutex(0)
    known.whenUnknown { asked.withLock { $0 += 1 } }
    known.set(try KeySet(Array(#"{"keys":[{"kid":"c",\#(keys.curve.members)}]}"#.utf8)))
    let reader = Self.reader(known)
    let token = try keys.rsa.token(header: #"{"alg":"RS256","kid":"r"}"#, claims: Self.claims())
    for _ in 0..<20 {
      #expect(outcome(token, reader).hasPrefix("unavailable"), "the answer may be on its way")
    }
    #expect(asked.withLock { $0 } == 1)
    known.set(try KeySet(Array(keys.set.utf8)))
    #expect(outcome(token, reader) == "user alice")
  }

  @Test(
    "what is no set of keys",
    arguments: [
      ("", "no set of keys"), ("[]", "no set of keys"), (#"{"keys":{}}"#, "no set of keys"),
      (#"{"keys":[]}"#, "has no key"), (#"{"keys":[{"kid":"a","kty":"oct","k":"AAAA"}]}"#, "has no key"),
      (#"{"keys":[{"kid":"a","kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, "has no key"),
      (#"{"keys":[{"kid":"a","kty":"RSA"}]}"#, "has no key"), (#"{"keys":[7]}"#, "has no key"),
    ])
  func refusesSets(_ row: (text: String, told: String)) {
    #expect { try KeySet(Array(row.text.utf8)) } throws: { "\($0)".contains(row.told) }
  }

  @Test("keys for other uses are passed over, and two of one name are refused")
  func readsSets() throws {
    for extra in [#""use":"enc","#, #""alg":"PS256","#] {
      #expect { try KeySet(Array(#"{"keys":[{"kid":"a",\#(extra)\#(keys.rsa.members)}]}"#.utf8)) } throws: {
        "\($0)".contains("no key")
      }
    }
    #expect {
      try KeySet(
        Array(#"{"keys":[{"kid":"a",\#(keys.rsa.members)},{"kid":"a",\#(keys.curve.members)}]}"#.utf8))
    } throws: { "\($0)".contains("two keys `a`") }
  }
}
