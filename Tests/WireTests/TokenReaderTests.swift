import Access
import DocModel
import DocStore
import JSON
import Rules
import Testing

@testable import Wire

@Suite("authorization headers")
struct TokenReaderTests {
  /// A token with these texts as header and claims.
  static func token(_ claims: String, header: String = #"{"alg":"none"}"#, signature: String = "")
    -> String
  {
    segment(header) + "." + segment(claims) + "." + signature
  }

  static func segment(_ text: String) -> String {
    String(decoding: Base64.encode(Array(text.utf8), padded: false), as: UTF8.self)
      .replacing("+", with: "-").replacing("/", with: "_")
  }

  static let terse: ServiceProfile = {
    var profile = ServiceProfile.production
    profile.denialDetail = .terse
    return profile
  }()

  func read(
    _ header: String?, _ profile: ServiceProfile = .emulator, project: String = "p", now: Int64 = 0
  ) throws(GRPCStatus) -> Bearer {
    try TokenReader(profile).read(header.map { Array($0.utf8) }, for: project, nowSeconds: now)
  }

  func credentials(_ header: String, _ profile: ServiceProfile = .production) throws(GRPCStatus)
    -> Credentials
  {
    try TokenReader(profile).credentials(Authorization(Array(header.utf8)), for: "p", nowSeconds: 0)
  }

  /// What rules see of a token with these claims, in the stored form.
  func claims(_ text: String) throws -> [UInt8]? {
    guard case .user(let facts?) = try credentials("Bearer " + Self.token(text), .emulator) else {
      return nil
    }
    return Array(facts.claimFields.bytes)
  }

  @Test(
    "no header, and a tab after the scheme, are anonymous",
    arguments: [nil, "Bearer\towner", "Bearer\t"])
  func anonymous(header: String?) throws {
    #expect(try read(header) == .anonymous)
  }

  @Test(
    "owner and access tokens are the administrator in any letter case",
    arguments: [
      "Bearer owner", "bearer OWNER", "BEARER Owner", "Bearer ya29.", "Bearer YA29.abc",
      "bearer ya29.a.b.c",
    ])
  func administrator(header: String) throws {
    #expect(try read(header) == .administrator)
  }

  @Test(
    "tokens without the structure of a JWT are refused",
    arguments: [
      "Bearer x", "Bearer  owner", "Bearer ya29", "Bearer a.b", "Bearer a.b.c.d", "Bearer owner2",
      "Bearer ..",
      "Bearer .e30.", "Bearer e30..", "Bearer e30.W10.", "Bearer W10.e30.", "Bearer IngiCg.e30.",
      "Bearer bnVsbA.e30.", "Bearer e30.eyJ.", "Bearer e30.e30.A", "Bearer e30.e30.AAAAA",
      "Bearer e30.e30.A+A",
      "Bearer e30.e30.A/A", "Bearer e3+.e30.", "Bearer e=30.e30.", "Bearer e30.e30 .",
    ])
  func invalid(header: String) {
    #expect(throws: GRPCStatus(.invalidArgument, "invalid jwt")) { try read(header) }
    #expect {
      try read(header, .production)
    } throws: { error in
      guard let status = error as? GRPCStatus else { return false }
      return status.code == .unauthenticated
        && status.message.hasPrefix("Request had invalid authentication credentials.")
    }
  }

  @Test(
    "production denies other schemes and bare words, the emulator calls them no token",
    arguments: ["Basic dXNlcjpwYXNz", "owner", "Bearer", "Bearer ", "Bearerowner", "Digest x"])
  func otherSchemes(header: String) {
    #expect(throws: GRPCStatus(.permissionDenied, DenialText.bare)) { try read(header, .production) }
    #expect(throws: GRPCStatus(.invalidArgument, "invalid jwt")) { try read(header, .emulator) }
  }

