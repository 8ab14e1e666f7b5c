/// Functions behind HTTPS: whom to trust, and what curl is told and tells. Handshakes with a real server are
/// checked by Scripts/functions.

import DocModel
import DocStore
import Glibc
import TestSupport
import Testing
import Triggers
import YAML

@testable import Curl
@testable import Functions

@Suite(.timeLimit(.minutes(5))) struct SecureEndpointTests {
  struct Row: Sendable {
    let keys: [String]
    let address: String
    let trust: CurlTrust
  }

  private static let folder = TemporaryFolder()

  @Test(
    "an https address has the port of https, and trusts the system unless the file says otherwise",
    arguments: [
      Row(
        keys: ["endpoint: https://f.example/a?b=1"], address: "https://f.example:443/a?b=1", trust: .system),
      Row(keys: ["endpoint: HTTPS://[::1]:9"], address: "https://[::1]:9/", trust: .system),
      Row(keys: ["endpoint: https://x/", "insecure: false"], address: "https://x:443/", trust: .system),
      Row(keys: ["endpoint: https://x/", "insecure: true"], address: "https://x:443/", trust: .anybody),
      Row(
        keys: ["endpoint: https://x/", "ca_file: ca.pem"], address: "https://x:443/",
        trust: .authorities(file: folder.path + "/ca.pem")),
      Row(
        keys: ["endpoint: https://x/", "ca_file: \(folder.path)/ca.pem", "insecure: false"],
        address: "https://x:443/", trust: .authorities(file: folder.path + "/ca.pem")),
    ])
  func reading(_ row: Row) throws {
    try write("no matter what", to: Self.folder.path + "/ca.pem")
    let text =
      "triggers:\n  - name: a\n    event: created\n    document: c/{d}\n"
      + row.keys.map { "    \($0)\n" }.joined()
    let source = YAMLSource(name: Self.folder.path + "/t.yaml", text: text)
    let endpoint = try TriggersFile.read(source, packs: []).endpoints[0]
    #expect(endpoint.address.isSecure && endpoint.address.description == row.address)
    #expect(endpoint.trust == row.trust)
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    #expect(fputs(text, file) >= 0 && fclose(file) == 0)
  }

  @Test(
    "whom to trust cannot be said over the network", arguments: ["\"insecure\":true", "\"ca_file\":\"/x\""])
  func overTheNetwork(_ key: String) async throws {
    try await hosting { _, _, host in
      let admin = Admin(host)
      let body = #"{"event":"created","document":"c/{d}","endpoint":"https://x/"#
      let answer = admin.ask("PUT", "projects/-/triggers/t", body: body + "\"," + key + "}")
      #expect(answer?.status == 400 && answer?.text.contains("only a triggers.yaml") == true)
      #expect(admin.status("PUT", "projects/-/triggers/t", body: body + "\"}") == 200)
    }
  }

  @Test("curl is told everything in its configuration, and to believe nobody else")
  func configuration() {
    var post = CurlPost(
      url: "https://x:1/a\"b", headers: [("ce-id", "1-a"), ("ce-authid", "")], body: [], seconds: 5,
      connectSeconds: 10, trust: .system, isDirect: false)
    let lines = post.configuration.split(separator: "\n")
    for line in [
      #"url = "https://x:1/a\"b""#, #"header = "ce-id: 1-a""#, #"header = "ce-authid;""#, "max-time = 5",
      "connect-timeout = 5", #"proto = "=https""#,
    ] { #expect(lines.contains { $0 == line }, "\(line)") }
    #expect(!lines.contains { $0.hasPrefix("insecure") || $0.hasPrefix("cacert") || $0.hasPrefix("noproxy") })
    post.trust = .authorities(file: "/a b.pem")
    post.isDirect = true
    #expect(post.configuration.contains("\ncacert = \"/a b.pem\"\n"))
    #expect(post.configuration.contains("\nnoproxy = \"*\"\n"))
    post.trust = .anybody
    #expect(post.configuration.contains("\ninsecure\n"))
  }

  @Test(
    "how curl ended tells what went wrong",
    arguments: [
      (60, "curl: (60) SSL certificate problem: no", CurlFailure.untrusted("SSL certificate problem: no")),
      (77, "curl: (77) error setting", .untrusted("error setting")),
      (7, "curl: (7) Failed to connect", .unreachable("Failed to connect")),
      (6, "", .unreachable("curl ended with 6")),
      (28, "curl: (28) Operation timed out after 5000 ms", .timeout),
      (
        28, "curl: (28) Connection timed out after 5000 ms",
        .unreachable("Connection timed out after 5000 ms")
      ),
      (52, "curl: (52) Empty reply", .hungUp), (137, "", .cannotRun("curl was ended by signal 9")),
    ] as [(Int32, String, CurlFailure)])
  func failures(_ status: Int32, _ complaint: String, _ expected: CurlFailure) {
    #expect(CurlPost.failure(status, complaint) == expected)
  }

  @Test(
    "the last answer counts",
    arguments: [
      ("HTTP/1.1 200 OK\r\nx: y\r\n\r\nbody", 200, "body"), ("HTTP/1.1 204\r\n\r\n", 204, ""),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\n\r\nwhy", 503, "why"),
    ])
  func answers(_ text: String, _ status: Int, _ body: String) {
    #expect(CurlPost.answer(Array(text.utf8)) == CurlAnswer(status: status, body: Array(body.utf8)))
  }

  @Test(
    "what is no answer is none",
    arguments: ["", "HTTP/1.1", "HTTP/1.1 200 OK\r\nx: y\r\n", "SSH-2.0 1\r\n\r\n"])
  func noAnswers(_ text: String) { #expect(CurlPost.answer(Array(text.utf8)) == nil) }

  @Test(
    "an https function that is not there is tried again like others, and a run ends without waiting for it")
  func unreachable() async throws {
    let function = try await TestFunction()
    // It speaks no TLS.
    try await hosting { store, runner, host in
      var endpoint = FunctionEndpoint("f", .created, "c/{d}", port: function.port)
      endpoint.address = EndpointAddress(host: "127.0.0.1", port: function.port, target: "/", isSecure: true)
      endpoint.attempts = 2
      try host.register(endpoint, isKept: false)
      try await store.set("c/a", [:])
      #expect(await runner.drain())
      #expect(runner.deadLetters.map(\.attempts) == [2])
      #expect(runner.deadLetters[0].reason.hasPrefix("https://127.0.0.1:\(function.port)/ "))
    }
    #expect(function.requests.isEmpty)
    try await function.stop()
  }

  @Test("a request that is given up ends its curl")
  func cancellation() async throws {
    // Accepts connections and says nothing.
    let silent = try await SilentServer()
    let post = CurlPost(
      url: "https://127.0.0.1:\(silent.port)/", headers: [], body: [1], seconds: 600, connectSeconds: 10,
      trust: .system, isDirect: true)
    let cancellation = CurlCancellation()
    let outcome = Task.detached { Result { try post.send(cancellation) } }
    #expect(try await eventually { silent.connections > 0 })
    cancellation.cancel()
    guard case .failure(let failure as CurlFailure) = await outcome.value else {
      Issue.record("not ended")
      return
    }
    #expect(failure == .cannotRun("curl was ended by signal 9"))
    // Before it begins.
    let early = CurlCancellation()
    early.cancel()
    #expect(throws: CurlFailure.self) { try post.send(early) }
    try await silent.stop()
  }
}
