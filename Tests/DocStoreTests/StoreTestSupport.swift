/// A store on the embedded engine with a clock in the test's hands.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

struct TestStore {
  let clock: TestClock
  let store: DocumentStore<LMDBEngine>
  let database = DatabaseID(project: "demo-test")

  init() throws { try self.init(engine: LMDBEngine.ephemeral()) }

  init(
    engine: LMDBEngine, clock: TestClock = TestClock(), options: StoreOptions = StoreOptions()
  ) throws {
    self.clock = clock
    store = try DocumentStore(engine: engine, environment: clock.environment(), options: options)
  }

  // MARK: writing

  @discardableResult
  func commit(_ writes: Write...) throws -> CommitResult { try store.commitAndWait(database, writes) }

  @discardableResult
  func set(_ path: String, _ fields: Fields) throws -> CommitResult { try commit(.set(path, fields)) }

  // MARK: reading

  func fields(_ path: String, at time: ReadTime = .newest) throws -> Fields? {
    try store.read(database, at: time) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) }
    }
  }

  func times(_ path: String) throws -> (created: Int64, updated: Int64)? {
    try store.read(database) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)).map { ($0.createTime, $0.updateTime) }
    }
  }

  func collect(
    at time: ReadTime = .newest, _ scan: (StoreView, DocumentVisitor) throws(StoreError) -> Void
  ) throws -> [String] {
    try store.read(database, at: time) { (view) throws(StoreError) in
      var paths: [String] = []
      try scan(view) { path, _ in
        paths.append(String(decoding: path, as: UTF8.self))
        return .more
      }
      return paths
    }
  }

  func collection(
    _ path: String, from lower: NameBound? = nil, to upper: NameBound? = nil,
    _ direction: ScanDirection = .forward, at time: ReadTime = .newest
  ) throws -> [String] {
    try collect(at: time) { (view, visit) throws(StoreError) in
      try view.scanCollection(ResourcePath(unchecked: path), from: lower, to: upper, direction, visit)
    }
  }
}

extension Write {
  static func set(_ path: String, _ fields: Fields, precondition: Precondition = .none) -> Write {
    Write(
      ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil), precondition: precondition)
  }

  static func merge(_ path: String, _ fields: Fields, _ mask: String..., transforms: [FieldTransform] = [])
    -> Write
  {
    Write(
      ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: mask.map(fieldPath)),
      transforms: transforms)
  }

  static func delete(_ path: String, precondition: Precondition = .none) -> Write {
    Write(ResourcePath(unchecked: path), .delete, precondition: precondition)
  }

  static func verify(_ path: String, _ precondition: Precondition) -> Write {
    Write(ResourcePath(unchecked: path), .verify, precondition: precondition)
  }

  static func transform(_ path: String, _ transforms: FieldTransform...) -> Write {
    .transform(ResourcePath(unchecked: path), transforms)
  }
}

/// A path that the test knows to be well formed.
func fieldPath(_ text: String) -> FieldPath {
  do { return try FieldPath.parse(text) } catch { preconditionFailure("\(text): \(error.message)") }
}

func value(_ encoded: [UInt8]) -> Value { encoded.withUnsafeBytes { Value(ValueView($0)) } }

/// The store's error of `body`; nil when it succeeds.
func storeError(_ body: () throws -> Void) -> StoreError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StoreError
  }
}

/// A commit under way, which may have to wait for others.
final class PendingCommit: Sendable {
  private let monitor = Monitor<Result<CommitResult, StoreError>?>(nil)

  init<Engine: StorageEngine>(
    _ store: DocumentStore<Engine>, _ database: DatabaseID, _ writes: [Write],
    transaction: TransactionID? = nil, cancellation: CommitCancellation? = nil
  ) {
    let monitor = monitor
    store.submit(database, writes, transaction: transaction, cancellation: cancellation) { result in
      monitor.change { $0 = result }
    }
  }

  /// Nil while it is under way.
  var outcome: Result<CommitResult, StoreError>? { monitor.withLock { $0 } }

  /// Waits for the end.
  @discardableResult
  func result() throws -> CommitResult {
    try #require(monitor.wait(atMost: 60_000) { $0 }, "the commit does not end").get()
  }

  /// Waits for the end, which is to be a refusal.
  func refusal() throws -> StoreError {
    switch try #require(monitor.wait(atMost: 60_000) { $0 }, "the commit does not end") {
    case .success:
      Issue.record("the commit succeeded")
      return .storage(.corrupt)
    case .failure(let error): return error
    }
  }
}

/// A store whose thread that writes lends its place (`StoreOptions.commitsOnCaller`).
func storeThatLends() throws -> DocumentStore<LMDBEngine> {
  var options = StoreOptions()
  options.commitsOnCaller = true
  return try TestStore(engine: LMDBEngine.ephemeral(), options: options).store
}
