/// Opening the store that a command works on.

import ArgumentParser
import DocStore
import EngineLMDB

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
    do throws(StoreError) {
      return try DocumentStore(engine: engine)
    } catch {
      Terminal.complain(
        "cannot open \(folder.map { "data folder `\($0)`" } ?? "a temporary store"): \(error.message)")
      throw ExitCode(ExitStatus.storage)
    }
  }
}
