/// Which requests over HTTP are served: under which names, and for pages from where.

import Access
import DocModel
import Telemetry
import Testing

@testable import Wire

@Suite("the gate of requests")
struct RequestGateTests {
  static func gate(origins: [String] = [], hosts: [String] = []) throws -> RequestGate {
    RequestGate(
      allowedOrigins: try origins.map { try OriginPattern($0) },
      allowedHosts: try hosts.map { try HostPattern($0) },
      machineName: "box.corp.example")
  }

  // MARK: hosts

  @Test(
    "addresses, names of this machine and names without a dot are served",
    arguments: [
      "127.0.0.1", "127.0.0.1:8080", "192.168.1.5:8080", "0.0.0.0:1", "127.1:8080", "8.8.8.8", "[::1]",
      "[::1]:8080", "[2001:DB8::1]:8080", "[fe80::1%eth0]:80", "[::ffff:127.0.0.1]", "localhost",
      "LOCALHOST:8080", "localhost.", "localhost.:8080", "app.localhost:8080", "box", "firestore",
      "firestore:8080",
      "under_score:8080", "Box.Corp.Example:8080", "box.corp.example.", "box.local:8080", "x:",
    ])
  func served(host: String) throws {
    #expect(try Self.gate().refusal(host: host) == nil)
  }

  @Test(
    "other names are refused, and the refusal says how to allow them",
    arguments: [
      "evil.example", "evil.example:8080", "EVIL.example.", "localhost.evil.example",
      "127.0.0.1.evil.example",
      "127.0.0.1.nip.io:8080", "box.evil.example", "corp.example", "notlocalhost.example", "local.host",
      "host.docker.internal", "1.2.3.4.5", "256.1.1.1",
    ])
  func refused(host: String) throws {
    let refusal = try #require(try Self.gate().refusal(host: host))
    #expect(refusal.code == .permissionDenied)
    let name = host.lowercased().split(separator: ":")[0]
    #expect(refusal.message.contains("--allow-host \(name.hasSuffix(".") ? name.dropLast() : name)"))
    #expect(refusal.message.contains("DNS rebinding"))
  }

  @Test(
    "what is no host is refused",
    arguments: [
      "", " ", ":8080", "a b", "evil.example, localhost", "localhost, evil.example", "user@localhost", "a/b",
      "[::1",
      "[::1]x", "[]", "[evil.example]", "::1", "localhost:x", "localhost:99999", "localhost:123456", "a..b",
      ".",
      ".localhost", "é.example", String(repeating: "a", count: 64),
      String(repeating: "a.", count: 200) + "localhost",
      String(repeating: "x", count: 100_000),
    ])
  func noHost(host: String) throws {
    let refusal = try #require(try Self.gate().refusal(host: host))
    #expect(refusal.message.contains("--allow-host NAME"))
    #expect(refusal.message.utf8.count < 600)
  }

  @Test("a request without a host is no browser's")
  func withoutHost() throws {
    #expect(try Self.gate().refusal(host: nil) == nil)
  }

  @Test(
    "names can be allowed: with a port or without, in any case, and all below one",
    arguments: [
      ("db.example", "DB.Example:8080", true), ("db.example:9999", "db.example:8080", true),
      ("DB.example.", "db.example", true), ("db.example", "x.db.example", false),
      ("db.example", "db.example.evil", false), ("*.example", "a.example", true),
      ("*.example", "a.b.example:1", true),
      ("*.svc.cluster.local", "db.svc.cluster.local:8080", true), ("*.example", "evilexample", true),
      ("*.db.example", "db.example", false), ("*.db.example", "evildb.example", false),
      ("*", "evil.example", true),
    ])
  func allowedHosts(pattern: String, host: String, isServed: Bool) throws {
    #expect((try Self.gate(hosts: [pattern]).refusal(host: host) == nil) == isServed)
  }

  @Test(
    "what cannot be a name is no pattern",
    arguments: [
      "", "a b", "https://db.example", "db.example/x", "a.*.example", "**", "*.", "*.127.0.0.1", "::1",
    ])
  func brokenHosts(text: String) {
    #expect(throws: PatternError.self) { try HostPattern(text) }
  }

