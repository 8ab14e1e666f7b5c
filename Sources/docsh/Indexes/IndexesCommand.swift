/// `docsh indexes`: what to write into a `firestore.indexes.json`, and whether it is right.

import ArgumentParser

struct IndexesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "indexes",
    abstract: "Indexes: which are needed, and whether a firestore.indexes.json is right.",
    discussion: """
      docsh indexes suggest                              what a running server was asked needs these indexes
      docsh indexes check firestore.indexes.json         mistakes, duplicates, definitions that do nothing
      docsh indexes decode 'https://console…'            what a link of the console would create
      """,
    subcommands: [IndexesSuggestCommand.self, IndexesCheckCommand.self, IndexesDecodeCommand.self])
}
