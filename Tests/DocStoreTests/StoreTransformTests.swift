/// What masks and transforms make of a document. The rows are those of docs/spec/protocol.md 4.3 and 4.7.

import DocModel
import DocStore
import TestSupport
import Testing

@Suite("masks and transforms")
struct StoreTransformTests {
  let test: TestStore

  init() throws { test = try TestStore() }

  struct MaskCase: Sendable, CustomTestStringConvertible {
    let before: Fields?
    let body: Fields
    let mask: [String]
    let after: Fields
    var testDescription: String { "\(mask) of \(body.entries.map(\.name))" }
  }

  @Test(
    "a mask sets what the body has, deletes what it lacks, and keeps the rest",
    arguments: [
      MaskCase(
        before: ["a": .integer(1), "b": .integer(2), "z": .integer(3)],
        body: ["b": .integer(9), "c": .integer(8)],
        mask: ["b", "a"], after: ["b": .integer(9), "z": .integer(3)]),
      MaskCase(before: ["a": .integer(1)], body: ["a": .integer(2)], mask: [], after: ["a": .integer(1)]),
      MaskCase(before: nil, body: ["a": .integer(2)], mask: [], after: [:]),
      MaskCase(
        before: nil, body: ["a": .integer(2), "b": .integer(1)], mask: ["a", "x.y"], after: ["a": .integer(2)]
      ),
      MaskCase(
        before: ["m": .map(["k": .integer(1), "l": .integer(2)])], body: ["m": .map(["k": .integer(5)])],
        mask: ["m.k", "m.n.o"], after: ["m": .map(["k": .integer(5), "l": .integer(2)])]),
      MaskCase(
        before: ["m": .map(["k": .integer(1)])], body: [:], mask: ["m.k"], after: ["m": .map([:])]),
      MaskCase(
        before: ["m": .integer(1)], body: ["m": .map(["a": .map(["b": .integer(2)])])], mask: ["m.a.b"],
        after: ["m": .map(["a": .map(["b": .integer(2)])])]),
      MaskCase(before: ["m": .integer(1)], body: [:], mask: ["m.a"], after: ["m": .integer(1)]),
      MaskCase(
        before: ["m": .vector([1, 2])], body: ["m": .map(["value": .integer(2)])], mask: ["m.value"],
        after: ["m": .map(["value": .integer(2)])]),
      MaskCase(before: ["m": .vector([1, 2])], body: [:], mask: ["m.value"], after: ["m": .vector([1, 2])]),
      MaskCase(
        before: ["a.b": .integer(1), "a": .map(["b": .integer(2)])], body: [:], mask: ["`a.b`"],
        after: ["a": .map(["b": .integer(2)])]),
      MaskCase(
        before: ["a": .integer(1)], body: ["a": .integer(2)], mask: ["a", "a", "__name__"],
        after: ["a": .integer(2)]),
      MaskCase(
        before: ["m": .map(["a": .integer(1), "b": .integer(2)]), "z": .null],
        body: ["m": .map(["a": .integer(7)])], mask: ["m", "m.a", "m"],
        after: ["m": .map(["a": .integer(7)]), "z": .null]),
      MaskCase(
        before: ["m": .map(["a": .integer(1), "b": .integer(2)]), "z": .null],
        body: ["m": .map(["a": .integer(7)])], mask: ["m.a", "m"],
        after: ["m": .map(["a": .integer(7)]), "z": .null]),
      MaskCase(
        before: ["m": .map(["a": .integer(1), "b": .integer(2)]), "z": .null],
        body: ["m": .map(["a": .integer(7)])], mask: ["m", "m.b"],
        after: ["m": .map(["a": .integer(7)]), "z": .null]),
      MaskCase(
        before: ["m": .map(["a": .integer(1), "b": .integer(2)]), "z": .null],
        body: ["m": .map(["a": .integer(7)])], mask: ["m.c", "m"],
        after: ["m": .map(["a": .integer(7)]), "z": .null]),
      MaskCase(
        before: ["a": .map(["x": .integer(1)])],
        body: ["a": .map(["b": .string(String(repeating: "long", count: 100)), "c": .null])],
        mask: ["a.b", "a.c"],
        after: [
          "a": .map(["b": .string(String(repeating: "long", count: 100)), "c": .null, "x": .integer(1)])
        ]),
    ])
  func masks(_ row: MaskCase) throws {
    if let before = row.before { try test.set("c/a", before) }
    let mask = row.mask.map(fieldPath)
    try test.commit(Write(ResourcePath(unchecked: "c/a"), .update(fields: row.body.encoded, mask: mask)))
    #expect(try test.fields("c/a") == row.after)
  }

