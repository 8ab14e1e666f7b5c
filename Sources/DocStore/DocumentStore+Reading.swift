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

/// The state a view showed, to be read once more after the view has ended: a long answer is made in pieces
/// and no view is held while the client reads one.
public struct ReadPoint: Hashable, Sendable {
  public let readTime: Int64
  let generation: UInt32
}

extension StoreView {
  public var point: ReadPoint { ReadPoint(readTime: readTime, generation: states.generation) }
}

extension DocumentStore {
  /// Runs `body` on one state of a database. The view and all it hands out end with `body`, which must not
  /// wait for a client.
  ///
  /// - Note: a read-write transaction's read never waits here; `takeTurns` is where it may have to.
  ///
  /// Must not be called with `.at` or `point` by a judge or another callback of the thread that commits.
  ///
  /// - Parameter point: the state of an earlier view of `time`, to go on with. Its documents must
  ///   have been claimed in the transaction by the first piece. Fails as too old when that state is gone, also because the database was cleared.
  public func read<R, E: StoreFailure>(
    _ database: DatabaseID, at time: ReadTime = .newest, from point: ReadPoint? = nil,
    _ body: (StoreView) throws(E) -> R
  ) throws(E) -> R {
    let moment: Moment
    do throws(StoreError) { moment = try resolve(time, point, database) } catch { throw E(store: error) }
    guard case .noted(let id) = moment else { return try show(database, moment, point, body) }
    // Commits that slip in between the view and its notes are remembered until the view has ended.
    let began: UInt64
    do throws(StoreError) { began = try transactions.beginRead(of: id) } catch { throw E(store: error) }
    defer { transactions.endRead(began, of: id) }
    return try show(database, moment, point, body)
  }

  private func show<R, E: StoreFailure>(
    _ database: DatabaseID, _ moment: Moment, _ point: ReadPoint?, _ body: (StoreView) throws(E) -> R
  ) throws(E) -> R {
    return try engine.read { (view) throws(E) in
      let storeView: StoreView
      do throws(StoreError) {
        storeView = try open(view, database, moment)
        try Self.check(storeView, shows: point)
      } catch {
        throw E(store: error)
      }
      return try body(storeView)
    }
  }

  /// As `read(at: .at(version))`, but further back than an hour, as far as history is there.
  public func readHeld<R, E: StoreFailure>(
    _ database: DatabaseID, at version: Int64, _ body: (StoreView) throws(E) -> R
  ) throws(E) -> R {
    let moment: Moment
    do throws(StoreError) { moment = try settled(version) } catch { throw E(store: error) }
    return try show(database, moment, nil, body)
  }

  private enum Moment {
    case newest
    /// The newest state, each read noted in a transaction.
    case noted(TransactionID)
    case at(Int64)
  }

  private func resolve(
    _ time: ReadTime, _ point: ReadPoint?, _ database: DatabaseID
  ) throws(StoreError) -> Moment {
    switch time {
    case .newest:
      // An answer that has begun goes on as long as its state is there.
      guard let point else { return .newest }
      return try settled(point.readTime)
    case .at(let version): return try bounded(version)
    case .transaction(let id):
      switch try transactions.planRead(id, database) {
      case .noted(let id):
        // The first piece has noted all that the later ones read.
        guard let point else { return .noted(id) }
        return try settled(point.readTime)
      case .at(let version): return try settled(version)
      }
    }
  }

  private func bounded(_ version: Int64) throws(StoreError) -> Moment {
    try checkBounds(version)
    return try settled(version)
  }

  private func settled(_ version: Int64) throws(StoreError) -> Moment {
    clock.settle(version)
    // Nobody may commit below it any more, on whatever server.
    if isShared, version > clock.committed { try raise(to: version) }
    return .at(version)
  }

  /// Returns when every event up to the time of a view has been told. A view of the engine may show what another process has
  /// committed before that is told here.
  func settle(shown time: Int64) throws(StoreError) {
    clock.settle(time)
    guard isShared, time > clock.committed else { return }
    try waitUntilCurrent()
    clock.settle(time)
  }

  /// A database that was cleared has another generation, with none of the documents of the earlier one.
  private static func check(_ view: StoreView, shows point: ReadPoint?) throws(StoreError) {
    guard let point, point.generation != 0 else { return }
    guard point.generation == view.states.generation else { throw .failedPrecondition(.readTimeTooOld) }
  }

  /// Source: docs/spec/protocol.md 1.10, `read_time` bounds.
  func checkBounds(_ readTime: Int64) throws(StoreError) {
    if readTime < 0 { throw .invalid(.beforeEpoch) }
    if readTime > clock.present { throw .invalid(TransactionText.future) }
    if readTime < oldestReadTime { throw .failedPrecondition(.readTimeTooOld) }
  }

  /// A time that no commit so far lies after, and none to come before: the clock's, unless commits have gone on while
  /// it stood.
  package var presentTime: Int64 { clock.present }

  private var oldestReadTime: Int64 { environment.now() - Retention.seconds * 1_000_000 }

  private func open(
    _ view: StorageView, _ database: DatabaseID, _ moment: Moment
  ) throws(StoreError) -> StoreView {
    let state: StoreState
    let generation: UInt32
    do throws(StorageError) {
      guard let stored = try DatabaseCatalog.state(view) else { throw .corrupt }
      state = stored
      generation = try generations.generation(view, database, stored)
    } catch {
      throw .storage(error)
    }
    switch moment {
    case .newest, .noted:
      let readTime = clock.readTime(seen: state.lastVersion)
      var recorder: ReadRecorder?
      if case .noted(let id) = moment {
        recorder = ReadRecorder(table: transactions, transaction: id.counter, seen: readTime)
      }
      return StoreView(
        database: database, readTime: readTime,
        states: states(view, generation, at: nil),
        recorder: recorder, indexes: indexes)
    case .at(let version):
      // What nothing has changed since needs no history.
      let isNewest = version >= state.lastVersion
      if !isNewest, version < state.floor { throw .failedPrecondition(.readTimeTooOld) }
      return StoreView(
        database: database, readTime: version,
        states: states(view, generation, at: isNewest ? nil : version), recorder: nil, indexes: indexes)
    }
  }

  private func states(_ view: StorageView, _ generation: UInt32, at version: Int64?) -> DocumentStates {
    DocumentStates(
      view: view, generation: generation, version: version, isTallied: isTallied,
      areGroupsKnown: areGroupsKnown)
  }
}
