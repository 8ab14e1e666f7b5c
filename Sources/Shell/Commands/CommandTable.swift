/// The commands of the shell: `:name`, also `.name` and `\name`.
///
/// INVARIANT: what is in the table is in `:help`, and the other way round; docs/shell.md has an example of each.

import DocModel
internal import Platform

/// One command.
struct ShellCommand: Sendable {
  enum Group: String, CaseIterable {
    case place = "Place"
    case identity = "Identity"
    case rules = "Rules"
    case queries = "Query help"
    case data = "Data"
    case live = "Live"
    case transaction = "Transaction"
    case output = "Output"
    case script = "Script"
    case session = "Session"
  }

  let names: [String]
  let group: Group
  /// As `:help` shows it, without the colon.
  let usage: String
  let summary: String
  let example: String
  /// Whether it is about documents, so that there must be a place where they are.
  let needsStore: Bool
  let body: @Sendable (Session, CommandArguments) throws(ShellError) -> Void

  init(
    _ names: [String], _ group: Group, _ usage: String, _ summary: String, _ example: String,
    needsStore: Bool = true,
    _ body: @escaping @Sendable (Session, CommandArguments) throws(ShellError) -> Void
  ) {
    self.names = names
    self.group = group
    self.usage = usage
    self.summary = summary
    self.example = example
    self.needsStore = needsStore
    self.body = body
  }

  var name: String { names[0] }
}

/// What stands behind a command's name.
struct CommandArguments {
  let command: CommandText
  /// All of the statement, for places in messages.
  let statement: String

  var text: String { command.rest }
  var words: [String] {
    command.rest.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\n" }).map(String.init)
  }

  /// The one word that is wanted, or nil when there is none.
  func word(_ usage: String) throws(ShellError) -> String? {
    let words = words
    guard words.count <= 1 else { throw .usage("usage: \(usage)") }
    return words.first
  }

  func nothing(_ usage: String) throws(ShellError) {
    guard command.rest.isEmpty else { throw .usage("usage: \(usage)") }
  }
}

enum CommandTable {
  static let all: [ShellCommand] =
    PlaceCommands.all + IdentityCommands.all + RuleCommands.all + SuiteCommands.all + QueryCommands.all
    + DataCommands.all + SeedCommands.all + ServerCommands.all + RequestCommands.all + FaultCommand.all
    + TransactionCommands.all
    + OutputCommands.all + ScriptCommands.all + RecordCommands.all + CostCommand.all + BookmarkCommands.all
    + SessionCommands.all

  /// Those that are words.
  static let names = Set(all.flatMap(\.names).filter { $0.utf8.allSatisfy(\.isLetter) })

  static func command(_ name: String) -> ShellCommand? {
    all.first { $0.names.contains { $0.hasSameBytes(as: name) } }
  }

  static func run(_ command: CommandText, _ statement: String, on session: Session) throws(ShellError) {
    guard let known = self.command(command.name) else {
      let names = all.flatMap(\.names)
      var near = names.filter { $0.hasPrefix(command.name) && !command.name.isEmpty }
      if near.isEmpty { near = Spelling.nearest(to: command.name, among: names).map { [$0] } ?? [] }
      let advice = near.isEmpty ? "':help' lists all" : "did you mean :\(near.joined(separator: ", :"))?"
      throw .unknown("there is no command ':\(TextEscape.printable(command.name))'; \(advice)")
    }
    try known.body(session, CommandArguments(command: command, statement: statement))
  }
}

/// `on`, `off`, or the other one when nothing is said.
enum Switch {
  static func value(_ word: String?, now: Bool) throws(ShellError) -> Bool {
    switch word {
    case nil: return !now
    case "on": return true
    case "off": return false
    case .some(let word): throw .usage("'\(TextEscape.printable(word))' is neither on nor off")
    }
  }
}
