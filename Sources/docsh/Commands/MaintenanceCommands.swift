/// `docsh check`, `repair`, `backup`, `restore`: what to do for, and about, a data folder.

import ArgumentParser
import EngineLMDB
import EnginePostgres
import Platform

/// What the four have in common.
enum Maintenance {
  /// LIMIT: lines of damage that are printed; more are counted.
  private static let linesMax = 1_000

  /// Complains and ends for what is in no folder.
  static func requireFolder(_ folder: String) throws {
    guard PostgresAddress.isOne(folder) else { return }
    throw Terminal.end(
      ExitStatus.usage,
      "a store in PostgreSQL is looked after by its own programs: pg_amcheck and pg_dump; "
        + "docsh migrate copies it to a folder, which can be checked")
  }

  /// Complains and ends when a process has the folder.
  static func requireUnused(_ folder: String) throws {
    try requireFolder(folder)
    do throws(LMDBOpenError) { try LMDBEngine.checkUnused(folder: folder) } catch {
      throw Terminal.end(
        ExitStatus.storage,
        "\(error.description); stop it first, or look at a copy: docsh backup \(folder) --out COPY")
    }
  }

  /// Checks a folder and says what was found; whether nothing is damaged.
  static func check(_ folder: String) throws -> Bool {
    let report = try StoreOpening.attempt { () throws(LMDBOpenError) in try FolderCheck.run(folder: folder) }
    say(report, of: folder)
    return report.isClean
  }

  static func say(_ report: FolderReport, of folder: String) {
    for line in report.lines.prefix(linesMax) { Terminal.say(line) }
    if report.lines.count > linesMax { Terminal.say("and \(report.lines.count - linesMax) more") }
    let contents = """
      \(Plural.text(report.documentCount, "document")) in \(Plural.text(report.databaseCount, "database")), \
      \(Plural.text(report.historyCount, "earlier state"))
      """
    Terminal.say(
      report.isClean
        ? "\(folder): \(contents); nothing is damaged"
        : "\(folder): \(contents) can be read; damaged: \(Plural.text(report.pages.count, "page")), \(Plural.text(report.records.count, "record"))"
    )
  }
}

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a data folder for corruption.",
    discussion: """
      Reads every page and every record of a folder that no server has open, names each that is damaged, and changes \
      nothing; only commits that a crash left in the log are put into the data. Ends with 0 when all is well, with 65 when something is damaged, with 74 when the folder cannot be read.

      docsh check data
      """)

  @Argument(help: ArgumentHelp("The data folder.", valueName: "folder"))
  var folder: String

  func run() throws {
    try Maintenance.requireFolder(folder)
    if !Folders.exists(folder), access(folder, F_OK) == 0 {
      throw Terminal.end(
        ExitStatus.badInput,
        "`\(folder)` is a file, not a data folder; rules are checked by: docsh rules check \(folder)")
    }
    try Maintenance.requireUnused(folder)
    if try Maintenance.check(folder) { return }
    Terminal.say("docsh repair \(folder) --out NEW saves what can be read")
    throw ExitCode(ExitStatus.damaged)
  }
}

struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Save all that can be read of a damaged data folder to a new one.",
    discussion: """
      Nothing of the damaged folder is changed. What cannot be saved is listed, by name where the name can be read. Indexes \
      are built anew. Earlier states of documents are saved only if nothing is damaged, and triggers begin anew. \
      Ends with 0 when everything was saved, with 65 when something was not, with 74 when a folder cannot be used.

      docsh repair data --out data-repaired
      """)

  @Argument(help: ArgumentHelp("The data folder that is damaged.", valueName: "folder"))
  var folder: String

  @Option(help: ArgumentHelp("The new folder; it must not hold a store.", valueName: "folder"))
  var out: String

  func run() throws {
    try Maintenance.requireUnused(folder)
    try StoreOpening.attempt { () throws(LMDBOpenError) in try FolderCopy.makeEmpty(out) }
    let repair = try StoreOpening.attempt { () throws(LMDBOpenError) in
      try FolderCheck.repair(folder: folder, to: out)
    }
    Maintenance.say(repair.report, of: folder)
    for name in repair.renamed { Terminal.say("a database whose name is lost is saved as \(name)") }
    Terminal.say(
      "saved \(Plural.text(repair.savedDocuments, "document")) to \(out)"
        + (repair.keepsHistory ? "" : ", without earlier states"))
    if !repair.report.isClean { throw ExitCode(ExitStatus.damaged) }
  }
}

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a data folder, also while a server uses it.",
    discussion: """
      The copy is one state of all databases, as of one commit; the server goes on. It is as large as the data, and a data \
      folder itself: docsh check, docsh serve and docsh restore take it. Ends with 0, with 65 when the copy holds damaged \
      records, with 74 when a folder cannot be used.

      docsh backup data --out backups/monday
      """)

  @Argument(help: ArgumentHelp("The data folder.", valueName: "folder"))
  var folder: String

  @Option(help: ArgumentHelp("The new folder; it must be empty if it is there.", valueName: "folder"))
  var out: String

  func run() throws {
    try Maintenance.requireFolder(folder)
    try StoreOpening.attempt { () throws(LMDBOpenError) in try FolderCopy.backUp(folder: folder, to: out) }
    guard try Maintenance.check(out) else { throw ExitCode(ExitStatus.damaged) }
  }
}

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Make a data folder from a backup.",
    discussion: """
      Checks the backup, then copies it. Nothing is replaced: move an old data folder away first. Ends with 0, with 65 when \
      the backup is damaged (docsh repair saves what can be read), with 74 when a folder cannot be used.

      docsh restore backups/monday --data-dir data
      """)

  @Argument(help: ArgumentHelp("What docsh backup wrote.", valueName: "backup"))
  var backup: String

  @Option(help: ArgumentHelp("The new data folder; it must be empty if it is there.", valueName: "folder"))
  var dataDir: String

  func run() throws {
    try Maintenance.requireUnused(backup)
    guard try Maintenance.check(backup) else { throw ExitCode(ExitStatus.damaged) }
    try StoreOpening.attempt { () throws(LMDBOpenError) in try FolderCopy.copy(folder: backup, to: dataDir) }
    Terminal.say("docsh serve --data-dir \(dataDir) serves it")
  }
}
