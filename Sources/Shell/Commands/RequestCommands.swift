/// What others ask of a store, live and afterwards: `:tail`, `:why ID`, `:rules shadow`.

import DocModel
import DocStore
import JSON
import Platform
import Requests

/// Rules that are judged beside the loaded ones, and what came of it so far.
struct RulesShadow {
  let rules: CandidateRules
  /// The last request that was judged.
  var last = 0
  var judged = 0
  var changed = 0

  /// `12 requests judged, 1 would change`
  var summary: String {
    "\(DenialPrinter.fileName(rules.name)): \(judged) \(judged == 1 ? "request" : "requests") judged, \(changed) would change"
  }
}

enum RequestCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["tail"], .live, "tail [requests|writes|triggers] [NUMBER]",
      "show requests, writes or the progress of triggers: until Ctrl-C, or for so many lines",
      ":tail requests 5", tail)
  ]

  // MARK: tail

  private static let tailUsage = "usage: :tail [requests|writes|triggers] [NUMBER]"
  /// Lines of what was, when no number is given.
  private static let pastLines = 10
  /// How often a server is asked, in milliseconds.
  private static let pause: Int32 = 250

  private static func tail(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    var words = arguments.words
    var count: Int?
    if let last = words.last, let number = Int(last) {
      guard number > 0 else { throw .usage(tailUsage) }
      count = number
      words.removeLast()
    }
    guard words.count <= 1 else { throw .usage(tailUsage) }
    switch words.first ?? "requests" {
    case "requests": try tail(.requests, count, session)
    case "writes": try tail(.writes, count, session)
    case "triggers": try tailTriggers(count, session)
    default: throw .usage(tailUsage)
    }
  }

  private static func tail(_ kind: RequestKind, _ count: Int?, _ session: Session) throws(ShellError) {
    var last = 0
    var shown = 0
    var isFirst = true
    try live(session) { () throws(ShellError) in
      let wanted = count.map { $0 - shown } ?? (isFirst ? pastLines : Int(Int32.max))
      // Of what was, the newest; of what comes, the first.
      let answer = try session.backend.requests(
        .list(kind, after: last, last: isFirst ? wanted : Int(Int32.max)))
      if isFirst { tellBeginning(answer, kind, session) }
      if let lost = answer["lost"]?.int, lost > 0 {
        session.console.note("up to \(lost) came and went meanwhile")
      }
      isFirst = false
      last = answer["next"]?.int ?? last
      for entry in answer["requests"]?.elements ?? [] {
        if let count, shown >= count { return false }
        guard session.console.result(line(entry, session)) else { return false }
        shown += 1
      }
      return session.backend.isShared && count.map { shown < $0 } ?? true
    }
  }

  private static func tellBeginning(_ answer: JSONValue, _ kind: RequestKind, _ session: Session) {
    guard session.backend.isShared else { return }
    guard answer["began"]?.boolean == true else { return }
    session.console.note(
      kind == .requests
        ? "until now the server kept refusals only; it keeps every request while somebody asks"
        : "the server keeps writes from now on, while somebody asks")
  }

  /// Asks again and again until `step` has enough; Ctrl-C ends it, which is no failure.
  private static func live(
    _ session: Session, _ step: () throws(ShellError) -> Bool
  ) throws(ShellError) {
    do throws(ShellError) {
      while try step() {
        try Interruption.check()
        // Ends at once at a signal.
        _ = poll(nil, 0, pause)
        try Interruption.check()
      }
    } catch {
      guard error.kind == .interrupted else { throw error }
      Interruption.clear()
    }
  }

  /// `09:00:00.412  0003  carol       get     users/bob   deny   inspired.rules:137  @profile.get`
  private static func line(_ entry: JSONValue, _ session: Session) -> String {
    if isJSON(session) { return ValueJSON(isPlain: true).text(entry.value) }
    var columns = [clock(entry), entry["id"]?.text ?? ""]
    if let user = entry["user"]?.text {
      columns.append(TextEscape.padded(TextEscape.printable(user), to: 10))
    }
    columns.append(TextEscape.padded(TextEscape.printable(entry["method"]?.text ?? ""), to: 6))
    columns.append(TextEscape.padded(TextEscape.printable(entry["target"]?.text ?? ""), to: 24))
    if let status = entry["status"]?.text {
      columns += [TextEscape.printable(status), "\(entry["microseconds"]?.int ?? 0) µs"]
    } else if let outcome = entry["outcome"]?.text {
      columns += [TextEscape.padded(outcome, to: 5), rule(entry["rule"])]
    }
    return TextEscape.trimmed(columns.joined(separator: "  "))
  }

  private static func isJSON(_ session: Session) -> Bool {
    switch session.settings.style.mode {
    case .json, .jsonl: true
    case .table, .doc, .csv, .yaml, .markdown: false
    }
  }

  /// `inspired.rules:137  @profile.get`
  private static func rule(_ rule: JSONValue?) -> String {
    guard let rule else { return "" }
    let file = DenialPrinter.fileName(rule["file"]?.text ?? "")
    return TextEscape.printable("\(file):\(rule["line"]?.int ?? 0)  @\(rule["id"]?.text ?? "")")
  }

  /// The time of day.
  private static func clock(_ entry: JSONValue) -> String {
    let time = entry["time"]?.text ?? ""
    let clock = time.split(separator: "T").last.map(String.init) ?? ""
    return TextEscape.printable(String(clock.prefix(12)).replacing("Z", with: ""))
  }

  // MARK: triggers

  private static func tailTriggers(_ count: Int?, _ session: Session) throws(ShellError) {
    var known: [String: String] = [:]
    var shown = 0
    try live(session) { () throws(ShellError) in
      for trigger in try session.backend.triggers("GET", "")["triggers"]?.elements ?? [] {
        let name = trigger["name"]?.text ?? ""
        let state = [
          trigger["paused"]?.boolean == true ? "paused " : "running",
          "delivered \(trigger["delivered"]?.int ?? 0)", "waiting \(trigger["pending"]?.int ?? 0)",
          "failed \(trigger["failedAttempts"]?.int ?? 0)", "dead \(trigger["deadLetters"]?.int ?? 0)",
        ].joined(separator: "  ")
        if known[name] == state { continue }
        known[name] = state
        if let count, shown >= count { return false }
        let line =
          isJSON(session)
          ? ValueJSON(isPlain: true).text(trigger.value)
          : TextEscape.padded(TextEscape.printable(name), to: 20) + "  " + state
        guard session.console.result(line) else { return false }
        shown += 1
      }
      return count.map { shown < $0 } ?? true
    }
  }

  // MARK: why

  /// `:why 8f21 --rules candidate.rules`
  static func why(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let words = arguments.words
    guard let id = words.first, words.count == 1 || (words.count == 3 && words[1] == "--rules") else {
      throw .usage("usage: :why [ID [--rules FILE]]")
    }
    var rules: CandidateRules?
    if words.count == 3 { rules = CandidateRules(name: words[2], source: try ScriptFile.contents(words[2])) }
    let answer = try session.backend.requests(
      .explain(id: id, rules, width: session.console.size.columns))
    let was = answer["was"]?.text ?? ""
    let text = answer["text"]?.text ?? ""
    session.show(
      text.split(separator: "\n", omittingEmptySubsequences: false).map { TextEscape.printable(String($0)) })
    if let now = answer["is"]?.text, now != was { session.console.note("it was: \(was)") }
    if answer["isOfThatTime"] != .boolean(true) {
      session.console.note("judged on the documents of now: those of its time are gone")
    }
  }

  // MARK: shadow

  private static let shadowUsage = "usage: :rules shadow FILE [live] | :rules shadow off"

  static func shadow(_ session: Session, _ words: [String]) throws(ShellError) {
    switch (words.first, words.count) {
    case (nil, _), ("off", 1):
      guard let shadow = session.shadow else { throw .failed("no shadow: ':rules shadow FILE' begins one") }
      if !words.isEmpty { session.shadow = nil }
      session.console.result(TextEscape.printable(shadow.summary))
    case (let path?, 1): try begin(path, session, isLive: false)
    case (let path?, 2) where words[1] == "live": try begin(path, session, isLive: true)
    default: throw .usage(shadowUsage)
    }
  }

  private static func begin(_ path: String, _ session: Session, isLive: Bool) throws(ShellError) {
    session.shadow = nil
    var shadow = RulesShadow(rules: CandidateRules(name: path, source: try ScriptFile.contents(path)))
    try live(session) { () throws(ShellError) in
      let answer = try session.backend.requests(.shadow(shadow.rules, after: shadow.last))
      for line in shadow.take(answer, session) {
        guard session.console.result(line) else { return false }
      }
      return isLive && session.backend.isShared
    }
    session.console.result(TextEscape.printable(shadow.summary))
    if !isLive { session.shadow = shadow }
  }

  /// After each statement: what was asked since, judged under the other rules.
  static func followShadow(_ session: Session) {
    // Ctrl-C ends the statement; its requests are judged after the next one.
    guard var shadow = session.shadow, !Interruption.isRaised else { return }
    do throws(ShellError) {
      let answer = try session.backend.requests(.shadow(shadow.rules, after: shadow.last))
      for line in shadow.take(answer, session) { session.console.message(line) }
      session.shadow = shadow
    } catch {
      if error.kind == .interrupted { return }
      session.shadow = nil
      session.console.message("no shadow any more:")
      session.report(error)
    }
  }

  fileprivate static func change(_ entry: JSONValue, _ session: Session) -> String {
    if isJSON(session) { return ValueJSON(isPlain: true).text(entry.value) }
    let columns = [
      "\(TextEscape.padded(entry["was"]?.text ?? "", to: 5)) → \(TextEscape.padded(entry["becomes"]?.text ?? "", to: 5))",
      entry["id"]?.text ?? "", TextEscape.padded(TextEscape.printable(entry["user"]?.text ?? ""), to: 10),
      TextEscape.padded(entry["method"]?.text ?? "", to: 6),
      TextEscape.padded(TextEscape.printable(entry["target"]?.text ?? ""), to: 24), rule(entry["newRule"]),
    ]
    return TextEscape.trimmed(columns.joined(separator: "  "))
  }
}

extension RulesShadow {
  /// Goes on with an answer; a line for each request that would change.
  fileprivate mutating func take(_ answer: JSONValue, _ session: Session) -> [String] {
    last = answer["next"]?.int ?? last
    judged += answer["judged"]?.int ?? 0
    let changes = answer["changes"]?.elements ?? []
    changed += changes.count
    if let lost = answer["lost"]?.int, lost > 0 {
      session.console.note(
        "up to \(Session.counted(lost, "request")) came and went before they could be judged")
    }
    return changes.map { RequestCommands.change($0, session) }
  }
}