  // MARK: origins

  static let ours = [
    "http://localhost", "http://localhost:4000", "https://localhost:5173", "http://app.localhost",
    "http://127.0.0.1:4000", "http://127.8.9.10", "https://[::1]:4000", "HTTP://LOCALHOST:80",
    "http://localhost.:3000",
  ]
  static let foreign = [
    "https://evil.example", "http://evil.example:8080", "http://localhost.evil.example",
    "http://127.0.0.1.evil.example", "http://192.168.1.5:4000", "http://0.0.0.0:4000", "http://10.0.0.1",
    "http://[::2]:4000", "http://box", "null", "", "file://", "chrome-extension://abcdef", "ws://localhost",
    "capacitor://localhost", "localhost", "http://", "http://localhost, https://evil.example",
    "http://localhost/x",
    "http://user@localhost", "http://localhost@evil.example", "javascript:localhost",
  ]

  @Test("pages of this machine may administrate, and programs", arguments: ours)
  func administrators(origin: String) throws {
    let gate = try Self.gate()
    #expect(gate.mayAdministrate(origin: origin))
    #expect(gate.mayAdministrate(origin: nil))
  }

  @Test("pages from elsewhere may not", arguments: foreign)
  func foreigners(origin: String) throws {
    #expect(try !Self.gate().mayAdministrate(origin: origin))
    #expect(try Self.gate(origins: ["*"]).mayAdministrate(origin: origin))
  }

  @Test(
    "an origin can be allowed, and none beside it",
    arguments: [
      ("https://app.example", "https://app.example", true),
      ("https://APP.example:443", "https://app.example", true),
      ("http://app.example", "http://app.example:80", true),
      ("https://app.example", "http://app.example", false),
      ("https://app.example", "https://app.example:8443", false),
      ("https://app.example", "https://x.app.example", false),
      ("http://192.168.1.5:4000", "http://192.168.1.5:4000", true), ("null", "null", true),
      ("null", "https://app.example", false), ("https://app.example", "null", false),
      ("file://", "file://", true),
      ("chrome-extension://abcdef", "chrome-extension://abcdef", true),
      ("chrome-extension://abcdef", "chrome-extension://abcdee", false),
    ])
  func allowedOrigins(pattern: String, origin: String, may: Bool) throws {
    #expect(
      try Self.gate(origins: ["https://other.example", pattern]).mayAdministrate(origin: origin) == may)
  }

  @Test(
    "what is no origin is refused with what to write",
    arguments: [
      ("example.com", "write https://example.com or http://example.com"),
      ("localhost:3000", "write https://localhost:3000"),
      ("https://app.example/", "write https://app.example"),
      ("https://app.example/x?y", "write https://app.example"),
      ("https://*.example", "patterns are not taken"),
      ("", "such as https://app.example"), ("https://", "such as https://app.example"),
      ("https://bücher.example", "Punycode"), ("https://a b", "such as https://app.example"),
    ])
  func brokenOrigins(text: String, advice: String) throws {
    let error = #expect(throws: PatternError.self) { try OriginPattern(text) }
    #expect(error?.description.contains(advice) == true, "\(String(describing: error))")
  }

  // MARK: credentials

  static let user = "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."

  @Test(
    "an administrator's token is taken from pages of this machine alone, a user's from any",
    arguments: [
      ("Bearer owner", true), ("bearer OWNER", true), ("Bearer ya29.x", true), ("BEARER YA29.", true),
      (user, false),
      (
        "Bearer "
          + TokenReaderTests.token(TokenReaderTests.account, header: #"{"alg":"RS256"}"#, signature: "AAAA"),
        true
      ),
      ("Bearer owner2", false), ("Bearer ya29", false), ("Bearer", false), ("Bearer ", false),
      ("owner", false),
      ("", false), ("Basic owner", false), ("Bearer\towner", false),
    ])
  func credentials(authorization: String, isAdministrators: Bool) throws {
    let gate = try Self.gate(origins: ["https://app.example"])
    let bytes = Array(authorization.utf8)
    for origin in Self.ours + ["https://app.example"] {
      #expect(gate.refusal(authorization: bytes, origin: origin) == nil)
    }
    #expect(gate.refusal(authorization: bytes, origin: nil) == nil)
    for origin in Self.foreign {
      #expect((gate.refusal(authorization: bytes, origin: origin) != nil) == isAdministrators, "\(origin)")
      #expect(gate.refusal(authorization: nil, origin: origin) == nil)
    }
    // What is refused is what the reader of tokens would have let past the rules.
    let caller = try? TokenReader(.production).credentials(Authorization(bytes), for: "p", nowSeconds: 0)
    #expect(caller?.isAdmin ?? false == isAdministrators)
  }

  @Test("a refusal names the origin to allow")
  func words() throws {
    let gate = try Self.gate()
    let owner = Array("Bearer owner".utf8)
    for (origin, name) in [
      ("https://app.example:443", "https://app.example"), ("null", "null"), ("a, b", "ORIGIN"),
      ("chrome-extension://abc", "chrome-extension://abc"),
    ] {
      let refusal = try #require(gate.refusal(authorization: owner, origin: origin))
      #expect(refusal.code == .permissionDenied && refusal.message.hasSuffix("--allow-origin \(name)"))
    }
  }

  // MARK: requests without an origin

  @Test(
    "what a page of another origin has fetched without naming itself does not reach administrative endpoints",
    arguments: [
      ("GET", [], true), ("POST", [], true), ("GET", ["none"], true), ("GET", ["same-origin"], true),
      ("GET", ["cross-site"], false), ("GET", ["same-site"], false), ("POST", ["cross-site"], false),
      ("GET", ["none", "cross-site"], false), ("GET", ["cross-site", "navigate", "iframe"], false),
      // Who follows a link leaves the page.
      ("GET", ["cross-site", "navigate", "document"], true),
      ("GET", ["same-site", "navigate", "document"], true),
      ("POST", ["cross-site", "navigate", "document"], false),
    ])
  func withoutOrigin(method: String, fetch: [String], isAdmitted: Bool) throws {
    let source = RequestSource(method: method) { name in
      switch name {
      case "sec-fetch-site": fetch.filter { !["navigate", "iframe", "document"].contains($0) }
      case "sec-fetch-mode": fetch.filter { $0 == "navigate" }
      case "sec-fetch-dest": fetch.filter { $0 == "iframe" || $0 == "document" }
      default: []
      }
    }
    #expect((try Self.gate().refusal(administration: source, authorization: nil) == nil) == isAdmitted)
    #expect(try Self.gate(origins: ["*"]).refusal(administration: source, authorization: nil) == nil)
  }
}

