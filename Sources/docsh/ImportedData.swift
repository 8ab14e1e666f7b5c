/// Exports at the beginning and the end of a server.

import ArgumentParser
import DocModel
import DocStore
import Exports
import Logging
import Platform

enum ImportedData {
  /// Reads an export before anything is served; complains and ends when it cannot be read.
  static func load(_ path: String, into store: DocumentStore<ServedEngine>, _ database: DatabaseID) throws {
    guard access(path, R_OK) == 0 else {
      throw Terminal.end(
        ExitStatus.badInput,
        "cannot import `\(path)`: \(FileAccess.systemMessage()); --import takes the folder of an export, or its "
          + ".overall_export_metadata file")
    }
    do throws(ExportError) {
      let count = try read(path, into: store, database)
      Terminal.say("docsh: imported \(Plural.text(count, "document")) from \(path)")
    } catch {
      throw Terminal.end(ExitStatus.failure, "cannot import `\(path)`: \(error.message)")
    }
  }

  /// Reads it once more, after everything was removed.
  static func restore(
    _ path: String, into store: DocumentStore<ServedEngine>, _ database: DatabaseID, _ logger: Logger
  ) {
    do throws(ExportError) { _ = try read(path, into: store, database) } catch {
      logger.error("cannot import again after a reset", metadata: ["error": .string(error.message)])
    }
  }

  private static func read(
    _ path: String, into store: DocumentStore<ServedEngine>, _ database: DatabaseID
  ) throws(ExportError) -> Int {
    try StoreImport.read(StoreImport.overallFile(of: path) ?? path, into: store, database)
  }

  /// Writes an export at the end, making its folder.
  static func export(
    _ store: DocumentStore<ServedEngine>, _ database: DatabaseID, folder: String, name: String
  ) throws {
    do throws(ExportError) {
      try StoreExport.makeFolder(folder)
      let outcome = try StoreExport.write(store, database, folder: folder, name: name)
      Terminal.say("docsh: exported \(Plural.text(outcome.count, "document")) to \(folder)/\(name)")
      for path in outcome.damaged {
        Terminal.complain("`\(path)` is damaged and was not exported; set or delete it")
      }
    } catch {
      throw Terminal.end(ExitStatus.failure, "cannot export to `\(folder)`: \(error.message)")
    }
  }
}
