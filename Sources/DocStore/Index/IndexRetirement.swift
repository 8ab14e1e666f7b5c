/// Takes away indexes that no query reads any more, so that commits stop paying for them.
///
/// An index is retired in one engine transaction, which marks its record in the catalog: from then on no view uses it
/// and commits do not keep it. Its entries go in slices, when nobody waits, and with the last of them the record.
/// Views that were opened before go on reading the entries as they were: views never change. A query that wants the
/// index again has it built again, under another number.
///
/// INVARIANT: the number of a retired index belongs to no other until its entries are removed.

public import DocModel

/// An index that was taken away, because nobody had read it for long or to make room for another.
public struct RetiredIndex: Hashable, Sendable {
  public let database: DatabaseID
  public let definition: IndexDefinition
  public let isForRoom: Bool
}

/// A retired index whose entries are still there.
struct RetiredEntries: Hashable, Sendable {
  let generation: UInt32
  let number: UInt32
}

/// The indexes of a store that is opened.
struct StoredIndexes: Sendable {
  var kept: [(database: DatabaseRecord, index: StoredIndex)] = []
  var retired: [RetiredEntries] = []
}

/// Lives on the thread that commits.
final class IndexRetirement<Engine: StorageEngine> {
  private let engine: Engine
  private let registry: IndexRegistry
  private var rests: [RetiredEntries]

  /// Keys removed in one slice: about 2 ms.
  private var sliceKeys: Int { 1_000 }

  /// - Parameter rests: what was left when the store was closed.
  init(engine: Engine, registry: IndexRegistry, rests: [RetiredEntries]) {
    self.engine = engine
    self.registry = registry
    self.rests = rests
  }

  /// Takes up what another process has left.
  func resume(_ rests: [RetiredEntries]) { self.rests = rests }

  /// Retires one index that nobody reads, or removes a slice of one that is retired. False when there is nothing to do,
  /// or it cannot be done now.
  func slice(_ batch: MutationBatch) -> Bool {
    if let rest = rests.first { return removeSlice(rest, batch) }
    guard let (generation, index) = registry.idleIndex() else { return false }
    return retire(index, generation, isForRoom: false, batch)
  }

  /// False when the engine refused, or the database was cleared.
  func retire(
    _ index: StoredIndex, _ generation: UInt32, isForRoom: Bool, _ batch: MutationBatch
  ) -> Bool {
    batch.reset()
    var database: DatabaseID?
    do throws(StorageError) {
      try engine.write(batch) { (view, batch) throws(StorageError) in
        database = try DatabaseCatalog.databases(view).first { $0.generation == generation }?.id
        if database == nil { return }
        batch.put(
          .catalog, IndexLayout.catalogKey(generation, index.number), IndexCatalog.encodedRetired(index))
      }
    } catch {
      return false
    }
    guard let database else { return false }
    registry.retire(index, generation)
    rests.append(RetiredEntries(generation: generation, number: index.number))
    registry.report(
      RetiredIndex(database: database, definition: index.shape.definition, isForRoom: isForRoom))
    return true
  }

  private func removeSlice(_ rest: RetiredEntries, _ batch: MutationBatch) -> Bool {
    let range = KeyRange(prefix: IndexLayout.indexPrefix(rest.generation, rest.number))
    batch.reset()
    var isLast = false
    do throws(StorageError) {
      try engine.write(batch) { (view, batch) throws(StorageError) in
        isLast = true
        try view.scan(.indexEntries, range, .forward) { _, _ in
          isLast = false
          return .stop
        }
        if isLast {
          batch.remove(.catalog, IndexLayout.catalogKey(rest.generation, rest.number))
        } else {
          batch.removeRange(.indexEntries, range, limit: sliceKeys)
        }
      }
    } catch {
      return false
    }
    if isLast { rests.removeFirst() }
    return true
  }
}
