/// Which indexes databases have, and what queries that lack one are answered.
///
/// Every query passes here after its rules have allowed it. What most queries need is there without
/// definitions, and is seen from the query alone; the rest is looked up, counted by shape, and refused where
/// the mode says so. The log names each missing definition once.
///
/// State and its guard: what is defined and what was asked, each behind its mutex; held for a look-up or one
/// more count, never while a query is looked at.
/// Source: docs/spec/production-differences.md section 2 (`--index-mode`), 3.5, Q4, Q11.

public import DocModel
public import DocStore
public import Indexes
internal import Synchronization

/// What is done about queries that the service would refuse for want of an index.
public enum IndexMode: String, Sendable, CaseIterable {
  /// Refuse them in databases whose definitions are known, otherwise as `warn`.
  case auto
  /// Refuse them; a database without definitions has the automatic indexes alone.
  case enforce
  /// Serve them, count them, and log each missing definition once.
  case warn
  /// Serve them, and keep nothing.
  case off
}

/// Queries of one shape that more than automatic indexes were needed for.
public struct ObservedIndexNeeds: Sendable {
  public let database: DatabaseID
  public let needs: QueryNeeds
  public let count: Int
  /// What they lack, as definitions are now.
  public let missing: MissingIndex?
}

public final class IndexGate: Sendable {
  /// LIMIT: shapes that are kept. More are served or refused just so, but not counted.
  public static let shapesMax = 2_000

  private struct Definitions {
    var byDatabase: [DatabaseID: DefinedIndexes] = [:]
    var byDatabaseName: [String: DefinedIndexes] = [:]
    var standard: DefinedIndexes?

    func of(_ database: DatabaseID) -> DefinedIndexes? {
      if byDatabase.isEmpty, byDatabaseName.isEmpty { return standard }
      return byDatabase[database] ?? byDatabaseName[database.database] ?? standard
    }
  }

  private struct Shape: Hashable {
    let database: DatabaseID
    let needs: QueryNeeds
  }

  private struct Told: Hashable {
    let database: DatabaseID
    let missing: MissingIndex
  }

  private struct Asked {
    var order: [Shape] = []
    var counts: [Shape: Int] = [:]
    var told: Set<Told> = []
    var isComplete = true
  }

  public let mode: IndexMode
  private let detail: DenialDetail
  private let log: @Sendable (String) -> Void
  private let definitions = Mutex(Definitions())
  private let asked = Mutex(Asked())
  private let publisher = Mutex<Publisher?>(nil)

  /// Has all servers of a store go by a file for a database, and returns when they do.
  public typealias Publisher = @Sendable (DatabaseID, _ file: [UInt8]) throws(StoreError) -> Void

  /// - Parameters:
  ///   - detail: whether refusals also say what to add to which file.
  ///   - log: gets one line for each definition that is missed, on the thread of the query.
  public init(
    _ mode: IndexMode = .auto, detail: DenialDetail = .explained,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.mode = mode
    self.detail = detail
    self.log = log
  }

  // MARK: definitions

  /// The indexes of every database that has none of its own.
  public func setStandard(_ indexes: DefinedIndexes) {
    definitions.withLock { $0.standard = indexes }
  }

  /// The indexes of the databases of this name, of all projects.
  public func setStandard(_ indexes: DefinedIndexes, ofDatabase name: String) {
    definitions.withLock { $0.byDatabaseName[name] = indexes }
  }

  /// The indexes of a project's databases, or of those of a name, replace those that single ones of them had. Returns these.
  public func dropReplaced(in project: String, named name: String?) -> [DatabaseID] {
    definitions.withLock { definitions in
      let dropped = definitions.byDatabase.keys.filter {
        $0.project == project && (name == nil || $0.database == name)
      }
      for database in dropped { definitions.byDatabase[database] = nil }
      return dropped
    }
  }

  /// The indexes of one database.
  public func replace(_ database: DatabaseID, with indexes: DefinedIndexes) {
    definitions.withLock { $0.byDatabase[database] = indexes }
  }

  /// Where several servers have a store, files are released through it: `publisher` has them set here, too.
  public func setPublisher(_ new: @escaping Publisher) { publisher.withLock { $0 = new } }

  /// Has every server go by a file without errors for a database, and blocks until they do. False where there is but one.
  public func publish(_ database: DatabaseID, _ file: [UInt8]) throws(StoreError) -> Bool {
    guard let publisher = publisher.withLock({ $0 }) else { return false }
    try publisher(database, file)
    return true
  }

  /// What is defined for a database; nil when nobody said.
  public func known(_ database: DatabaseID) -> DefinedIndexes? {
    definitions.withLock { $0.of(database) }
  }

  // MARK: queries

  /// Counts a query that needs more than automatic indexes, and refuses it when the service would and the mode
  /// is to do so.
  public func admit(_ query: NormalizedQuery) throws(StoreError) {
    guard mode != .off else { return }
    let known = known(query.database)
    let indexes = known ?? .automatic
    if IndexRequirement.isServedAutomatically(query, among: indexes) { return }
    guard let needs = QueryNeeds(query) else { return }
    let missing = IndexRequirement.missing(for: needs, among: indexes)
    let isRefused = missing != nil && (mode == .enforce || (mode == .auto && known != nil))
    count(needs, in: query.database, missing, isRefused: isRefused, indexes)
    guard isRefused, let missing else { return }
    throw .failedPrecondition(.missingIndex(message: text(missing, query.database, indexes)))
  }

  private func text(_ missing: MissingIndex, _ database: DatabaseID, _ indexes: DefinedIndexes) -> String {
    let message = missing.message(in: database)
    guard detail == .explained else { return message }
    let addition = IndexFileText.addition(of: missing, to: indexes)
    return message + "\nOr add to \"\(addition.list)\" in firestore.indexes.json: \(addition.entry)"
  }

  private func count(
    _ needs: QueryNeeds, in database: DatabaseID, _ missing: MissingIndex?, isRefused: Bool,
    _ indexes: DefinedIndexes
  ) {
    let shape = Shape(database: database, needs: needs)
    let isNew = asked.withLock { asked in
      if let count = asked.counts[shape] {
        asked.counts[shape] = count + 1
      } else if asked.order.count < Self.shapesMax {
        asked.counts[shape] = 1
        asked.order.append(shape)
      } else {
        asked.isComplete = false
        return false
      }
      guard let missing else { return false }
      return asked.told.insert(Told(database: database, missing: missing)).inserted
    }
    guard isNew, let missing else { return }
    let addition = IndexFileText.addition(of: missing, to: indexes)
    log(
      "\(isRefused ? "refused a query" : "production would refuse a query") of \(database): it needs the index "
        + "\(missing.summary); add to \"\(addition.list)\" in firestore.indexes.json: \(addition.entry)")
  }

  // MARK: what was asked

  /// Shapes in the order in which they were first asked, of the databases that `isWanted`.
  public func asked(where isWanted: (DatabaseID) -> Bool = { _ in true }) -> (
    shapes: [ObservedIndexNeeds], isComplete: Bool
  ) {
    let (order, counts, isComplete) = asked.withLock { ($0.order, $0.counts, $0.isComplete) }
    let shapes = order.filter { isWanted($0.database) }.map { shape in
      ObservedIndexNeeds(
        database: shape.database, needs: shape.needs, count: counts[shape] ?? 0,
        missing: IndexRequirement.missing(
          for: shape.needs, among: known(shape.database) ?? .automatic))
    }
    return (shapes, isComplete)
  }

  /// Forgets what was asked, and names missing definitions anew.
  public func forgetAsked() { asked.withLock { $0 = Asked() } }
}
