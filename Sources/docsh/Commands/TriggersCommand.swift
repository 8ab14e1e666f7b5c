/// `docsh triggers`: what a running server's triggers have done and have to do, and orders to them.

import Access
import ArgumentParser
import Client
import DocModel
import DocStore
import JSON
import Wire

struct TriggersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers",
    abstract: "Triggers and scheduled functions of a running server: list, pause, run, dead letters, replay.",
    discussion: """
      docsh triggers list                          how far each is, what waits, what it failed with
      docsh triggers pause greet                   nothing more is delivered to greet until resume
      docsh triggers drain                         wait until everything is delivered
      docsh triggers dead-letters                  events that were given up
      docsh triggers retry --all                   try them again
      docsh triggers replay greet --from earliest  deliver once more what there is
      docsh triggers run renew                     run a scheduled function now
      """,
    subcommands: [
      List.self, Pause.self, Resume.self, Drain.self, DeadLetters.self, Retry.self, Replay.self, Run.self,
    ])
}

/// The server that is asked.
struct ServerOfTriggers: ParsableArguments {
  @Option(
    name: [.customLong("host"), .customLong("server")],
    help: ArgumentHelp(
      "The running server; FIRESTORE_EMULATOR_HOST, or 127.0.0.1:8080, when not given.",
      valueName: "host:port"))
  var server: String?

  private var address: String { server ?? Environment.value("FIRESTORE_EMULATOR_HOST") ?? "127.0.0.1:8080" }

  /// Asks for `triggers` with something behind; ends the command with a complaint when that is refused.
  func ask(
    _ method: String, _ rest: String, query: [(String, String)] = [], seconds: Int = ServerRequest.secondsMax
  ) throws -> JSONValue {
    let parameters = query.map { "\($0.0)=\(PercentEncoding.part($0.1))" }.joined(separator: "&")
    let target =
      "/emulator/v1/projects/-/triggers" + rest + (parameters.isEmpty ? "" : "?" + parameters)
    let answer: HTTPAnswer
    do {
      answer = try ServerRequest.send(target, method: method, to: address, seconds: seconds)
    } catch {
      throw Terminal.end(ExitStatus.unavailable, "\(error)")
    }
    guard let json = try? JSONReader.read(answer.body) else {
      throw Terminal.end(
        ExitStatus.unavailable,
        "`\(address)` answers, but does not know of triggers (status \(answer.status))")
    }
    guard answer.status == 200 else {
      throw Terminal.end(
        ExitStatus.failure, json["error"]?["message"]?.text ?? "`\(address)` answers \(answer.status)")
    }
    return json
  }

  /// The path of one trigger, or of all.
  static func place(_ name: String?) -> String {
    name.map { "/" + PercentEncoding.part($0) } ?? ""
  }
}

