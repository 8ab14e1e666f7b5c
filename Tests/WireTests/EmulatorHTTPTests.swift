/// What the port answers beside the service: health, metrics, clearing, rules, coverage, one project.

import Access
import DocModel
import DocStore
import Glibc
import JSON
import Logging
import Rules
import RulesTools
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Wire

/// A whole server on a port of its own.
final class HTTPBench {
  let server: FirestoreServer
  let store: DocumentStore<NaiveEngine>
  let guarded: GuardedStore<NaiveEngine>
  let shutdowns = Metric()
  let log = Recorded()

  final class Recorded: Sendable {
    let lines = Mutex<[String]>([])
  }

  struct Handler: LogHandler {
    let recorded: Recorded
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.filter { $0.key != "ms" }
      let line = "\(event.message) " + values.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      recorded.lines.withLock { $0.append(line) }
    }
  }

  init(
    isCollecting: Bool = false, feed: RequestFeed? = nil,
    _ change: (inout FirestoreServerOptions) -> Void = { _ in }
  ) async throws {
    store = try DocumentStore(engine: NaiveEngine(), environment: .system)
    guarded = GuardedStore(
      store, rulesets: RulesetRegistry(isOpen: true), detail: .official,
      coverage: CoverageCollector(isCollecting: isCollecting), feed: feed)
    var options = FirestoreServerOptions()
    options.server.port = 0
    options.server.eventLoopCount = 1
    options.workerThreadCount = 2
    options.profile = .emulator
    let log = log
    options.logger = Logger(label: "test") { _ in Handler(recorded: log) }
    options.rules.compile = { RulesCompiler.compile(source: $0, name: $1, limitsSource: $2) }
    options.rules.explanation = { ExplainText.text($0, width: $1) }
    options.rules.coveragePage = { CoverageHTML.page([$0], note: $1) }
    change(&options)
    let shutdowns = shutdowns
    server = try await FirestoreServer.start(guarded, options) { shutdowns.add() }
  }

  struct Answer: Equatable {
    let status: Int
    let body: String
    let headers: String
  }

  /// One request on a connection of its own.
  func ask(
    _ method: String, _ path: String, _ body: String = "", host: String = "x", headers: [String] = []
  ) -> Answer {
    let lines =
      [
        "\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close",
        "Content-Length: \(body.utf8.count)",
      ]
      + headers
    let text = Self.converse(server.address.port, lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    guard let end = text.range(of: "\r\n\r\n") else { return Answer(status: 0, body: text, headers: "") }
    let head = String(text[..<end.lowerBound])
    return Answer(
      status: head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0,
      body: String(text[end.upperBound...]), headers: head.lowercased())
  }

  private static func converse(_ port: Int, _ request: String) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { return "not connected" }
    let bytes = Array(request.utf8)
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: received, as: UTF8.self) }
      received += buffer[..<count]
    }
  }

  func set(_ path: String, in database: String = "(default)", project: String = "p") throws {
    try store.commitAndWait(
      DatabaseID(project: project, database: database),
      [Write(ResourcePath(unchecked: path), .update(fields: [], mask: nil))])
  }

  func has(_ path: String, in database: String = "(default)") throws -> Bool {
    try store.read(DatabaseID(project: "p", database: database)) { view throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)) != nil
    }
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<String.Index>? {
    let bytes = Array(utf8)
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return nil }
    for start in 0...(bytes.count - wanted.count) where bytes[start..<start + wanted.count] == wanted[...] {
      let lower = utf8.index(utf8.startIndex, offsetBy: start)
      return lower..<utf8.index(lower, offsetBy: wanted.count)
    }
    return nil
  }
}

@Suite("the port beside the service", .serialized)
struct EmulatorHTTPTests {
  static let root = "/emulator/v1/projects/p/databases/(default)/documents"
  static let verb = "/emulator/v1/projects/p"
  static let alice = "Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."

  static func ruleset(_ condition: String) -> String {
    #"{"rules":{"files":[{"name":"x.rules","content":"rules_version = '2';\nservice cloud.firestore {"#
      + #" match /databases/{d}/documents { match /c/{id} { allow get: if \#(condition); } } }"}]}}"#
  }

  @Test("clearing takes what was named, of one database of one project")
  func clearing() async throws {
    let bench = try await HTTPBench()
    for path in ["c/a", "c/a/s/x", "c/ab", "d/z"] { try bench.set(path) }
    try bench.set("c/a", in: "other")
    try bench.set("c/a", project: "q")
    #expect(bench.ask("DELETE", Self.root + "/c/a") == bench.ask("DELETE", Self.root + "/c/a"))
    #expect(try !bench.has("c/a") && !bench.has("c/a/s/x") && bench.has("c/ab"))
    #expect(bench.ask("DELETE", Self.root + "/c").status == 200)
    #expect(try !bench.has("c/ab") && bench.has("d/z"))
    #expect(bench.ask("DELETE", Self.root).status == 200)
    #expect(try !bench.has("d/z") && bench.has("c/a", in: "other"))
    #expect(try bench.store.databases().contains(DatabaseID(project: "q")))
    await bench.server.stop()
  }

