/// `docsh seed`: seed files and shadow studios into a store or a running server.

import ArgumentParser
import DocModel
import DocStore
import Seeder

struct SeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Write seed data into a durable store or a running server.",
    discussion: """
      Everything is checked first; an error anywhere means that nothing is written. Seeding twice changes \
      nothing. Examples:

        docsh seed seeds/inspired.yaml --data-dir data
        docsh seed seeds/inspired.yaml --host 127.0.0.1:8080
        docsh seed seeds/inspired.yaml --check
        docsh seed places found.json --host 127.0.0.1:8080
      """,
    subcommands: [SeedFileCommand.self, SeedPlacesCommand.self], defaultSubcommand: SeedFileCommand.self)
}

struct SeedFileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file",
    abstract: "Write a seed file (the word `file` may be left out).",
    discussion: """
      The format is described in docs/seeds.md. Examples:

        docsh seed seeds/inspired.yaml --data-dir data
        docsh seed seeds/inspired.yaml --check
      """)

  @Argument(help: "The seed file.", completion: .file(extensions: ["yaml", "yml"]))
  var file: String

  @OptionGroup(title: "Where to")
  var target: SeedTargetOptions

  @Flag(help: "Only check the file; write nothing.")
  var check = false

  func validate() throws { try target.check(isNeeded: !check) }

  func run() async throws {
    let seeder = try Seeding.prepare(file, target.id)
    if check { return Terminal.say("\(file): \(Plural.text(seeder.documentCount, "document")), no errors") }
    let startsTriggers = seeder.file.header.startsTriggers
    let report = try await target.use(startsTriggers: startsTriggers) { remote in
      var sink = remote
      return try await Seeding.write(seeder, to: &sink)
    } local: { store in
      var sink = StoreSink(store, target.id)
      return try await Seeding.write(seeder, to: &sink)
    }
    Terminal.say(Seeding.summary(report, path: file))
  }
}
