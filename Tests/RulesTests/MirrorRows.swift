/// What lists are granted: the official emulator's answers to 1,506 pairs of a rule and a query.
///
/// Each row is a condition; each letter of its verdicts belongs to the query of the same position: T granted,
/// F false, E error. Recorded from version 1.19.9; two answers that docs/spec/production-differences.md 1.10 gives
/// otherwise (field filters with null; an equality beside a range) are here as they were recorded.

import DocModel
import Rules

/// Rules asked with the same queries.
struct MirrorGrid: Sendable {
  let name: String
  /// Disjuncts of each query.
  let queries: [[QueryDisjunct]]
  let rows: [(condition: String, verdicts: String)]
}

private func filter(_ field: String, _ comparison: FieldTest.Comparison, _ value: Value? = nil)
  -> FieldTest
{
  guard let path = try? FieldPath.parse(field) else { return FieldTest(.documentName, comparison) }
  return value.map { FieldTest(path, comparison, $0) } ?? FieldTest(path, comparison)
}

private func time(_ text: String) -> Timestamp {
  Timestamp(rfc3339: text) ?? Timestamp(seconds: 0, nanoseconds: 0)
}

private let numbers = MirrorGrid(
  name: "numbers",
  queries: [
    [[]],
    [[filter("f", .equal, .integer(4))]],
    [[filter("f", .equal, .integer(5))]],
    [[filter("f", .greaterThan, .integer(4))]],
    [[filter("f", .greaterThanOrEqual, .integer(4))]],
    [[filter("f", .greaterThan, .integer(3))]],
    [[filter("f", .greaterThanOrEqual, .integer(5))]],
    [[filter("f", .lessThan, .integer(4))]],
    [[filter("f", .lessThanOrEqual, .integer(4))]],
    [[filter("f", .lessThanOrEqual, .integer(3))]],
    [[filter("f", .lessThan, .integer(5))]],
    [[filter("f", .notEqual, .integer(4))]],
    [[filter("f", .notEqual, .integer(9))]],
    [[filter("f", .in, .array([.integer(4)]))]],
    [[filter("f", .in, .array([.integer(5), .integer(6)]))]],
    [[filter("f", .in, .array([.integer(4), .integer(7)]))]],
    [[filter("f", .notIn, .array([.integer(4), .integer(9)]))]],
    [[filter("f", .greaterThanOrEqual, .integer(4)), filter("f", .lessThanOrEqual, .integer(4))]],
    [[filter("f", .greaterThan, .double(4.0))]],
    [[filter("f", .greaterThanOrEqual, .double(4.5))]],
    [[filter("f", .greaterThanOrEqual, .double(5.0))]],
    [[filter("f", .lessThan, .double(3.5))]],
    [[filter("f", .arrayContains, .integer(4))]],
    [[filter("f", .arrayContainsAny, .array([.integer(4), .integer(5)]))]],
    [[filter("f", .isNull)]],
    [[filter("f", .isNotNull)]],
    [[filter("f", .isNaN)]],
    [[filter("f", .isNotNaN)]],
    [[filter("f", .equal, .null)]],
    [[filter("f", .notEqual, .null)]],
    [[filter("f", .equal, .double(4.0))]],
    [[filter("f", .greaterThan, .integer(2)), filter("f", .lessThan, .integer(9))]],
    [[filter("f", .equal, .integer(4)), filter("f", .greaterThan, .integer(5))]],
    [[filter("f", .equal, .string("x"))]],
    [[filter("f", .greaterThan, .string("x"))]],
  ],
  rows: [
    ("resource.data.f > 4", "EFTTEETEEEEEEFTFEEEEEEEEEEFEEEFETEE"),
    ("resource.data.f >= 4", "ETTTTETEEEEEETTTETEEEEEEEEFEEETETEE"),
    ("resource.data.f < 4", "EFFEEEETETEEEFFFEEEEEEEEEEFEEEFEEEE"),
    ("resource.data.f <= 4", "ETFEEEETTTEEETFFETEEEEEEEEFEEETETEE"),
    ("resource.data.f == 4", "ETFEEEEEEEEEETFFEEEEEEEEFEFEEETETFE"),
    ("resource.data.f != 4", "EFTTEETTETETEFTFTEEEEEEETETEEEFETTE"),
    ("4 < resource.data.f", "EFTTEETEEEEEEFTFEEEEEEEEEEFEEEFETEE"),
    ("4 == resource.data.f", "ETFEEEEEEEEEETFFEEEEEEEEFEFEEETETFE"),
    ("!(resource.data.f <= 4)", "EFTEEEEFFFEEEFTFEFEEEEEEEETEEEFEFEE"),
    ("resource.data.f > 4.0", "EFTTEETEEEEEEFTFEETTTEEEEEFEEEFETEE"),
    ("resource.data.f >= 4.5", "EFTEEETEEEEEEFTFEEETTEEEEEFEEEFETEE"),
    ("resource.data.f != null", "ETTTTTTTTTTTTTTTTTTTTTTTFTTTTTTTTTT"),
    ("resource.data.f == null", "EFFEEEEEEEEEEFFFEEEEEEEETEFEEEFEEFE"),
    ("resource.data.f in [4, 5]", "ETTFFFFFFFFFFTFFFFFFFFFFFFFFFFFFFFF"),
    ("!(resource.data.f in [4, 5])", "EFFTTTTTTTTTTFFFTTTTTTTTTTTTTTTTTTT"),
    ("resource.data.f is constraint", "EFFTTTTTTTTTTFFFTTTTTTTTFTFTTTFTTFT"),
    ("resource.data.f is int", "ETTFFFFFFFFFFTTTFFFFFFFFFFFFFFFFFFF"),
    ("resource.data.f + 1 > 2", "ETTEEEEEEEEEETTTEEEEEEEEEEFEEETEEEE"),
    ("resource.data.f == resource.data.f", "ETTEEEEEEEEEETTTEEEEEEEETEFEEETEETE"),
    ("resource.data.f is number", "ETTFFFFFFFFFFTTTFFFFFFFFFFTFFFTFFFF"),
  ])

