/// The fewest definitions: that they serve everything, and that there are no fewer.

import DocModel
import DocStore
import Testing

@testable import Indexes

@Suite struct IndexSuggestionTests {
  static func needs(
    _ equalities: String, order: String = "t", scope: IndexDefinition.Scope = .collection, id: String = "c",
    contains: String? = nil
  ) -> QueryNeeds {
    func path(_ name: some StringProtocol) -> FieldPath { FieldPath.field(String(name)) ?? .documentName }
    return QueryNeeds(
      collectionID: id, scope: scope,
      orders: order.split(separator: " ").map { IndexDefinition.Field(path($0), .ascending) },
      nameDirection: .ascending,
      disjuncts: [
        QueryNeeds.Disjunct(
          equalities: equalities.map { path(String($0)) }, contains: contains.map { path($0) })
      ])
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let asked: [QueryNeeds]
    let count: Int
    var exactCount: Int
  }

  static let rows: [Row] = [
    Row(testDescription: "nothing", asked: [], count: 0, exactCount: 0),
    Row(testDescription: "automatic alone", asked: [needs("ab", order: "")], count: 0, exactCount: 0),
    Row(testDescription: "one", asked: [needs("ab")], count: 1, exactCount: 1),
    Row(testDescription: "twice the same", asked: [needs("ab"), needs("ab")], count: 1, exactCount: 1),
    Row(
      testDescription: "all sets of four",
      asked: (1..<16).map { mask in
        needs(String("abcd".enumerated().filter { mask & (1 << $0.offset) != 0 }.map(\.element)))
      }, count: 4, exactCount: 4),
    Row(testDescription: "two that share one", asked: [needs("ab"), needs("ac")], count: 2, exactCount: 2),
    Row(
      testDescription: "one of two others", asked: [needs("ab"), needs("c"), needs("abc")], count: 2,
      exactCount: 2),
    Row(
      testDescription: "all pairs of three", asked: [needs("ab"), needs("bc"), needs("ac")], count: 3,
      exactCount: 3),
    Row(
      testDescription: "all pairs of four",
      asked: ["ab", "ac", "ad", "bc", "bd", "cd"].map { needs($0) }, count: 4, exactCount: 6),
    Row(
      testDescription: "two orders that begin as equalities do",
      asked: [needs("a"), needs("", order: "a t")],
      count: 1, exactCount: 1),
    Row(
      testDescription: "orders in another sequence", asked: [needs("ab"), needs("", order: "b a t")],
      count: 1,
      exactCount: 1),
    Row(
      testDescription: "a group and its collections",
      asked: [needs("a"), needs("a", scope: .collectionGroup)], count: 1, exactCount: 1),
    Row(
      testDescription: "two collections", asked: [needs("a"), needs("a", id: "d")], count: 2, exactCount: 2),
    Row(
      testDescription: "elements merge",
      asked: [needs("a"), needs("", contains: "l"), needs("a", contains: "l")],
      count: 2, exactCount: 2),
    Row(
      testDescription: "fields of a group",
      asked: [
        needs("a", order: "", scope: .collectionGroup), needs("b", order: "", scope: .collectionGroup),
        needs("ab", order: "", scope: .collectionGroup),
      ], count: 2, exactCount: 2),
  ]

  @Test("There are as few definitions as can be", arguments: rows)
  func fewest(_ row: Row) {
    for merges in [true, false] {
      let additions = IndexSuggestion.additions(for: row.asked, to: .automatic, merges: merges)
      #expect(additions.count == (merges ? row.count : row.exactCount))
      let indexes = additions.reduce(.automatic) { (known: DefinedIndexes, missing) in known.adding(missing) }
      for needs in row.asked { #expect(IndexRequirement.missing(for: needs, among: indexes) == nil) }
      // What is suggested is no more than what is needed.
      #expect(IndexSuggestion.additions(for: row.asked, to: indexes, merges: merges).isEmpty)
    }
  }

  @Test("What is there is kept and used")
  func existing() {
    let first = IndexSuggestion.additions(for: [Self.needs("a")], to: .automatic)
    let known = first.reduce(.automatic) { (known: DefinedIndexes, missing) in known.adding(missing) }
    #expect(IndexSuggestion.additions(for: [Self.needs("ab"), Self.needs("b")], to: known).count == 1)
    #expect(IndexSuggestion.unused(known, by: [Self.needs("ab")]).isEmpty)
    #expect(IndexSuggestion.unused(known, by: [Self.needs("b")]) == known.composites)
  }

  @Test("Many shapes are suggested for in a moment, and served", arguments: [1, 2, 3] as [UInt64])
  func many(_ seed: UInt64) {
    var state = seed
    func draw(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let asked = (0..<60).map { _ in
      Self.needs(
        String(Set("abcdefgh".filter { _ in draw(3) == 0 }).sorted()), order: ["t", "t u", "u", ""][draw(4)],
        scope: draw(4) == 0 ? .collectionGroup : .collection, contains: draw(4) == 0 ? "l" : nil)
    }
    let additions = IndexSuggestion.additions(for: asked, to: .automatic)
    let exact = IndexSuggestion.additions(for: asked, to: .automatic, merges: false)
    #expect(additions.count <= exact.count)
    let indexes = additions.reduce(.automatic) { (known: DefinedIndexes, missing) in known.adding(missing) }
    for needs in asked { #expect(IndexRequirement.missing(for: needs, among: indexes) == nil) }
  }
}
