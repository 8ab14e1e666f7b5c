/// How results look.

import Client
import Conditions
import DocModel
import DocStore

enum OutputCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["mode"], .output, "mode [table|doc|json|jsonl|csv|yaml|markdown]", "how results are written",
      ":mode json",
      mode),
    ShellCommand(
      ["x"], .output, "x [auto|on|off]",
      "documents of tables one below the other: auto where rows do not fit the terminal", ":x on", expand),
    ShellCommand(
      ["columns"], .output, "columns [FIELD, …]", "columns of tables; nothing means all",
      ":columns name, rating",
      columns),
    ShellCommand(
      ["pager"], .output, "pager [auto|on|off]",
      "long results in pieces, through $PAGER, or as they are", ":pager off", pager),
    ShellCommand(["more"], .output, "more", "the next lines of a long result", ":more") {
      (session, arguments) throws(ShellError) in
      try arguments.nothing(":more")
      if session.rest.isEmpty { return session.console.note("nothing more") }
      if session.showMore() {
        session.console.note("-- more: \(Session.counted(session.rest.count, "line")), ':more' --")
      }
    },
    ShellCommand(["nulls"], .output, "nulls [TEXT]", "what null is shown as in tables", ":nulls -") {
      (session, arguments) throws(ShellError) in
      session.settings.style.null = TextEscape.printable(arguments.text)
    },
    ShellCommand(["color", "colour"], .output, "color [on|off]", "whether output is coloured", ":color off") {
      (session, arguments) throws(ShellError) in
      session.console.isColored = try Switch.value(
        try arguments.word(":color [on|off]"), now: session.console.isColored)
    },
  ]

  private static func mode(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let names = OutputMode.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = try arguments.word(":mode MODE") else {
      session.console.result(session.settings.style.mode.rawValue)
      return
    }
    guard let mode = OutputMode(rawValue: word) else {
      throw .unknown(
        "'\(TextEscape.printable(word))' is no mode", word, among: OutputMode.allCases.map(\.rawValue),
        else: "there are \(names)")
    }
    session.settings.style.mode = mode
  }

  private static func expand(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let word = try arguments.word(":x [auto|on|off]") else {
      session.settings.style.expansion = session.settings.style.expansion == .on ? .off : .on
      return
    }
    guard let expansion = PrintStyle.Expansion(rawValue: word) else {
      throw .usage("'\(TextEscape.printable(word))' is neither auto, on nor off")
    }
    session.settings.style.expansion = expansion
  }

  private static func columns(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if arguments.text.isEmpty {
      session.settings.style.columns = nil
      return
    }
    session.settings.style.columns = try StatementParser.read(arguments.text, session.language) {
      (parser) throws(ConditionError) in
      let fields = try parser.fieldPaths()
      try parser.expectEnd()
      return fields
    }
  }

  private static func pager(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let word = try arguments.word(":pager [auto|on|off]") else {
      session.console.result(session.settings.pager.rawValue)
      return
    }
    guard let pager = PagerMode(rawValue: word) else {
      throw .usage("'\(TextEscape.printable(word))' is neither auto, on nor off")
    }
    session.settings.pager = pager
  }
}

/// What changes the whole database.
enum DataCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["export"], .data, "export FILE [READ]",
      "write documents as lines of JSON; without a read, every collection here", ":export users.jsonl users",
      export),
    ShellCommand(
      ["import"], .data, "import FILE", "write the documents of such a file, bypassing the rules",
      ":import users.jsonl",
      importLines),
    ShellCommand(["clear"], .data, "clear", "delete every document of the database", ":clear") {
      (session, arguments) throws(ShellError) in
      try arguments.nothing(":clear")
      try demandPassage(session, ":clear")
      try session.confirm("delete every document of \(session.backend.database)")
      session.lastCost = nil
      try session.backend.clear()
      session.console.note("cleared")
    },
  ]

  /// For administrators, and outside of transactions: what commits by itself would wait for what the session's own
  /// transaction has read.
  static func demandPassage(_ session: Session, _ command: String) throws(ShellError) {
    guard session.caller.isAdministrator else {
      throw .usage("'\(command)' passes by the rules; ':admin' first")
    }
    if session.transaction != nil {
      throw .usage("'\(command)' is no part of a transaction; ':commit' or ':rollback' first")
    }
  }

  private static func export(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let parts = arguments.text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let file = parts.first else { throw .usage("usage: :export FILE [READ]") }
    var queries: [StructuredQuery] = []
    if parts.count == 2 {
      let read = try StatementParser.read(parts[1], session.language)
      guard case .query(let query) = read.target, read.stages.isEmpty, !read.isFromEnd else {
        throw .usage("':export' takes a query without stages")
      }
      queries = [query]
    } else {
      for id in try session.backend.collectionIDs(under: session.place) {
        queries.append(
          StructuredQuery(
            database: session.backend.database, parent: session.place,
            from: [StructuredQuery.CollectionSelector(id, includesDescendants: true)]))
      }
    }
    try export(queries, to: file, session)
  }

  private static func export(
    _ queries: [StructuredQuery], to file: String, _ session: Session
  ) throws(ShellError) {
    let sink = try OutputSink.file(Redirection(path: file, appends: false))
    defer { sink.cancel() }
    var written: Set<ResourcePath> = []
    session.lastCost = nil
    for query in queries {
      try session.visit(query) { document in
        // A collection's name may occur at several depths.
        guard written.insert(document.path).inserted else { return true }
        return sink.write(ResultPrinter.line(document, PrintStyle()))
      }
    }
    try sink.finish()
    session.console.note("\(Session.counted(written.count, "document")) in \(file)")
  }

  private static func importLines(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let file = try arguments.word(":import FILE") else { throw .usage("usage: :import FILE") }
    try demandPassage(session, ":import")
    let source = try ImportFile(file, session.language)
    do throws(ShellError) { try source.check() } catch {
      throw ShellError(error.kind, error.message + "; nothing was written")
    }
    var done = 0
    session.lastCost = nil
    do throws(ShellError) {
      var batch = WriteBatch(session.backend.database)
      while let write = try source.next() {
        if batch.take(write) { continue }
        try commit(batch, session, &done)
        batch = WriteBatch(session.backend.database)
        _ = batch.take(write)
      }
      try commit(batch, session, &done)
    } catch {
      session.console.message("documents written before the failure: \(Session.grouped(done))")
      throw error
    }
    session.console.note("\(Session.counted(done, "document")) written")
  }

  private static func commit(
    _ batch: WriteBatch, _ session: Session, _ done: inout Int
  ) throws(ShellError) {
    if batch.writes.isEmpty { return }
    _ = try session.backend.commit(batch.writes, as: session.caller, in: nil)
    done += batch.writes.count
  }
}
