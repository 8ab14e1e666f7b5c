/// `docsh seed`: a seed file into a durable store.

import ArgumentParser
import DocModel
import DocStore
import Seeder

struct SeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Write seed data into a durable store.",
    discussion: """
      The whole file is checked first; an error anywhere means that nothing is written. Seeding twice
      changes nothing. The format is described in docs/seeds.md. Examples:

        docsh seed seeds/inspired.yaml --data-dir data
        docsh seed seeds/inspired.yaml --check
      """)

  @Argument(help: "The seed file.", completion: .file(extensions: ["yaml", "yml"]))
  var file: String

  @Option(name: .customLong("data-dir"), help: "The folder of the store.", completion: .directory)
  var dataFolder: String?

  @Option(help: "The project whose database is filled.")
  var project = "demo"

  @Option(help: "The database's id.")
  var database = "(default)"

  @Flag(help: "Only check the file; write nothing.")
  var check = false

  func validate() throws {
    if !check && dataFolder == nil {
      throw ValidationError("say where the documents go: --data-dir FOLDER, or --check to write nothing")
    }
  }

  func run() async throws {
    let target = DatabaseID(project: project, database: database)
    let seeder = try Seeding.prepare(file, target)
    if check { return Terminal.say("\(file): \(seeder.documentCount) documents, no errors") }
    let store = try StoreOpening.open(folder: dataFolder)
    defer { store.close() }
    let report = try await Seeding.write(seeder, to: store, target)
    Terminal.say(Seeding.summary(report, path: file))
  }
}
