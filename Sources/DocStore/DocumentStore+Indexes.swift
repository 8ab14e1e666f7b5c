/// The indexes of a database, from outside.

public import DocModel
internal import Platform

/// An index that a database keeps.
public struct KeptIndex: Hashable, Sendable {
  public let definition: IndexDefinition
  /// Whether queries use it; until then it is being built.
  public let isReady: Bool
}

extension DocumentStore {
  /// Names the composite indexes of a database, or, without one, those of every database that has no list of
  /// its own. Replaces the list given before. Queries answer alike with and without; an index is built when
  /// a query has use for it.
  public func setIndexes(_ definitions: [IndexDefinition], in database: DatabaseID? = nil) {
    indexes.define(definitions, in: database)
  }

  /// The composite indexes of a database.
  public func indexDefinitions(in database: DatabaseID) -> [IndexDefinition] {
    indexes.definitions(of: database)
  }

  /// The indexes that commits to a database keep at present.
  public func keptIndexes(in database: DatabaseID) throws(StoreError) -> [KeptIndex] {
    let generation = try generation(of: database)
    return (indexes.kept(generation) ?? [:]).values.flatMap { $0 }.sorted { $0.number < $1.number }
      .map { KeptIndex(definition: $0.shape.definition, isReady: $0.isReady) }
  }

  /// Builds indexes now, whether a query wants them or not, and returns when they are ready or
  /// `milliseconds` have passed. Definitions that cannot be kept are passed over. For a thread that may
  /// block; never for a callback of the store.
  public func buildIndexes(
    _ definitions: [IndexDefinition], in database: DatabaseID, waitingAtMost milliseconds: Int = .max
  ) throws(StoreError) {
    try buildIndexes(shapes: definitions.compactMap { IndexShape($0) }, database, milliseconds)
  }

  /// Builds what a query would like to have, however few documents there are: whoever asks how a query is
  /// served wants to see its indexes.
  public func buildIndexes(
    for query: NormalizedQuery, waitingAtMost milliseconds: Int
  ) throws(StoreError) {
    if case .never = indexes.building { return }
    let shapes = IndexProposal.shapes(
      query, defined: indexes.definitions(of: query.database), isSelective: true)
    try buildIndexes(shapes: shapes, query.database, milliseconds)
  }

  private func buildIndexes(
    shapes: [IndexShape], _ database: DatabaseID, _ milliseconds: Int
  ) throws(StoreError) {
    let generation = try generation(of: database)
    if generation == 0 || shapes.isEmpty { return }
    var missing: [IndexShape] = []
    for shape in shapes {
      let ready = indexes.indexes(generation, of: shape.collectionID).first {
        $0.shape == shape && $0.isReady
      }
      if let ready { indexes.noteUse([ready.number], generation) } else { missing.append(shape) }
    }
    if missing.isEmpty { return }
    let isOver = Monitor(false)
    try committer.submit(
      .index(
        IndexRequest(database: database, generation: generation, shapes: missing) {
          isOver.change { $0 = true }
        }))
    if milliseconds == .max {
      isOver.wait { $0 ? () : nil }
    } else {
      _ = isOver.wait(atMost: milliseconds) { $0 ? () : nil }
    }
  }

  /// Another process would like to have an index, and this one builds them.
  func proposeForOthers(_ wish: IndexWish) {
    guard leads, let generation = try? generation(of: wish.database) else { return }
    if case .never = indexes.building { return }
    indexes.propose([wish.shape], wish.database, generation)
  }

  /// Hears of every index that is retired, on the thread that commits, and must return at once. One follower.
  public func followRetiredIndexes(_ report: @escaping @Sendable (RetiredIndex) -> Void) {
    indexes.follow(report)
  }

  func generation(of database: DatabaseID) throws(StoreError) -> UInt32 {
    try engine.read { (view) throws(StoreError) in
      do throws(StorageError) {
        return try DatabaseCatalog.generation(view, database)
      } catch { throw .storage(error) }
    }
  }

  /// Compares every entry of every ready index with the documents, and says what is missing or too much.
  /// Reads everything; for tests and for whoever doubts.
  public func indexFaults(in database: DatabaseID) throws(StoreError) -> [String] {
    try engine.read { (view) throws(StoreError) in
      do throws(StorageError) {
        return try IndexCheck.faults(view, try DatabaseCatalog.generation(view, database))
      } catch { throw .storage(error) }
    }
  }
}
