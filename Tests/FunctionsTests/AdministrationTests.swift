/// Registrations, files and orders.

import Access
import DocModel
import DocStore
import JSON
import Synchronization
import TestSupport
import Testing
import Triggers
import Wire
import YAML

@testable import Functions

/// Asks a host as an HTTP client does.
struct Admin {
  let host: FunctionsHost<NaiveEngine>

  init(_ host: FunctionsHost<NaiveEngine>) { self.host = host }

  /// The answer, for what answers at once.
  func ask(
    _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: String = ""
  ) -> (status: Int, text: String)? {
    let answer = Mutex<(status: Int, text: String)?>(nil)
    let request = EmulatorRequest(
      method: method, path: path.split(separator: "/").map(String.init), query: query, body: Array(body.utf8))
    let isOurs = host.respond(request) { given in
      answer.withLock { $0 = (given.status, String(decoding: given.body, as: UTF8.self)) }
    }
    return isOurs ? answer.withLock { $0 } : nil
  }

  func status(
    _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: String = ""
  ) -> Int? { ask(method, path, query: query, body: body)?.status }
}

@Suite(.timeLimit(.minutes(5))) struct AdministrationTests {
  // MARK: triggers.yaml

  @Test("a file of triggers is read whole")
  func file() throws {
    let text = """
      pack: inspired
      triggers:
        - name: greet
          event: created
          document: users/{uid}
          endpoint: http://localhost:8081/f?x=1
        - name: log
          event: written
          document: "{path=**}"
          endpoint: http://[::1]:9/
          project: demo
          database: (default)
          mode: structured
          format: json
          timeout: 5
          attempts: 3
          concurrency: 2
          authContext: true
      """
    let file = try TriggersFile.read(YAMLSource(name: "t.yaml", text: text), packs: ["inspired"])
    #expect(file.packs == ["inspired"] && file.endpoints.map(\.name) == ["greet", "log"])
    #expect(file.endpoints[0].address == EndpointAddress(host: "localhost", port: 8081, target: "/f?x=1"))
    #expect(file.endpoints[0].mode == .binary && file.endpoints[0].timeout == 60)
    let log = file.endpoints[1]
    #expect(log.address.description == "http://[::1]:9/" && log.mode == .structured && log.format == .json)
    #expect(log.timeout == 5 && log.attempts == 3 && log.concurrency == 2 && log.hasAuthContext)
    // What is written down is read as it was.
    for endpoint in file.endpoints {
      var writer = JSONWriter()
      endpoint.write(to: &writer)
      #expect(try EndpointReader.endpoint(try YAMLNode(json: writer.bytes)) == endpoint)
    }
  }

  static let faults: [(text: String, headline: String)] = [
    ("triggers: 3", "t.yaml:1:11: error: expected a list, found an integer"),
    ("{}", "t.yaml:1:1: error: neither 'triggers' nor 'schedules' nor 'pack' names a"),
    ("pack: inspire", "t.yaml:1:7: error: 'inspire' is not one of inspired"),
    ("trigger: []", "t.yaml:1:1: error: unknown key 'trigger'"),
    (entry(["event: created"]), "t.yaml:2:5: error: a trigger needs the key 'document'"),
    (entry(["event: creatd"]), "t.yaml:3:12: error: 'creatd' is not one of created"),
    (
      entry(["event: created", "document: users"]),
      "t.yaml:4:15: error: Path pattern \"users\" names a collection"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: ftp://x/"]),
      "t.yaml:5:15: error: 'ftp://x/' is no address; expected http://host:port/path or https://host/path"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: http://x/", "insecure: true"]),
      "t.yaml:6:15: error: 'ca_file' and 'insecure' are for https endpoints"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: https://x/", "ca_file: none.pem"]),
      "t.yaml:6:14: error: cannot read `none.pem`: No such file or directory"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: https://x/", "ca_file: a", "insecure: true"]
      ),
      "t.yaml:7:15: error: 'insecure' believes anybody, 'ca_file' does not; give one"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: localhost:80"]),
      "t.yaml:5:15: error: 'localhost:80' is no address; expected http://host:port/path"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: http://x:99999/"]),
      "t.yaml:5:15: error: 'x:99999' is no host:port"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: http://x/", "timeout: 0"]),
      "t.yaml:6:14: error: 0 is outside 1...3600"
    ),
    (
      entry(["event: created", "document: users/{u}", "endpoint: http://x/"])
        + entry(["event: created", "document: users/{u}", "endpoint: http://x/"]).dropFirst(
          "triggers:\n".count),
      "t.yaml:6:11: error: two triggers are called 'a'"
    ),
  ]

  private static func entry(_ lines: [String]) -> String {
    "triggers:\n  - name: a\n" + lines.map { "    \($0)\n" }.joined()
  }

  @Test("a file with a mistake is refused at the place", arguments: faults)
  func faultyFile(_ row: (text: String, headline: String)) {
    do {
      _ = try TriggersFile.read(YAMLSource(name: "t.yaml", text: row.text), packs: ["inspired"])
      Issue.record("accepted: \(row.text)")
    } catch {
      #expect(error.headline.hasPrefix(row.headline), "\(error.headline)")
    }
  }

  @Test("all mistakes of a file are told")
  func mistakes() {
    let text = """
      pack: bogus
      triggers:
        - {name: a, event: made, document: "u/{id}", endpoint: "http://x/"}
        - {name: b, event: created, document: "u/{id}", endpoint: "http://x/"}
        - {name: c, event: created, document: u, endpoint: "http://x/"}
        - {event: created}
        - {name: e, event: made, document: u, endpoint: "http://x/", attempts: 0, insecure: true, mod: x}
        - {name: b, event: created, document: "u/{id}", endpoint: "http://x/"}
      """
    let found = TriggersFile.mistakes(in: YAMLSource(name: "t.yaml", text: text), packs: ["inspired"])
    // The last trigger lacks a name, a document and an endpoint.
    #expect(found.map(\.mark.line) == [1, 3, 5, 6, 6, 6, 7, 7, 7, 7, 7, 8])
  }

  // MARK: over HTTP

  private static let firstBody =
    #"{"eventTrigger":{"resource":"projects/demo-f/databases/(default)/documents/c/{d}","eventType":"providers/cloud.firestore/eventTypes/document.update","service":"firestore.googleapis.com"}}"#

  @Test("registrations of the functions emulator, as officially")
  func official() async throws {
    try await hosting(sink: ("127.0.0.1", 5001)) { store, runner, host in
      let admin = Admin(host)
      let first = try #require(
        admin.ask("PUT", "projects/demo-f/triggers/us-central1-x-1", body: Self.firstBody))
      #expect(first.status == 200 && first.text == "{\n}\n")
      let body =
        #"{"eventType":"google.cloud.firestore.document.v1.written","database":"db2","document":{"value":"c/pre*","matchType":"PATH_PATTERN"}}"#
      let second = try #require(
        admin.ask("POST", "projects/demo-f/eventarcTrigger", query: [("eventarcTriggerId", "k")], body: body))
      #expect(second.status == 200)
      #expect(
        second.text == """
          {
            "eventType": "google.cloud.firestore.document.v1.written",
            "database": "db2",
            "namespace": "(default)",
            "document": {
              "value": "c/pre*",
              "matchType": "PATH_PATTERN"
            }
          }

          """)
      #expect(runner.statuses.map(\.name) == ["demo-f/us-central1-x-1", "demo-f/k"])
      #expect(runner.statuses.map(\.event) == [.updated, .written])
      #expect(
        runner.statuses[0].target
          == "http://127.0.0.1:5001/functions/projects/demo-f/triggers/us-central1-x-1")
      for bad in [
        "", "{", "[]", "{}", Self.firstBody.replacing("update", with: "updat"),
        Self.firstBody.replacing("firestore.googleapis", with: "f"),
        Self.firstBody.replacing("c/{d}", with: "c"),
        Self.firstBody.replacing("/documents", with: ""),
      ] {
        #expect(admin.status("PUT", "projects/demo-f/triggers/x", body: bad) == 400, "\(bad)")
      }
      for bad in [
        "{}", body.replacing("written", with: "w"), body.replacing("PATH_PATTERN", with: "PATH"),
        body.replacing("c/pre*", with: "/c/d"),
      ] {
        #expect(
          admin.status(
            "POST", "projects/demo-f/eventarcTrigger", query: [("eventarcTriggerId", "y")], body: bad)
            == 400, "\(bad)")
      }
      #expect(admin.status("POST", "projects/demo-f/eventarcTrigger", body: body) == 400)
      // None of these is ours.
      #expect(admin.ask("GET", "projects/demo-f/other") == nil)
      #expect(admin.ask("PATCH", "projects/demo-f/triggers/x") == nil)
      #expect(admin.ask("POST", "projects/demo-f/triggers/us-central1-x-1:what") == nil)
    }
  }

  @Test("registrations are JSON, with all that JSON has, and nothing else")
  func bodiesAreJSON() async throws {
    try await hosting(sink: ("127.0.0.1", 5001)) { store, runner, host in
      let admin = Admin(host)
      // A letter beyond the first plane, written as the two halves that JSON has.
      let own = #"{"event":"created","document":"c/\ud83d\ude00/d/{e}","endpoint":"http://127.0.0.1:9/"}"#
      let answer = admin.ask("PUT", "projects/-/triggers/t", body: own)
      #expect(answer?.status == 200, "\(answer?.text ?? "")")
      #expect(runner.statuses.first?.pattern == "c/\u{1F600}/d/{e}")
      // What the service does not look at may have any name.
      let long = Self.firstBody.dropLast() + ",\"\(String(repeating: "k", count: 1_400))\":1}"
      let first = admin.ask("PUT", "projects/demo-f/triggers/x", body: String(long))
      #expect(first?.status == 200, "\(first?.text ?? "")")
      let yaml = "event: created\ndocument: c/{d}\nendpoint: http://127.0.0.1:9/\n"
      for bad in [
        yaml, "{event: created, document: 'c/{d}', endpoint: 'http://127.0.0.1:9/'}", own + "\n# a",
      ] {
        let refused = admin.ask("PUT", "projects/-/triggers/u", body: bad)
        #expect(refused?.status == 400 && refused?.text.contains("body:") == true, "\(refused?.text ?? "")")
      }
      let twice = admin.ask(
        "PUT", "projects/-/triggers/u", body: "{\n \"event\": \"created\",\n \"event\": 1}")
      #expect(
        twice?.text.contains("body:3:2: the key 'event' is already in this map, at line 2") == true,
        "\(twice?.text ?? "")")
      #expect(runner.statuses.count == 2)
    }
  }

  @Test("endpoints of our own are registered, listed, paused and removed")
  func ownEndpoints() async throws {
    let function = try await TestFunction()
    try await hosting { store, runner, host in
      let admin = Admin(host)
      let body = #"{"event":"created","document":"c/{d}","endpoint":"http://127.0.0.1:\#(function.port)/"}"#
      #expect(admin.status("PUT", "projects/-/triggers/greet", body: body) == 200)
      #expect(admin.status("PUT", "projects/demo-f/triggers/greet", body: body) == 200)
      #expect(runner.statuses.map(\.name) == ["greet", "demo-f/greet"])
      let fault = admin.ask("PUT", "projects/-/triggers/bad", body: #"{"event":"created","document":"c"}"#)
      #expect(fault?.status == 400)
      #expect(fault?.text.contains("body:1:31: Path pattern") == true, "\(fault?.text ?? "")")
      #expect(admin.status("DELETE", "projects/demo-f/triggers/greet") == 200)
      #expect(admin.status("DELETE", "projects/-/triggers/none") == 404)
      #expect(admin.status("POST", "projects/-/triggers/greet:pause") == 200)
      try await store.set("c/a", [:])
      #expect(try await eventually { runner.metrics.pending == 1 })
      let list = try #require(admin.ask("GET", "projects/-/triggers"))
      for member in [#""paused":true,"pausedSince":"2"#, #"Z","pending":1"#] {
        #expect(list.text.contains(member), "\(list.text)")
      }
      #expect(admin.status("POST", "projects/-/triggers:resume") == 200)
      #expect(await runner.drain())
      #expect(function.requests.count == 1)
      #expect(
        admin.ask("POST", "projects/-/triggers/greet:replay", query: [("from", "earliest")])?.status == 200)
      #expect(await runner.drain())
      #expect(function.requests.count == 2)
      for bad in ["never", "2262-01-01T00:00:00Z", "9223372036854775807"] {
        #expect(admin.status("POST", "projects/-/triggers/greet:replay", query: [("from", bad)]) == 400)
      }
      for bad in ["abc", "-5", "1e400", "1.5", "", "3601", "99999999999999999999"] {
        let refused = admin.ask("POST", "projects/-/triggers:drain", query: [("seconds", bad)])
        #expect(refused?.status == 400 && refused?.text.contains("'\(bad)'") == true, "\(bad)")
      }
      #expect(admin.status("POST", "projects/-/triggers:retry", query: [("id", "x")]) == 404)
      #expect(admin.ask("GET", "projects/-/triggers:deadLetters")?.text == "{\"deadLetters\":[]}\n")
    }
    try await function.stop()
  }

  @Test(
    "what is too long to be written down is refused", arguments: ["name", "document", "endpoint", "project"])
  func tooLong(key: String) async throws {
    var members = ["name": "x", "event": "created", "document": "c/{d}", "endpoint": "http://127.0.0.1:9/"]
    members[key, default: ""] += String(repeating: "a", count: 9_000)
    let body = "{" + members.map { #""\#($0)":"\#($1)""# }.sorted().joined(separator: ",") + "}"
    try await hosting { store, runner, host in
      let answer = Admin(host).ask("PUT", "projects/-/triggers/x", body: body)
      #expect(answer?.status == 400 && answer?.text.contains("bytes") == true, "\(answer?.text ?? "")")
      #expect(runner.statuses.isEmpty)
    }
  }

  @Test("a trigger that only the journal knows is listed, and can be removed")
  func absent() async throws {
    let folder = TemporaryFolder()
    let store = try DocumentStore(engine: NaiveEngine())
    func host() throws -> FunctionsHost<NaiveEngine> {
      FunctionsHost(try TriggerRunner(store, [], journal: try TriggerJournal(folder: folder.path)), on: store)
    }
    try host().register(FunctionEndpoint("gone", .created, "c/{d}", port: 9), isKept: false)
    let admin = Admin(try host())
    #expect(
      admin.ask("GET", "projects/-/triggers")?.text == #"{"triggers":[],"notRegistered":["gone"]}"# + "\n")
    #expect(admin.status("DELETE", "projects/-/triggers/gone") == 200)
    #expect(admin.status("DELETE", "projects/-/triggers/gone") == 404)
    #expect(Admin(try host()).ask("GET", "projects/-/triggers")?.text == #"{"triggers":[]}"# + "\n")
    store.close()
  }

  @Test("without a functions emulator its registrations are refused with what to do")
  func noSink() async throws {
    try await hosting { store, runner, host in
      let answer = Admin(host).ask("PUT", "projects/demo-f/triggers/x", body: Self.firstBody)
      #expect(answer?.status == 400 && answer?.text.contains("--functions-emulator") == true)
    }
  }

  @Test(
    "addresses",
    arguments: [
      ("http://a", "http://a:80/"), ("HTTP://a:1/b/c?d=e#f", "http://a:1/b/c?d=e"),
      ("http://[::1]/", "http://[::1]:80/"),
    ])
  func addresses(_ text: String, _ read: String) throws {
    #expect(try EndpointAddress(text).description == read)
  }

  @Test(
    "what is no address is refused",
    arguments: ["", "a", "http://", "http://:1/", "http://a:0/", "http://u@a/", "http://a/ü", "ftp://a/"])
  func badAddresses(_ text: String) {
    #expect(throws: InvalidArgument.self) { try EndpointAddress(text) }
  }
}
