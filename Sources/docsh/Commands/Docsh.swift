/// The command line: one executable, one subcommand for each thing a developer does.

import Access
import ArgumentParser
import CBuild

struct Docsh: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docsh",
    abstract: "A Firestore-compatible document store, its rules tools and its test runner.",
    discussion: """
        docsh                                      a shell on the running server
        docsh serve --rules firestore.rules        start a server on 127.0.0.1:8080
        docsh init                                 first files of a project, and a suite for its rules
        docsh test rules                           run every rules suite below rules/
        docsh rules check firestore.rules          report mistakes, with line and column
        docsh indexes suggest                      the indexes that the queries asked so far need
        docsh seed seeds/app.yaml --data-dir data  write seed data into a durable store
        docsh check data                           name all that is damaged in a data folder
        docsh backup data --out backups/monday     copy a data folder, also while a server runs on it
        docsh migrate data postgres://app@host/app  copy a data folder into PostgreSQL
        docsh triggers list                        what a running server's triggers have done and have to do
      """,
    version: BuildVersion.text,
    subcommands: [
      ServeCommand.self, EmulatorCommand.self, TestCommand.self, RulesCommand.self, IndexesCommand.self,
      InitCommand.self, SeedCommand.self, TriggersCommand.self, CheckCommand.self, RepairCommand.self,
      BackupCommand.self, RestoreCommand.self, MigrateCommand.self, ShellCommand.self, CompletionCommand.self,
    ], defaultSubcommand: ShellCommand.self)

  /// Of all subcommands: a key that cannot be read is no reason to go without.
  func validate() throws {
    do throws(AdministratorKey.Failure) { _ = try AdministratorKey.ofClient() } catch {
      throw ValidationError(error.description)
    }
  }
}

/// What `--version` prints: `docsh 0.1.0 (82a5249)`, with a + behind the commit when files differed from it.
enum BuildVersion {
  static let number = "0.1.0"

  static var text: String {
    let commit = docstore_commit()
    guard commit != 0 else { return "docsh \(number)" }
    let digits = String(commit & 0xfff_ffff, radix: 16)
    let zeros = String(repeating: "0", count: 7 - digits.count)
    return "docsh \(number) (\(zeros)\(digits)\(commit >> 28 == 0 ? "" : "+"))"
  }
}
