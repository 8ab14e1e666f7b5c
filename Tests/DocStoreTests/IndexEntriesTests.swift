/// What a change of an array does to the entries of an index.

import DocModel
import TestSupport
import Testing

@testable import DocStore

@Suite("entries of arrays")
struct IndexEntriesTests {
  private static func maker() throws -> IndexEntryMaker {
    let definition = IndexDefinition(
      collectionID: "c", scope: .collection,
      fields: [
        IndexDefinition.Field(fieldPath("tags"), .contains),
        IndexDefinition.Field(fieldPath("n"), .ascending),
      ])
    let shape = try #require(IndexShape(definition))
    return IndexEntryMaker(StoredIndex(number: 1, shape: shape, isReady: true), generation: 1)
  }

  private static func fields(_ tags: [Value], n: Int64 = 1) -> [UInt8] {
    let fields: Fields = ["tags": .array(tags), "n": .integer(n)]
    return fields.encoded
  }

  private static func change(_ maker: IndexEntryMaker, _ before: [UInt8], _ after: [UInt8])
    -> IndexEntryMaker.Change
  {
    before.withUnsafeBytes { before in
      after.withUnsafeBytes { after in
        Array("c/x".utf8).withUnsafeBytes {
          maker.change($0, from: FieldsView(document: before), to: FieldsView(document: after))
        }
      }
    }
  }

  private static func keys(_ maker: IndexEntryMaker, _ fields: [UInt8]) -> Set<[UInt8]> {
    fields.withUnsafeBytes { fields in
      Array("c/x".utf8).withUnsafeBytes {
        Set(maker.entries($0, FieldsView(document: fields)).map(\.key))
      }
    }
  }

  @Test(
    "are made for what differs, and looked for by key",
    arguments: [
      (20_000, 20_000, 0), (20_000, 40_000, 20_000), (40_000, 20_000, 20_000),
    ])
  func cost(_ before: Int, _ after: Int, _ made: Int) throws {
    let maker = try Self.maker()
    let change = Self.change(
      maker, Self.fields((0..<before).map { .integer(Int64($0)) }),
      Self.fields((0..<after).map { .integer(Int64($0)) }))
    #expect(change.put.count == max(0, after - before) && change.removed.count == max(0, before - after))
    #expect(maker.work.keys >= made && maker.work.keys <= 2 * 20_000)
    // One more element is one more key.
    let one = try Self.maker()
    _ = Self.change(
      one, Self.fields((0..<before).map { .integer(Int64($0)) }),
      Self.fields((0...before).map { .integer(Int64($0)) }))
    #expect(one.work.keys == 1)
  }

  @Test("of an array whose elements all moved are made for the first and the last one")
  func shifted() throws {
    let maker = try Self.maker()
    let change = Self.change(
      maker, Self.fields((0..<19_000).map { .integer(Int64($0)) }),
      Self.fields((1...19_000).map { .integer(Int64($0)) }))
    #expect(change.put.count == 1 && change.removed.count == 1)
    #expect(maker.work.keys == 2)
  }

  @Test("lead from the old entries to the new ones", arguments: 0..<20 as Range<UInt64>)
  func model(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let long = String(repeating: "k", count: 1_500)
    let values: [Value] = [
      .integer(1), .double(1), .integer(2), .string("a"), .string(long + "a"), .string(long + "b"), .null,
      .map(["a": .integer(1)]), .map(["a": .double(1)]), .integer(0), .double(0), .double(-0.0),
      .double(.nan),
      .integer(1 << 53 + 1), .double(0x1p53), .bytes([1]), .geoPoint(GeoPoint(latitude: 0, longitude: 1)),
      .geoPoint(GeoPoint(latitude: -0.0, longitude: 1)),
    ]
    for _ in 0..<200 {
      let maker = try Self.maker()
      func tags() -> [Value] {
        (0..<Int.random(in: 0...6, using: &random)).map { _ in values.randomElement(using: &random) ?? .null }
      }
      let before = Self.fields(tags())
      let after = Self.fields(tags(), n: Int64.random(in: 1...2, using: &random))
      let change = Self.change(maker, before, after)
      var keys = Self.keys(maker, before)
      for key in change.removed { keys.remove(key) }
      for entry in change.put { keys.insert(entry.key) }
      #expect(keys == Self.keys(maker, after), "seed \(seed)")
    }
  }
}
