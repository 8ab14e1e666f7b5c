/// What functions in Swift read and write with.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(2))) struct TransactionTests {
  private func numbered(_ count: Int) async throws -> DocumentStore<NaiveEngine> {
    let store = try naiveStore()
    for number in 0..<count { try await store.set("list/d\(number)", ["n": .integer(Int64(number))]) }
    return store
  }

  @Test("a query gives its documents in its order, in a transaction and outside")
  func query() async throws {
    let store = try await numbered(5)
    var query = StructuredQuery(database: database, collection: path("list"))
    query.orders = [StructuredQuery.Order("n", .descending)]
    query.limit = 2
    let outside = try store.documents(query)
    #expect(outside.map(\.path.text) == ["list/d4", "list/d3"])
    #expect(outside.map(\.fields) == [["n": .integer(4)], ["n": .integer(3)]])
    let inside = Journal<[String]>()
    try await store.transaction(database) { (reads) throws(StoreError) in
      inside.note(try reads.documents(query).map(\.path.text))
      return []
    }
    #expect(inside.entries == [["list/d4", "list/d3"]])
  }

  @Test("a query that is wrong is told as one")
  func wrongQuery() async throws {
    let store = try await numbered(1)
    var query = StructuredQuery(database: database, collection: path("list"))
    query.limit = -1
    #expect(throws: StoreError.self) { try store.documents(query) }
  }

  @Test("who takes the first of a list in a transaction takes it alone")
  func takingTurns() async throws {
    let store = try await numbered(20)
    var query = StructuredQuery(database: database, collection: path("list"))
    query.orders = [StructuredQuery.Order("n")]
    query.limit = 1
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { [query] in
          try await store.transaction(database) { (reads) throws(StoreError) in
            guard let first = try reads.documents(query).first else { return [] }
            return [
              Write(first.path, .delete),
              .create(path("taken").appending(first.path.lastSegment), first.fields),
            ]
          }
        }
      }
      try await group.waitForAll()
    }
    let taken = try store.documents(StructuredQuery(database: database, collection: path("taken")))
    #expect(taken.count == 4)
  }

  @Test(
    "all documents of a query are written, some at a time, and those that are gone are passed over",
    arguments: [1, 3, 9])
  func forEach(_ atOnce: Int) async throws {
    let store = try await numbered(10)
    let query = StructuredQuery(database: database, collection: path("list"))
    let seen = Journal<String>()
    try await store.forEach(query, atOnce: atOnce) { (document, reads) throws(StoreError) in
      seen.note(document.path.text)
      // The first takes the last one away.
      if document.path == path("list/d0") { return [Write(path("list/d9"), .delete)] }
      return [.merge(document.path, ["done": .boolean(true)], precondition: .exists(true))]
    }
    let left = try store.documents(query)
    #expect(left.map(\.path.text) == (0..<9).map { "list/d\($0)" })
    #expect(left.dropFirst().allSatisfy { $0.fields["done"] == .boolean(true) })
    #expect(Set(seen.entries).isSuperset(of: left.map(\.path.text)))
  }
}