  @Test("a reset takes everything, and brings back what the server began with")
  func reset() async throws {
    let again = Metric()
    let bench = try await HTTPBench { $0.afterReset = { again.add() } }
    try bench.set("c/a")
    try bench.set("c/a", in: "other")
    #expect(bench.ask("POST", "/reset").body == "Resetting...\n")
    #expect(try !bench.has("c/a") && !bench.has("c/a", in: "other"))
    #expect(again.current == 1)
    #expect(bench.ask("POST", "/shutdown").body == "Shutting down...\n")
    // The answer goes out first.
    for _ in 0..<5_000 where bench.shutdowns.current == 0 { usleep(1_000) }
    #expect(bench.shutdowns.current == 1)
    await bench.server.stop()
  }

  @Test("rules are replaced, shown, and refused in the official compiler's words")
  func rules() async throws {
    let bench = try await HTTPBench()
    try bench.set("c/a")
    let get = "/v1/projects/p/databases/(default)/documents/c/a"
    #expect(bench.ask("GET", get).status == 200)
    #expect(
      bench.ask("PUT", Self.verb + ":securityRules", Self.ruleset("request.auth != null")).status == 200)
    #expect(bench.ask("GET", get).status == 403)
    #expect(bench.ask("GET", get, headers: [Self.alice]).status == 200)
    #expect(bench.ask("GET", Self.verb + ":securityRules").body.contains("request.auth != null"))
    let refused = bench.ask("PUT", Self.verb + ":securityRules", Self.ruleset("1 +"))
    #expect(refused.status == 400)
    #expect(refused.body.contains(#""message":"Error compiling rules:\nL2:"#))
    #expect(bench.ask("GET", get).status == 403)
    await bench.server.stop()
  }

  @Test("coverage begins when it is asked for, and counts what was judged since")
  func coverage() async throws {
    let bench = try await HTTPBench()
    try bench.set("c/a")
    #expect(bench.ask("GET", Self.verb + ":ruleCoverage").body.contains("has no rules"))
    _ = bench.ask("PUT", Self.verb + ":securityRules", Self.ruleset("request.auth != null"))
    let get = "/v1/projects/p/databases/(default)/documents/c/a"
    for _ in 0..<3 { _ = bench.ask("GET", get, headers: [Self.alice]) }
    _ = bench.ask("GET", get)
    let report = bench.ask("GET", Self.verb + ":ruleCoverage")
    #expect(report.status == 200)
    #expect(report.headers.contains("content-type: application/json"))
    let json = try JSONReader.read(Array(report.body.utf8))
    guard let entries = json["report"]?.elements, let values = entries.first?["values"]?.elements
    else {
      Issue.record("no report: \(report.body)")
      return
    }
    let counts = values.map { ($0["value"]?["boolValue"], $0["count"]) }
    #expect(counts.contains { $0 == .boolean(true) && $1 == .integer(3) })
    #expect(counts.contains { $0 == .boolean(false) && $1 == .integer(1) })
    guard let files = json["rules"]?["files"]?.elements else {
      Issue.record("no files")
      return
    }
    #expect(files.first?["name"]?.text == "x.rules")
    await bench.server.stop()
  }

  @Test("the coverage page is a page that shows the rules; a database has one of its own")
  func coveragePage() async throws {
    let bench = try await HTTPBench(isCollecting: true)
    let named = "/emulator/v1/projects/p/databases/two"
    _ = bench.ask("PUT", named + ":securityRules", Self.ruleset("1 < 2"))
    let page = bench.ask("GET", named + ":ruleCoverage.html")
    #expect(page.status == 200)
    #expect(page.headers.contains("content-type: text/html"))
    #expect(page.body.contains("x.rules") && page.body.hasSuffix("</html>\n"))
    #expect(bench.ask("GET", Self.verb + ":ruleCoverage.html").body.contains("no rules"))
    await bench.server.stop()
  }

  @Test("new rules begin a new report")
  func newRules() async throws {
    let bench = try await HTTPBench(isCollecting: true)
    try bench.set("c/a")
    let get = "/v1/projects/p/databases/(default)/documents/c/a"
    for condition in ["1 == 1", "2 == 2"] {
      _ = bench.ask("PUT", Self.verb + ":securityRules", Self.ruleset(condition))
      _ = bench.ask("GET", get)
      let body = bench.ask("GET", Self.verb + ":ruleCoverage").body
      #expect(body.contains(condition) && body.contains(#""count":1"#))
    }
    await bench.server.stop()
  }

  @Test("one project is served, others are refused in the official words or told of once")
  func singleProject() async throws {
    let strict = try await HTTPBench { $0.singleProject = SingleProject("p", refusesOthers: true) }
    let other = "/v1/projects/q/databases/(default)/documents/c/a"
    let refused = strict.ask("GET", other, headers: ["Authorization: Bearer owner"])
    #expect(refused.status == 400)
    #expect(
      refused.body.contains(
        "Multiple projectIds are not permitted in single project mode. Requested project ID q, but the emulator "
          + "is configured for p."))
    #expect(strict.ask("DELETE", "/emulator/v1/projects/q/databases/(default)/documents").status == 400)
    #expect(strict.ask("GET", "/emulator/v1/projects/q:ruleCoverage").status == 400)
    #expect(strict.ask("GET", other.replacing("/q/", with: "/p/")).status == 404)
    await strict.server.stop()

    let lenient = try await HTTPBench { $0.singleProject = SingleProject("p", refusesOthers: false) }
    for _ in 0..<3 { #expect(lenient.ask("GET", other).status == 404) }
    let told = lenient.log.lines.withLock { $0.filter { $0.hasPrefix("Multiple projectIds") } }
    #expect(told.count == 1)
    #expect(told.first?.contains("not recommended") == true)
    await lenient.server.stop()
  }

  @Test("health, readiness and metrics")
  func operations() async throws {
    let bench = try await HTTPBench { $0.unreadiness = { "warming up" } }
    try bench.set("c/a")
    #expect(bench.ask("GET", "/healthz").body == "ok\n")
    #expect(bench.ask("GET", "/readyz").status == 503)
    #expect(bench.ask("GET", "/readyz").body == "warming up\n")
    _ = bench.ask("GET", "/v1/projects/p/databases/(default)/documents/c/a")
    _ = bench.ask("GET", "/v1/projects/p/databases/(default)/documents/c/none")
    let metrics = bench.ask("GET", "/metrics")
    #expect(metrics.headers.contains("content-type: text/plain; version=0.0.4"))
    for line in [
      #"docstore_requests_total{method="GetDocument",transport="rest",status="OK"} 1"#,
      #"docstore_requests_total{method="GetDocument",transport="rest",status="NOT_FOUND"} 1"#,
      #"docstore_request_seconds_count{method="GetDocument"} 2"#,
      "docstore_requests_in_progress 1", "docstore_connections 1", "docstore_commits_total 1",
      "docstore_documents_read_total 2",
    ] {
      #expect(metrics.body.split(separator: "\n").contains { $0 == line }, "\(line)")
    }
    await bench.server.stop()
  }

  @Test("each request has a line in the log: method, database, status, user")
  func log() async throws {
    let bench = try await HTTPBench()
    let get = "/v1/projects/p/databases/(default)/documents/c/a"
    for headers in [[], [Self.alice], ["Authorization: Bearer owner"], ["Authorization: Bearer x"]] {
      _ = bench.ask("GET", get, headers: headers)
    }
    _ = bench.ask("GET", "/nothing")
    await bench.server.stop()
    let start =
      "request database=p/(default) error=Document (projects/p/databases/(default)/documents/c/a) not found."
    let end = "method=GetDocument status=NOT_FOUND transport=rest user="
    #expect(
      bench.log.lines.withLock { $0 } == [
        "\(start) \(end)anonymous", "\(start) \(end)alice", "\(start) \(end)admin",
        "request error=invalid jwt method=GetDocument status=INVALID_ARGUMENT transport=rest",
        "request method=Page status=NOT_FOUND transport=http",
      ])
  }

  @Test("connections beyond the limits are closed at once, and counted", arguments: [true, false])
  func tooMany(ofOneClient: Bool) async throws {
    let bench = try await HTTPBench {
      if ofOneClient { $0.server.connectionsPerClientMax = 1 } else { $0.server.connectionsMax = 1 }
    }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(bench.server.address.port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // The server answers connections in order: once this one is refused, the first one counts.
    #expect(bench.ask("GET", "/").status == 0)
    close(descriptor)
    var answer = bench.ask("GET", "/metrics")
    for _ in 0..<1_000 where answer.status == 0 {
      usleep(1_000)
      answer = bench.ask("GET", "/metrics")
    }
    #expect(answer.body.contains("docstore_connections_refused_total "))
    #expect(!answer.body.contains("docstore_connections_refused_total 0"))
    await bench.server.stop()
  }
}
