/// Which files `docsh init` writes, and what stands in them.

import ArgumentParser
import Platform
import Rules
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

  /// What the project lacks that a folder belongs to; a first project in the folder where there is none.
  init(projectOf folder: String) throws {
    if let project = ProjectFiles.find(from: folder), try !project.rulesSources().isEmpty {
      if project.folder != folder { notes.append("this folder belongs to the project of \(project.folder)") }
      try complete(project, before: "")
    } else {
      try addFiles(of: folder)
    }
  }

  /// What a folder lacks; all files of a first project where it has no rules and names none.
  init(folder: String) throws { try addFiles(of: folder) }

  private mutating func addFiles(of folder: String) throws {
    let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    let place = folder == "." ? "" : "cd \(folder) && "
    if let project = ProjectFiles(in: folder), try !project.rulesSources().isEmpty {
      return try complete(project, before: place)
    }
    try addAll(folder)
    if let config = ProjectFiles(in: folder)?.config {
      notes.append("\(config) names no rules: add \"rules\": \"firestore.rules\" to its \"firestore\" part")
    }
    nextCommands = Self.commands(rules: Folders.joined(folder, "firestore.rules"), before: place)
  }

  private mutating func complete(_ project: ProjectFiles, before place: String) throws {
    let sources = try project.rulesSources()
    for source in sources {
      let isStandard = source.database == nil || source.database == "(default)"
      let database = isStandard ? nil : source.database
      if access(source.path, F_OK) == 0 {
        try addSuite(for: source.path, database: database)
      } else {
        addRules(source.path)
        try addSuite(for: source.path, Array(Self.rulesText.utf8), database: database)
      }
    }
    try addIndexes(project)
    nextCommands = Self.commands(rules: sources[0].path, before: place)
  }

  /// Index files that the project names and does not have: a server refuses to start without them.
  private mutating func addIndexes(_ project: ProjectFiles) throws {
    let named = try DatabaseFiles("indexes", project.indexes.map { [$0] } ?? [], config: project.config)
      .sources
    for source in named
    where access(source.path, F_OK) != 0 && !files.contains(where: { $0.path == source.path }) {
      files.append(File(path: source.path, text: Self.indexesText, about: "no composite indexes"))
    }
  }

  private static func commands(rules: String, before place: String) -> [String] {
    [place + "docsh test --watch", place + "docsh serve --watch-tests", "docsh rules check \(rules)"]
  }

  // MARK: suites

  /// What the rules' compiler has to say comes first: a suite of what they answer does not show it.
  private mutating func addSuite(for rules: String, database: String?) throws {
    let compilation = try RulesFile.compile(rules, remarks: false)
    guard compilation.ruleset != nil else { throw ExitCode(ExitStatus.badInput) }
    try addSuite(for: rules, compilation.source.bytes, database: database)
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
    addRules(rules)
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

  private mutating func addRules(_ path: String) {
    files.append(
      File(path: path, text: Self.rulesText, about: "users may do what they like with their own documents"))
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
