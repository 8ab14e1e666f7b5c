/// Functions behind HTTPS, and whom to trust. Handshakes with a real server are checked by Scripts/functions.

import Client
import DocModel
import DocStore
import Glibc
import TLS
import TestSupport
import Testing
import Triggers
import YAML

@testable import Functions

@Suite(.timeLimit(.minutes(5))) struct SecureEndpointTests {
  struct Row: Sendable {
    let keys: [String]
    let address: String
    let trust: TLSTrust
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
}
