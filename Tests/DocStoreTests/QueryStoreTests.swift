/// Queries over the store itself: the rows of `QueryExecutorTests` once more, now and in the past.

import DocModel
import DocStore
import TestSupport
import Testing

@Suite struct QueryStoreTests {
  static let database = QueryTestSource.database

  /// A store that holds what a test source holds.
  static func store(_ source: QueryTestSource) throws -> DocumentStore<NaiveEngine> {
    let store = try DocumentStore(engine: NaiveEngine(), environment: TestClock().environment())
    let writes = source.documents.map { document in
      Write(document.path, .update(fields: Array(document.stored.fields.bytes), mask: nil))
    }
    try store.commitAndWait(database, writes)
    return store
  }

  static func paths(_ query: StructuredQuery, in view: StoreView) throws(StoreError) -> String {
    let normalized: NormalizedQuery
    do { normalized = try QueryValidator.validate(query) } catch { throw .invalid(error) }
    var paths: [String] = []
    _ = try QueryExecutor.run(normalized, on: view) { row in
      paths.append(String(decoding: row.path, as: UTF8.self))
      return .more
    }
    return paths.joined(separator: " ")
  }

  @Test("the store answers every query as the test source does, also about the past")
  func rows() throws {
    let store = try Self.store(QueryExecutorTests.store)
    defer { store.close() }
    let rows =
      QueryExecutorTests.scopes + QueryExecutorTests.orders + QueryExecutorTests.cursors
      + QueryExecutorTests.windows + QueryExecutorTests.names
    let before = try store.read(Self.database) { (view) throws(StoreError) in
      for row in rows { #expect(try Self.paths(row.query, in: view) == row.paths, "\(row.testDescription)") }
      return view.readTime
    }
    try store.commitAndWait(
      Self.database, QueryExecutorTests.store.documents.map { Write($0.path, .delete) })
    try store.read(Self.database, at: .at(before)) { (view) throws(StoreError) in
      for row in rows {
        #expect(try Self.paths(row.query, in: view) == row.paths, "\(row.testDescription), past")
      }
    }
    try store.read(Self.database) { (view) throws(StoreError) in
      for row in rows {
        #expect(try Self.paths(row.query, in: view) == "", "\(row.testDescription), deleted")
      }
    }
  }

  @Test("random queries agree with the model")
  func model() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = QueryRandom(seed: seed)
    for _ in 0..<6 {
      let documents = random.documents()
      var source = QueryTestSource()
      for (path, fields) in documents { source.set(path.text, fields) }
      let store = try Self.store(source)
      defer { store.close() }
      for _ in 0..<40 {
        let query = random.query()
        guard let normalized = try? QueryValidator.validate(query) else { continue }
        let expected = QueryModel(query: query, normalized: normalized).paths(documents)
        let found = try store.read(Self.database) { (view) throws(StoreError) in
          try Self.paths(query, in: view)
        }
        #expect(Array(found.utf8) == Array(expected.map(\.text).joined(separator: " ").utf8), "SEED=\(seed)")
      }
    }
  }

  @Test("lists show missing documents in their places, page by page")
  func missing() throws {
    let store = try Self.store(QueryListTests.store)
    defer { store.close() }
    var list = try QueryListTests.list(size: 4, mask: [], showsMissing: true)
    var pages: [String] = []
    repeat {
      let validated = try list.validate()
      var entries: [String] = []
      let token = try store.read(Self.database) { (view) throws(StoreError) in
        try validated.run(on: view) { entry in
          switch entry {
          case .document(let row): entries.append(String(decoding: row.path, as: UTF8.self))
          case .missing(let path): entries.append("(\(String(decoding: path, as: UTF8.self)))")
          }
        }
      }
      pages.append(entries.joined(separator: " "))
      list.pageToken = token?.text ?? ""
    } while !list.pageToken.isEmpty && pages.count < 9
    #expect(pages == ["c/d0 c/d1 c/d2 c/d3", "c/d4 c/d5 c/d6 (c/p)", "(c/zz)"])
  }
}
