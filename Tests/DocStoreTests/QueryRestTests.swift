/// Results made in pieces: what a query gives when it is stopped and goes on with its rest.

import DocModel
import DocStore
import TestSupport
import Testing

@Suite("the rest of a query")
struct QueryRestTests {
  /// One row of a result, and what its piece was given to show.
  struct Row: Equatable {
    let path: [UInt8]
    let fields: Fields
  }

  /// Runs a query in pieces of `size` rows; `run` runs one piece.
  static func inPieces(
    _ query: NormalizedQuery, of size: Int,
    _ run: (NormalizedQuery, (QueryRow) -> ScanStep) throws(StoreError) -> QueryRun
  ) throws(StoreError) -> (rows: [Row], skipped: Int, pieces: Int) {
    var rows: [Row] = []
    var skipped = 0
    var pieces = 0
    var next: NormalizedQuery? = query
    while let piece = next {
      next = nil
      var delivered = 0
      let run = try run(piece) { row in
        rows.append(Row(path: Array(row.path), fields: Fields(FieldsView(document: row.fields))))
        delivered += 1
        if delivered < size { return .more }
        next = piece.rest(after: row, delivered: delivered)
        return .stop
      }
      skipped += run.skipped
      pieces += 1
    }
    return (rows, skipped, pieces)
  }

  static func expectPieces(_ query: NormalizedQuery, on source: QueryTestSource, _ label: String) throws {
    for plan in [QueryPlanner.plan, QueryPlan.wholeScan] {
      if query.limit == 0 { continue }
      let run = { (query: NormalizedQuery, visit: (QueryRow) -> ScanStep) throws(StoreError) in
        try QueryExecutor.run(query, plan: plan(query), on: source, visit)
      }
      let whole = try inPieces(query, of: .max, run)
      #expect(whole.pieces == 1)
      for size in 1...3 {
        let pieces = try inPieces(query, of: size, run)
        #expect(pieces.rows == whole.rows, "\(label), pieces of \(size)")
        #expect(pieces.skipped == whole.skipped, "\(label), pieces of \(size)")
        #expect(pieces.pieces >= whole.rows.count / size, "\(label), pieces of \(size)")
      }
    }
  }

  @Test("pieces are together the whole result, by every plan")
  func rows() throws {
    let rows =
      QueryExecutorTests.scopes + QueryExecutorTests.orders + QueryExecutorTests.cursors
      + QueryExecutorTests.windows + QueryExecutorTests.names
    for row in rows {
      let query = try QueryValidator.validate(row.query)
      try Self.expectPieces(query, on: QueryExecutorTests.store, row.testDescription)
    }
    let projected = try QueryValidator.validate(
      QueryExecutorTests.query(
        orderBy: [.init("n", .descending)], offset: 1, limit: 4, select: ["m.y", "__name__"]))
    try Self.expectPieces(projected, on: QueryExecutorTests.store, "projected")
  }

  @Test("random queries in pieces give what they give in one")
  func random() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = QueryRandom(seed: seed)
    var cut = 0
    for _ in 0..<20 {
      var source = QueryTestSource()
      for (path, fields) in random.documents() { source.set(path.text, fields) }
      for _ in 0..<40 {
        guard let query = try? QueryValidator.validate(random.query()) else { continue }
        try Self.expectPieces(query, on: source, "SEED=\(seed)")
        cut += 1
      }
    }
    #expect(cut > 100)
  }

  // MARK: over the store

  @Test("commits between pieces do not show: all pieces read one state")
  func commitsBetween() throws {
    for row in QueryExecutorTests.scopes + QueryExecutorTests.orders + QueryExecutorTests.windows {
      let store = try QueryStoreTests.store(QueryExecutorTests.store)
      defer { store.close() }
      let database = QueryStoreTests.database
      var point: ReadPoint?
      var readTimes: Set<Int64> = []
      let result = try Self.inPieces(try QueryValidator.validate(row.query), of: 2) {
        (query, visit) throws(StoreError) in
        let run = try store.read(database, from: point) { (view) throws(StoreError) in
          point = view.point
          readTimes.insert(view.readTime)
          return try QueryExecutor.run(query, on: view, visit)
        }
        for document in QueryExecutorTests.store.documents {
          try store.commitAndWait(database, [Write(document.path, .delete)])
          let fresh = document.path.parent.appending("zz")
          try store.commitAndWait(
            database, [Write(fresh, .update(fields: Array(document.stored.fields.bytes), mask: nil))])
        }
        return run
      }
      let paths = result.rows.map { String(decoding: $0.path, as: UTF8.self) }.joined(separator: " ")
      #expect(paths == row.paths, "\(row.testDescription)")
      #expect(readTimes.count == 1)
    }
  }

  @Test("inside a transaction later pieces show the first one's state, which others do not change meanwhile")
  func transaction() throws {
    for isChanged in [false, true] {
      let test = try TestStore()
      for id in ["a", "b"] { try test.set("c/\(id)", ["n": .integer(1)]) }
      let id = try test.store.beginTransaction(test.database)
      let path = ResourcePath(unchecked: "c/b")
      let point = try test.store.read(test.database, at: .transaction(id)) { (view) throws(StoreError) in
        view.claim([path])
        _ = try view.document(ResourcePath(unchecked: "c/a"))
        return view.point
      }
      let change =
        isChanged
        ? PendingCommit(test.store, test.database, [.set("c/b", ["n": .integer(2)])]) : nil
      if isChanged { try eventually("the change waits") { test.store.lockWaitCount == 1 } }
      let fields = try test.store.read(test.database, at: .transaction(id), from: point) {
        (view) throws(StoreError) in
        #expect(view.readTime == point.readTime)
        return try view.document(path).map { Fields($0.fields) }
      }
      #expect(fields == ["n": .integer(1)])
      try test.store.commitAndWait(test.database, [.set("c/x", [:])], transaction: id)
      _ = try change?.result()
    }
  }

  @Test("a database cleared between pieces is told, not shown as empty")
  func cleared() async throws {
    let test = try TestStore()
    try test.set("c/a", [:])
    let point = try test.store.read(test.database) { (view) throws(StoreError) in view.point }
    _ = try await test.store.clear(test.database)
    try test.set("c/b", [:])
    let error = storeError {
      try test.store.read(test.database, from: point) { (_) throws(StoreError) in }
    }
    #expect(error == .failedPrecondition(.readTimeTooOld))
  }
}
