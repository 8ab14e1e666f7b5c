/// Views at a read time.

public import DocModel

/// When to read.
public enum ReadTime: Hashable, Sendable {
  case newest
  /// Microseconds since the epoch, at most an hour back.
  case at(Int64)
  /// As the transaction demands, and noted in it.
  case transaction(TransactionID)
}

extension DocumentStore {
  /// Runs `body` on one state of a database. The view and all it hands out end with `body`, which must not
  /// wait for a client.
  ///
  /// Must not be called with `.at` by a judge or another callback of the thread that commits.
  public func read<R, E: StoreFailure>(
    _ database: DatabaseID, at time: ReadTime = .newest, _ body: (StoreView) throws(E) -> R
  ) throws(E) -> R {
    let moment: Moment
    do throws(StoreError) { moment = try resolve(time, database) } catch { throw E(store: error) }
    return try engine.read { (view) throws(E) in
      let storeView: StoreView
      do throws(StoreError) { storeView = try open(view, database, moment) } catch { throw E(store: error) }
      return try body(storeView)
    }
  }

  private enum Moment {
    case newest(ReadLog?)
    case at(Int64)
  }

  private func resolve(_ time: ReadTime, _ database: DatabaseID) throws(StoreError) -> Moment {
    switch time {
    case .newest: return .newest(nil)
    case .at(let version):
      try checkBounds(version)
      clock.settle(version)
      return .at(version)
    case .transaction(let id):
      switch try transactions.planRead(id, database, fix: { clock.issue() }) {
      case .newest(let log): return .newest(log)
      case .at(let version):
        clock.settle(version)
        return .at(version)
      }
    }
  }

  /// Source: spec/protocol.md 1.10, `read_time` bounds.
  func checkBounds(_ readTime: Int64) throws(StoreError) {
    if readTime < 0 { throw .invalid(TransactionText.beforeEpoch) }
    if readTime > clock.issue() { throw .invalid(TransactionText.future) }
    if readTime < oldestReadTime { throw .failedPrecondition(.readTimeTooOld) }
  }

  private var oldestReadTime: Int64 { environment.now() - Retention.seconds * 1_000_000 }

  private func open(
    _ view: StorageView, _ database: DatabaseID, _ moment: Moment
  ) throws(StoreError) -> StoreView {
    let state: StoreState
    let generation: UInt32
    do throws(StorageError) {
      guard let stored = try DatabaseCatalog.state(view) else { throw .corrupt }
      state = stored
      generation = try DatabaseCatalog.generation(view, database)
    } catch {
      throw .storage(error)
    }
    switch moment {
    case .newest(let log):
      let readTime = clock.readTime(seen: state.lastVersion)
      log?.enter(generation: generation)
      return StoreView(
        database: database, readTime: readTime,
        states: DocumentStates(view: view, generation: generation, version: nil),
        recorder: log.map { ReadRecorder(log: $0, readTime: readTime) })
    case .at(let version):
      if version < state.floor { throw .failedPrecondition(.readTimeTooOld) }
      let isNewest = version >= state.lastVersion
      return StoreView(
        database: database, readTime: version,
        states: DocumentStates(view: view, generation: generation, version: isNewest ? nil : version),
        recorder: nil)
    }
  }
}
