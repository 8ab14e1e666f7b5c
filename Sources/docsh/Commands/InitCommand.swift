/// `docsh init`: the first files of a project, and a suite for rules that have none.

import ArgumentParser
import Platform
import Suite

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write the first files of a project, or a suite for the rules that there are.",
    discussion: """
      In a folder with rules (firebase.json, firestore.rules, or another file that is named) it writes a suite: a row \
      for each block and method, with what the rules answer today, to be read and put right. In a folder without, it \
      writes rules, indexes, a seed and the suite. Files that are there stay; --force writes the suites anew. \
      docs/rules-tests.md describes the format. Examples:

        docsh init
        docsh init --dry-run
        docsh init rules/inspired.rules --dry-run
        docsh init --force

      Ends with 0; with 2 when the rules have errors or cannot be read; with 1 when a file cannot be written.
      """)

  @Argument(
    help: "A folder, or a rules file; without it the project that this folder belongs to, or this folder.",
    completion: .file())
  var path: String?

  @Flag(help: "Write suites anew that are there. Nothing else is ever overwritten.")
  var force = false

  @Flag(help: "Print what would be written, and write nothing.")
  var dryRun = false

  func run() throws {
    let plan = try plan()
    for file in plan.files { try write(file) }
    for note in plan.notes { Terminal.say("  " + note) }
    if dryRun { return }
    Terminal.say("next:")
    for command in plan.nextCommands { Terminal.say("  " + command) }
  }

  private func plan() throws -> InitPlan {
    guard let path else { return try InitPlan(projectOf: ".") }
    if Folders.exists(path) { return try InitPlan(folder: path) }
    guard access(path, R_OK) == 0 else {
      throw Terminal.end(ExitStatus.badInput, "`\(path)` is neither a folder nor a file that can be read")
    }
    return try InitPlan(rules: path)
  }

  private func write(_ file: InitPlan.File) throws {
    let isThere = access(file.path, F_OK) == 0
    if isThere, !(force && file.isSuite) {
      return Terminal.say("kept     \(file.path)\(file.isSuite ? "  (--force writes it anew)" : "")")
    }
    if dryRun {
      Terminal.say("── \(file.path)\(isThere ? " (there is one)" : "")")
      return Terminal.say(file.text)
    }
    do throws(FileError) {
      try Self.makeFolder(Folders.folder(of: file.path))
      try FileAccess.write(Array(file.text.utf8), to: file.path)
    } catch {
      throw Terminal.end(ExitStatus.failure, error.description)
    }
    Terminal.say(
      "\(isThere ? "replaced" : "wrote   ") \(file.path)\(file.about.isEmpty ? "" : "  " + file.about)")
  }

  private static func makeFolder(_ folder: String) throws(FileError) {
    do throws(SystemError) { try Folders.make(folder) } catch {
      throw FileError(path: folder, reason: error.description, isWriting: true)
    }
  }
}
