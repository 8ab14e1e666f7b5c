/// The tree of ranges, and the list that members leave at once.

import TestSupport
import Testing

@testable import DocStore

@Suite("the tree of ranges")
struct IntervalTreeTests {
  private final class Element {}

  private struct Range {
    let range: SuffixRange
    let element: Element

    func contains(_ key: [UInt8]) -> Bool {
      !key.lexicographicallyPrecedes(range.lower)
        && (range.upper.map { key.lexicographicallyPrecedes($0) } ?? true)
    }
  }

  private static func key(_ random: inout SeededRandom) -> [UInt8] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
  }

  @Test("finds the ranges that a key lies in")
  func model() {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    let elements = (0..<20).map { _ in Element() }
    var foundCount = 0
    for _ in 0..<50 {
      let tree = IntervalTree<Element>()
      var ranges: [Range] = []
      for change in 0..<200 {
        if !ranges.isEmpty, random.next() % 3 == 0 {
          let gone = ranges.remove(at: Int.random(in: 0..<ranges.count, using: &random))
          tree.remove(gone.range, gone.element)
        } else {
          let upper = random.next() % 5 == 0 ? nil : Self.key(&random)
          let range = SuffixRange(lower: Self.key(&random), upper: upper)
          let new = Range(range: range, element: elements[Int.random(in: 0..<20, using: &random)])
          tree.insert(new.range, new.element)
          ranges.append(new)
        }
        if change % 8 == 0 { tree.checkInvariants() }
        let key = Self.key(&random)
        var found: [ObjectIdentifier: Int] = [:]
        tree.forEach(containing: key) { found[ObjectIdentifier($0), default: 0] += 1 }
        var expected: [ObjectIdentifier: Int] = [:]
        for range in ranges where range.contains(key) {
          expected[ObjectIdentifier(range.element), default: 0] += 1
        }
        #expect(found == expected, "SEED=\(seed)")
        foundCount += found.count
      }
      for range in ranges { tree.remove(range.range, range.element) }
      #expect(tree.isEmpty)
    }
    #expect(foundCount > 10_000)
  }

  @Test("looks at few of many ranges, in whatever order they came", arguments: [1, 7_919])
  func cost(step: Int) {
    let tree = IntervalTree<Element>()
    let element = Element()
    func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
    for number in 0..<10_000 {
      let place = number * step % 10_000
      tree.insert(SuffixRange(lower: key(place), upper: key(place + 1)), element)
    }
    var found = 0
    let lookedAt = (0..<10_000).map { number in
      tree.forEach(containing: key(number)) { _ in found += 1 }
    }
    #expect(found == 10_000)
    #expect(lookedAt.max() ?? 0 < 100)
  }
}

@Suite("a list of members")
struct MemberListTests {
  /// Counts how often it was looked at.
  private final class Member: Identified {
    nonisolated(unsafe) static var looks = 0
    var identity: ObjectIdentifier {
      Self.looks += 1
      return ObjectIdentifier(self)
    }
  }

  @Test("lets go of a member without looking at the others")
  func removal() {
    let members = (0..<10_000).map { _ in Member() }
    var list = MemberList<Member>()
    for member in members { list.insert(member) }
    // Nobody is in the list twice.
    for member in members.prefix(10) { list.insert(member) }
    #expect(list.all.count == 10_000)
    Member.looks = 0
    for member in members.dropFirst(3) { list.remove(ObjectIdentifier(member)) }
    #expect(Set(list.all.map { ObjectIdentifier($0) }) == Set(members.prefix(3).map { ObjectIdentifier($0) }))
    #expect(Member.looks <= 20_000)
    for member in members { list.remove(ObjectIdentifier(member)) }
    #expect(list.isEmpty)
  }
}