/// Who may administrate, and whose tokens pass by the rules.
@Suite("administrators")
struct AdministratorAccessTests {
  static let secret = "0123456789abcdef0123"

  @Test(
    "a key closes administration for everybody else; beyond loopback it is closed without one",
    arguments: [
      (nil, true, nil, true), (nil, true, "Bearer owner", true), (nil, false, nil, false),
      (nil, false, "Bearer owner", false), (secret, true, nil, false), (secret, true, "Bearer owner", false),
      (secret, true, "Bearer " + secret, true), (secret, false, "bearer " + secret, true),
      (secret, true, "Bearer " + secret + "0", false), (secret, true, "Bearer 0123456789abcdef012", false),
      (secret, true, "Basic " + secret, false), (secret, true, secret, false),
    ] as [(String?, Bool, String?, Bool)])
  func administration(key: String?, takesOwner: Bool, header: String?, isAdmitted: Bool) throws {
    let access = AdministratorAccess(key: key.flatMap(AdministratorKey.init), takesOwner: takesOwner)
    let gate = RequestGate(access: access)
    let source = RequestSource(method: "POST") { _ in [] }
    let bytes = header.map { Array($0.utf8) }
    #expect((gate.refusal(administration: source, authorization: bytes) == nil) == isAdmitted)
    let foreign = RequestSource(method: "POST") { $0 == "origin" ? ["https://evil.example"] : [] }
    #expect(gate.refusal(administration: foreign, authorization: bytes) != nil)
    if key != nil, isAdmitted {
      #expect(gate.refusal(authorization: bytes, origin: "https://evil.example") != nil)
    }
  }

