/// Which queries are refused, counted and logged, in which mode.

import Access
import DocModel
import DocStore
import Indexes
import Synchronization
import Testing

@Suite struct IndexGateTests {
  static let database = DatabaseID(project: "demo")

  static func query(
    _ orders: [StructuredQuery.Order], _ filter: StructuredQuery.Filter? = nil,
    in database: DatabaseID = database
  ) throws -> NormalizedQuery {
    try QueryValidator.validate(
      StructuredQuery(
        database: database, from: [StructuredQuery.CollectionSelector("orders")], where: filter,
        orderBy: orders))
  }

  /// Needs (status, total DESC).
  static func composite(in database: DatabaseID = database) throws -> NormalizedQuery {
    try query(
      [StructuredQuery.Order("total", .descending)], .field("status", .equal, .string("open")), in: database)
  }

  final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private func message(_ gate: IndexGate, _ query: NormalizedQuery) -> String? {
    do throws(StoreError) {
      try gate.admit(query)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(
    "A mode refuses as it says",
    arguments: [
      (IndexMode.auto, false, false), (.auto, true, true), (.enforce, false, true), (.enforce, true, true),
      (.warn, true, false), (.off, true, false),
    ])
  func modes(_ mode: IndexMode, _ isKnown: Bool, _ isRefused: Bool) throws {
    let gate = IndexGate(mode)
    if isKnown { gate.setStandard(.automatic) }
    #expect((message(gate, try Self.composite()) != nil) == isRefused)
    #expect(message(gate, try Self.query([StructuredQuery.Order("total")])) == nil)
  }

  @Test("A refusal has the service's words, and the entry unless only those are wanted")
  func words() throws {
    let query = try Self.composite()
    let terse = try #require(message(IndexGate(.enforce, detail: .terse), query))
    let explained = try #require(message(IndexGate(.enforce), query))
    #expect(
      terse.hasPrefix(
        "The query requires an index. You can create it here: https://console.firebase.google.com/v1/r/project/demo/firestore/indexes?create_composite="
      ))
    #expect(!terse.contains("\n"))
    #expect(
      explained == terse
        + "\nOr add to \"indexes\" in firestore.indexes.json: { \"collectionGroup\": \"orders\", \"queryScope\": \"COLLECTION\", \"fields\": [ { \"fieldPath\": \"status\", \"order\": \"ASCENDING\" }, { \"fieldPath\": \"total\", \"order\": \"DESCENDING\" } ] }"
    )
  }

  @Test("Shapes are counted, and each missing definition is logged once")
  func counted() throws {
    let lines = Lines()
    let gate = IndexGate(.warn) { lines.append($0) }
    for _ in 0..<3 { try gate.admit(try Self.composite()) }
    try gate.admit(try Self.query([StructuredQuery.Order("a"), StructuredQuery.Order("b")]))
    try gate.admit(try Self.query([StructuredQuery.Order("a")]))
    #expect(gate.asked().shapes.map(\.count) == [3, 1])
    #expect(gate.asked().shapes.allSatisfy { $0.missing != nil })
    #expect(lines.all.count == 2)
    #expect(lines.all[0].contains("orders (status ASC, total DESC)"))
    gate.forgetAsked()
    #expect(gate.asked().shapes.isEmpty)
  }

  @Test("Definitions belong to a database, before those of its name, before those of all")
  func perDatabase() throws {
    let other = DatabaseID(project: "demo", database: "other")
    let gate = IndexGate(.auto)
    let missing = try #require(IndexRequirement.missing(for: try Self.composite(), among: .automatic))
    gate.setStandard(DefinedIndexes.automatic.adding(missing), ofDatabase: "other")
    #expect(message(gate, try Self.composite()) == nil)
    #expect(message(gate, try Self.composite(in: other)) == nil)
    gate.setStandard(.automatic)
    #expect(message(gate, try Self.composite()) != nil)
    #expect(message(gate, try Self.composite(in: other)) == nil)
    gate.replace(other, with: .automatic)
    #expect(message(gate, try Self.composite(in: other)) != nil)
    #expect(gate.asked { $0 == other }.shapes.count == 1)
  }

  @Test("What is kept of queries is bounded")
  func bounded() throws {
    let gate = IndexGate(.warn)
    for number in 0..<(IndexGate.shapesMax + 10) {
      try gate.admit(try Self.query([StructuredQuery.Order("a\(number)"), StructuredQuery.Order("b")]))
    }
    let asked = gate.asked()
    #expect(asked.shapes.count == IndexGate.shapesMax)
    #expect(!asked.isComplete)
  }
}
