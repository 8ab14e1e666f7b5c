/// One read transaction of the library, reused from view to view.

internal import CGuard
internal import CLMDB
internal import DocStore
internal import Platform

/// `@unchecked Sendable`: a view is used by one closure at a time; between uses it lies in the pool, and the
/// library does not tie it to a thread (`MDB_NOTLS`).
final class LMDBView: StorageView, @unchecked Sendable {
  private let environment: LMDBEnvironment
  private let transaction: OpaquePointer
  private let handles: [MDB_dbi]

  /// A view of the newest state. `full` never comes; `unavailable` when all reader slots are taken.
  init(_ environment: LMDBEnvironment) throws(StorageError) {
    var begun: OpaquePointer?
    let code = mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &begun)
    guard code == 0, let begun else { throw environment.failure(code) }
    self.environment = environment
    transaction = begun
    handles = environment.handles
  }

  deinit { mdb_txn_abort(transaction) }

  /// Lets go of the state and keeps the reader slot.
  func reset() { mdb_txn_reset(transaction) }

  /// Takes the newest state.
  func renew() throws(StorageError) {
    let code = mdb_txn_renew(transaction)
    if code != 0 { throw environment.failure(code) }
  }

  override func get(
    _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    // The library knows no empty key.
    if key.isEmpty { return nil }
    var key = MDB_val(key)
    var value = MDB_val()
    let code = mdb_get(transaction, handles[Int(keyspace.rawValue)], &key, &value)
    if code == 0 { return value.bytes }
    guard code == MDB_NOTFOUND else { throw environment.failure(code) }
    // A damaged page above would send the search elsewhere, and a document would be missing without a word.
    let cursor = try LMDBCursor(environment, transaction, handles[Int(keyspace.rawValue)])
    guard let above = try cursor.place(of: key.bytes) else { return nil }
    guard key.bytes.precedes(above.key) else { throw environment.failure(MDB_CORRUPTED) }
    return nil
  }

  override func scan(
    _ keyspace: Keyspace, _ range: KeyRange, _ direction: ScanDirection,
    _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
  ) throws(StorageError) {
    if range.isEmpty { return }
    let cursor = try LMDBCursor(environment, transaction, handles[Int(keyspace.rawValue)])
    switch direction {
    case .forward: try Self.forward(cursor, range, visit)
    case .reverse: try Self.reverse(cursor, range, visit)
    }
  }

  override func cursor(_ keyspace: Keyspace) throws(StorageError) -> StorageCursor {
    LMDBStorageCursor(try LMDBCursor(environment, transaction, handles[Int(keyspace.rawValue)]))
  }

  override func size(of keyspace: Keyspace) throws(StorageError) -> KeyspaceSize {
    var figures = MDB_stat()
    let code = mdb_stat(transaction, handles[Int(keyspace.rawValue)], &figures)
    guard code == 0 else { throw environment.failure(code) }
    let pages = figures.ms_branch_pages + figures.ms_leaf_pages + figures.ms_overflow_pages
    return KeyspaceSize(entries: Int(figures.ms_entries), bytes: Int(pages) * Int(figures.ms_psize))
  }

  private static func forward(
    _ cursor: borrowing LMDBCursor, _ range: KeyRange,
    _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ScanStep
  ) throws(StorageError) {
    var entry = try range.lower.isEmpty ? cursor.move(MDB_FIRST) : cursor.place(of: range.lower)
    while let current = entry {
      if let upper = range.upper, !current.key.precedes(upper) { return }
      if visit(current.key, current.value) == .stop { return }
      entry = try cursor.move(MDB_NEXT)
    }
  }

  private static func reverse(
    _ cursor: borrowing LMDBCursor, _ range: KeyRange,
    _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ScanStep
  ) throws(StorageError) {
    var entry: LMDBCursor.Entry?
    if let upper = range.upper, !upper.isEmpty, try cursor.place(of: upper) != nil {
      entry = try cursor.move(MDB_PREV)
    } else {
      entry = try cursor.move(MDB_LAST)
    }
    while let current = entry {
      if current.key.precedes(range.lower) { return }
      if visit(current.key, current.value) == .stop { return }
      entry = try cursor.move(MDB_PREV)
    }
  }
}

/// A cursor of the library as the store moves it.
final class LMDBStorageCursor: StorageCursor {
  private let cursor: LMDBCursor

  init(_ cursor: consuming LMDBCursor) {
    self.cursor = cursor
    super.init(scanning: nil, .indexEntries)
  }

  override func seek(atLeast key: [UInt8]) throws(StorageError) { set(try cursor.seek(key)) }

  override func seek(below key: [UInt8]?) throws(StorageError) {
    if let key, try cursor.seek(key) != nil {
      set(try cursor.move(MDB_PREV))
    } else {
      set(try cursor.move(MDB_LAST))
    }
  }

  override func next() throws(StorageError) {
    if entry != nil { set(try cursor.move(MDB_NEXT)) }
  }

