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
    private(set) var byCollection: [[UInt8]: [StoredIndex]] = [:]
    private(set) var nextNumber: UInt32 = 1
    private(set) var count = 0
    /// When each index was last read or, if it never was, came here.
    fileprivate var usedAt: [UInt32: Int64] = [:]
    /// When another process was told of it last.
    fileprivate var toldAt: [UInt32: Int64] = [:]

    mutating func insert(_ index: StoredIndex, at now: Int64) {
      let id = Array(index.shape.collectionID.utf8)
      remove(index)
      byCollection[id, default: []].append(index)
      count += 1
      usedAt[index.number] = now
      reserve(index.number)
      if Invariants.areDue(at: Int(index.number)) { checkInvariants() }
    }

    func checkInvariants() {
      let numbers = all.map(\.number)
      assert(Set(numbers).count == numbers.count, "no two indexes have one number")
      assert(numbers.allSatisfy { $0 < nextNumber }, "the next number was never given")
      assert(
        byCollection.allSatisfy { id, indexes in
          indexes.allSatisfy { Array($0.shape.collectionID.utf8) == id }
        },
        "an index stands under its collection")
      assert(count == numbers.count, "the number of indexes is kept")
      assert(Set(usedAt.keys) == Set(numbers), "when it was read is known of each index, and of no other")
    }

    mutating func remove(_ index: StoredIndex) {
      let id = Array(index.shape.collectionID.utf8)
      guard let place = byCollection[id]?.firstIndex(where: { $0.number == index.number }) else { return }
      byCollection[id]?.remove(at: place)
      if byCollection[id]?.isEmpty == true { byCollection[id] = nil }
      usedAt[index.number] = nil
      toldAt[index.number] = nil
      count -= 1
    }

    /// Another index may not have the number.
    mutating func reserve(_ number: UInt32) { nextNumber = max(nextNumber, number + 1) }

    /// Of the ready ones among `indexes` the one that was not read for longest, if that is since `time`.
    fileprivate func idle(_ indexes: some Sequence<StoredIndex>, since time: Int64) -> StoredIndex? {
      var found: (index: StoredIndex, usedAt: Int64)?
      for index in indexes where index.isReady {
        let used = usedAt[index.number] ?? 0
        if used <= time, used < found?.usedAt ?? .max { found = (index, used) }
      }
      return found?.index
    }

    fileprivate var all: [StoredIndex] { byCollection.values.flatMap { $0 } }
  }

  private struct Proposal: Hashable {
    let generation: UInt32
    let shape: IndexShape
  }

  private struct State {
    var common: [IndexDefinition]
    var own: [DatabaseID: [IndexDefinition]] = [:]
    var kept: [UInt32: Kept] = [:]
    /// Asked for and not to be asked for again.
    var proposals: Set<Proposal> = []
    /// Hands a request to the thread that commits.
    var submit: (@Sendable (IndexRequest) -> Void)?
    /// Hears of indexes that are retired.
    var report: (@Sendable (RetiredIndex) -> Void)?
    /// Tells the process that retires indexes which of them are read here.
    var tellUse: (@Sendable (UInt32, UInt32) -> Void)?
  }

  private let state: Mutex<State>
  private let now: @Sendable () -> Int64
  let building: StoreOptions.IndexBuilding
  private let idleSeconds: Int64?

  /// LIMIT: indexes kept for one collection id, and of one database. Another one is built when one of them makes room;
  /// queries that want more go on scanning.
  static let perCollectionMax = 100
  static let perDatabaseMax = 500
  /// An index that was read within so many seconds makes room for no other.
  static let roomSeconds: Int64 = 600
  /// How often it is told of one index that it is read.
  private static let tellSeconds: Int64 = 60

  init(_ options: StoreOptions, now: @escaping @Sendable () -> Int64) {
    state = Mutex(State(common: options.indexes))
    building = options.indexBuilding
    idleSeconds = options.indexIdleSeconds.map(Int64.init)
    self.now = now
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
    let now = now()
    state.withLock { $0.kept[generation, default: Kept()].insert(index, at: now) }
  }

  /// What the catalog says is all there is.
  func replaceAll(_ stored: StoredIndexes) {
    state.withLock { $0.kept = [:] }
    for (database, index) in stored.kept { insert(index, database.generation) }
    for rest in stored.retired { reserve(rest.number, rest.generation) }
  }

  /// The entries of an index of that number are still there.
  func reserve(_ number: UInt32, _ generation: UInt32) {
    state.withLock { $0.kept[generation, default: Kept()].reserve(number) }
  }

  // MARK: use

  /// Indexes are read, or somebody wants to see them.
  ///
  /// - Parameter isHeard: by another process, which tells it.
  func noteUse(_ numbers: some Sequence<UInt32>, _ generation: UInt32, isHeard: Bool = false) {
    let now = now()
    var told: [UInt32] = []
    let tell = state.withLock { state in
      for number in numbers {
        guard state.kept[generation]?.usedAt[number] != nil else { continue }
        state.kept[generation]?.usedAt[number] = now
        if isHeard || state.tellUse == nil { continue }
        if let last = state.kept[generation]?.toldAt[number], now - last < Self.tellSeconds * 1_000_000 {
          continue
        }
        state.kept[generation]?.toldAt[number] = now
        told.append(number)
      }
      return state.tellUse
    }
    for number in told { tell?(generation, number) }
  }

  /// Which of them the process read that retired them before is not known.
  func noteUseOfAll() {
    let now = now()
    state.withLock { state in
      for generation in state.kept.keys {
        for index in state.kept[generation]?.all ?? [] { state.kept[generation]?.usedAt[index.number] = now }
      }
    }
  }

  /// Where another process may retire indexes: it is told of an index that is read, once a minute.
  func tellUse(_ body: @escaping @Sendable (_ generation: UInt32, _ number: UInt32) -> Void) {
    state.withLock { $0.tellUse = body }
  }

  /// An index that no query has read for so long that it is not worth what commits pay for it. Nil while nothing
  /// would build it again.
  func idleIndex() -> (generation: UInt32, index: StoredIndex)? {
    guard let idleSeconds, case .onDemand = building else { return nil }
    let time = now() - idleSeconds * 1_000_000
    return state.withLock { state in
      for (generation, kept) in state.kept {
        if let index = kept.idle(kept.all, since: time) { return (generation, index) }
      }
      return nil
    }
  }

  /// Whether another index of a collection id may be kept: at once, instead of one that is not read, or not.
  enum Room {
    case free
    case insteadOf(StoredIndex)
    case none
  }

  func room(_ generation: UInt32, of collectionID: String) -> Room {
    let time = now() - Self.roomSeconds * 1_000_000
    return state.withLock { $0.kept[generation].map { Self.room($0, collectionID, time) } ?? .free }
  }

  private static func room(_ kept: Kept, _ collectionID: String, _ time: Int64) -> Room {
    let own = kept.byCollection[Array(collectionID.utf8)] ?? []
    if own.count >= perCollectionMax { return kept.idle(own, since: time).map(Room.insteadOf) ?? .none }
    if kept.count < perDatabaseMax { return .free }
    return kept.idle(kept.all, since: time).map(Room.insteadOf) ?? .none
  }

  /// The catalog says that an index is retired: commits no longer keep it, and a query may ask for it again.
  func retire(_ index: StoredIndex, _ generation: UInt32) {
    state.withLock { state in
      state.kept[generation]?.remove(index)
      state.proposals.remove(Proposal(generation: generation, shape: index.shape))
    }
  }

  /// Another process has written, or removed, the record of an index.
  func note(_ number: UInt32, _ record: [UInt8]?, _ generation: UInt32) {
    let index = record.flatMap { record in
      record.withUnsafeBytes { IndexCatalog.decoded(number, $0) }
    }
    // The entries of a retired index are still there, those of one without a record are not.
    guard let index, let record else { return }
    if record.first == IndexCatalog.retired {
      retire(index, generation)
      reserve(number, generation)
    } else {
      insert(index, generation)
    }
  }

  func follow(_ report: @escaping @Sendable (RetiredIndex) -> Void) { state.withLock { $0.report = report } }

  func report(_ retired: RetiredIndex) { state.withLock { $0.report }?(retired) }

  /// The generation was cleared.
  func forget(_ generation: UInt32) {
    state.withLock { state in
      state.kept[generation] = nil
      state.proposals = state.proposals.filter { $0.generation != generation }
    }
  }

  // MARK: proposals

  /// The shapes among `shapes` that nobody has asked for yet; they count as asked for from now on.
  func newProposals(_ shapes: [IndexShape], _ generation: UInt32) -> [IndexShape] {
    let time = now() - Self.roomSeconds * 1_000_000
    return state.withLock { state in
      shapes.filter { shape in
        if let kept = state.kept[generation] {
          let own = kept.byCollection[Array(shape.collectionID.utf8)] ?? []
          if own.contains(where: { $0.shape == shape }) { return false }
          if case .none = Self.room(kept, shape.collectionID, time) { return false }
        }
        return state.proposals.insert(Proposal(generation: generation, shape: shape)).inserted
      }
    }
  }

  func connect(_ submit: @escaping @Sendable (IndexRequest) -> Void) { state.withLock { $0.submit = submit } }

  /// Has indexes built that nobody has asked for yet. `completion` is called when they are ready or cannot be.
  func propose(
    _ shapes: [IndexShape], _ database: DatabaseID, _ generation: UInt32,
    completion: @escaping @Sendable () -> Void = {}
  ) {
    if shapes.isEmpty || generation == 0 { return completion() }
    let new = newProposals(shapes, generation)
    guard !new.isEmpty, let submit = state.withLock({ $0.submit }) else { return completion() }
    submit(IndexRequest(database: database, generation: generation, shapes: new, completion: completion))
  }

  /// An index could not be built: it may be asked for again.
  func drop(_ shapes: [IndexShape], _ generation: UInt32) {
    state.withLock { state in
      for shape in shapes { state.proposals.remove(Proposal(generation: generation, shape: shape)) }
    }
  }
}
