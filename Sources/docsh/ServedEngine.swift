/// The engine of a server's store: that of a data folder, or that of PostgreSQL.

import DocStore
import EngineLMDB
import EnginePostgres

enum ServedEngine: StorageEngine {
  case folder(LMDBEngine)
  case postgres(PostgresEngine)

  var limits: EngineLimits {
    switch self {
    case .folder(let engine): engine.limits
    case .postgres(let engine): engine.limits
    }
  }

  var isDurable: Bool {
    switch self {
    case .folder(let engine): engine.isDurable
    case .postgres(let engine): engine.isDurable
    }
  }

  var writesElsewhere: Bool {
    switch self {
    case .folder(let engine): engine.writesElsewhere
    case .postgres(let engine): engine.writesElsewhere
    }
  }

  var sharing: (any SharedStore)? {
    switch self {
    case .folder(let engine): engine.sharing
    case .postgres(let engine): engine.sharing
    }
  }

  /// What keeps commits from being taken, and what was found damaged.
  var health: EngineHealth {
    switch self {
    case .folder(let engine): engine.health
    case .postgres(let engine): engine.health
    }
  }

  func explanation(of error: StorageError) -> String? {
    switch self {
    case .folder(let engine): engine.explanation(of: error)
    case .postgres(let engine): engine.explanation(of: error)
    }
  }

  func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    switch self {
    case .folder(let engine): try engine.read(body)
    case .postgres(let engine): try engine.read(body)
    }
  }

  func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    switch self {
    case .folder(let engine): try engine.write(batch, plan)
    case .postgres(let engine): try engine.write(batch, plan)
    }
  }

  func stopWaiting() {
    switch self {
    case .folder(let engine): engine.stopWaiting()
    case .postgres(let engine): engine.stopWaiting()
    }
  }

  func afterBatch() {
    switch self {
    case .folder(let engine): engine.afterBatch()
    case .postgres(let engine): engine.afterBatch()
    }
  }

  func settle() {
    switch self {
    case .folder(let engine): engine.settle()
    case .postgres(let engine): engine.settle()
    }
  }
}
