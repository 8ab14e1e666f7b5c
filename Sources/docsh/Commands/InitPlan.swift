/// Which files `docsh init` writes, and what stands in them.

import ArgumentParser
import Platform
import Suite

struct InitPlan {
  struct File {
    let path: String
    let text: String
    var about = ""
    var isSuite = false
  }

  private(set) var files: [File] = []
  /// What could not be written about.
  private(set) var notes: [String] = []
  private(set) var nextCommands: [String] = []

  /// A suite beside one file of rules.
  init(rules: String) throws {
    try addSuite(for: rules, database: nil)
    let suite = files[0].path
    nextCommands = [
      "docsh test \(suite) --watch", "docsh rules check \(rules)",
      "docsh serve --rules \(rules) --watch-tests \(suite)",
    ]
  }

  /// Suites for the rules of a folder; without any, all files of a first project.
  init(folder: String) throws {
    let project = ProjectFiles(
      in: folder == "." || !folder.hasSuffix("/") ? folder : String(folder.dropLast()))
    let sources = try Self.rules(project)
    guard sources.isEmpty else {
      for source in sources {
        let isStandard = source.database == nil || source.database == "(default)"
        try addSuite(for: source.path, database: isStandard ? nil : source.database)
      }
      try addIndexes(project)
      nextCommands = Self.commands(rules: sources[0].path, in: folder)
      return
    }
    try addAll(folder)
    nextCommands = Self.commands(rules: Folders.joined(folder, "firestore.rules"), in: folder)
  }

  /// The rules of a project, each file once.
  private static func rules(_ project: ProjectFiles?) throws -> [DatabaseFiles.Source] {
    guard let project else { return [] }
    let named = try DatabaseFiles("rules", project.rules.map { [$0] } ?? [], config: project.config).sources
    var sources: [DatabaseFiles.Source] = []
    for source in named where !sources.contains(where: { $0.path == source.path }) { sources.append(source) }
    return sources
  }

  /// Index files that the project names and does not have: a server refuses to start without them.
  private mutating func addIndexes(_ project: ProjectFiles?) throws {
    guard let project else { return }
    let named = try DatabaseFiles("indexes", project.indexes.map { [$0] } ?? [], config: project.config)
      .sources
    for source in named
    where access(source.path, F_OK) != 0 && !files.contains(where: { $0.path == source.path }) {
      files.append(File(path: source.path, text: Self.indexesText, about: "no composite indexes"))
    }
  }

  private static func commands(rules: String, in folder: String) -> [String] {
    let place = folder == "." ? "" : "cd \(folder) && "
    return [place + "docsh test --watch", place + "docsh serve --watch-tests", "docsh rules check \(rules)"]
  }

  // MARK: suites

  private mutating func addSuite(for rules: String, database: String?) throws {
    try addSuite(for: rules, try FileAccess.required(rules).bytes, database: database)
  }

  /// The suite lies beside the rules and has their name.
  private mutating func addSuite(for rules: String, _ source: [UInt8], database: String?) throws {
    let name = rules.split(separator: "/").last.map(String.init) ?? rules
    let base = rules.hasSuffix(".rules") ? String(rules.dropLast(".rules".count)) : rules
    do throws(SuiteFailure) {
      let skeleton = try SuiteSkeleton(rules: source, path: name, database: database)
      files.append(
        File(
          path: base + ProjectFiles.suiteSuffix, text: skeleton.text,
          about: "\(Plural.text(skeleton.cellCount, "cell")): what \(name) answers today", isSuite: true))
      notes += skeleton.leftOut.map { "left out: \($0)" }
    } catch {
      Terminal.report(error.description)
      throw ExitCode(ExitStatus.badInput)
    }
  }

  // MARK: a first project

  private mutating func addAll(_ folder: String) throws {
    let rules = Folders.joined(folder, "firestore.rules")
    files.append(
      File(path: rules, text: Self.rulesText, about: "users may do what they like with their own documents"))
    files.append(
      File(
        path: Folders.joined(folder, "firestore.indexes.json"), text: Self.indexesText,
        about: "no composite indexes"))
    files.append(
      File(
        path: Folders.joined(folder, "seeds/app.yaml"), text: Self.seedText, about: "loaded by `docsh serve`")
    )
    try addSuite(for: rules, Array(Self.rulesText.utf8), database: nil)
  }

  private static let rulesText = """
    rules_version = '2';

    service cloud.firestore {
      match /databases/{database}/documents {
        // What no rule allows is denied; there is nothing to be written for that.

        function isUser(userId) {
          return request.auth != null && request.auth.uid == userId;
        }

        // A user's own document, and what is below it: for that user only.
        match /users/{userId} {
          allow read, write: if isUser(userId);

          match /notes/{noteId} {
            allow read, write: if isUser(userId);
          }
        }
      }
    }

    """

  private static let indexesText = """
    {
      "indexes": [],
      "fieldOverrides": []
    }

    """

  private static let seedText = """
    # Documents to begin with: `docsh serve` writes them at the start. docs/seeds.md has the format.
    version: 1
    name: app

    documents:
      users/user: {name: Ann}
      users/user/notes/note1: {text: Buy bread, done: false}
      users/other: {name: Bob}

    """
}