  override func previous() throws(StorageError) {
    if entry != nil { set(try cursor.move(MDB_PREV)) }
  }

  private func set(_ found: LMDBCursor.Entry?) { entry = found.map { ($0.key, $0.value) } }
}

/// A cursor of the library; closed with its scope.
struct LMDBCursor: ~Copyable {
  struct Entry {
    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer
    /// The page that the key is on, by its place in memory; keys are never on pages of their own.
    var page: UInt { UInt(bitPattern: key.baseAddress) / UInt(LMDBEngine.pageBytes) }
  }

  private let environment: LMDBEnvironment
  private let pointer: OpaquePointer

  init(
    _ environment: LMDBEnvironment, _ transaction: OpaquePointer, _ handle: MDB_dbi
  ) throws(StorageError) {
    var opened: OpaquePointer?
    let code = mdb_cursor_open(transaction, handle, &opened)
    guard code == 0, let opened else { throw environment.failure(code) }
    self.environment = environment
    pointer = opened
  }

  deinit { mdb_cursor_close(pointer) }

  /// The first key at or above `key`.
  func seek(_ key: [UInt8]) throws(StorageError) -> Entry? {
    if key.isEmpty { return try move(MDB_FIRST) }
    return try withBytes(of: key) { (bytes) throws(StorageError) in try seek(bytes) }
  }

  private func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Entry? {
    try get(MDB_SET_RANGE, MDB_val(key))
  }

  private func withBytes<R>(
    of key: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try key.withUnsafeBytes { bytes in
      Result { () throws(StorageError) in try body(bytes) }
    }.get()
  }

  func move(_ operation: MDB_cursor_op) throws(StorageError) -> Entry? { try get(operation, MDB_val()) }

  private func get(_ operation: MDB_cursor_op, _ start: MDB_val) throws(StorageError) -> Entry? {
    var key = start
    var value = MDB_val()
    let code = mdb_cursor_get(pointer, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    guard code == 0 else { throw environment.failure(code) }
    return Entry(key: key.bytes, value: value.bytes)
  }

  /// The same of a key in an array, which is not empty.
  func place(of key: [UInt8]) throws(StorageError) -> Entry? {
    try withBytes(of: key) { (bytes) throws(StorageError) in try place(of: bytes) }
  }

  /// The first key at or above `key`, as `seek` finds it, when its neighbours say that the search went the right way.
  ///
  /// Leaves have keys of their own, and their order is that of the keys. So where a search ends between two keys of one
  /// page, one below and one not, it ended in the right place. Where it ends at the edge of a page, a page that is not
  /// the right one is out of order with the page before it or the one behind it: all its keys and these are compared.
  /// A search goes astray where a bit of a page above the leaves is not what it was.
  func place(of key: UnsafeRawBufferPointer) throws(StorageError) -> Entry? {
    let above = try seek(key)
    let below = try move(above == nil ? MDB_LAST : MDB_PREV)
    if let below, !below.key.precedes(key) || !isInPlace(below) { throw environment.failure(MDB_CORRUPTED) }
    if let above, above.key.precedes(key) || !isInPlace(above) { throw environment.failure(MDB_CORRUPTED) }
    if let below, let above, below.page == above.page { return try move(MDB_NEXT) }
    if let below { try checkOrder(from: below, MDB_PREV) }
    guard let above = try seek(key) else { return nil }
    try checkOrder(from: above, MDB_NEXT)
    return try seek(key)
  }

  /// Whether a page bears its own number: pages of two trees that are swapped can be in order.
  private func isInPlace(_ entry: Entry) -> Bool {
    docstore_guard_is_in_place(environment.guardian, entry.key.baseAddress) != 0
  }

  /// Compares the keys from here to the first one of another page.
  private func checkOrder(from start: Entry, _ direction: MDB_cursor_op) throws(StorageError) {
    var last = start
    while let next = try move(direction) {
      let isOrdered =
        direction == MDB_NEXT ? last.key.precedes(next.key) : next.key.precedes(last.key)
      guard isOrdered else { throw environment.failure(MDB_CORRUPTED) }
      if next.page != last.page { return }
      last = next
    }
  }

  /// Removes the entry at hand; the next `move(MDB_NEXT)` gives the one after it.
  func remove() throws(StorageError) {
    let code = mdb_cursor_del(pointer, 0)
    if code != 0 { throw environment.failure(code) }
  }
}

extension MDB_val {
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension UnsafeRawBufferPointer {
  /// Order of unsigned bytes, a prefix first: the library's own order of keys.
  func precedes(_ other: [UInt8]) -> Bool { other.withUnsafeBytes { precedes($0) } }

  func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let common = Swift.min(count, other.count)
    if common > 0, let own = baseAddress, let theirs = other.baseAddress {
      let order = memcmp(own, theirs, common)
      if order != 0 { return order < 0 }
    }
    return count < other.count
  }
}
