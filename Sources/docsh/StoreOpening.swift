/// Opening the store that a command works on.

import ArgumentParser
import DocStore
import EngineLMDB
import Triggers

enum StoreOpening {
  /// The durable store in `folder`, or an ephemeral one; complains and ends when that cannot be.
  static func open(folder: String?) throws -> DocumentStore<LMDBEngine> {
    let engine: LMDBEngine
    do throws(LMDBOpenError) {
      if let folder {
        engine = try LMDBEngine.durable(folder: folder)
      } else {
        engine = try LMDBEngine.ephemeral()
      }
    } catch {
      Terminal.complain(error.description)
      throw ExitCode(ExitStatus.storage)
    }
    // After the engine, which says first when the folder is none.
    var options = StoreOptions()
    do throws(JournalError) {
      // What triggers have not delivered yet is not collected when the store opens.
      if let folder { options.historyHeldAfter = try TriggerJournal.historyNeeded(folder: folder) }
    } catch {
      Terminal.complain(error.description)
      throw ExitCode(ExitStatus.storage)
    }
    do throws(StoreError) {
      return try DocumentStore(engine: engine, options: options)
    } catch {
      Terminal.complain(
        "cannot open \(folder.map { "data folder `\($0)`" } ?? "a temporary store"): \(error.message)")
      throw ExitCode(ExitStatus.storage)
    }
  }
}
