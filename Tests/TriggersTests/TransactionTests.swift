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

  @Test("a document goes with everything below it, and nothing beside it", arguments: [0, 3, 700])
  func recursion(_ count: Int) async throws {
    let store = try naiveStore()
    for name in ["users/u", "users/u1", "users/u1/logs/a"] { try await store.set(name, [:]) }
    for number in 0..<count { try await store.set("users/u/logs/l\(number)/sets/s", [:]) }
    try await store.deleteRecursively(path("users/u"), in: database)
    try await store.deleteRecursively(path("users/u"), in: database)
    let users = StructuredQuery(database: database, collection: path("users"))
    #expect(try store.documents(users).map(\.path.text) == ["users/u1"])
    for (group, left) in [("logs", 1), ("sets", 0)] {
      let query = StructuredQuery(
        database: database, from: [.init(group, includesDescendants: true)])
      #expect(try store.documents(query).count == left)
    }
  }
}