  struct TransformCase: Sendable, CustomTestStringConvertible {
    let stored: Value?
    let transform: FieldTransform
    let after: Value
    var result: Value?
    var testDescription: String { "\(transform.operation) of \(String(describing: stored))" }

    static func increment(_ stored: Value?, _ operand: Value, _ after: Value) -> TransformCase {
      TransformCase(stored: stored, transform: .increment(fieldPath("f"), by: operand), after: after)
    }

    static func maximum(_ stored: Value?, _ operand: Value, _ after: Value) -> TransformCase {
      TransformCase(stored: stored, transform: .maximum(fieldPath("f"), operand), after: after)
    }

    static func minimum(_ stored: Value?, _ operand: Value, _ after: Value) -> TransformCase {
      TransformCase(stored: stored, transform: .minimum(fieldPath("f"), operand), after: after)
    }

    static func append(_ stored: Value?, _ elements: [Value], _ after: [Value]) -> TransformCase {
      TransformCase(
        stored: stored, transform: .appendMissing(fieldPath("f"), elements), after: .array(after),
        result: .null)
    }

    static func remove(_ stored: Value?, _ elements: [Value], _ after: [Value]) -> TransformCase {
      TransformCase(
        stored: stored, transform: .removeAll(fieldPath("f"), elements), after: .array(after), result: .null)
    }
  }

