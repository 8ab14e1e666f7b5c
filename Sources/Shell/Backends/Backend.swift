/// A store as the shell uses it: in this process, or behind a port.

import Client
import DocModel
import DocStore
import Faults
import JSON

/// What a query cost, as far as it is known.
struct ReadStatistics {
  var documentsRead = 0
  /// The indexes that were read; nil when the server does not say.
  var indexes: [String]?
}

/// One change that a live query shows.
enum WatchEvent {
  /// The document is in the result in this state.
  case changed(ShellDocument)
  case removed(ResourcePath)
  /// Everything up to now has been shown.
  case current
  /// What was shown counts no more; it comes once more.
  case reset
}

/// The shapes of queries that needed more than automatic indexes.
struct ObservedShapes {
  let shapes: [(needs: QueryNeeds, count: Int)]
  /// Whether no shape was left out because there were too many.
  let isComplete: Bool
}

/// Owner: the session's thread. Calls wait for their answer and end early, as `interrupted`, when
/// `Interruption` says so.
protocol Backend: AnyObject {
  /// Whose documents these are; may change between calls.
  var database: DatabaseID { get set }
  /// Where the documents are, for people: `127.0.0.1:8080`, `data folder data`.
  var location: String { get }
  /// Why nothing can be written, and what can be done about it; nil when it can.
  var readOnlyReason: String? { get }

  func document(
    _ path: ResourcePath, as caller: Caller, in transaction: TransactionToken?
  ) throws(ShellError) -> ShellDocument?

  /// Looks at a document for advice, past the rules; faults that were set for others are not used up by it.
  func glance(_ path: ResourcePath) -> ShellDocument?

  /// Runs a query; `visit` says whether it wants more.
  func run(
    _ query: StructuredQuery, as caller: Caller, in transaction: TransactionToken?,
    _ visit: (ShellDocument) -> Bool
  ) throws(ShellError) -> ReadStatistics

  /// Results in the order of `aggregations`.
  func aggregate(
    _ query: StructuredQuery, _ aggregations: [Aggregation], as caller: Caller,
    in transaction: TransactionToken?
  ) throws(ShellError) -> [Value]

  /// Commits all or nothing; microseconds since the epoch.
  func commit(
    _ writes: [Write], as caller: Caller, in transaction: TransactionToken?
  ) throws(ShellError) -> Int64

  /// Deletes a document and all below it, past the rules; how many, as far as it is known.
  func deleteAll(_ path: ResourcePath) throws(ShellError) -> Int?
  /// Deletes everything of the database.
  func clear() throws(ShellError)

  /// Ids of the collections directly under a document or the root, past the rules.
  func collectionIDs(under parent: ResourcePath) throws(ShellError) -> [String]

  func begin(readOnly: Bool, as caller: Caller) throws(ShellError) -> TransactionToken
  func rollBack(_ transaction: TransactionToken, as caller: Caller) throws(ShellError)

  /// How the server would run a query, a line each.
  func explain(_ query: StructuredQuery, as caller: Caller) throws(ShellError) -> [String]

  /// Shows changes until `visit` says that it has enough.
  func watch(
    _ target: ReadStatement.Target, as caller: Caller, _ visit: (WatchEvent) throws(ShellError) -> Bool
  ) throws(ShellError)

  /// The rules that guard the database; nil when there are none.
  func rules() throws(ShellError) -> (name: String, source: [UInt8])?
  func replaceRules(_ name: String, _ source: [UInt8]) throws(ShellError)

  /// What was asked of the database's indexes so far.
  func askedShapes() throws(ShellError) -> ObservedShapes
  /// The definitions that the database has; nil when none were loaded.
  func definedIndexes() throws(ShellError) -> DefinedIndexes?
  /// Gives the database other indexes.
  /// - Parameter source: the text that `indexes` were read from.
  func replaceIndexes(_ indexes: DefinedIndexes, _ source: [UInt8]) throws(ShellError)

  /// What the store has done so far, by the names of `/metrics`.
  func metrics() throws(ShellError) -> [(name: String, value: String)]

  /// Asks for triggers, or gives them an order.
  /// - Parameter rest: what follows `triggers` in the path: `:drain?seconds=5`, `/greet:pause`.
  func triggers(_ method: String, _ rest: String) throws(ShellError) -> JSONValue

  /// What goes wrong on purpose in this database.
  func injectedFaults() throws(ShellError) -> [FaultReport]
  /// Sets a fault; its number.
  func inject(_ fault: InjectedFault) throws(ShellError) -> Int
  /// Removes a fault, or all; how many that were.
  func clearFaults(_ number: Int?) throws(ShellError) -> Int

  /// Asks about the last requests of the database.
  func requests(_ question: RequestQuestion) throws(ShellError) -> JSONValue
  /// Whether others ask the same store, so that there is something to wait for.
  var isShared: Bool { get }

  /// The time of the store.
  func clock() throws(ShellError) -> StoreTime
  /// Lets time pass in a store whose clock stands.
  /// - Parameter text: `+12h`, or a later time.
  func moveClock(_ text: String) throws(ShellError) -> StoreTime

  /// Builds the connection anew.
  func reconnect() throws(ShellError)
}

extension Backend {
  var readOnlyReason: String? { nil }

  func demandWritable() throws(ShellError) {
    if let readOnlyReason { throw .failed(readOnlyReason) }
  }

  func glance(_ path: ResourcePath) -> ShellDocument? { (try? document(path)) ?? nil }

  /// Past the rules, outside of transactions.
  func document(_ path: ResourcePath) throws(ShellError) -> ShellDocument? {
    try document(path, as: .administrator, in: nil)
  }
}
