/// Where statements begin, and what is there.

import Client
import DocModel
import DocStore

enum PlaceCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["use"], .place, "use PROJECT[/DATABASE]", "change to another project or database", ":use demo/archive",
      use
    ),
    ShellCommand(
      ["cd"], .place, "cd [PATH]",
      "make paths relative to a document or collection; `..` is up, `/` the root",
      ":cd users/bob", changePlace),
    ShellCommand(["pwd"], .place, "pwd", "show what paths are relative to", ":pwd") {
      (session, arguments) throws(ShellError) in
      try arguments.nothing(":pwd")
      session.console.result("/" + TextEscape.printable(session.place.text))
    },
    ShellCommand(
      ["ls"], .place, "ls [PATH]", "list collections, or the documents of a collection", ":ls users", list),
    ShellCommand(
      ["tree"], .place, "tree [PATH] [DEPTH]", "show collections and documents below a path",
      ":tree users/bob 2",
      tree),
    ShellCommand(
      ["d"], .place, "d COLLECTION", "describe a collection: fields, types, presence, a sample", ":d users",
      describe),
    ShellCommand(
      ["count"], .place, "count [READ]", "count the documents of a query, or of every collection here",
      ":count posts where tags has \"zen\"", count),
  ]

  private static func use(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let text = try arguments.word(":use PROJECT[/DATABASE]") else {
      session.console.result(session.backend.database.resourceName)
      return
    }
    if session.transaction != nil {
      throw .usage("a transaction is under way; ':rollback' or ':commit' ends it")
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2 else { throw .usage("usage: :use PROJECT[/DATABASE]") }
    let database = try checking { () throws(InvalidArgument) in
      try ResourceNameParser.database(
        "projects/\(parts[0])/databases/\(parts.count == 2 ? parts[1] : "(default)")")
    }
    session.use(database)
  }

  private static func changePlace(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    session.place = try path(try arguments.word(":cd [PATH]") ?? "/", session)
  }

  /// A path with `..` and `/`, from where the session is.
  static func path(_ text: String, _ session: Session) throws(ShellError) -> ResourcePath {
    var place = text.hasPrefix("/") ? ResourcePath.root : session.place
    for segment in text.split(separator: "/") {
      switch segment {
      case ".": break
      case "..": place = place.parent
      default:
        let base = place
        place = try checking { () throws(InvalidArgument) in
          try ResourceNameParser.relativePath(base.appending(String(segment)).text)
        }
      }
    }
    return place
  }

  // MARK: looking around

  /// LIMIT: documents that `:ls` and `:tree` show of one collection.
  private static let documentsMax = 100

  private static func list(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let path = try path(try arguments.word(":ls [PATH]") ?? ".", session)
    var lines: [String] = []
    if path.isCollection {
      let (ids, hasMore) = try ids(of: path, session)
      lines = ids.map { TextEscape.printable($0) } + (hasMore ? ["…"] : [])
    } else {
      lines = try collections(below: path, session).map { TextEscape.printable($0) + "/" }
    }
    session.show(lines)
  }

  private static func collections(below path: ResourcePath, _ session: Session) throws(ShellError) -> [String]
  {
    guard session.caller.isAdministrator else {
      throw .usage("only administrators list collections, as in production; ':admin' first")
    }
    return try session.backend.collectionIDs(under: path)
  }

  private static func ids(
    of collection: ResourcePath, _ session: Session
  ) throws(ShellError) -> (ids: [String], hasMore: Bool) {
    var query = StructuredQuery(database: session.backend.database, collection: collection)
    query.limit = documentsMax + 1
    if session.caller.isAdministrator { query.projection = [] }
    var ids: [String] = []
    try session.visit(query) { document in
      ids.append(document.id)
      return true
    }
    return (Array(ids.prefix(documentsMax)), ids.count > documentsMax)
  }

  private static func tree(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    var words = arguments.words
    var depth = 2
    if let last = words.last, let number = Int(last), number > 0 {
      depth = min(number, 20)
      words.removeLast()
    }
    guard words.count <= 1 else { throw .usage("usage: :tree [PATH] [DEPTH]") }
    let path = try path(words.first ?? ".", session)
    var lines = ["/" + TextEscape.printable(path.text)]
    try grow(path, depth: depth, indent: "", session, &lines)
    session.show(lines)
  }

  private static func grow(
    _ path: ResourcePath, depth: Int, indent: String, _ session: Session, _ lines: inout [String]
  ) throws(ShellError) {
    guard depth > 0 else { return }
    try Interruption.check()
    let names: [String]
    var hasMore = false
    if path.isCollection {
      (names, hasMore) = try ids(of: path, session)
    } else {
      names = try collections(below: path, session)
    }
    for (index, name) in names.enumerated() {
      let isLast = index == names.count - 1 && !hasMore
      lines.append(
        "\(indent)\(isLast ? "└ " : "├ ")\(TextEscape.printable(name))\(path.isCollection ? "" : "/")")
      try grow(
        path.appending(name), depth: depth - 1, indent: indent + (isLast ? "  " : "│ "), session, &lines)
    }
    if hasMore { lines.append("\(indent)└ …") }
  }

  private static func count(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if !arguments.text.isEmpty { return try session.execute(arguments.text + " | count") }
    guard !session.place.isCollection else {
      return try session.execute("/" + session.place.text + " | count")
    }
    var rows: [[Value]] = []
    for id in try collections(below: session.place, session) {
      let query = StructuredQuery(database: session.backend.database, collection: session.place.appending(id))
      let values = try session.backend.aggregate(
        query, [Aggregation(.count(upTo: nil))], as: session.caller, in: session.transaction?.token)
      rows.append([.string(id), values.first ?? .null])
    }
    session.show(["collection", "documents"], rows)
  }

  // MARK: describing

  /// LIMIT: documents that a description looks at.
  private static let sampleMax = 500

  private static func describe(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let text = try arguments.word(":d COLLECTION") else {
      return try count(session, arguments)
    }
    let path = try path(text, session)
    guard path.isCollection else { throw .usage("'\(TextEscape.printable(text))' is no collection") }
    var query = StructuredQuery(database: session.backend.database, collection: path)
    query.limit = sampleMax
    var sketch = FieldSketch()
    try session.visit(query) { document in
      sketch.add(document.fields)
      session.learn([document])
      return true
    }
    var style = session.settings.style
    style.width = session.console.isTerminal ? session.console.size.columns : nil
    session.show(ResultPrinter.lines(.rows(columns: FieldSketch.columns, sketch.rows), style))
    session.console.note("\(Session.counted(sketch.documents, "document")) looked at")
  }
}