  static let numeric: [TransformCase] = [
    .increment(nil, .integer(3), .integer(3)),
    .increment(.string("x"), .double(1.5), .double(1.5)),
    .increment(.integer(4), .integer(-6), .integer(-2)),
    .increment(.integer(.max), .integer(1), .integer(.max)),
    .increment(.integer(.max - 1), .integer(5), .integer(.max)),
    .increment(.integer(.min), .integer(-1), .integer(.min)),
    .increment(.integer(.max), .integer(-1), .integer(.max - 1)),
    .increment(.integer(1), .double(0.5), .double(1.5)),
    .increment(.double(1), .integer(1), .double(2)),
    .increment(.double(.infinity), .double(-.infinity), .double(.nan)),
    .maximum(nil, .double(2), .double(2)),
    .maximum(.boolean(true), .integer(2), .integer(2)),
    .maximum(.integer(4), .double(4), .integer(4)),
    .maximum(.double(4), .integer(4), .double(4)),
    .maximum(.double(-0.0), .double(0), .double(-0.0)),
    .maximum(.integer(4), .double(4.5), .double(4.5)),
    .maximum(
      .integer(9_007_199_254_740_993), .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993)),
    .maximum(.integer(4), .double(.nan), .double(.nan)),
    .maximum(.double(.nan), .integer(4), .double(.nan)),
    .minimum(.integer(4), .double(4), .integer(4)),
    .minimum(.integer(4), .integer(3), .integer(3)),
    .minimum(.integer(.max), .double(0x1p63), .integer(.max)),
    .minimum(.integer(4), .double(.nan), .double(.nan)),
  ]

  static let arrays: [TransformCase] = [
    .append(nil, [.integer(1), .integer(1), .double(1)], [.integer(1)]),
    .append(.integer(7), [.null], [.null]),
    .append(
      .array([.integer(1), .double(.nan), .null]), [.double(1), .double(.nan), .null, .string("n")],
      [.integer(1), .double(.nan), .null, .string("n")]),
    .append(.array([.integer(2), .integer(2)]), [.integer(3)], [.integer(2), .integer(2), .integer(3)]),
    .append(
      .array([.map(["a": .integer(1)])]), [.map(["a": .double(1)]), .map(["a": .integer(2)])],
      [.map(["a": .integer(1)]), .map(["a": .integer(2)])]),
    .remove(nil, [.integer(1)], []),
    .remove(.string("x"), [.integer(1)], []),
    .remove(
      .array([.integer(1), .string("a"), .double(1), .null, .double(.nan)]),
      [.integer(1), .null, .double(.nan)],
      [.string("a")]),
  ]

  @Test("transforms give what the table says", arguments: numeric + arrays)
  func transforms(_ row: TransformCase) throws {
    if let stored = row.stored { try test.set("c/a", ["f": stored, "keep": .null]) }
    let result = try test.commit(.transform(ResourcePath(unchecked: "c/a"), [row.transform]))
    #expect(try test.fields("c/a")?["f"] == row.after)
    #expect(try test.fields("c/a")?["keep"] == (row.stored == nil ? nil : .null))
    #expect(value(result.results[0].transformResults[0]) == row.result ?? row.after)
  }

  @Test("the server's time is one for the whole commit, in milliseconds, never later than the commit")
  func serverTime() throws {
    test.clock.advance(microseconds: 123_987)
    let result = try test.commit(
      .transform(
        "c/a", FieldTransform(fieldPath("t"), .serverTime), FieldTransform(fieldPath("m.t"), .serverTime)),
      .transform("c/b", FieldTransform(fieldPath("t"), .serverTime)))
    let expected = Value.timestamp(Timestamp(microseconds: result.commitTime / 1_000 * 1_000))
    #expect(result.commitTime % 1_000 != 0)
    #expect(try test.fields("c/a") == ["t": expected, "m": .map(["t": expected])])
    #expect(try test.fields("c/b") == ["t": expected])
    #expect(result.results[0].transformResults.map(value) == [expected, expected])
  }

  @Test("several transforms of one field apply in order, after the masked update")
  func inOrder() throws {
    let result = try test.commit(
      .merge(
        "c/a", ["n": .integer(10), "o": .integer(1)], "n",
        transforms: [
          .increment(fieldPath("n"), by: .integer(5)), .maximum(fieldPath("n"), .integer(20)),
          .minimum(fieldPath("n"), .integer(18)),
        ]))
    #expect(try test.fields("c/a") == ["n": .integer(18)])
    #expect(result.results[0].transformResults.map(value) == [.integer(15), .integer(20), .integer(18)])
  }

  @Test("a transform through something that is no map replaces it with a map")
  func throughNonMap() throws {
    try test.set("c/a", ["a": .integer(1), "v": .vector([1])])
    try test.commit(
      .transform(
        "c/a", .increment(fieldPath("a.b.c"), by: .integer(1)),
        .increment(fieldPath("v.value"), by: .integer(2))))
    #expect(
      try test.fields("c/a") == [
        "a": .map(["b": .map(["c": .integer(1)])]), "v": .map(["value": .integer(2)]),
      ])
  }

  @Test("a transform may not nest deeper than 20 levels")
  func nesting() throws {
    func path(_ count: Int) -> FieldPath {
      fieldPath(Array(repeating: "a", count: count).joined(separator: "."))
    }
    try test.commit(.transform("c/a", .increment(path(21), by: .integer(1))))
    #expect(
      storeError { try test.commit(.transform("c/b", .increment(path(22), by: .integer(1)))) }
        == .invalid(InvalidArgument("Property a contains an invalid nested entity.")))
    try test.commit(.transform("c/c", .appendMissing(path(20), [.integer(1)])))
    #expect(storeError { try test.commit(.transform("c/d", .appendMissing(path(20), [.map([:])]))) } != nil)
  }

  @Test("the stored form stays canonical: entries sorted, the same bytes as a plain set")
  func staysCanonical() throws {
    try test.set("c/a", ["b": .integer(1), "d": .integer(1)])
    try test.commit(
      .merge(
        "c/a", ["a": .integer(1), "c": .map(["y": .null, "x": .null]), "é": .null], "a", "c.y", "c.x", "`é`"))
    try test.set(
      "c/b",
      [
        "a": .integer(1), "b": .integer(1), "c": .map(["x": .null, "y": .null]), "d": .integer(1), "é": .null,
      ])
    let (merged, plain) = try test.store.read(test.database) { (view) throws(StoreError) in
      (
        try view.document(ResourcePath(unchecked: "c/a")).map { Array($0.fields.bytes) },
        try view.document(ResourcePath(unchecked: "c/b")).map { Array($0.fields.bytes) }
      )
    }
    #expect(merged == plain)
  }
}
