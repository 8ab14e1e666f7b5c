/// `docsh indexes`: what to write into a `firestore.indexes.json`, and whether it is right.

import ArgumentParser

struct IndexesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "indexes",
    abstract: "List the indexes that queries need, and check a firestore.indexes.json.",
    discussion: """
      Examples: what a running server was asked needs these indexes; mistakes, duplicates and definitions that do \
      nothing; what a link of the console would create.

        docsh indexes suggest
        docsh indexes check firestore.indexes.json
        docsh indexes decode 'https://console.firebase.google.com/…'
      """,
    subcommands: [IndexesSuggestCommand.self, IndexesCheckCommand.self, IndexesDecodeCommand.self])
}
