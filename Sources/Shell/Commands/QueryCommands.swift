/// How queries are run, what changes under them, and transactions.

import Client
import Conditions
import DocModel
import DocStore
import JSON

enum QueryCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["explain"], .queries, "explain READ", "what the server would do and what the shell would do",
      ":explain studios where rating >= 4.5 order by rating desc limit 3", explain),
    ShellCommand(
      ["timing"], .queries, "timing [on|off]", "whether times and counts follow results", ":timing off"
    ) {
      (session, arguments) throws(ShellError) in
      session.settings.showsTiming = try Switch.value(
        try arguments.word(":timing [on|off]"), now: session.settings.showsTiming)
    },
    ShellCommand(
      ["watch"], .live, "watch READ [until NUMBER|current]",
      "show a query or document live; Ctrl-C ends it",
      ":watch posts where source.id == \"area_askew\"", watch),
  ]

  private static func explain(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let read = try StatementParser.read(arguments.text, session.language)
    var lines: [String] = []
    switch read.target {
    case .document(let path): lines.append("server  look up \(TextEscape.printable(path.text))")
    case .query(let query):
      let plan = try session.explaining(.list(query)) { () throws(ShellError) in
        try session.backend.explain(query, as: session.caller)
      }
      lines += plan.map { "server  " + TextEscape.printable($0) }
    }
    var stages = read.stages
    if case .query = read.target, !read.isFromEnd, let first = stages.first, first.aggregation != nil {
      lines.append("server  aggregate: \(first.text)")
      stages.removeFirst()
    }
    if read.isFromEnd { lines.append("shell   turn the result round") }
    if let fields = read.selection {
      lines.append("shell   select " + fields.map(\.text).joined(separator: ", "))
    }
    lines += stages.map { "shell   " + TextEscape.printable($0.text) }
    session.show(lines)
  }

  // MARK: watch

  private static func watch(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let (text, ends) = try ending(arguments.text)
    let read = try StatementParser.read(text, session.language)
    let stages = read.stages.filter { if case .format = $0 { false } else { true } }
    guard stages.isEmpty, read.redirection == nil, !read.isFromEnd else {
      throw .usage("a live query takes no stages but a format")
    }
    var style = session.style(of: read)
    for case .format(let mode) in read.stages { style.mode = mode }
    var view = WatchView(style: style)
    let request = RulesEvaluator.Request(read.target)
    do throws(ShellError) {
      try session.explaining(request, recordedAs: .listen) { () throws(ShellError) in
        try session.backend.watch(read.target, as: session.caller) { (event) throws(ShellError) in
          let lines = view.lines(event)
          for line in lines where !session.console.result(line) { return false }
          if case .current = event, !view.wasCurrent {
            view.wasCurrent = true
            session.console.note("watching; Ctrl-C ends it")
          }
          return !ends.isReached(view)
        }
      }
    } catch {
      // The user's way to end it is no failure.
      guard error.kind == .interrupted else { throw error }
      Interruption.clear()
      session.console.note(Session.counted(view.changes, "change"))
    }
  }

  private enum Ending {
    case never
    case current
    case changes(Int)

    func isReached(_ view: WatchView) -> Bool {
      switch self {
      case .never: false
      case .current: view.wasCurrent
      case .changes(let count): view.changes >= count
      }
    }
  }

  private static func ending(_ text: String) throws(ShellError) -> (String, Ending) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count > 2, words[words.count - 2] == "until", let last = words.last else {
      return (text, .never)
    }
    let read = words.dropLast(2).joined(separator: " ")
    if last == "current" { return (read, .current) }
    guard let count = Int(last), count > 0 else {
      throw .usage("'until' takes a number of changes or 'current'")
    }
    return (read, .changes(count))
  }
}

/// What a live query has shown.
struct WatchView {
  let style: PrintStyle
  var wasCurrent = false
  /// Changes after the first state.
  private(set) var changes = 0
  private var known: Set<ResourcePath> = []

  init(style: PrintStyle) { self.style = style }

  /// `added`, `modified` and `removed`, a line each.
  mutating func lines(_ event: WatchEvent) -> [String] {
    switch event {
    case .current: return []
    case .reset:
      known = []
      return []
    case .changed(let document):
      let isNew = known.insert(document.path).inserted
      if wasCurrent { changes += 1 }
      return [line(isNew ? "added" : "modified", document.path, document)]
    case .removed(let path):
      guard known.remove(path) != nil else { return [] }
      if wasCurrent { changes += 1 }
      return [line("removed", path, nil)]
    }
  }

  private func line(_ word: String, _ path: ResourcePath, _ document: ShellDocument?) -> String {
    switch style.mode {
    case .json, .jsonl:
      var writer = JSONWriter()
      writer.object { object in
        object.member("change") { $0.string(word) }
        object.member("path") { $0.printable(path.text) }
        if let document { object.member("document") { $0.document(document, style.json) } }
      }
      return writer.text
    case .table, .doc, .csv, .yaml, .markdown:
      let fields = document.map { "  " + ValueText.literal(.map($0.fields)) } ?? ""
      let text = TextEscape.padded(word, to: 8) + "  " + TextEscape.printable(path.text) + fields
      return style.width.map { TextEscape.cut(text, to: $0) } ?? text
    }
  }
}

/// Writes that commit together, on reads of one state.
enum TransactionCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["begin"], .transaction, "begin [readonly]", "begin a transaction: reads see one state, writes wait",
      ":begin", begin),
    ShellCommand(
      ["commit"], .transaction, "commit", "commit the writes of the transaction", ":commit", commit),
    ShellCommand(
      ["rollback"], .transaction, "rollback", "end the transaction and forget its writes", ":rollback",
      rollBack),
  ]

  private static func begin(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if session.transaction != nil {
      throw .usage("a transaction is under way; ':commit' or ':rollback' ends it")
    }
    let word = try arguments.word(":begin [readonly]")
    guard word == nil || word == "readonly" else { throw .usage("usage: :begin [readonly]") }
    let isReadOnly = word != nil
    let token = try session.backend.begin(readOnly: isReadOnly, as: session.caller)
    session.transaction = Session.OpenTransaction(
      token: token, isReadOnly: isReadOnly, caller: session.caller)
  }

  private static func taken(_ session: Session) throws(ShellError) -> Session.OpenTransaction {
    guard let open = session.transaction else {
      throw .usage("no transaction is under way; ':begin' begins one")
    }
    return open
  }

  private static func commit(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    try arguments.nothing(":commit")
    let open = try taken(session)
    if open.hasFailed { throw .usage("the transaction has failed; ':rollback' ends it") }
    session.transaction = nil
    if open.isReadOnly { return try session.backend.rollBack(open.token, as: open.caller) }
    try session.commit(open.writes, in: open.token)
  }

  private static func rollBack(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    try arguments.nothing(":rollback")
    let open = try taken(session)
    session.transaction = nil
    try session.backend.rollBack(open.token, as: open.caller)
    session.console.note("\(Session.counted(open.writes.count, "write")) forgotten")
  }
}
