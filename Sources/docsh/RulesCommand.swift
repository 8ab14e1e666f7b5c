/// `docsh rules`: tools on rules files.

import ArgumentParser

struct RulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Tools on security rules.",
    discussion: "docsh rules check firestore.rules",
    subcommands: [
      RulesCheckCommand.self, RulesFormatCommand.self, RulesTreeCommand.self, RulesExplainCommand.self,
      RulesCoverageCommand.self,
    ])
}
