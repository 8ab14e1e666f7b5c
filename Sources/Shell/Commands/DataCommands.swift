/// Documents to files and back, and what changes the whole database.

import Client
import Conditions
import DocModel
import DocStore
import Platform

enum DataCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["export"], .data, "export FILE [READ]",
      "write documents as .jsonl, .json or .csv; without a read, all here with their subcollections",
      ":export users.csv users", export),
    ShellCommand(
      ["import"], .data, "import FILE [COLLECTION]",
      "write the documents of such a file, bypassing the rules; COLLECTION is for those without a path",
      ":import users.csv", importFile),
    ShellCommand(
      ["snapshot"], .data, "snapshot [NAME]",
      "keep every document of the database, for ':restore'; without a name, list what was kept",
      ":snapshot before",
      snapshot),
    ShellCommand(
      ["restore"], .data, "restore NAME", "replace every document of the database by those of a snapshot",
      ":restore before", restore),
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
    try demandAdministrator(session, command)
    if session.transaction != nil {
      throw .usage("'\(command)' is no part of a transaction; ':commit' or ':rollback' first")
    }
  }

  private static func demandAdministrator(_ session: Session, _ command: String) throws(ShellError) {
    guard session.caller.isAdministrator else {
      throw .usage("'\(command)' passes by the rules; ':admin' first")
    }
  }

  // MARK: out

  private static func export(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let parts = arguments.text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let file = parts.first else { throw .usage("usage: :export FILE [READ]") }
    try demandFileFirst(parts)
    var query = everything(session)
    if parts.count == 2 {
      let read = try StatementParser.read(parts[1], session.language)
      guard case .query(let asked) = read.target, read.stages.isEmpty, !read.isFromEnd else {
        throw .usage("':export' takes a query without stages")
      }
      query = asked
    } else {
      try demandAdministrator(session, ":export FILE")
    }
    let place = parts.count == 2 ? ResourcePath.root : session.place
    let count = try write(query, below: place, to: file, session)
    session.console.note("\(Session.counted(count, "document")) in \(file)")
  }

  /// The words the other way round would replace a file that is named as a collection is.
  private static func demandFileFirst(_ parts: [String]) throws(ShellError) {
    func namesFormat(_ word: String) -> Bool {
      [".jsonl", ".json", ".csv"].contains { word.lowercased().hasSuffix($0) }
    }
    guard parts.count == 2, !namesFormat(parts[0]), namesFormat(parts[1]) else { return }
    throw .usage("the file comes first; write  :export \(parts[1]) \(parts[0])")
  }

  /// All documents below the place of the session, at any depth.
  private static func everything(_ session: Session) -> StructuredQuery {
    let place = session.place
    return StructuredQuery(
      database: session.backend.database, parent: place.isCollection ? place.parent : place,
      from: [StructuredQuery.CollectionSelector("", includesDescendants: true)])
  }

  /// Writes what a query returns, in the format that the file's name says; how many documents.
  private static func write(
    _ query: StructuredQuery, below place: ResourcePath, to file: String, _ session: Session,
    permissions: FileReplacement.Permissions = .kept(new: 0o666)
  ) throws(ShellError) -> Int {
    let sink = try OutputSink.file(Redirection(path: file, appends: false), permissions: permissions)
    defer { sink.cancel() }
    session.lastCost = nil
    let export = DocumentExport(DocumentFormat(file: file)) { sink.write($0) }
    let head = place.isRoot ? "" : place.text + "/"
    try session.visit(query) { document in
      document.path.text.hasPrefix(head) ? export.take(document) : true
    }
    export.finish()
    try sink.finish()
    return export.count
  }

  // MARK: in

  private static func importFile(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let words = arguments.words
    guard (1...2).contains(words.count) else { throw .usage("usage: :import FILE [COLLECTION]") }
    try demandPassage(session, ":import")
    var collection: ResourcePath?
    if words.count == 2 {
      let path = try PlaceCommands.path(words[1], session)
      guard path.isCollection else { throw .usage("'\(TextEscape.printable(words[1]))' is no collection") }
      collection = path
    }
    let source = try ImportFile(words[0], session.language, collection)
    try check(source)
    let count = try write(source, session)
    session.console.note("\(Session.counted(count, "document")) written")
  }

  private static func check(_ source: ImportFile) throws(ShellError) {
    do throws(ShellError) { try source.check() } catch {
      throw ShellError(error.kind, error.message + "; nothing was written")
    }
  }

  private static func write(_ source: ImportFile, _ session: Session) throws(ShellError) -> Int {
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
    return done
  }

  private static func commit(
    _ batch: WriteBatch, _ session: Session, _ done: inout Int
  ) throws(ShellError) {
    if batch.writes.isEmpty { return }
    _ = try session.backend.commit(batch.writes, as: session.caller, in: nil)
    done += batch.writes.count
  }

  // MARK: snapshots

  /// Before the name in the path of a database's snapshots. Neither a project nor a name has a dot in it.
  private static func snapshots(_ session: Session) throws(ShellError) -> String {
    let database = session.backend.database
    guard let path = StateFolder.path("snapshot", project: database.project) else {
      throw .failed("there is no folder for snapshots: neither XDG_STATE_HOME nor HOME is set")
    }
    return path + ".\(database.database)."
  }

  private static func snapshotFile(_ name: String, _ session: Session) throws(ShellError) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy({ $0.isWordByte || $0 == UInt8(ascii: "-") }) else {
      throw .usage("a snapshot's name has letters, digits, '-' and '_'; ':export FILE' writes to a file")
    }
    return try snapshots(session) + name + ".jsonl"
  }

  private static func snapshot(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let name = try arguments.word(":snapshot NAME") else { return try listSnapshots(session) }
    try demandPassage(session, ":snapshot")
    let file = try snapshotFile(name, session)
    if access(file, F_OK) == 0 { try session.confirm("replace the snapshot '\(name)'") }
    var query = everything(session)
    query.parent = .root
    // What users may not read is in there.
    let count = try write(query, below: .root, to: file, session, permissions: .exactly(0o600))
    session.console.note(
      "\(Session.counted(count, "document")) in \(file); ':restore \(name)' goes back to them")
  }

  private static func listSnapshots(_ session: Session) throws(ShellError) {
    let start = try snapshots(session)
    let folder = Folders.folder(of: start)
    let prefix = start.dropFirst(folder.count + 1)
    let names = (Folders.entries(of: folder) ?? []).filter {
      $0.hasPrefix(prefix) && $0.hasSuffix(".jsonl")
    }
    if names.isEmpty { session.console.note("no snapshots of \(session.backend.database)") }
    for name in names.sorted() { session.console.result(String(name.dropFirst(prefix.count).dropLast(6))) }
  }

  /// The file is read for its mistakes before anything is deleted, and stays.
  private static func restore(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let name = try arguments.word(":restore NAME") else { throw .usage("usage: :restore NAME") }
    try demandPassage(session, ":restore")
    let file = try snapshotFile(name, session)
    let source: ImportFile
    do throws(ShellError) { source = try ImportFile(file, session.language, nil) } catch {
      throw .unknown("there is no snapshot '\(name)'; ':snapshot \(name)' makes it (\(error.message))")
    }
    try check(source)
    var status = stat()
    let made =
      stat(file, &status) == 0 ? Timestamp(seconds: Int64(status.st_mtim.tv_sec), nanoseconds: 0) : nil
    try session.confirm(
      "replace every document of \(session.backend.database) by the snapshot '\(name)'"
        + (made.map { " of \($0.rfc3339)" } ?? ""))
    try session.backend.clear()
    let count = try write(source, session)
    session.console.note("\(Session.counted(count, "document")) restored from \(file)")
  }
}