extension TriggersCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "Show the position, the waiting events and the last error of each trigger.",
      discussion: """
        Example:

          docsh triggers list --host 127.0.0.1:8080
        """)

    @OptionGroup var server: ServerOfTriggers

    func run() throws {
      let answer = try server.ask("GET", "")
      guard let triggers = answer["triggers"]?.elements else { return }
      let schedules = answer["schedules"]?.elements ?? []
      if !triggers.isEmpty || schedules.isEmpty { Self.show(triggers) }
      if !schedules.isEmpty { Self.show(schedules: schedules) }
      for trigger in triggers + schedules {
        if let since = trigger["pausedSince"]?.text {
          Terminal.say("\(trigger["name"]?.text ?? ""): paused since \(since)")
        }
        guard let failure = trigger["lastFailure"]?.text else { continue }
        Terminal.say("\(trigger["name"]?.text ?? ""): \(failure)")
      }
    }

    private static func show(_ triggers: [JSONValue]) {
      var rows = [["NAME", "EVENT", "DOCUMENT", "STATE", "WAITING", "DELIVERED", "FAILED", "DEAD", "LAG"]]
      for trigger in triggers {
        let isBehind = trigger["behind"]?.boolean == true
        rows.append([
          trigger["name"]?.text ?? "", trigger["event"]?.text ?? "", trigger["document"]?.text ?? "",
          trigger["paused"]?.boolean == true ? "paused" : "running",
          trigger.number("pending") + (isBehind ? "+" : ""), trigger.number("delivered"),
          trigger.number("failedAttempts"), trigger.number("deadLetters"),
          trigger.number("lagMilliseconds") + " ms",
        ])
      }
      TriggersCommand.table(rows)
    }
  }

  struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pause",
      abstract: "Stop deliveries until resume; those in progress are finished.",
      discussion: """
        Examples:

          docsh triggers pause
          docsh triggers pause greet
        """)

    @Argument(help: "The trigger; all of them without it.") var name: String?
    @OptionGroup var server: ServerOfTriggers

    func run() throws { _ = try server.ask("POST", ServerOfTriggers.place(name) + ":pause") }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume",
      abstract: "Continue after a pause; events that wait for a retry are tried at once.",
      discussion: """
        Examples:

          docsh triggers resume
          docsh triggers resume greet
        """)

    @Argument(help: "The trigger; all of them without it.") var name: String?
    @OptionGroup var server: ServerOfTriggers

    func run() throws { _ = try server.ask("POST", ServerOfTriggers.place(name) + ":resume") }
  }

  struct Drain: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "drain",
      abstract: "Wait until every committed change is delivered or a dead letter.",
      discussion: """
        Ends with 1 when that is not so in time. Examples:

          docsh triggers drain
          docsh triggers drain greet --seconds 5
        """)

    @Argument(help: "The trigger; all of them without it.") var name: String?
    @Option(help: "How long to wait.") var seconds = 60
    @OptionGroup var server: ServerOfTriggers

    func validate() throws {
      guard (0...3_600).contains(seconds) else {
        throw ValidationError("--seconds must be between 0 and 3600, found \(seconds)")
      }
    }

    func run() throws {
      let answer = try server.ask(
        "POST", ServerOfTriggers.place(name) + ":drain", query: [("seconds", "\(seconds)")],
        seconds: seconds + ServerRequest.secondsMax)
      guard answer["drained"] == .boolean(true) else {
        throw Terminal.end(
          ExitStatus.failure, "events are still waiting after \(seconds) s; `docsh triggers list` tells which"
        )
      }
    }
  }

  struct DeadLetters: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "dead-letters",
      abstract: "Events whose last attempt failed.",
      discussion: """
        Examples:

          docsh triggers dead-letters
          docsh triggers dead-letters --trigger greet
          docsh triggers dead-letters --discard
        """)

    @Option(help: "Only those of this trigger.") var trigger: String?
    @Flag(help: "Delete them.") var discard = false
    @OptionGroup var server: ServerOfTriggers

    func run() throws {
      let query = trigger.map { [("trigger", $0)] } ?? []
      if discard {
        let answer = try server.ask("DELETE", ":deadLetters", query: query)
        return Terminal.say("\(answer.number("discarded")) discarded")
      }
      guard let letters = try server.ask("GET", ":deadLetters", query: query)["deadLetters"]?.elements
      else { return }
      for letter in letters {
        Terminal.say(
          "\(letter["id"]?.text ?? "") \(letter["trigger"]?.text ?? "") "
            + (letter["document"]?.text ?? "scheduled, \(letter["database"]?.text ?? "")"))
        Terminal.say(
          "  of \(letter["eventTime"]?.text ?? ""), after \(letter.number("attempts")) attempts: "
            + (letter["reason"]?.text ?? ""))
      }
      if letters.isEmpty { Terminal.say("no dead letters") }
    }
  }

  struct Retry: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "retry",
      abstract: "Try dead letters again.",
      discussion: """
        Examples:

          docsh triggers retry --all
          docsh triggers retry --trigger greet
          docsh triggers retry 645a9c3f2b1e7-00d2
        """)

    @Argument(help: "The ids that `dead-letters` shows.") var ids: [String] = []
    @Option(help: "Only those of this trigger.") var trigger: String?
    @Flag(help: "All of them.") var all = false
    @OptionGroup var server: ServerOfTriggers

    func validate() throws {
      if ids.isEmpty && trigger == nil && !all {
        throw ValidationError("say which: ids, --trigger NAME, or --all")
      }
    }

    func run() throws {
      let answer = try server.ask(
        "POST", ServerOfTriggers.place(trigger) + ":retry", query: ids.map { ("id", $0) })
      Terminal.say("\(answer.number("retried")) tried again")
    }
  }

  struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "replay",
      abstract: "Deliver the changes since a time to one trigger again.",
      discussion: """
        Events come under the ids they had. As far back as changes are kept: an hour, or longer while a trigger \
        has not had them. Examples:

          docsh triggers replay greet --from earliest
          docsh triggers replay greet --from 2026-11-22T12:00:00Z
        """)

    @Argument(help: "The trigger.") var name: String
    @Option(help: "Where to start: earliest, a time, or a version.") var from: String
    @OptionGroup var server: ServerOfTriggers

    func run() throws {
      let answer = try server.ask("POST", ServerOfTriggers.place(name) + ":replay", query: [("from", from)])
      Terminal.say("\(name) begins again after version \(answer.number("after"))")
    }
  }

  /// Columns under their heads.
  static func table(_ rows: [[String]]) {
    let widths = rows[0].indices.map { column in rows.map { $0[column].unicodeScalars.count }.max() ?? 0 }
    for row in rows {
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.unicodeScalars.count + 2)
      }
      while line.hasSuffix(" ") { line.removeLast() }
      Terminal.say(line)
    }
  }
}

extension JSONValue {
  /// A member that is a whole number, as text.
  func number(_ name: StaticString) -> String {
    "\(self[name]?.integer ?? 0)"
  }
}