/// Which fields documents have, of which types, how often.
struct FieldSketch {
  static let columns = ["field", "types", "presence", "sample"]

  private struct Entry {
    var kinds: [String] = []
    var count = 0
    var sample: Value?
  }

  private(set) var documents = 0
  private var entries: [ExactText: Entry] = [:]

  mutating func add(_ fields: Fields) {
    documents += 1
    add(fields, prefix: [])
  }

  /// Maps are described by what is in them, two levels deep.
  private mutating func add(_ fields: Fields, prefix: [String]) {
    for field in fields.entries {
      let disjunct = prefix + [field.name]
      guard let path = FieldPath(segments: disjunct) else { continue }
      if case .map(let inner) = field.value, !inner.isEmpty, disjunct.count < 3 {
        add(inner, prefix: disjunct)
        continue
      }
      let key = ExactText(path.text)
      var entry = entries[key] ?? Entry()
      let kind = ValueText.kind(field.value)
      if !entry.kinds.contains(kind) { entry.kinds.append(kind) }
      entry.count += 1
      if entry.sample == nil, field.value != .null { entry.sample = field.value }
      entries[key] = entry
    }
  }

  var rows: [[Value]] {
    entries.keys.sorted { $0.text.precedesInBytes($1.text) }.compactMap { name in
      entries[name].map { entry in
        let presence = documents == 0 ? 0 : entry.count * 100 / documents
        return [
          .string(name.text), .string(entry.kinds.joined(separator: ", ")), .string("\(presence)%"),
          .string(entry.sample.map { TextEscape.cut(ValueText.literal($0), to: 48) } ?? ""),
        ]
      }
    }
  }
}
