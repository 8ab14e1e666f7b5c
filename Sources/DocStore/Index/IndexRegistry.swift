/// Which indexes there are, and which there may be.
///
/// State behind one lock. What is kept changes only on the thread that commits, between two batches and after
/// the engine has written it, so a planned batch sees all of it or nothing.
///
/// INVARIANT: every index of the catalog whose generation lives is here before the next commit is planned:
/// commits keep exactly these. The registry may know an index as ready before an older view does.

internal import DocModel
internal import Synchronization

final class IndexRegistry: Sendable {
  /// The indexes of one generation.
  struct Kept: Sendable {
    var byCollection: [[UInt8]: [StoredIndex]] = [:]
    var nextNumber: UInt32 = 1

    mutating func insert(_ index: StoredIndex) {
      let id = Array(index.shape.collectionID.utf8)
      byCollection[id, default: []].removeAll { $0.number == index.number }
      byCollection[id, default: []].append(index)
      nextNumber = max(nextNumber, index.number + 1)
    }

    var all: [StoredIndex] { byCollection.values.flatMap { $0 } }
  }

  private struct Wish: Hashable {
    let generation: UInt32
    let shape: IndexShape
  }

  private struct State {
    var common: [IndexDefinition]
    var own: [DatabaseID: [IndexDefinition]] = [:]
    var kept: [UInt32: Kept] = [:]
    /// Asked for and not to be asked for again.
    var wishes: Set<Wish> = []
    /// Hands a request to the thread that commits.
    var submit: (@Sendable (IndexRequest) -> Void)?
  }

  private let state: Mutex<State>
  let building: StoreOptions.IndexBuilding

  /// LIMIT: indexes kept for one collection id; queries that want more go on scanning.
  static let perCollectionMax = 100

  init(_ options: StoreOptions) {
    state = Mutex(State(common: options.indexes))
    building = options.indexBuilding
  }

  // MARK: definitions

  func define(_ definitions: [IndexDefinition], in database: DatabaseID?) {
    state.withLock { state in
      if let database { state.own[database] = definitions } else { state.common = definitions }
    }
  }

  func definitions(of database: DatabaseID) -> [IndexDefinition] {
    state.withLock { $0.own[database] ?? $0.common }
  }

  // MARK: what is kept

  /// By the bytes of collection ids; nil when a generation has none.
  func kept(_ generation: UInt32) -> [[UInt8]: [StoredIndex]]? {
    state.withLock { $0.kept[generation]?.byCollection }
  }

  func indexes(_ generation: UInt32, of collectionID: String) -> [StoredIndex] {
    state.withLock { $0.kept[generation]?.byCollection[Array(collectionID.utf8)] ?? [] }
  }

  func nextNumber(_ generation: UInt32) -> UInt32 { state.withLock { $0.kept[generation]?.nextNumber ?? 1 } }

  /// Adds an index, or brings it up to date.
  func insert(_ index: StoredIndex, _ generation: UInt32) {
    state.withLock { $0.kept[generation, default: Kept()].insert(index) }
  }

  /// The generation was cleared.
  func forget(_ generation: UInt32) {
    state.withLock { state in
      state.kept[generation] = nil
      state.wishes = state.wishes.filter { $0.generation != generation }
    }
  }

  // MARK: wishes

  /// The shapes among `shapes` that nobody has asked for yet; they count as asked for from now on.
  func newWishes(_ shapes: [IndexShape], _ generation: UInt32) -> [IndexShape] {
    state.withLock { state in
      shapes.filter { shape in
        let kept = state.kept[generation]?.byCollection[Array(shape.collectionID.utf8)] ?? []
        guard kept.count < Self.perCollectionMax, !kept.contains(where: { $0.shape == shape }) else {
          return false
        }
        return state.wishes.insert(Wish(generation: generation, shape: shape)).inserted
      }
    }
  }

  func connect(_ submit: @escaping @Sendable (IndexRequest) -> Void) { state.withLock { $0.submit = submit } }

  /// Has indexes built that nobody has asked for yet. `completion` is called when they are ready or cannot be.
  func wish(
    _ shapes: [IndexShape], _ database: DatabaseID, _ generation: UInt32,
    completion: @escaping @Sendable () -> Void = {}
  ) {
    if shapes.isEmpty || generation == 0 { return completion() }
    let new = newWishes(shapes, generation)
    guard !new.isEmpty, let submit = state.withLock({ $0.submit }) else { return completion() }
    submit(IndexRequest(database: database, generation: generation, shapes: new, completion: completion))
  }

  /// An index could not be built: it may be asked for again.
  func drop(_ shapes: [IndexShape], _ generation: UInt32) {
    state.withLock { state in
      for shape in shapes { state.wishes.remove(Wish(generation: generation, shape: shape)) }
    }
  }
}
