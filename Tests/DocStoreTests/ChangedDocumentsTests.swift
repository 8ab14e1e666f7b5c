/// What reads at an earlier time look at beside the documents.

import DocModel
import TestSupport
import Testing

@testable import DocStore

@Suite("changes since an earlier time")
struct ChangedDocumentsTests {
  @Test("a query by index looks for them once")
  func once() throws {
    let store = try IndexTests.store(100, building: .onDemand(scannedDocumentsMin: 1_000))
    defer { store.close() }
    try store.buildIndexes([IndexTests.single("n")], in: IndexTests.database)
    let time = try store.read(IndexTests.database) { (view) throws(StoreError) in view.readTime }
    try store.commitAndWait(IndexTests.database, [.set("c/d0007", ["n": .integer(70)])])
    var query = StructuredQuery(database: IndexTests.database, collection: ResourcePath(unchecked: "c"))
    query.filter = .field("n", .equal, .integer(7))
    let valid = try QueryValidator.validate(query)
    let (run, scanCount) = try store.read(IndexTests.database, at: .at(time)) { (view) throws(StoreError) in
      (try QueryExecutor.run(valid, on: view) { _ in .more }, view.states.changed?.scanCount)
    }
    #expect(run.delivered == 1)
    #expect(run.documentsRead < 100, "no index was used")
    #expect(scanCount == 1)
  }
}
