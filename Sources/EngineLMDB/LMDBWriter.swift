/// Applies mutations inside one write transaction of the library.

internal import CLMDB
internal import DocStore

/// Keeps a cursor for each keyspace it puts into: the next key is often on the page of the one before, and
/// finding it there spares the walk from the root.
///
/// Changes come in the order of their keys, but for those of all databases but the newest: where one is the last, the page
/// before it is left full. Otherwise the library splits pages in halves, and leaves each of them half empty.
///
/// INVARIANT: ends before its transaction does.
struct LMDBWriter: ~Copyable {
  private let transaction: OpaquePointer
  private let handles: [MDB_dbi]
  /// By raw value of `Keyspace`; nil until something is put there.
  private let cursors: UnsafeMutableBufferPointer<OpaquePointer?>

  init(_ transaction: OpaquePointer, _ handles: [MDB_dbi]) {
    self.transaction = transaction
    self.handles = handles
    cursors = .allocate(capacity: handles.count)
    cursors.initialize(repeating: nil)
  }

  deinit {
    for cursor in cursors { if let cursor { mdb_cursor_close(cursor) } }
    cursors.deallocate()
  }

  /// The library's code.
  func apply(_ mutation: Mutation) -> Int32 {
    let keyspace = Int(mutation.keyspace.rawValue)
    var key = MDB_val(mutation.key)
    switch mutation.kind {
    case .put:
      if cursors[keyspace] == nil {
        let code = mdb_cursor_open(transaction, handles[keyspace], &cursors[keyspace])
        if code != 0 { return code }
      }
      var value = MDB_val(mutation.value)
      if mutation.keyspace == .changes {
        let code = mdb_cursor_put(cursors[keyspace], &key, &value, UInt32(MDB_APPEND))
        if code != MDB_KEYEXIST { return code }
      }
      return mdb_cursor_put(cursors[keyspace], &key, &value, 0)
    case .remove:
      let code = mdb_del(transaction, handles[keyspace], &key, nil)
      return code == MDB_NOTFOUND ? 0 : code
    case .removeRange(let limit):
      return removeRange(mutation, handles[keyspace], limit: limit)
    }
  }

  private func removeRange(_ mutation: Mutation, _ handle: MDB_dbi, limit: Int) -> Int32 {
    var opened: OpaquePointer?
    var code = mdb_cursor_open(transaction, handle, &opened)
    guard code == 0, let cursor = opened else { return code }
    defer { mdb_cursor_close(cursor) }
    let upper = Array(mutation.value)
    var key = MDB_val(mutation.key)
    var value = MDB_val()
    code = mdb_cursor_get(cursor, &key, &value, mutation.key.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
    var count = 0
    while code == 0, count < limit, upper.isEmpty || key.bytes.precedes(upper) {
      code = mdb_cursor_del(cursor, 0)
      if code != 0 { return code }
      count += 1
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
    }
    return code == MDB_NOTFOUND ? 0 : code
  }
}
