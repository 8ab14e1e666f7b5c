/// `docsh triggers` for scheduled functions.

import ArgumentParser
import JSON

extension TriggersCommand {
  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Run a scheduled function now, beside its schedule.",
      discussion: """
        Also while it is paused. Ends with 1 when the first attempt fails; it is repeated all the same. Example:

          docsh triggers run renew
        """)

    /// LIMIT: seconds to wait for the function, as long as one may take.
    private static let secondsMax = 3_600

    @Argument(help: "The scheduled function.") var name: String
    @OptionGroup var server: ServerOfTriggers

    func run() throws {
      let answer = try server.ask(
        "POST", ServerOfTriggers.place(name) + ":run", seconds: Self.secondsMax + ServerRequest.secondsMax)
      if let failure = answer["lastFailure"]?.text {
        throw Terminal.end(ExitStatus.failure, "\(name) failed: \(failure)")
      }
      Terminal.say("\(name) has run")
    }
  }
}

extension TriggersCommand.List {
  static func show(schedules: [JSONValue]) {
    var rows = [["NAME", "SCHEDULE", "ZONE", "STATE", "NEXT", "LAST", "DELIVERED", "FAILED", "DEAD"]]
    for schedule in schedules {
      let isPaused = schedule["paused"]?.boolean == true
      rows.append([
        schedule["name"]?.text ?? "", schedule["schedule"]?.text ?? "", schedule["timeZone"]?.text ?? "",
        isPaused ? "paused" : schedule["underWay"]?.boolean == true ? "in progress" : "waiting",
        schedule["nextTime"]?.text ?? "never", schedule["lastTime"]?.text ?? "-",
        schedule.number("delivered"),
        schedule.number("failedAttempts"), schedule.number("deadLetters"),
      ])
    }
    TriggersCommand.table(rows)
  }
}
