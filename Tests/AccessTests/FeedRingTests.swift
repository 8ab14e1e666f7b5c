/// The ring of a feed under entries that share commits and rulesets, looked at whole behind each.

import DocModel
import DocStore
import TestSupport
import Testing

@testable import Access

@Suite("the ring of a feed")
struct FeedRingTests {
  /// Kinds of entries as servers make them: refusals by several rulesets, and writes of one commit.
  private static func kinds() throws -> [FeedEntry.Kind] {
    var kinds: [FeedEntry.Kind] = []
    for round in 0..<12 {
      let feed = RequestFeed()
      let store = try RequestFeedTests.store(feed, rules: testRules + "\n// \(round)")
      _ = denial { _ = try store.fields("users/bob", as: user("ann")) }
      _ = denial { _ = try store.fields("users/eve", as: user("ann")) }
      kinds += feed.entries().entries.map(\.kind)
      kinds.append(
        .passed(AdministratorCall(method: "m", target: "\(round)", status: "OK", microseconds: 1)))
    }
    return kinds
  }

  @Test("what it counts is what it holds, over the turn of the ring")
  func random() throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    let kinds = try Self.kinds()
    var ring = FeedRing()
    var rulesets = 4
    for number in 1...3_000 {
      if number % 500 == 0 { rulesets = Int.random(in: 1...kinds.count, using: &random) }
      ring.add(
        testDatabase, Int64(number), kinds[Int.random(in: 0..<min(rulesets, kinds.count), using: &random)])
      if number < 64 || number % 50 == 0 { ring.checkInvariants() }
      #expect(ring.entry(number)?.time == Int64(number))
    }
    ring.checkInvariants()
  }
}