private let listsAndTexts = MirrorGrid(
  name: "lists and texts",
  queries: [
    [[]],
    [[filter("f", .arrayContains, .string("v"))]],
    [[filter("f", .arrayContains, .string("w"))]],
    [[filter("f", .arrayContainsAny, .array([.string("v")]))]],
    [[filter("f", .arrayContainsAny, .array([.string("u"), .string("v")]))]],
    [[filter("f", .arrayContainsAny, .array([.string("v"), .string("w")]))]],
    [[filter("f", .equal, .array([.string("v")]))]],
    [[filter("f", .equal, .string("v"))]],
    [[filter("f", .in, .array([.string("v"), .string("u")]))]],
    [[filter("f", .in, .array([.array([.string("v")])]))]],
    [[filter("f", .notEqual, .string("v"))]],
    [[filter("f", .notIn, .array([.string("b"), .string("c")]))]],
    [[filter("f", .greaterThan, .string("v"))]],
    [[filter("f", .arrayContains, .string("v")), filter("g", .equal, .integer(1))]],
    [[filter("f", .arrayContains, .integer(1))]],
  ],
  rows: [
    ("'v' in resource.data.f", "ETETEETEETEEETE"),
    ("resource.data.f.hasAny(['v'])", "ETFTFFTEETFFFTF"),
    ("resource.data.f.hasAny(['u', 'v'])", "ETFTTFTEETFFFTF"),
    ("resource.data.f.hasAny([])", "EFFFFFFEEFFFFFF"),
    ("resource.data.f.hasAll(['v'])", "EEEEEETEETEEEEE"),
    ("resource.data.f.hasOnly(['v'])", "EEEEEETEETEEEEE"),
    ("['v'].hasAny(resource.data.f)", "EEEEEETEETEEEEE"),
    ("resource.data.f.size() == 1", "EEEEEETTTTEEEEE"),
    ("resource.data.f.matches('v')", "EEEEEEETFEEEEEE"),
    ("resource.data.f[0] == 'v'", "EEEEEETTFTEEEEE"),
    ("resource.data.f.toSet().size() == 1", "EEEEEETEETEEEEE"),
    ("resource.data.f == ['v']", "EEEEEETFFTEEEEE"),
    ("resource.data.f is list", "EFFFFFTFFTFFFFF"),
    ("'v' in resource.data.f || true", "TTTTTTTTTTTTTTT"),
    ("!('v' in resource.data.f)", "EFEFEFFEEFEEEFE"),
    ("resource.data.f.hasAny(['v'].toSet())", "EEEEEEEEEEEEEEE"),
    ("resource.data.f.foo()", "EEEEEEEEEEEEEEE"),
    ("resource.data.f.x == 1", "EEEEEEEEEEEEEEE"),
    ("resource.data.f is string", "EFFFFFFTTFFFFFF"),
    ("resource.data.f == 'v'", "EEEEEEFTFFEEEEE"),
    ("resource.data.f != 'v'", "EEEEEETFFTTETEE"),
    ("resource.data.f != 'b'", "EEEEEETTTTETTEE"),
    ("resource.data.f > 'a'", "EEEEEEETTEEETEE"),
  ])

