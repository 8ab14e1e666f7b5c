/// `docsh rules`: tools on rules files.

import ArgumentParser

struct RulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Tools on security rules.",
    discussion: """
      Examples:

        docsh rules check firestore.rules
        docsh rules explain firestore.rules --method get --path /users/bob --auth '{uid: carol}'
        docsh rules fmt --check rules
      """,
    subcommands: [
      RulesCheckCommand.self, RulesFormatCommand.self, RulesTreeCommand.self, RulesExplainCommand.self,
      RulesCoverageCommand.self,
    ])
}
