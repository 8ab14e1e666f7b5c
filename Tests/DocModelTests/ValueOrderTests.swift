import DocModel
import Testing

@Suite("the order of values")
struct ValueOrderTests {
  private static let root = "projects/p/databases/d/documents/"

  /// Strictly ascending; every pair is compared, so the table also proves transitivity on itself.
  private static let chain: [Value] = [
    .null, .boolean(false), .boolean(true), .double(.nan),
    .double(-.infinity), .double(-.greatestFiniteMagnitude),
    .double((-9_223_372_036_854_775_808.0).nextDown), .integer(.min), .integer(.min + 1),
    .integer(-9_007_199_254_740_993), .double(-9_007_199_254_740_992), .integer(-1),
    .double(-.leastNonzeroMagnitude), .integer(0), .double(.leastNonzeroMagnitude), .double(0.5),
    .integer(1), .double(1.5), .integer(2), .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
    .double(9_007_199_254_740_994), .integer(.max - 512), .integer(.max),
    .double(9_223_372_036_854_775_808.0),
    .double(.greatestFiniteMagnitude), .double(.infinity),
    .timestamp(Timestamp(seconds: Timestamp.secondsMin, nanoseconds: 0)),
    .timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_000)),
    .timestamp(Timestamp(seconds: 0, nanoseconds: 0)),
    .timestamp(Timestamp(seconds: 0, nanoseconds: 1_000)),
    .string(""), .string("\u{0}"), .string("a"), .string("a\u{0}"), .string("a\u{1}"), .string("aa"),
    .string("b"),
    .string("e\u{301}"), .string("\u{E9}"), .string("\u{FF5E}"), .string("\u{10000}"),
    .bytes([]), .bytes([0]), .bytes([0, 0]), .bytes([0, 1]), .bytes([1]), .bytes([0x7F]), .bytes([0x80]),
    .bytes([0xFF]),
    .reference("projects/a/databases/z/documents/c/z"),
    .reference("projects/p/databases/a/documents/c/z"),
    .reference(root + "c/__id-9223372036854775808__"), .reference(root + "c/__id-1__"),
    .reference(root + "c/__id2__"), .reference(root + "c/__id2__/s/x"), .reference(root + "c/__id10__"),
    .reference(root + "c/a"), .reference(root + "c/a/s/x"), .reference(root + "c/aa"),
    .reference(root + "c/b"),
    .reference(root + "c-b/x"),
    .reference("projects/q/databases/d/documents/c/a"),
    .geoPoint(GeoPoint(latitude: -1, longitude: 180)), .geoPoint(GeoPoint(latitude: 0, longitude: -180)),
    .geoPoint(GeoPoint(latitude: 0, longitude: 0)), .geoPoint(GeoPoint(latitude: 0, longitude: 1)),
    .geoPoint(GeoPoint(latitude: 1, longitude: -180)),
    .array([]), .array([.null]), .array([.null, .null]), .array([.boolean(false)]), .array([.integer(1)]),
    .array([.integer(1), .string("a")]), .array([.integer(2)]), .array([.map([:])]),
    .vector([9]), .vector([10]), .vector([-.infinity, 1]), .vector([1, 1]), .vector([1, 2]),
    .vector([0, 0, 0]),
    .map([:]), .map(["a": .null]), .map(["a": .null, "b": .null]), .map(["a": .integer(1)]),
    .map(["a": .integer(1), "b": .null]), .map(["a": .integer(2)]), .map(["aa": .null]), .map(["b": .null]),
    .map(["\u{FF5E}": .null]), .map(["\u{10000}": .null]),
  ]

  @Test("kinds and their edges form one chain, in every pair")
  func chainIsStrictlyAscending() {
    for (i, left) in Self.chain.enumerated() {
      for (j, right) in Self.chain.enumerated() {
        let expected = (i - j).signum()
        if left.order(to: right) != expected { Issue.record("\(left) to \(right): not \(expected)") }
      }
    }
  }

  @Test(
    "values of different kind or sign are equal where the service says so",
    arguments: [
      (Value.integer(1), Value.double(1)), (.integer(0), .double(-0.0)), (.double(0.0), .double(-0.0)),
      (.integer(.min), .double(-9_223_372_036_854_775_808.0)),
      (.integer(9_007_199_254_740_992), .double(9_007_199_254_740_992)),
      (.array([.integer(1)]), .array([.double(1)])), (.map(["a": .integer(1)]), .map(["a": .double(1)])),
      (.vector([0]), .vector([-0.0])),
      (.geoPoint(GeoPoint(latitude: 0, longitude: 0)), .geoPoint(GeoPoint(latitude: -0.0, longitude: -0.0))),
    ])
  func equalButNotIdentical(left: Value, right: Value) {
    #expect(left.order(to: right) == 0)
    let (areEqual, areIdentical) = left.withView { a in
      right.withView { b in (ValueOrder.areEqual(a, b), ValueOrder.areIdentical(a, b)) }
    }
    #expect(areEqual)
    #expect(!areIdentical, "an integer that becomes a double is a change")
  }

  @Test("a NaN equals every other NaN, and nulls equal nulls")
  func nanEqualsNaN() {
    let odd = Value.double(Double(bitPattern: 0xFFF8_0000_0000_BEEF))
    #expect(odd.order(to: .double(.nan)) == 0)
    #expect(odd.encoded == Value.double(.nan).encoded)
    #expect(Value.null.order(to: .null) == 0)
  }

  @Test("a map with the inside of a vector is one, a map that only looks like it is not")
  func vectorsAreNoMaps() {
    #expect(Value.vector([1]).withView(\.kind) == .vector)
    #expect(Value.map(["__type_": .null]).withView(\.kind) == .map)
    #expect(Value.map(["value": .array([])]).withView(\.kind) == .map)
  }

  @Test(
    "range filters compare numbers with numbers only, vectors with vectors only",
    arguments: [
      (Value.integer(1), Value.double(2), true), (.double(.nan), .double(1), false),
      (.null, .boolean(false), false),
      (.vector([1]), .map([:]), false), (.vector([1]), .vector([1, 2]), true),
      (.string(""), .bytes([]), false),
      (.double(.nan), .double(.nan), true),
    ])
  func comparable(left: Value, right: Value, expected: Bool) {
    let areComparable = left.withView { a in right.withView { b in ValueOrder.areComparable(a, b) } }
    #expect(areComparable == expected)
  }

  @Test(
    "an int64 is compared with a double exactly",
    arguments: [
      (Int64.max, 9_223_372_036_854_775_808.0, -1), (.max, 9_223_372_036_854_774_784.0, 1),
      (.min, -9_223_372_036_854_775_808.0, 0), (.min, (-9_223_372_036_854_775_808.0).nextDown, 1),
      (9_007_199_254_740_993, 9_007_199_254_740_992.0, 1), (0, -0.0, 0), (0, 0.5, -1), (0, -0.5, 1),
      (-1, -0.5, -1),
      (0, .infinity, -1), (0, -.infinity, 1),
    ] as [(Int64, Double, Int)])
  func integersAgainstDoubles(integer: Int64, double: Double, expected: Int) {
    #expect(ValueOrder.compare(integer, double) == expected)
  }

  @Test("the order is antisymmetric and transitive over random triples")
  func totalOrder() {
    var values = RandomValues(.forThisRun())
    for _ in 0..<20_000 {
      let a = values.value(depth: 2)
      let b = values.neighbour(of: a)
      let c = values.neighbour(of: b)
      let (ab, ba, bc, ac) = (a.order(to: b), b.order(to: a), b.order(to: c), a.order(to: c))
      guard ab == -ba, a.order(to: a) == 0 else {
        Issue.record("not antisymmetric: \(a) and \(b), SEED=\(values.random.seed)")
        return
      }
      guard ab * bc < 0 || ac == (ab + bc).signum() else {
        Issue.record("not transitive: \(a), \(b), \(c), SEED=\(values.random.seed)")
        return
      }
    }
  }

  @Test("relative paths are ordered by segments, numeric ids first")
  func pathOrder() {
    let ascending = ["c/__id2__", "c/__id10__", "c/a", "c/a/s/x", "c/aa", "c/b", "c-b/x"].map(
      ResourcePath.init(unchecked:))
    for (i, left) in ascending.enumerated() {
      for (j, right) in ascending.enumerated() { #expect((left < right) == (i < j), "\(left) and \(right)") }
    }
  }

  @Test(
    "only the shortest text of an int64 is a numeric id",
    arguments: [
      ("__id7__", 7), ("__id0__", 0), ("__id-1__", -1), ("__id9223372036854775807__", .max),
      ("__id-9223372036854775808__", .min), ("__id9223372036854775808__", nil),
      ("__id-9223372036854775809__", nil),
      ("__id+7__", nil), ("__id07__", nil), ("__id-0__", nil), ("__id00__", nil), ("__id__", nil),
      ("__id-__", nil),
      ("__id7_", nil), ("_id7__", nil), ("__id 7__", nil), ("__id7a__", nil), ("__ID7__", nil), ("", nil),
      ("__id99999999999999999999__", nil),
    ] as [(String, Int64?)])
  func numericIDs(text: String, expected: Int64?) {
    #expect(Array(text.utf8).withUnsafeBytes { NameOrder.numericID($0) } == expected)
  }
}