  @Test(
    "tokens that anybody can send pass by the rules on loopback alone, or where they are allowed",
    arguments: [
      ("Bearer owner", true, true), ("Bearer owner", false, false), ("Bearer ya29.x", false, false),
      ("Bearer " + secret, false, true), ("Bearer " + secret, true, true),
    ])
  func owner(header: String, takesOwner: Bool, isAdministrator: Bool) throws {
    let access = AdministratorAccess(key: AdministratorKey(Self.secret), takesOwner: takesOwner)
    let reader = TokenReader(.production, access)
    do throws(GRPCStatus) {
      let bearer = try reader.read(Array(header.utf8), for: "p", nowSeconds: 0)
      #expect(isAdministrator && bearer == .administrator)
    } catch {
      #expect(!isAdministrator && error.message.contains("--allow-owner"), "\(error)")
    }
  }

  @Test("which addresses are this machine's alone")
  func loopback() {
    for host in ["127.0.0.1", "localhost", "::1", "[::1]", "127.1.2.3"] {
      #expect(FirestoreServerOptions.isLoopback(host), "\(host)")
    }
    for host in ["0.0.0.0", "::", "192.168.1.5", "box", "db.example"] {
      #expect(!FirestoreServerOptions.isLoopback(host), "\(host)")
    }
  }
}

/// The gate in the server: every endpoint, with what browsers want to be told.
@Suite("requests of browsers", .serialized)
struct BrowserRequestTests {
  static let root = "/v1/projects/p/databases/(default)/documents"
  static let administration = [
    ("DELETE", "/emulator" + root, ""),
    ("PUT", "/emulator/v1/projects/p:securityRules", EmulatorHTTPTests.ruleset("true")),
    ("GET", "/emulator/v1/projects/p:securityRules", ""), ("GET", "/emulator/v1/projects/p:ruleCoverage", ""),
    ("GET", "/emulator/v1/projects/p:requests", ""), ("GET", "/%65mulator/v1/projects/p:securityRules", ""),
    ("GET", "/metrics", ""), ("POST", "/reset", ""),
  ]

  static func bench(_ origins: [String] = [], hosts: [String] = []) async throws -> HTTPBench {
    let origins = try origins.map { try OriginPattern($0) }
    let hosts = try hosts.map { try HostPattern($0) }
    return try await HTTPBench(feed: .init()) {
      $0.allowedOrigins = origins
      $0.allowedHosts = hosts
    }
  }

  @Test("administrative endpoints answer programs and pages of this machine, and tell others why not")
  func administrates() async throws {
    let bench = try await Self.bench(["https://app.example"])
    for (method, path, body) in Self.administration {
      for origin in [nil, "http://localhost:3000", "https://app.example"] {
        let headers = origin.map { ["Origin: \($0)"] } ?? []
        let answer = bench.ask(method, path, body, headers: headers)
        #expect(answer.status == 200, "\(method) \(path) \(headers)")
      }
      for origin in ["https://evil.example", "null", "http://192.168.1.5:4000"] {
        let answer = bench.ask(method, path, body, headers: ["Origin: \(origin)"])
        #expect(answer.status == 403, "\(method) \(path) \(origin)")
        #expect(answer.body.contains(#""status":"PERMISSION_DENIED""#))
        #expect(answer.body.contains("--allow-origin \(origin)"))
        #expect(answer.headers.contains("access-control-allow-origin: \(origin)\r\n"))
      }
      let embedded = bench.ask(method, path, body, headers: ["Sec-Fetch-Site: cross-site"])
      #expect(embedded.status == 403, "\(method) \(path)")
    }
    #expect(bench.ask("POST", "/shutdown", headers: ["Origin: https://evil.example"]).status == 403)
    #expect(bench.shutdowns.current == 0)
    await bench.server.stop()
  }

