/// Scheduled functions behind HTTP: what a file says of them, what they are sent, and orders to them.

import Client
import DocModel
import DocStore
import JSON
import Platform
import TLS
import TestSupport
import Testing
import Triggers
import YAML

@testable import Functions

@Suite(.timeLimit(.minutes(5))) struct SchedulingTests {
  @Test("a file of schedules is read whole")
  func file() throws {
    let text = """
      schedules:
        - name: renew
          schedule: every day 00:00
          timeZone: Europe/Berlin
          endpoint: http://127.0.0.1:8081/
          timeout: 5
          attempts: 2
        - name: sweep
          schedule: "*/5 * * * *"
          endpoint: https://example.com/f
          insecure: true
      """
    let file = try TriggersFile.read(YAMLSource(name: "t.yaml", text: text), packs: [])
    #expect(file.endpoints.isEmpty && file.schedules.map(\.name) == ["renew", "sweep"])
    let (renew, sweep) = (file.schedules[0], file.schedules[1])
    #expect(renew.schedule.text == "every day 00:00" && renew.timeZone.name == "Europe/Berlin")
    #expect(renew.timeout == 5 && renew.attempts == 2 && renew.trust == .system)
    #expect(sweep.timeZone == .utc && sweep.timeout == 60 && sweep.attempts == 30 && sweep.trust == .anybody)
  }

  static let faults: [(entry: String, headline: String)] = [
    ("name: a", "t.yaml:2:5: error: a scheduled function needs the key 'schedule'"),
    ("schedule: every day 00:00", "a scheduled function needs the key 'name'"),
    (
      "name: a\n    schedule: every dya 00:00\n    endpoint: http://x/",
      "t.yaml:3:15: error: column 7: 'dya' is not a day of the week"
    ),
    (
      "name: a\n    schedule: every day 00:00\n    endpoint: http://x/\n    timeZone: Europe/Berln",
      "t.yaml:5:15: error: 'Europe/Berln' is no time zone"
    ),
    (
      "name: a\n    schedule: 0 0 30 2 *\n    endpoint: http://x/",
      "t.yaml:3:15: error: this schedule never comes"
    ),
    ("name: a\n    schedule: 0 0 * * *\n    endpoint: x", "t.yaml:4:15: error: 'x' is no address"),
    ("name: a\n    event: created", "unknown key 'event'"),
    (
      "name: a\n    schedule: 0 0 * * *\n    endpoint: http://x/\n  - name: a\n    schedule: 0 0 * * *\n"
        + "    endpoint: http://x/", "t.yaml:5:11: error: two triggers are called 'a'"
    ),
  ]

  @Test(arguments: faults.indices)
  func mistakesArePlaced(_ index: Int) {
    let (entry, headline) = Self.faults[index]
    let source = YAMLSource(name: "t.yaml", text: "schedules:\n  - " + entry)
    let found = TriggersFile.mistakes(in: source, packs: []).map(\.description)
    #expect(found.contains { $0.contains(headline) }, "\(found)")
  }

  private func scheduled(_ name: String, _ function: TestFunction, attempts: Int = 30) throws
    -> ScheduleEndpoint
  {
    var endpoint = ScheduleEndpoint(
      name: name, schedule: try Schedule("0 0 1 1 *"),
      address: EndpointAddress(host: "127.0.0.1", port: function.port, target: "/f"))
    endpoint.attempts = attempts
    return endpoint
  }

  @Test("a run is one empty POST with Cloud Scheduler's headers, whatever databases there are")
  func request() async throws {
    let function = try await TestFunction()
    try await hosting { store, _, host in
      try await store.set("a/b", [:])
      try host.register(try scheduled("renew", function), isKept: false)
      let before = store.environment.now()
      try await host.schedules.runNow("renew")
      let request = try #require(function.requests.first)
      #expect(function.requests.count == 1 && request.target == "/f" && request.body.isEmpty)
      #expect(
        request.headers["x-cloudscheduler"] == "true"
          && request.headers["x-cloudscheduler-jobname"] == "renew")
      #expect(request.headers["user-agent"] == "Google-Cloud-Scheduler")
      let time = try #require(Timestamp(rfc3339: request.headers["x-cloudscheduler-scheduletime"] ?? ""))
      #expect((before...store.environment.now()).contains(time.microseconds))
      #expect(EventCause(text: request.headers[EventCause.header] ?? "")?.steps.map(\.trigger) == ["renew"])
    }
    try await function.stop()
  }

  @Test(
    "functions are listed, paused, run and removed over HTTP, and their dead letters are told and tried again"
  )
  func orders() async throws {
    let function = try await TestFunction { _, before in before == 0 ? 503 : 200 }
    try await hosting { _, runner, host in
      let admin = Admin(host)
      try host.register(try scheduled("renew", function, attempts: 1), isKept: false)
      #expect(admin.status("POST", "projects/-/triggers/renew:pause") == 200)
      #expect(host.schedules.statuses[0].pausedSince != nil)
      _ = admin.ask("POST", "projects/-/triggers/renew:run")
      #expect(try await eventually { !runner.deadLetters.isEmpty })
      let letters = try #require(admin.ask("GET", "projects/-/triggers:deadLetters")).text
      #expect(
        letters.contains("\"trigger\":\"renew\"") && letters.contains("503") && !letters.contains("document"))
      let list = try #require(admin.ask("GET", "projects/-/triggers")).text
      #expect(list.contains("\"schedule\":\"0 0 1 1 *\"") && list.contains("\"deadLetters\":1"))
      #expect(admin.status("GET", "projects/-/triggers/renew") == 200)
      #expect(admin.ask("POST", "projects/-/triggers:retry")?.text.contains("1") == true)
      await host.schedules.runDue()
      #expect(function.requests.count == 2 && runner.deadLetters.isEmpty)
      #expect(
        function.requests[0].headers["x-cloudscheduler-scheduletime"]
          == function.requests[1].headers["x-cloudscheduler-scheduletime"])
      #expect(admin.status("POST", "projects/-/triggers/renew:drain") == 400)
      #expect(admin.status("POST", "projects/-/triggers:resume") == 200)
      #expect(host.schedules.statuses[0].pausedSince == nil)
      #expect(admin.status("POST", "projects/-/triggers/none:run") == 404)
      #expect(admin.status("DELETE", "projects/-/triggers/renew") == 200)
      #expect(host.schedules.statuses.isEmpty && admin.status("DELETE", "projects/-/triggers/renew") == 404)
    }
    try await function.stop()
  }

  /// A host on a data folder, as the next process would have it.
  private static func host(
    _ store: DocumentStore<NaiveEngine>, _ folder: TemporaryFolder, registered: Int
  ) throws -> FunctionsHost<NaiveEngine> {
    let journal = try TriggerJournal(folder: folder.path)
    let host = FunctionsHost(try TriggerRunner(store, [], journal: journal), on: store)
    #expect(host.restore(journal, except: []) == registered)
    return host
  }

  @Test("a function that was registered over HTTP is there again in the next process, until it is removed")
  func kept() throws {
    let folder = TemporaryFolder()
    let store = try DocumentStore(engine: NaiveEngine())
    defer { store.close() }
    let body =
      #"{"schedule":"every day 03:00","timeZone":"Europe/Berlin","endpoint":"http://127.0.0.1:9/f","attempts":2}"#
    let first = try Self.host(store, folder, registered: 0)
    #expect(Admin(first).status("PUT", "projects/-/triggers/renew", body: body) == 200)
    #expect(Admin(first).status("POST", "projects/-/triggers/renew:pause") == 200)
    let second = try Self.host(store, folder, registered: 1)
    let status = try #require(second.schedules.statuses.first)
    #expect(
      status.name == "renew" && status.schedule == "every day 03:00" && status.timeZone == "Europe/Berlin")
    #expect(status.target == "http://127.0.0.1:9/f" && status.pausedSince != nil)
    // Whoever registers it in another way takes it over.
    try second.register(
      try EndpointReader.schedule(try YAMLNode(json: Array(body.utf8)), name: "renew"), isKept: false)
    let third = try Self.host(store, folder, registered: 0)
    let list = #"{"triggers":[],"notRegistered":["renew"]}"# + "\n"
    #expect(Admin(third).ask("GET", "projects/-/triggers")?.text == list)
    #expect(Admin(third).status("DELETE", "projects/-/triggers/renew") == 200)
    #expect(Admin(third).status("DELETE", "projects/-/triggers/renew") == 404)
    #expect(
      Admin(try Self.host(store, folder, registered: 0)).ask("GET", "projects/-/triggers")?.text
        == #"{"triggers":[]}"# + "\n")
  }

  @Test(
    "a registration that cannot be is refused, and says why",
    arguments: [
      (
        "-", #"{"schedule":"every dya 00:00","endpoint":"http://a/"}"#,
        "body:1:13: column 7: 'dya' is not a day"
      ),
      ("-", #"{"schedule":"0 0 * * *"}"#, "needs the key 'endpoint'"),
      ("-", #"{"schedule":"0 0 * * *","endpoint":"http://a/","name":"x"}"#, "the body's name is not"),
      (
        "-", #"{"schedule":"0 0 * * *","endpoint":"https://a/","insecure":true}"#,
        "only a triggers.yaml can say"
      ),
      ("demo", #"{"schedule":"0 0 * * *","endpoint":"http://a/"}"#, "register it below projects/-"),
    ])
  func refused(_ project: String, _ body: String, _ reason: String) async throws {
    try await hosting { _, _, host in
      let answer = Admin(host).ask("PUT", "projects/\(project)/triggers/renew", body: body)
      #expect(answer?.status == 400 && answer?.text.contains(reason) == true, "\(answer?.text ?? "")")
      #expect(host.schedules.statuses.isEmpty)
    }
  }
}
