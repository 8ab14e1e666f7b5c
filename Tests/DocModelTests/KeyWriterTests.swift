import DocModel
import Platform
import Testing

@Suite("ordered keys")
struct KeyWriterTests {
  /// Larger than any random value, so that nothing is folded.
  private static let wide = 1_000_000

  private static func key(_ value: Value, budget: Int = wide, isDescending: Bool = false) -> [UInt8] {
    var writer = KeyWriter()
    value.withView { writer.value($0, budget: budget, isDescending: isDescending) }
    return writer.bytes
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { a in right.withUnsafeBytes { b in WireCursor.compare(a, b).signum() } }
  }

  @Test("keys are ordered as their values are, in 200,000 random pairs")
  func keyOrderIsValueOrder() {
    var values = RandomValues(.forThisRun())
    var pairs = 0
    while pairs < 200_000 {
      let family = Self.family(of: 64, &values)
      let encoded = family.map(\.encoded)
      let keys = family.map { Self.key($0) }
      for i in family.indices {
        for j in family.indices where j < i {
          let expected = encoded[i].withUnsafeBytes { a in
            encoded[j].withUnsafeBytes { b in ValueOrder.compare(ValueView(a), ValueView(b)).signum() }
          }
          pairs += 1
          guard Self.order(keys[i], keys[j]) == expected else {
            Issue.record("\(family[i]) and \(family[j]): not \(expected), SEED=\(values.random.seed)")
            return
          }
        }
      }
    }
  }

  /// Values that are close to each other, and some that are not.
  private static func family(of count: Int, _ values: inout RandomValues) -> [Value] {
    var family = [values.value()]
    while family.count < count {
      let base = family[values.random.below(family.count)]
      family.append(values.random.once(in: 4) ? values.value() : values.neighbour(of: base))
    }
    return family
  }

  @Test("a descending key reverses the order and keeps equal values equal")
  func descending() {
    var values = RandomValues(.forThisRun())
    for _ in 0..<20_000 {
      let a = values.value()
      let b = values.neighbour(of: a)
      let expected = -Self.order(Self.key(a), Self.key(b))
      guard Self.order(Self.key(a, isDescending: true), Self.key(b, isDescending: true)) == expected else {
        Issue.record("\(a) and \(b): not \(expected), SEED=\(values.random.seed)")
        return
      }
    }
  }

  @Test("keys of several parts are ordered by the first part that differs, in both directions")
  func compositeKeys() {
    var values = RandomValues(.forThisRun())
    for _ in 0..<20_000 {
      let a = (values.value(depth: 1), values.value(depth: 1), values.documentID())
      let b = (
        values.random.once(in: 2) ? a.0 : values.neighbour(of: a.0),
        values.random.once(in: 2) ? a.1 : values.neighbour(of: a.1), values.documentID()
      )
      let byFirst = a.0.order(to: b.0)
      let bySecond = -a.1.order(to: b.1)
      let expected = byFirst != 0 ? byFirst : (bySecond != 0 ? bySecond : Self.segmentOrder(a.2, b.2))
      guard Self.order(Self.composite(a), Self.composite(b)) == expected else {
        Issue.record("\(a) and \(b): not \(expected), SEED=\(values.random.seed)")
        return
      }
    }
  }

  private static func composite(_ parts: (Value, Value, String)) -> [UInt8] {
    var writer = KeyWriter()
    writer.uint32(7)
    parts.0.withView { writer.value($0, budget: wide) }
    parts.1.withView { writer.value($0, budget: wide, isDescending: true) }
    Array(parts.2.utf8).withUnsafeBytes { writer.documentID($0, budget: wide) }
    return writer.bytes
  }

  private static func segmentOrder(_ left: String, _ right: String) -> Int {
    Array(left.utf8).withUnsafeBytes { a in
      Array(right.utf8).withUnsafeBytes { b in NameOrder.compareSegments(a, b).signum() }
    }
  }

  @Test("fixed parts are ordered as numbers")
  func fixedParts() {
    var values = RandomValues(.forThisRun())
    for _ in 0..<5_000 {
      let (a, b) = (values.integer(), values.integer())
      var left = KeyWriter()
      var right = KeyWriter()
      left.int64(a)
      right.int64(b)
      #expect(Self.order(left.bytes, right.bytes) == (a < b ? -1 : (a > b ? 1 : 0)))
      left = KeyWriter()
      right = KeyWriter()
      left.uint32(UInt32(truncatingIfNeeded: a))
      right.uint32(UInt32(truncatingIfNeeded: b))
      #expect((left.bytes == right.bytes) == (UInt32(truncatingIfNeeded: a) == UInt32(truncatingIfNeeded: b)))
      #expect(left.bytes.count == 4)
    }
  }

  @Test(
    "the bytes of a key are the documented ones",
    arguments: [
      (Value.null, "05"), (.boolean(false), "0a00"), (.boolean(true), "0a01"), (.double(.nan), "0d"),
      (.integer(0), "0f80000000000000000000"), (.double(-0.0), "0f80000000000000000000"),
      (.integer(1), "0fbff00000000000000000"), (.double(1), "0fbff00000000000000000"),
      (.integer(.max), "0fc3dfffffffffffff03ff"), (.integer(.min), "0f3c1fffffffffffff0000"),
      (.integer(9_007_199_254_740_993), "0fc3400000000000000001"),
      (.timestamp(Timestamp(seconds: 0, nanoseconds: 1_000)), "148000000000000001"),
      (.string("a\u{0}b"), "196100ff620001"), (.bytes([0, 1]), "1e00ff010001"),
      (
        .reference("projects/p/databases/d/documents/c/__id7__"),
        "2502700001026400010263000101800000000000000700"
      ),
      (.array([.null]), "320501"), (.array([]), "3201"), (.map(["a": .null]), "37196100010501"),
      (.map([:]), "3701"),
      (.vector([1]), "3500000001bff0000000000000"),
      (.geoPoint(GeoPoint(latitude: -0.0, longitude: 1)), "2d8000000000000000bff0000000000000"),
    ])
  func documentedBytes(value: Value, expected: String) {
    #expect(Self.key(value).hexadecimal == expected)
  }
}
