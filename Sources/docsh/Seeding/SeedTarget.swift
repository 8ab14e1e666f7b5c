/// Where `docsh seed` writes: a store's folder, or a running server.

import ArgumentParser
import DocModel
import DocStore
import Platform
import Seeder

struct SeedTargetOptions: ParsableArguments {
  @Option(
    name: .customLong("data-dir"), help: "The folder of a store that no server has open.",
    completion: .directory)
  var dataFolder: String?

  @Option(help: ArgumentHelp("A store in PostgreSQL that no server has open.", valueName: "postgres://…"))
  var store: String?

  @Option(
    name: [.customLong("host"), .customLong("server")],
    help: ArgumentHelp("A running server, which is written to as its administrator.", valueName: "host:port"))
  var host: String?

  @Option(help: "The project whose database is filled.")
  var project = "demo"

  @Option(help: "The database's id.")
  var database = "(default)"

  @Flag(help: "The documents fire no triggers, also none that run on the folder later.")
  var withoutTriggers = false

  var id: DatabaseID { DatabaseID(project: project, database: database) }

  /// Complains when the options name no target, or two; `isNeeded` is false where nothing is written.
  func check(isNeeded: Bool) throws {
    try DatabaseOption.check(project, database)
    _ = try StorePlace(store: store, folder: dataFolder)
    if dataFolder != nil || store != nil, host != nil {
      let name = dataFolder != nil ? "--data-dir" : "--store"
      throw ValidationError("\(name) and --host exclude each other: a running server has its store open")
    }
    if isNeeded, dataFolder == nil, store == nil, host == nil {
      throw ValidationError(
        "say where the documents go: --data-dir FOLDER, --store postgres://… or --host HOST:PORT, or --check to write nothing"
      )
    }
  }

  /// Runs `remote` with the server that was named, or `local` with the store.
  func use<Outcome>(
    startsTriggers: Bool = true, writesNothing: Bool = false,
    remote: (RemoteDocuments) async throws -> Outcome,
    local: (DocumentStore<ServedEngine>) async throws -> Outcome
  ) async throws -> Outcome {
    let startsTriggers = startsTriggers && !withoutTriggers
    if let host {
      return try await remote(RemoteDocuments(address: host, database: id, startsTriggers: startsTriggers))
    }
    // A folder that is not there yet holds nothing, and a command that writes nothing does not make it.
    let isMissing = dataFolder.map { access($0, F_OK) != 0 } ?? false
    let store = try StoreOpening.open(
      writesNothing && isMissing ? .nowhere : try StorePlace(store: self.store, folder: dataFolder))
    defer { store.close() }
    return try await Seeding.asOrigin(startsTriggers: startsTriggers) { try await local(store) }
  }
}
