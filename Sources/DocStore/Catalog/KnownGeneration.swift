/// The generation of the database that was asked for last: every read and every commit asks, and most programs have one
/// database.

internal import DocModel
internal import Synchronization

/// State and its guard: one entry behind a mutex.
///
/// INVARIANT: a catalog says of a database what it said when it had the same next generation: whatever gives a database another
/// generation takes that one (`CommitPlanner`). So an entry is right for every view with its number, older ones included.
/// Checked by: `StoreReadTests`, two databases in turns.
final class KnownGeneration: Sendable {
  private struct Entry {
    let database: DatabaseID
    let nextGeneration: UInt32
    let generation: UInt32
  }

  private let last = Mutex<Entry?>(nil)

  /// As `DatabaseCatalog.generation`.
  /// - Parameter state: the view's.
  func generation(
    _ view: StorageView, _ database: DatabaseID, _ state: StoreState
  ) throws(StorageError) -> UInt32 {
    let known = last.withLock { entry -> UInt32? in
      guard let entry, entry.nextGeneration == state.nextGeneration, entry.database == database else {
        return nil
      }
      return entry.generation
    }
    if let known { return known }
    let generation = try DatabaseCatalog.generation(view, database)
    let entry = Entry(database: database, nextGeneration: state.nextGeneration, generation: generation)
    last.withLock { $0 = entry }
    return generation
  }
}
