/// What the store was asked, has done and has to do: indexes, metrics, triggers.

import DocModel
import DocStore
import Indexes
import JSON

enum ServerCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["indexes"], .queries, "indexes [suggest [FILE] | unused [FILE] | load FILE]",
      "the index file that what was asked needs, FILE kept; what nobody asked for; or give the database other indexes",
      ":indexes suggest firestore.indexes.json", indexes),
    ShellCommand(
      ["stats"], .live, "stats [TEXT]", "what the store has done so far; metrics with TEXT in their name",
      ":stats docstore_", stats),
    ShellCommand(
      ["clock"], .live, "clock [+STEP | TIME]",
      "the time of the store; let time pass where its clock stands (--clock)", ":clock +12h", clock),
    ShellCommand(
      ["triggers"], .live,
      "triggers [list | pause [NAME] | resume [NAME] | drain [NAME] | run NAME | replay NAME FROM"
        + " | dead-letters [NAME] | retry ID | discard ID]",
      "triggers of a server: how far they are, and orders to them", ":triggers replay greet earliest",
      triggers),
  ]

  // MARK: indexes

  private static func indexes(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let words = arguments.words
    switch (words.first ?? "suggest", words.count) {
    case ("suggest", 0...1): try suggest(.automatic, session)
    case ("suggest", 2): try suggest(try read(words[1], session).indexes, session)
    case ("unused", 1):
      guard let defined = try session.backend.definedIndexes() else {
        throw .failed(
          "no indexes are loaded; ':indexes load FILE' loads some, ':indexes unused FILE' looks at a file")
      }
      try unused(defined, session)
    case ("unused", 2): try unused(try read(words[1], session).indexes, session)
    case ("load", 2):
      let (indexes, source) = try read(words[1], session)
      try session.backend.replaceIndexes(indexes, source)
      session.console.note("indexes of \(words[1])")
    default: throw .usage("usage: :indexes [suggest [FILE] | unused [FILE] | load FILE]")
    }
  }

  private static func read(
    _ path: String, _ session: Session
  ) throws(ShellError) -> (indexes: DefinedIndexes, source: [UInt8]) {
    let source = try ScriptFile.contents(path)
    let (file, problems) = IndexFile.read(source)
    let errors = problems.filter { $0.severity == .error }
    guard errors.isEmpty else {
      throw ShellError(
        .failed(code: "INVALID_ARGUMENT"), errors.map { $0.text(path: path) }.joined(separator: "\n"))
    }
    for problem in problems { session.console.note(TextEscape.printable(problem.text(path: path))) }
    return (file.indexes, source)
  }

  private static func suggest(_ existing: DefinedIndexes, _ session: Session) throws(ShellError) {
    let asked = try session.backend.askedShapes()
    let additions = IndexSuggestion.additions(for: asked.shapes.map(\.needs), to: existing)
    for missing in additions { session.console.note("new: " + TextEscape.printable(missing.summary)) }
    session.console.note(
      "\(asked.shapes.count) shapes of queries needed more than automatic indexes; "
        + "\(additions.count) definitions are new")
    if !asked.isComplete {
      session.console.message("more shapes of queries were asked than are kept; run this more often")
    }
    let text = IndexFileText.file(additions.reduce(existing) { $0.adding($1) })
    session.show(text.split(separator: "\n").map { TextEscape.printable(String($0)) })
  }

  /// Composites that no query since the start of the store needed.
  private static func unused(_ defined: DefinedIndexes, _ session: Session) throws(ShellError) {
    let asked = try session.backend.askedShapes()
    let unused = IndexSuggestion.unused(defined, by: asked.shapes.map(\.needs))
    session.show(unused.map { TextEscape.printable("\($0.definition)") })
    session.console.note(
      "\(unused.count) of \(defined.composites.count) indexes served nothing of \(asked.shapes.count) shapes of queries; "
        + "what was not asked yet may still need them")
    if !asked.isComplete {
      session.console.message("more shapes of queries were asked than are kept, so some of these may be used")
    }
  }

  // MARK: metrics

  private static func stats(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let wanted = arguments.text
    let rows = try session.backend.metrics()
      .filter { wanted.isEmpty || $0.name.range(ofBytes: wanted) != nil }
      .map { [Value.string($0.name), number($0.value)] }
    session.show(["metric", "value"], rows)
  }

  private static func number(_ text: String) -> Value {
    Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) } ?? .string(text)
  }

  // MARK: time

  private static func clock(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    var time = try session.backend.clock()
    if let text = try arguments.word(":clock [+STEP | TIME]") {
      time = try session.backend.moveClock(text)
      // Tokens that would have run out on the way.
      try session.renewTokens()
    }
    session.show(
      ["time", "clock"],
      [[.timestamp(Timestamp(microseconds: time.time)), .string(time.isStanding ? "stands" : "machine's")]])
  }

  // MARK: triggers

  /// LIMIT: seconds that `:triggers drain` waits; less than an answer may take.
  private static let drainSeconds = 50

  private static func triggers(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let words = arguments.words
    let place = words.count > 1 ? "/" + RemoteBackend.escaped(words[1]) : ""
    switch (words.first ?? "list", words.count) {
    case ("list", 0...1): try list(session)
    case ("pause", 1...2), ("resume", 1...2):
      _ = try session.backend.triggers("POST", "\(place):\(words[0])")
      session.console.note(words[0] == "pause" ? "paused" : "resumed")
    case ("drain", 1...2):
      let answer = try session.backend.triggers("POST", "\(place):drain?seconds=\(drainSeconds)")
      guard answer["drained"]?.boolean == true else {
        throw .failed("events are still waiting after \(drainSeconds) s; ':triggers' tells which")
      }
      session.console.note("everything is delivered")
    case ("replay", 3):
      let answer = try session.backend.triggers(
        "POST", "\(place):replay?from=\(RemoteBackend.escaped(words[2]))")
      session.console.note(
        "\(words[1]) begins again after version \(ValueText.literal(answer.count("after")))")
    case ("run", 2):
      let answer = try session.backend.triggers("POST", "\(place):run")
      if let failure = answer["lastFailure"]?.text { throw .failed("\(words[1]) failed: \(failure)") }
      session.console.note("\(words[1]) has run")
    case ("dead-letters", 1...2): try deadLetters(words.dropFirst().first, session)
    case ("retry", 2...):
      let answer = try session.backend.triggers("POST", ":retry" + ids(words.dropFirst()))
      session.console.note("\(ValueText.literal(answer.count("retried"))) tried again")
    case ("discard", 2...):
      let answer = try session.backend.triggers("DELETE", ":deadLetters" + ids(words.dropFirst()))
      session.console.note("\(ValueText.literal(answer.count("discarded"))) discarded")
    default:
      throw .usage(
        "usage: :triggers [list | pause [NAME] | resume [NAME] | drain [NAME] | run NAME | replay NAME FROM"
          + " | dead-letters [NAME] | retry ID | discard ID]; 'all' is every ID")
    }
  }

  /// The dead letters that are meant, as a query; `all` for every one.
  private static func ids(_ words: ArraySlice<String>) -> String {
    if words.elementsEqual(["all"]) { return "" }
    return "?" + words.map { "id=" + RemoteBackend.escaped($0) }.joined(separator: "&")
  }

  private static func deadLetters(_ name: String?, _ session: Session) throws(ShellError) {
    let query = name.map { "?trigger=" + RemoteBackend.escaped($0) } ?? ""
    guard
      let deadLetters = try session.backend.triggers("GET", ":deadLetters" + query)["deadLetters"]?.elements
    else { return }
    let rows = deadLetters.map { deadLetter in
      [
        .string(deadLetter.word("id")), .string(deadLetter.word("trigger")),
        .string(deadLetter["document"]?.text ?? deadLetter.word("database")),
        .string(deadLetter.word("eventTime")), deadLetter.count("attempts"),
        .string(deadLetter.word("reason")),
      ] as [Value]
    }
    session.show(["id", "trigger", "document", "event of", "attempts", "reason"], rows)
  }

  private static func list(_ session: Session) throws(ShellError) {
    let answer = try session.backend.triggers("GET", "")
    guard let triggers = answer["triggers"]?.elements else { return }
    let rows = triggers.map { trigger in
      [
        .string(trigger["name"]?.text ?? ""), .string(trigger["event"]?.text ?? ""),
        .string(trigger["document"]?.text ?? ""),
        .string(trigger["paused"]?.boolean == true ? "paused" : "running"), trigger.count("pending"),
        trigger.count("delivered"), trigger.count("failedAttempts"), trigger.count("deadLetters"),
        trigger["lastFailure"]?.text.map { Value.string($0) } ?? .null,
      ]
    }
    session.show(
      ["name", "event", "document", "state", "waiting", "delivered", "failed", "dead", "last failure"], rows)
    guard let schedules = answer["schedules"]?.elements else { return }
    show(schedules, session)
  }

  private static func show(_ schedules: [JSONValue], _ session: Session) {
    let rows = schedules.map { schedule in
      [
        .string(schedule.word("name")), .string(schedule.word("schedule")),
        .string(schedule.word("timeZone")),
        .string(schedule["paused"]?.boolean == true ? "paused" : "running"),
        .string(schedule.word("nextTime")),
        .string(schedule.word("lastTime")), schedule.count("delivered"), schedule.count("failedAttempts"),
        schedule.count("deadLetters"), schedule["lastFailure"]?.text.map { Value.string($0) } ?? .null,
      ] as [Value]
    }
    session.show(
      ["name", "schedule", "zone", "state", "next", "last", "delivered", "failed", "dead", "last failure"],
      rows)
  }
}

extension JSONValue {
  /// A member that is text; empty when there is none.
  fileprivate func word(_ name: StaticString) -> String { self[name]?.text ?? "" }

  /// A member that is a whole number; 0 when there is none.
  fileprivate func count(_ name: StaticString) -> DocModel.Value {
    .integer(self[name]?.integer ?? 0)
  }
}
