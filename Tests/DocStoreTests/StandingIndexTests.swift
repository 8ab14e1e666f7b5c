/// What the index of standing queries finds, against asking every query; and how little it asks.

import DocModel
import TestSupport
import Testing

@testable import DocStore

/// Somebody who follows a query.
private final class Follower: Identified {
  let membership: QueryMembership
  var identity: ObjectIdentifier { ObjectIdentifier(self) }

  init(_ query: NormalizedQuery) { membership = QueryMembership(query) }
}

@Suite("the index of standing queries")
struct StandingIndexTests {
  private static func query(_ change: (inout StructuredQuery) -> Void) throws -> NormalizedQuery {
    var query = StructuredQuery(
      database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
    change(&query)
    return try QueryValidator.validate(query)
  }

  private static func filtered(_ filters: StructuredQuery.Filter...) throws -> NormalizedQuery {
    try query { $0.filter = .all(filters) }
  }

  private static func index(_ followers: [Follower]) -> StandingIndex<Follower> {
    var index = StandingIndex<Follower>()
    for follower in followers { index.add(follower, follower.membership) }
    return index
  }

  private static func withDocument<R>(_ fields: Fields?, _ body: (StoredDocument?) -> R) -> R {
    guard let fields else { return body(nil) }
    return fields.encoded.withUnsafeBytes { bytes in
      body(StoredDocument(createTime: 1, updateTime: 1, fields: FieldsView(document: bytes)))
    }
  }

  private static func found(
    _ index: inout StandingIndex<Follower>, _ path: String = "c/x", from before: Fields?, to after: Fields?
  ) -> [StandingQuery<Follower>] {
    withDocument(before) { before in
      withDocument(after) { index.candidates(ResourcePath(unchecked: path), before, $0) }
    }
  }

  // MARK: finding

  @Test("finds every query whose result changes")
  func model() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = QueryRandom(seed: seed)
    var (concernedCount, askedCount, restCount) = (0, 0, 0)
    for round in 0..<60 {
      var followers: [Follower] = []
      while followers.count < 80 {
        var query = random.query()
        if random.next() % 2 == 0 { (query.start, query.end) = (nil, nil) }
        if let query = try? QueryValidator.validate(query) { followers.append(Follower(query)) }
      }
      var index = Self.index(followers)
      // Some go again.
      for _ in 0..<20 {
        let gone = followers.remove(at: Int(random.next() % UInt64(followers.count)))
        index.remove(gone, gone.membership)
      }
      for step in 0..<80 {
        let path = ResourcePath(unchecked: random.path())
        let before = random.next() % 4 == 0 ? nil : random.fields()
        let after = random.next() % 4 == 0 ? nil : random.fields()
        Self.withDocument(before) { before in
          Self.withDocument(after) { after in
            let found = index.candidates(path, before, after)
            let asked = Set(found.flatMap(\.members.all).map(\.identity))
            askedCount += asked.count
            for follower in followers {
              let membership = follower.membership
              let isConcerned =
                before.map { membership.includes(path, $0) } ?? false
                || after.map { membership.includes(path, $0) } ?? false
              if isConcerned { concernedCount += 1 } else { restCount += 1 }
              #expect(
                !isConcerned || asked.contains(follower.identity),
                "SEED=\(seed) round \(round) step \(step) \(String(describing: membership.query))")
            }
          }
        }
      }
      for follower in followers { index.remove(follower, follower.membership) }
      #expect(index.isEmpty)
      #expect(Self.found(&index, from: ["a": .integer(1)], to: ["a": .integer(2)]).isEmpty)
    }
    #expect(concernedCount > 3_000, "queries concerned: \(concernedCount)")
    #expect(askedCount - concernedCount < restCount / 10, "asked in vain: \(askedCount - concernedCount)")
  }

  @Test("finds documents that an index would have to cut")
  func longValues() throws {
    let operand = String(repeating: "k", count: 1_400)
    let long = operand + String(repeating: "l", count: 2_000)
    let followers = try [
      Self.filtered(.field("a", .greaterThan, .string(operand))),
      Self.filtered(.field("a", .notEqual, .string(operand))),
      Self.filtered(.field("a", .lessThan, .string(operand + "z"))),
    ].map(Follower.init)
    var index = Self.index(followers)
    #expect(Self.found(&index, from: nil, to: ["a": .string(long)]).count == 3)
    // Of the same beginning as far as an index knows them.
    let full = String(repeating: "k", count: 1_499)
    let longest = try Follower(Self.filtered(.field("a", .greaterThan, .string(full))))
    index.add(longest, longest.membership)
    let found = Self.found(&index, from: nil, to: ["a": .string(full + "kk")])
    #expect(found.contains { $0.members.all.contains { $0 === longest } })
  }

  // MARK: cost

  private static let listenerCount = 10_000

  /// Ranges apart from each other, of one field, of one of three, open on one side, of names, and of a first order.
  @Test("asks only the queries whose range a document is in", arguments: Ranges.allCases)
  func cost(_ ranges: Ranges) throws {
    var index = Self.index(
      try (0..<Self.listenerCount).map { number in
        try Follower(Self.query { query in ranges.narrow(&query, number) })
      })
    #expect(Self.found(&index, from: ranges.fields(5_000), to: ranges.fields(5_000)).count == 1)
    #expect(Self.found(&index, from: ranges.fields(1), to: ranges.fields(7_000)).count == 2)
    #expect(Self.found(&index, from: nil, to: ranges.fields(7_000)).count == 1)
    #expect(Self.found(&index, from: nil, to: [:]).isEmpty)
    #expect(Self.found(&index, from: ["a": .null, "b": .null, "e": .null], to: ["a": .double(.nan)]).isEmpty)
    #expect(
      Self.found(
        &index, from: ["a": .string("1"), "b": .string("1"), "e": .string("1")],
        to: ["a": .array([.integer(7)]), "b": .array([.integer(7)])]
      ).isEmpty)
  }

  enum Ranges: CaseIterable {
    case oneField, severalFields, withEquality, cursors

    func narrow(_ query: inout StructuredQuery, _ number: Int) {
      let start = Value.integer(Int64(10 * number))
      let end = Value.integer(Int64(10 * number + 10))
      func both(_ field: String) -> StructuredQuery.Filter {
        .all([.field(field, .greaterThanOrEqual, start), .field(field, .lessThan, end)])
      }
      switch self {
      case .oneField: query.filter = both("a")
      case .severalFields: query.filter = both(["a", "b", "e"][number % 3])
      // The range of one, among those that are open.
      case .withEquality: query.filter = .all([both("a"), .field("b", .greaterThan, .integer(-1))])
      case .cursors:
        query.orders = [.init("a", number % 2 == 0 ? .ascending : .descending)]
        let (first, last) = (start, Value.integer(Int64(10 * number + 9)))
        query.start = .init([number % 2 == 0 ? first : last], isBefore: true)
        query.end = .init([number % 2 == 0 ? last : first], isBefore: false)
      }
    }

    /// A document in one range alone.
    func fields(_ number: Int) -> Fields {
      let value = Value.integer(Int64(10 * number + 4))
      return switch self {
      case .oneField, .cursors: ["a": value]
      case .severalFields: [["a", "b", "e"][number % 3]: value]
      case .withEquality: ["a": value, "b": .integer(1)]
      }
    }
  }

  @Test("asks as many queries as overlap at a value")
  func overlapping() throws {
    var index = Self.index(
      try (0..<Self.listenerCount).map { number in
        try Follower(
          Self.filtered(
            .field("a", .greaterThan, .integer(Int64(number))),
            .field("a", .lessThanOrEqual, .integer(Int64(number + 5)))))
      })
    #expect(Self.found(&index, from: nil, to: ["a": .integer(5_000)]).count == 5)
    #expect(Self.found(&index, from: ["a": .integer(5_000)], to: ["a": .integer(5_001)]).count == 6)
    #expect(Self.found(&index, from: ["a": .double(0.5)], to: nil).count == 1)
  }

  @Test("finds prefixes of strings and ranges of names")
  func prefixes() throws {
    func name(_ id: String) -> Value { .reference(QueryTestSource.database.documentsRoot + "/c/" + id) }
    var index = Self.index(
      try (1_000..<4_000).map { number in
        try Follower(
          number % 2 == 0
            ? Self.filtered(
              .field("a", .greaterThanOrEqual, .string("p\(number)")),
              .field("a", .lessThan, .string("p\(number)\u{F8FF}")))
            : Self.filtered(
              .field("__name__", .greaterThanOrEqual, name("p\(number)")),
              .field("__name__", .lessThan, name("p\(number)\u{F8FF}"))))
      })
    #expect(Self.found(&index, "c/x", from: nil, to: ["a": .string("p2000abc")]).count == 1)
    #expect(Self.found(&index, "c/p2001abc", from: nil, to: ["a": .string("p2000")]).count == 2)
    #expect(Self.found(&index, "c/p2001", from: ["a": .integer(1)], to: ["a": .integer(2)]).count == 1)
    #expect(Self.found(&index, "c/q", from: ["a": .string("q")], to: nil).isEmpty)
  }

  @Test("asks about all followers of one query once")
  func sharing() throws {
    let followers = try (0..<1_000).map { number in
      try Follower(
        Self.query { query in
          query.filter = .field("a", .notEqual, .integer(1))
          query.limit = number
          query.projection = number % 2 == 0 ? ["a"] : nil
        })
    }
    var index = Self.index(followers)
    let found = Self.found(&index, from: nil, to: ["a": .integer(2)])
    #expect(found.count == 1)
    #expect(found.first?.members.all.count == 1_000)
    for follower in followers.dropFirst() { index.remove(follower, follower.membership) }
    #expect(Self.found(&index, from: nil, to: ["a": .integer(2)]).first?.members.all.count == 1)
  }
}