  @Test(
    "accepted: unsigned, signed with anything that decodes, padded, empty claims, blanks, doubled keys",
    arguments: [
      "e30.e30.", "e30.e30.AA", "e30.e30.AAA", "e30.e30.AAAA", "e30=.e30.", "e30====.e30==.",
      "e30.e30.AA==",
      "e30.e30.-_-_", token(#"{"a":1,"a":2}"#), token("{} \n"), token("{}", header: #"{"alg":7}"#),
      token(#"{"exp":1,"aud":"other"}"#),
    ])
  func accepted(token: String) throws {
    guard case .user = try read("Bearer " + token) else {
      Issue.record("not a user")
      return
    }
  }

  @Test(
    "the uid is sub, if it is a text; user_id gives none",
    arguments: [
      (#"{"sub":"alice","user_id":"bob"}"#, "alice"), (#"{"user_id":"bob"}"#, nil), ("{}", nil),
      (#"{"sub":7}"#, nil), (#"{"sub":"a","sub":"b"}"#, "b"),
    ] as [(String, String?)])
  func uid(claims: String, uid: String?) throws {
    guard case .user(let user) = try read("Bearer " + Self.token(claims)) else {
      return #expect(Bool(false))
    }
    #expect(user.uid == uid)
  }

  @Test("claims are the stored form of the token's object")
  func claims() throws {
    let text =
      #"{"role":"editor","n":1,"d":1.5,"ok":true,"none":null,"list":[1,["a"]],"firebase":{"b":1,"a":2}}"#
    #expect(
      try claims(text).map { Fields(encoded: $0) } == [
        "role": .string("editor"), "n": .integer(1), "d": .double(1.5), "ok": .boolean(true),
        "none": .null,
        "list": .array([.integer(1), .array([.string("a")])]),
        "firebase": .map(["a": .integer(2), "b": .integer(1)]),
      ])
  }

  /// Source: the official emulator, `request.auth.token.n is int`.
  @Test(
    "a claim is an integer if its number has no fraction and fits, however it is written",
    arguments: [
      ("1.0", .integer(1)), ("1e3", .integer(1_000)), ("-0.0", .integer(0)), ("-3.0", .integer(-3)),
      ("9007199254740993", .integer(9_007_199_254_740_993)), ("1e18", .integer(1_000_000_000_000_000_000)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("1e300", .double(1e300)),
      ("1.5", .double(1.5)), ("[1.0,2.5]", .array([.integer(1), .double(2.5)])),
    ] as [(String, Value)])
  func numbers(text: String, expected: Value) throws {
    #expect(try claims("{\"n\":\(text)}").map { Fields(encoded: $0) } == ["n": expected])
  }

  static let account = #"{"iss":"a@p","sub":"a@p","scope":"cloud-platform","iat":100,"exp":200}"#

  @Test(
    "a token that a service account signed for itself is an administrator's in production, and no other is",
    arguments: [
      (account, "RS256", true), (account, "none", false), (account, "HS256", false),
      (account.replacing("a@p\",\"scope", with: "b@p\",\"scope"), "RS256", false),
      (account.replacing("scope", with: "scopes"), "RS256", false),
      (account.replacing("\"cloud-platform\"", with: "[]"), "RS256", false),
      (account.replacing("{", with: #"{"aud":"https://firestore.googleapis.com/","#), "RS256", false),
      (#"{"scope":"x","sub":7,"iss":7}"#, "RS256", false), (#"{"scope":"x"}"#, "RS256", false),
    ])
  func serviceAccount(claims: String, algorithm: String, isAdministrator: Bool) throws {
    let header = "Bearer " + Self.token(claims, header: #"{"alg":"\#(algorithm)"}"#, signature: "AAAA")
    #expect(TokenReader.isAdministrator(Array(header.utf8), .claims) == isAdministrator)
    #expect(!TokenReader.isAdministrator(Array(header.utf8), .off))
    guard case .user = try read(header, .emulator) else {
      return #expect(Bool(false), "a user to the emulator")
    }
    // One whose `aud` and `iss` do not fit is refused, as any user's.
    let caller = try? credentials(header)
    #expect(caller?.isAdmin ?? false == isAdministrator)
  }

  @Test(
    "claims are read as rules see them: in the order of their names, whole numbers as integers, of two the last",
    arguments: [
      (#"{"b":1,"a":"x"}"#, ["a": .string("x"), "b": .integer(1)]),
      (#"{"a":1,"a":2}"#, ["a": .integer(2)]),
      (
        #"{"a":1.0,"b":1e3,"c":2.5,"d":-0.0}"#,
        ["a": .integer(1), "b": .integer(1_000), "c": .double(2.5), "d": .integer(0)]
      ),
      (
        #"{"n":null,"t":true,"l":[1,"a",[],{"z":{},"y":false}]}"#,
        [
          "n": .null, "t": .boolean(true),
          "l": .array([
            .integer(1), .string("a"), .array([]), .map(["y": .boolean(false), "z": .map([:])]),
          ]),
        ]
      ),
      (
        #"{"é":"\u00e9","😀":"\ud83d\ude00","":"","ab":"\n"}"#,
        ["é": .string("é"), "😀": .string("😀"), "": .string(""), "ab": .string("\n")]
      ),
    ] as [(String, Fields)])
  func storedClaims(claims: String, fields: Fields) throws {
    #expect(try self.claims(claims) == fields.encoded)
    #expect(try JSONReader.read(Array(claims.utf8)).value == .map(fields))
  }

  @Test("a service account's token ends as a user's does")
  func serviceAccountEnds() throws {
    let header = "Bearer " + Self.token(Self.account, header: #"{"alg":"RS256"}"#, signature: "AAAA")
    let reader = TokenReader(.production)
    let authorization = Authorization(Array(header.utf8))
    #expect(try reader.credentials(authorization, for: "p", nowSeconds: 229).isAdmin)
    #expect(throws: GRPCStatus.self) { try reader.credentials(authorization, for: "p", nowSeconds: 230) }
    #expect(throws: GRPCStatus.self) { try read(header, .production, now: 230) }
  }

  @Test("production refuses a token 30 seconds after exp, but not one issued at 0")
  func expiry() throws {
    let issued = "Bearer " + Self.token(#"{"sub":"a","iat":100,"exp":200}"#)
    let mock = "Bearer " + Self.token(#"{"sub":"a","iat":0,"exp":200}"#)
    #expect(throws: Never.self) { try read(issued, .production, now: 229) }
    #expect(throws: GRPCStatus(.unauthenticated, "Missing or invalid authentication.")) {
      try read(issued, Self.terse, now: 230)
    }
    #expect {
      try read(issued, .production, now: 230)
    } throws: {
      ($0 as? GRPCStatus)?.message.contains("The token expired at 200 seconds since 1970.") == true
    }
    #expect(throws: Never.self) { try read(issued, .emulator, now: 230) }
    #expect(throws: Never.self) { try read(mock, .production, now: 9_999) }
  }

  /// Source: docs/spec/production-differences.md C5.
  @Test(
    "production refuses a token of another project if both audience and issuer are there",
    arguments: [
      (#""aud":"p","iss":"https://securetoken.google.com/p""#, true),
      (#""aud":"q","iss":"https://securetoken.google.com/q""#, false),
      (#""aud":"p","iss":"https://securetoken.google.com/q""#, false),
      (#""aud":"p","iss":"https://accounts.example.com/p""#, false),
      (#""aud":["p"],"iss":"https://securetoken.google.com/p""#, false), (#""aud":"q""#, true),
      (#""iss":"https://securetoken.google.com/q""#, true),
    ])
  func audience(claims: String, isAccepted: Bool) {
    let header = "Bearer " + Self.token("{\"sub\":\"a\",\"iat\":0,\(claims)}")
    if isAccepted {
      #expect(throws: Never.self) { try read(header, .production) }
    } else {
      #expect(throws: GRPCStatus(.unauthenticated, "Missing or invalid authentication.")) {
        try read(header, Self.terse)
      }
    }
    #expect(throws: Never.self) { try read(header, .emulator) }
  }
}
