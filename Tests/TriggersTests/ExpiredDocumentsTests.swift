/// TTL policies.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(2))) struct ExpiredDocumentsTests {
  private static let start: Int64 = 1_772_323_200_000_000

  private func policies(_ entries: [(String, String)]) -> DefinedIndexes {
    DefinedIndexes(
      composites: [],
      overrides: entries.map {
        FieldOverride(collectionID: $0.0, path: FieldPath.field($0.1), indexes: [], expires: true)
      })
  }

  private func time(_ seconds: Int64) -> Value {
    .timestamp(Timestamp(microseconds: Self.start + seconds * 1_000_000))
  }

  private func fixture(
    _ clock: StandingClock, _ indexes: DefinedIndexes
  ) throws -> (DocumentStore<LMDBEngine>, ExpiredDocuments<LMDBEngine>) {
    let store = try DocumentStore(
      engine: try LMDBEngine.ephemeral(), environment: clock.environment(random: Environment.system.random))
    return (
      store,
      ExpiredDocuments(
        store, indexes: { _ in indexes }, report: { Issue.record("\($0): \($1)") })
    )
  }

  private func names(_ store: DocumentStore<LMDBEngine>, _ group: String) throws -> [String] {
    let query = StructuredQuery(database: database, from: [.init(group, includesDescendants: true)])
    return try store.documents(query).map(\.path.text)
  }

  @Test("only timestamps that have come expire, anywhere in the group, and nothing below or beside goes")
  func what() async throws {
    let clock = StandingClock(Self.start)
    let (store, expired) = try fixture(clock, policies([("codes", "until")]))
    defer { store.close() }
    let rows: [(String, Value?)] = [
      ("codes/past", time(-1)), ("codes/now", time(0)), ("codes/soon", time(60)), ("codes/none", nil),
      ("codes/number", .integer(1)), ("codes/text", .string("2020-01-01T00:00:00Z")), ("codes/null", .null),
      ("codes/list", .array([time(-1)])), ("users/u/codes/deep", time(-100)), ("others/past", time(-1)),
      ("codes/past/below/d", time(-1)),
    ]
    for (name, value) in rows { try await store.set(name, value.map { ["until": $0] } ?? [:]) }
    await expired.runDue()
    #expect(
      try names(store, "codes")
        == ["codes/list", "codes/none", "codes/null", "codes/number", "codes/soon", "codes/text"])
    #expect(try names(store, "others").count == 1)
    #expect(try names(store, "below").count == 1)
    try clock.move(to: Self.start + 60_000_000)
    await expired.runDue()
    #expect(try names(store, "codes").contains("codes/soon") == false)
    #expect(expired.deletedCount == 4)
  }

  @Test("more than fit in a commit", arguments: [299, 300, 301, 1_000])
  func many(_ count: Int) async throws {
    let (store, expired) = try fixture(StandingClock(Self.start), policies([("codes", "until")]))
    defer { store.close() }
    for number in 0..<count { try await store.set("codes/c\(number)", ["until": time(-Int64(number))]) }
    await expired.runDue()
    #expect(try names(store, "codes") == [])
    #expect(expired.deletedCount == count)
  }

  @Test("deletions fire triggers, which are told what was there")
  func triggers() async throws {
    let clock = StandingClock(Self.start)
    let (store, expired) = try fixture(clock, policies([("codes", "until")]))
    defer { store.close() }
    let gone = Journal<String>()
    let trigger = try onDocumentDeleted("codes/{id}", name: "gone") { event in
      #expect(event.before?["until"] != nil && event.author == .system)
      gone.note(event.path.text)
    }
    let runner = try TriggerRunner(store, [trigger], settings: .quick)
    try await runner.whileRunning {
      try await store.set("codes/a", ["until": time(5)])
      await expired.runDue()
      #expect(gone.entries == [])
      try clock.move(to: Self.start + 5_000_000)
      await expired.runDue()
      #expect(await runner.drain())
    }
    #expect(gone.entries == ["codes/a"])
  }

  @Test("without policies nothing goes")
  func kept() async throws {
    let (store, expired) = try fixture(StandingClock(Self.start), policies([]))
    defer { store.close() }
    try await store.set("codes/a", ["until": time(-5)])
    await expired.runDue()
    #expect(try names(store, "codes") == ["codes/a"])
  }
}