private let wholeDocuments = MirrorGrid(
  name: "keys, nested fields, whole documents",
  queries: [
    [[]],
    [[filter("f", .equal, .integer(1))]],
    [[filter("f", .greaterThan, .integer(1))]],
    [[filter("g", .equal, .integer(7))]],
    [[filter("f", .equal, .integer(1)), filter("g", .equal, .integer(7))]],
    [[filter("f.x", .equal, .integer(1))]],
    [[filter("f.x", .greaterThan, .integer(1))]],
    [[filter("`f.x`", .equal, .integer(1))]],
    [[filter("f", .equal, .map(["x": .integer(1)]))]],
    [[filter("f", .equal, .map(["x": .integer(1)])), filter("f.x", .equal, .integer(2))]],
    [[filter("f.x", .equal, .integer(1)), filter("f.y", .equal, .integer(2))]],
    [[filter("f.x.z", .equal, .integer(1))]],
  ],
  rows: [
    ("'f' in resource.data", "FTTFTTTFTTTT"),
    ("!('f' in resource.data)", "TFFTFFFTFFFF"),
    ("resource.data.keys().hasOnly(['f', 'g'])", "TTTTTTTFTTTT"),
    ("resource.data.keys().hasAll(['f'])", "FTTFTTTFTTTT"),
    ("!resource.data.keys().hasAny(['secret'])", "TTTTTTTTTTTT"),
    ("resource.data.keys().size() == 1", "FTTTFTTTTTTT"),
    ("resource.data.size() == 1", "FTTTFTTTTTTT"),
    ("resource.data.get('g', 7) == 7", "TTTTTTTTTTTT"),
    ("resource.data.get('f', 7) == 7", "TFETFFFTFFFF"),
    ("resource.data == {'f': 1}", "FTFFFFFFFFFF"),
    ("resource.data.get(['f', 'x'], 7) == 7", "TTTTTFETFFFF"),
    ("resource.data.values().size() == 1", "FTTTFTTTTTTT"),
    ("resource.data.diff({}).affectedKeys().hasOnly(['f'])", "TTTFFTTFTTTT"),
    ("resource.data.f.x == 1", "EEEEETEETTTF"),
    ("resource.data.f.keys().hasOnly(['x'])", "EEEEETTETTFT"),
    ("resource.data['f'] == 1", "ETEETFFEFFFF"),
    ("resource.data['f.x'] == 1", "EEEEEEETEEEE"),
    ("resource.data.f == {'x': 1}", "EFEEFTFETTFF"),
    ("resource.data.f is map", "EFFEFTTETTTT"),
    ("resource.data.keys() == ['f']", "FTTFFTTFTTTT"),
  ])

private let disjunctions = MirrorGrid(
  name: "booleans, timestamps, two fields, disjunctions",
  queries: [
    [[]],
    [[filter("f", .equal, .boolean(true))]],
    [[filter("f", .equal, .boolean(false))]],
    [[filter("f", .in, .array([.boolean(true), .boolean(false)]))]],
    [[filter("f", .in, .array([.boolean(true), .boolean(false)])), filter("g", .equal, .integer(1))]],
    [[filter("f", .equal, .integer(1))]],
    [[filter("f", .equal, .integer(1)), filter("g", .equal, .integer(1))]],
    [[filter("f", .equal, .integer(2)), filter("g", .equal, .integer(1))]],
    [[filter("f", .greaterThan, .integer(1)), filter("g", .greaterThan, .integer(1))]],
    [[filter("f", .equal, .integer(1))], [filter("g", .equal, .integer(1))]],
    [[filter("f", .equal, .boolean(true))], [filter("g", .equal, .boolean(true))]],
    [[filter("f", .notEqual, .boolean(true))]],
    [[filter("f", .greaterThan, .boolean(false))]],
    [[filter("f", .greaterThan, .timestamp(time("2024-06-01T00:00:00Z")))]],
    [[filter("f", .greaterThanOrEqual, .timestamp(time("2024-01-01T00:00:00Z")))]],
    [[filter("f", .lessThan, .timestamp(time("2024-06-01T00:00:00Z")))]],
    [
      [filter("f", .equal, .integer(1)), filter("g", .equal, .integer(2))],
      [filter("f", .equal, .integer(3))],
    ],
  ],
  rows: [
    ("resource.data.f == true", "ETFFFFFFEFEEEEEEF"),
    ("resource.data.f", "ETFFFEEEEEEEEEEEE"),
    ("!resource.data.f", "EFTFFEEEEEFEEEEEE"),
    ("resource.data.f == false || resource.data.g == 1", "EETETETTEEEEEEEEF"),
    ("resource.data.f == 1 && resource.data.g == 1", "EFFFFETFEEFEEEEEF"),
    ("resource.data.f == resource.data.g", "EEEEFETFEEEEEEEEF"),
    ("resource.data.f < resource.data.g", "EEEEEEFFEEEEEEEEE"),
    ("resource.data.f == 1 ? true : false", "EFFFFTTFEEFEEEEEF"),
    ("resource.data.f > 0 ? true : false", "EEEEETTTTEEEEEEET"),
    ("resource == null", "FFFFFFFFFFFFFFFFF"),
    ("resource.data.f > timestamp.date(2024,1,1)", "EEEEEEEEEEEEETEEE"),
    ("resource.data.f < request.time", "EEEEEEEEEEEEEEETE"),
    ("resource.data.f == request.auth.uid || resource.data.g == true", "EEEEEEEEEEEEEEEEE"),
  ])

let mirrorGrids = [numbers, listsAndTexts, wholeDocuments, disjunctions]