  @Test("with a user's token or none any page may ask; with an administrator's those of this machine")
  func calls() async throws {
    let bench = try await Self.bench(["https://app.example"])
    try bench.set("c/a")
    let query = #"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#
    for (method, path, body) in [("GET", Self.root + "/c/a", ""), ("POST", Self.root + ":runQuery", query)] {
      for origin in ["http://localhost:3000", "https://app.example", "https://evil.example", "null"] {
        for token in [
          "", "Authorization: Bearer owner", "authorization: bearer ya29.x", EmulatorHTTPTests.alice,
        ] {
          let answer = bench.ask(
            method, path, body, headers: ["Origin: \(origin)"] + (token.isEmpty ? [] : [token]))
          let isForeign = origin == "null" || origin.contains("evil")
          let isAdministrator = token.contains("owner") || token.contains("ya29")
          #expect(answer.status == (isForeign && isAdministrator ? 403 : 200), "\(path) \(origin) \(token)")
          #expect(answer.headers.contains("access-control-allow-origin: \(origin)\r\n"))
          #expect(answer.headers.contains("vary: origin"))
          #expect(answer.headers.contains("access-control-allow-credentials: true"))
        }
      }
    }
    for path in ["/", "/healthz", "/readyz"] {
      #expect(bench.ask("GET", path, headers: ["Origin: https://evil.example"]).status == 200)
    }
    #expect(bench.ask("GET", "/nothing", headers: ["Origin: https://evil.example"]).status == 404)
    await bench.server.stop()
  }

  @Test("a preflight is granted on every path, for ten minutes, also from a private network")
  func preflights() async throws {
    let bench = try await Self.bench()
    let asked = [
      "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type,x-goog-api-client",
      "Access-Control-Request-Private-Network: true",
    ]
    for path in [
      Self.root + ":runQuery", "/emulator/v1/projects/p:securityRules", "/reset", "/nothing", "/",
      "/google.firestore.v1.Firestore/Listen/channel?VER=8",
    ] {
      let answer = bench.ask("OPTIONS", path, headers: ["Origin: https://evil.example"] + asked)
      #expect(answer.status == 200 && answer.body.isEmpty)
      for header in [
        "access-control-allow-origin: https://evil.example", "access-control-allow-credentials: true",
        "access-control-allow-methods: delete,get,head,patch,post,put",
        "access-control-allow-headers: content-type,x-goog-api-client",
        "access-control-allow-private-network: true", "access-control-max-age: 600", "vary: origin",
      ] {
        #expect(answer.headers.contains(header), "\(path) \(header)")
      }
    }
    let plain = bench.ask("OPTIONS", Self.root)
    #expect(plain.status == 200 && !plain.headers.contains("access-control"))
    #expect(!bench.ask("GET", "/", headers: ["Origin: http://x"]).headers.contains("max-age"))
    await bench.server.stop()
  }

  @Test("a body that is too long is refused where the page can read it")
  func longBody() async throws {
    let bench = try await HTTPBench {
      $0.profile = .production
      $0.server.http.bodyBytesMax = 10
    }
    let answer = bench.ask(
      "POST", Self.root + ":commit", "01234567890", headers: ["Origin: https://evil.example"])
    #expect(answer.status == 400 && answer.body.contains("Request payload size exceeds the limit"))
    #expect(answer.headers.contains("access-control-allow-origin: https://evil.example"))
    await bench.server.stop()
  }

  @Test("under a name that is not the server's nothing is answered; gRPC is not asked for one")
  func rebinding() async throws {
    let bench = try await Self.bench(hosts: ["*.svc.cluster.local"])
    for (method, path) in [
      ("GET", "/"), ("GET", Self.root + "/c/a"), ("POST", "/reset"), ("GET", "/metrics"),
    ] {
      for (host, isServed) in [
        ("127.0.0.1:8080", true), ("localhost", true), ("db", true), ("db.svc.cluster.local:80", true),
        ("evil.example", false), ("evil.example:8080", false), ("", false),
      ] {
        let answer = bench.ask(method, path, host: host)
        #expect((answer.status != 403) == isServed, "\(host) \(path)")
        if !isServed {
          #expect(answer.body.contains("--allow-host") && answer.body.contains("PERMISSION_DENIED"))
        }
      }
      #expect(bench.ask(method, path, headers: ["Host: evil.example"]).status == 403)
    }
    await bench.server.stop()
  }
}
