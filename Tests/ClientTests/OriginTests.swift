import Testing

@testable import Client

@Suite struct HTTPOriginTests {
  @Test(
    "addresses",
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1", 8_080), ("[::1]:1", "::1", 1), ("localhost:65535", "localhost", 65_535),
      ("a.b-c:0080", "a.b-c", 80),
    ])
  func addresses(text: String, host: String, port: Int) throws {
    #expect(try HTTPOrigin(text) == HTTPOrigin(host: host, port: port))
  }

  @Test(
    "what is no address",
    arguments: [
      "", ":", "a", "a:", ":80", "a:0", "a:65536", "a:+80", "a:-1", "a:http", "a:8 0", "http://a:80",
      "https://a:80",
    ])
  func malformed(text: String) {
    do throws(HTTPOrigin.Malformed) {
      _ = try HTTPOrigin(text)
      Issue.record("taken")
    } catch {
      #expect(error.description.hasPrefix("`\(text)` is no HOST:PORT"))
      #expect(error.description.hasSuffix("without a scheme") == text.contains("://"))
    }
  }
}

/// Source: curl(1), ENVIRONMENT.
@Suite struct HTTPProxyTests {
  private func proxy(_ host: String, _ variables: [String: String]) throws(HTTPFailure) -> String? {
    let proxy = try HTTPProxy.of(host) { variables[$0] }
    return proxy.map { ($0.credentials.map { $0 + "@" } ?? "") + $0.address.authority }
  }

  @Test(
    "the environment names a proxy",
    arguments: [
      ([:], nil), (["https_proxy": ""], nil), (["https_proxy": "http://p:3128"], "p:3128"),
      (["HTTPS_PROXY": "p:3128"], "p:3128"), (["https_proxy": "p"], "p:1080"),
      (["all_proxy": "http://[::1]:9/"], "[::1]:9"), (["ALL_PROXY": "[::1]"], "[::1]:1080"),
      (["all_proxy": "a:1", "https_proxy": "b:2"], "b:2"),
      (["HTTPS_PROXY": "a:1", "https_proxy": "b:2"], "b:2"),
      (["https_proxy": "http://u:p@w@p:1"], "u:p@w@p:1"), (["http_proxy": "p:1"], nil),
      (["https_proxy": "p:1", "no_proxy": "*"], nil), (["https_proxy": "p:1", "no_proxy": "f.example"], nil),
      (["https_proxy": "p:1", "NO_PROXY": "a, .Example,b"], nil),
      (["https_proxy": "p:1", "no_proxy": "ample,xf.example"], "p:1"),
    ] as [([String: String], String?)])
  func named(_ variables: [String: String], _ expected: String?) throws {
    #expect(try proxy("F.example", variables) == expected)
  }

  @Test(
    "proxies of another kind are named as the reason",
    arguments: ["socks5://p:1", "https://p:1", "http://p:x"])
  func others(_ text: String) {
    #expect(throws: HTTPFailure.self) { try proxy("f.example", ["https_proxy": text]) }
  }

  @Test(
    "a proxy's answer opens the way, or says why not",
    arguments: [
      ("HTTP/1.1 407 Authenticate\r\n\r\n", "the proxy opens no way: it answers HTTP/1.1 407 Authenticate"),
      ("hello\r\n\r\n", "the proxy opens no way: it answers hello"),
    ])
  func tunnels(_ answer: String, _ reason: String) async throws {
    let server = try await CannedServer(answer)
    let proxy = try #require(
      try HTTPProxy.of("f.example") { $0 == "https_proxy" ? "u:p@127.0.0.1:\(server.port)" : nil })
    var client = HTTPClient(HTTPOrigin(host: "f.example", port: 444, isSecure: true))
    client.proxy = proxy
    do throws(HTTPFailure) {
      _ = try await client.send(HTTPRequest("GET", "/"))
      Issue.record("answered")
    } catch {
      #expect(error == .unreachable(reason))
    }
    #expect(
      server.seen == [
        "CONNECT f.example:444 HTTP/1.1\r\nHost: f.example:444\r\nProxy-Authorization: Basic dTpw\r\n\r\n"
      ])
    try await server.stop()
  }
}
