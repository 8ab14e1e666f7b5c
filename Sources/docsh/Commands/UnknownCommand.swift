/// A first word that is none of our commands.

import ArgumentParser
internal import Platform
import YAML

enum UnknownCommand {
  /// What to say of a command line whose first word is no command; nil where it is one, or an option.
  static func complaint(_ arguments: ArraySlice<String>) -> String? {
    guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else { return nil }
    let commands = Docsh.configuration.subcommands
    guard !commands.contains(where: { $0.configuration.commandName == word }) else { return nil }
    let known = names(of: commands)
    // `lint`, `fmt`: the word of a command's part, or of another tool.
    if let meant = others[word] ?? known.first(where: { $0.hasSuffix(" " + word) }) {
      return "there is no command `\(word)`; what does it is `docsh \(meant)`"
    }
    if let near = Spelling.nearest(to: word, among: commands.compactMap { $0.configuration.commandName }) {
      return "there is no command `\(word)`; did you mean `docsh \(near)`?"
    }
    return
      "there is no command `\(word)`; `docsh --help` lists them. A statement of the shell is asked with -c: "
      + "docsh -c \(quoted(arguments.joined(separator: " ")))"
  }

  /// What other tools call it.
  private static let others = [
    "start": "serve", "run": "serve", "emulators:start": "emulator", "lint": "rules check",
    "validate": "rules check",
    "format": "rules fmt", "query": "-c STATEMENT", "exec": "-c STATEMENT", "sh": "shell",
    "version": "--version",
  ]

  /// `rules check` for a command of a command.
  private static func names(of commands: [any ParsableCommand.Type]) -> [String] {
    commands.flatMap { command -> [String] in
      let configuration = command.configuration
      guard let name = configuration.commandName else { return [] }
      return configuration.subcommands.compactMap { $0.configuration.commandName.map { name + " " + $0 } }
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
