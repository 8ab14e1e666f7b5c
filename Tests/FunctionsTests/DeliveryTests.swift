/// Events over HTTP: their form, their order, what is tried again.

import DocModel
import DocStore
import Synchronization
import TestSupport
import Testing
import Triggers
import Wire

@testable import Functions

@Suite(.timeLimit(.minutes(5))) struct DeliveryTests {
  private let n1: Fields = ["n": .integer(1), "m": .map(["a": .string("x"), "b": .boolean(true)])]
  private let n2: Fields = ["n": .integer(2), "m": .map(["a": .string("x")])]

  @Test("a binary event has every attribute that functions ask for, and protobuf as its body")
  func binary() async throws {
    let function = try await TestFunction()
    try await hosting { store, runner, host in
      try host.register(FunctionEndpoint("f", .written, "users/{uid}", port: function.port), isKept: false)
      try await store.set("users/ü b", n1)
      let version = try await store.set("users/ü b", n2).commitTime
      #expect(await runner.drain())
      let request = try #require(function.requests.last)
      let expected = [
        "ce-specversion": "1.0", "ce-type": "google.cloud.firestore.document.v1.written",
        "ce-source": "//firestore.googleapis.com/projects/demo-f/databases/(default)",
        "ce-subject": "documents/users/%C3%BC%20b", "ce-document": "users/%C3%BC%20b",
        "ce-datacontenttype": "application/protobuf", "content-type": "application/protobuf",
        "ce-project": "demo-f", "ce-database": "(default)", "ce-namespace": "(default)",
        "ce-location": "us-central1", "host": "127.0.0.1:\(function.port)",
      ]
      for (name, value) in expected { #expect(request.headers[name] == value) }
      #expect(request.headers["ce-id"]?.hasPrefix(String(version, radix: 16) + "-") == true)
      let time = try #require(request.headers["ce-time"])
      #expect(Timestamp(rfc3339: time)?.microseconds == version && time.utf8.count == 27)
      // value, old_value, update_mask {m.b, n}
      let fields = request.body.withUnsafeBytes { numbers($0) }
      #expect(fields.map(\.number) == [1, 2, 3])
      #expect(fields[2].bytes == [0x0A, 3] + Array("m.b".utf8) + [0x0A, 1] + Array("n".utf8))
      let value = fields[0].bytes.withUnsafeBytes { numbers($0) }
      #expect(value.map(\.number) == [1, 2, 2, 3, 4])
      #expect(
        value[0].bytes == Array("projects/demo-f/databases/(default)/documents/users/ü b".utf8))
      #expect(EventCause(text: try #require(request.headers["docstore-cause"]))?.depth == 1)
    }
    try await function.stop()
  }

  private func numbers(_ bytes: UnsafeRawBufferPointer) -> [(number: UInt32, bytes: [UInt8])] {
    var cursor = WireCursor(bytes)
    var fields: [(number: UInt32, bytes: [UInt8])] = []
    while !cursor.isAtEnd { fields.append((cursor.tag() >> 3, Array(cursor.lengthDelimited()))) }
    return fields
  }

  struct Form: Sendable {
    let mode: FunctionEndpoint.Mode
    let format: FunctionEndpoint.Format
    let contentType: String
    let holds: [String]
  }

  @Test(
    "other forms say the same in JSON",
    arguments: [
      Form(
        mode: .binary, format: .json, contentType: "application/json",
        holds: [
          #"{"value":{"name":"projects/demo-f/databases/(default)/documents/c/a","fields":{"n":{"integerValue":"1"}},"#,
          #""updateMask":{}}"#,
        ]),
      Form(
        mode: .structured, format: .json, contentType: "application/cloudevents+json; charset=utf-8",
        holds: [
          #""type":"google.cloud.firestore.document.v1.created""#, #""document":"c/a""#,
          #""data":{"value":{"#,
        ]),
      Form(
        mode: .structured, format: .protobuf, contentType: "application/cloudevents+json; charset=utf-8",
        holds: [#""datacontenttype":"application/protobuf""#, #""data_base64":""#]),
      Form(
        mode: .legacy, format: .json, contentType: "application/json",
        holds: [
          #"{"data":{"value":{"name""#, #""oldValue":{},"updateMask":{}},"context":{"eventId":""#,
          #""eventType":"providers/cloud.firestore/eventTypes/document.create","resource":{"name":"projects/demo-f/databases/(default)/documents/c/a","service":"firestore.googleapis.com"}}}"#,
        ]),
    ])
  func forms(_ form: Form) async throws {
    let function = try await TestFunction()
    try await hosting { store, runner, host in
      var endpoint = FunctionEndpoint("f", .created, "c/{d}", port: function.port)
      endpoint.mode = form.mode
      endpoint.format = form.format
      try host.register(endpoint, isKept: false)
      try await store.set("c/a", ["n": .integer(1)])
      #expect(await runner.drain())
    }
    let request = try #require(function.requests.last)
    #expect(request.headers["content-type"] == form.contentType)
    for part in form.holds { #expect(request.text.contains(part), "\(request.text)") }
    try await function.stop()
  }

  static let authors: [(author: CommitAuthor, type: String, id: String)] = [
    (.system, "system", ""), (.administrator, "service_account", "owner"),
    (.anonymous, "unauthenticated", ""),
    (.user("ann"), "unknown", "ann"), (.user("ü b"), "unknown", "%C3%BC%20b"), (.unknown, "unknown", ""),
  ]

  @Test("functions that ask for it are told who wrote, the others are not")
  func authContext() async throws {
    let function = try await TestFunction()
    let plain = try await TestFunction()
    try await hosting { store, runner, host in
      var endpoint = FunctionEndpoint("f", .created, "c/{d}", port: function.port)
      endpoint.hasAuthContext = true
      try host.register(endpoint, isKept: false)
      try host.register(FunctionEndpoint("plain", .created, "c/{d}", port: plain.port), isKept: false)
      for (index, row) in Self.authors.enumerated() {
        _ = try await store.commit(
          database, [Write(ResourcePath(unchecked: "c/\(index)"), .update(fields: [], mask: nil))],
          author: row.author)
      }
      #expect(await runner.drain())
    }
    for (index, row) in Self.authors.enumerated() {
      let request = try #require(function.requests.first { $0.headers["ce-document"] == "c/\(index)" })
      #expect(request.headers["ce-type"] == "google.cloud.firestore.document.v1.created.withAuthContext")
      #expect(request.headers["ce-authtype"] == row.type && request.headers["ce-authid"] == row.id)
    }
    #expect(plain.requests.count == Self.authors.count)
    #expect(plain.requests.allSatisfy { $0.headers["ce-authtype"] == nil && $0.headers["ce-authid"] == nil })
    try await function.stop()
    try await plain.stop()
  }

  @Test("a function that is down gets everything when it is up again, each document's events in order")
  func downAndUp() async throws {
    let first = try await TestFunction()
    let port = first.port
    try await first.stop()
    try await hosting { store, runner, host in
      var endpoint = FunctionEndpoint("f", .written, "c/{d}", port: port)
      endpoint.format = .json
      endpoint.attempts = 1_000_000
      try host.register(endpoint, isKept: false)
      for number in 0..<30 { try await store.set("c/\(number % 3)", ["n": .integer(Int64(number))]) }
      // Every document's first event has failed.
      #expect(try await eventually { runner.statuses[0].failed >= 3 })
      #expect(runner.statuses[0].lastFailure?.contains("cannot be reached: Connection refused") == true)
      // Fails a few more times before it works.
      let function = try await TestFunction(port: port) { _, before in
        before < 4 ? 500 : before == 4 ? 0 : 200
      }
      try runner.resume("f")
      #expect(await runner.drain())
      #expect(runner.deadLetters.count == 0 && runner.statuses[0].delivered == 30)
      for document in 0..<3 {
        let subjects = function.requests.filter { $0.headers["ce-document"] == "c/\(document)" }
        var order: [Int] = []
        for request in subjects {
          let text = request.text.split(separator: #"integerValue":""#).dropFirst().first ?? ""
          let number = Int(text.prefix { $0 != "\"" }) ?? -1
          if order.last != number { order.append(number) }
        }
        #expect(order == (0..<10).map { $0 * 3 + document })
      }
      try await function.stop()
    }
  }

  @Test(
    "an event that is refused to the last attempt is a dead letter with the answer, and can be tried again")
  func refused() async throws {
    let function = try await TestFunction { _, before in before < 2 ? 418 : 204 }
    try await hosting { store, runner, host in
      var endpoint = FunctionEndpoint("f", .created, "c/{d}", port: function.port)
      endpoint.attempts = 2
      try host.register(endpoint, isKept: false)
      try await store.set("c/a", [:])
      #expect(await runner.drain())
      #expect(
        runner.deadLetters.map(\.reason) == ["http://127.0.0.1:\(function.port)/ answered 418: hello"])
      try runner.retry()
      #expect(await runner.drain())
      #expect(runner.deadLetters.isEmpty)
    }
    #expect(Set(function.requests.map { $0.headers["ce-id"] }).count == 1)
    try await function.stop()
  }

  @Test("a function that hangs up, or does not answer in its time, is tried again", arguments: [0, -1])
  func silence(status: Int) async throws {
    let answers = Atomic(false)
    let function = try await TestFunction { _, _ in answers.load(ordering: .relaxed) ? 200 : status }
    try await hosting { store, runner, host in
      var endpoint = FunctionEndpoint("f", .created, "c/{d}", port: function.port)
      endpoint.timeout = Self.timeout(of: status)
      endpoint.attempts = 2
      try host.register(endpoint, isKept: false)
      try await store.set("c/a", [:])
      #expect(await runner.drain())
      // A second may be over before the connection is made, too.
      let reasons =
        status == 0
        ? ["hung up before it answered"]
        : ["did not answer within 1 s", "cannot be reached: no connection within"]
      let letter = try #require(runner.deadLetters.first)
      #expect(runner.deadLetters.count == 1)
      #expect(
        reasons.contains { letter.reason.hasPrefix("http://127.0.0.1:\(function.port)/ \($0)") },
        "\(letter.reason)")
      if status == 0 { #expect(function.requests.count == 2) }
      #expect(runner.statuses[0].failed == 2)
      // From now on it answers, in whatever time that takes.
      answers.store(true, ordering: .relaxed)
      endpoint.timeout = 60
      try host.register(endpoint, isKept: false)
      try runner.retry()
      #expect(await runner.drain())
      #expect(runner.deadLetters.isEmpty && runner.statuses[0].delivered == 1)
    }
    try await function.stop()
  }

  /// Seconds: what never answers is not waited for long; what does may take its time.
  private static func timeout(of status: Int) -> Int { status == -1 ? 1 : 60 }

  @Test(
    "a run ends without waiting for a function that never answers, and the next one delivers",
    arguments: [false, true])
  func unanswered(isEmulators: Bool) async throws {
    let function = try await TestFunction { _, before in before == 0 ? -1 : 200 }
    let store = try DocumentStore(engine: NaiveEngine())
    let runner = try TriggerRunner(store, [])
    let host = FunctionsHost(runner, on: store)
    let endpoint = FunctionEndpoint("f", .created, "c/{d}", port: function.port)
    if isEmulators { try host.registerPassing(endpoint) } else { try host.register(endpoint, isKept: false) }
    try await store.set("c/a", [:])
    let running = Task { await runner.run() }
    #expect(try await eventually { function.requests.count == 1 })
    running.cancel()
    await running.value
    let again = Task { await runner.run() }
    #expect(try await eventually { runner.statuses[0].delivered == 1 })
    again.cancel()
    await again.value
    #expect(function.requests.count == 2)
    store.close()
    try await function.stop()
  }

  @Test(
    "an event that the functions emulator has got goes once, whatever becomes of it",
    arguments: [500, 404, 0, -1])
  func oneAttempt(status: Int) async throws {
    let function = try await TestFunction { _, _ in status }
    let store = try DocumentStore(engine: NaiveEngine())
    let runner = try TriggerRunner(store, [])
    let dropped = Mutex<[String]>([])
    let host = FunctionsHost(runner, on: store) { text in dropped.withLock { $0.append(text) } }
    var endpoint = FunctionEndpoint("f", .created, "c/{d}", port: function.port)
    endpoint.timeout = Self.timeout(of: status)
    try host.registerPassing(endpoint)
    try await store.set("c/a", [:])
    let running = Task { await runner.run() }
    #expect(await runner.drain())
    running.cancel()
    await running.value
    #expect(function.requests.count <= 1)
    // A second may be over before the connection is made; then nothing was sent, and it is tried again.
    if status != -1 { #expect(function.requests.count == 1 && runner.statuses[0].failed == 0) }
    // Keys of functions that are gone are answered 404 for ever.
    #expect(dropped.withLock { $0.count } == (status == 404 ? 0 : 1))
    store.close()
    try await function.stop()
  }

  @Test("a functions emulator gets base64 under its path; what it refuses is dropped")
  func functionsEmulator() async throws {
    let function = try await TestFunction { _, before in before == 0 ? 500 : 200 }
    try await hosting(sink: ("127.0.0.1", function.port)) { store, runner, host in
      let second = Admin(host)
      #expect(
        second.status(
          "POST", "projects/demo-f/eventarcTrigger", query: [("eventarcTriggerId", "us-central1-f-0")],
          body:
            #"{"eventType":"google.cloud.firestore.document.v1.created.withAuthContext","database":"(default)","namespace":"(default)","document":{"value":"c/{d}","matchType":"PATH_PATTERN"}}"#
        ) == 200)
      try await store.set("c/a", [:])
      #expect(await runner.drain())
      try await store.set("c/b", ["n": .integer(1)])
      #expect(await runner.drain())
      #expect(runner.deadLetters.isEmpty)
      let request = try #require(function.requests.last)
      #expect(request.target == "/functions/projects/demo-f/triggers/us-central1-f-0")
      #expect(request.headers["ce-type"] == "google.cloud.firestore.document.v1.created.withAuthContext")
      #expect(request.headers["ce-authtype"] == "system" && request.headers["ce-authid"] == "")
      #expect(Base64.decodeAny(request.body)?.starts(with: [0x0A]) == true)
      host.reset()
      #expect(runner.statuses.isEmpty)
    }
    try await function.stop()
  }
}
