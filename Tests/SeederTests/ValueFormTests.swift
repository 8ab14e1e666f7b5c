/// What each form of docs/seeds.md section 3 makes, and what it refuses.

import DocModel
import Testing

@Suite("typed values")
struct ValueFormTests {
  @Test(
    "a value form makes the value",
    arguments: [
      ("x", .string("x")), ("\"\"", .string("")), ("~", .null), ("true", .boolean(true)), ("7", .integer(7)),
      ("1.0", .double(1)), ("-0.0", .double(-0.0)), (".nan", .double(.nan)),
      ("[1, a, {b: 2}]", .array([.integer(1), .string("a"), .map(["b": .integer(2)])])),
      ("{$$price: 3, a.b: 1}", .map(["$price": .integer(3), "a.b": .integer(1)])),
      ("{$time: 2026-01-05T09:00:00.123456789Z}", instant("2026-01-05T09:00:00.123456Z")),
      ("{$time: 2026-01-05T10:00:00+01:00}", instant("2026-01-05T09:00:00Z")),
      ("{$time: \"2026-01-05T09:00:00.1234567890123Z\"}", instant("2026-01-05T09:00:00.123456Z")),
      ("{$time: 0001-01-01T00:00:00Z}", .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0))),
      ("{$geo: [51.5, -0]}", .geoPoint(GeoPoint(latitude: 51.5, longitude: 0))),
      ("{$ref: users/bob}", .reference("projects/demo/databases/(default)/documents/users/bob")),
      ("{$bytes: aGVsbG8=}", .bytes(Array("hello".utf8))), ("{$bytes: \"\"}", .bytes([])),
      ("{$bytes: //79}", .bytes([0xFF, 0xFE, 0xFD])), ("{$bytes: AA==}", .bytes([0])),
      ("{$vector: [0.25, 1, -3]}", .vector([0.25, 1, -3])),
      ("{$int: \"9007199254740993\"}", .integer(9_007_199_254_740_993)), ("{$int: 4.0}", .integer(4)),
      ("{$int: -5}", .integer(-5)),
      ("{$double: 4}", .double(4)), ("{$double: \"NaN\"}", .double(.nan)),
      ("{$double: \"-Infinity\"}", .double(-.infinity)), ("{$double: \"-0\"}", .double(-0.0)),
      ("{a: {$absent: true}, b: 1}", .map(["b": .integer(1)])),
      ("{$repeat: [xy, 3]}", .string("xyxyxy")), ("{$repeat: [x, 0]}", .string("")),
      ("{$ids: [u_, 1, 3]}", .array([.string("u_1"), .string("u_2"), .string("u_3")])),
      ("{$ids: [p, 9, 10, /likes]}", .array([.string("p9/likes"), .string("p10/likes")])),
      ("{$ids: [p, 1, 0]}", .array([])),
      ("{$size: [a, b, c]}", .integer(3)), ("{$size: {$ids: [u, 1, 40]}}", .integer(40)),
      ("\"$${name} and $5\"", .string("${name} and $5")),
    ] as [(String, Value)])
  func makes(source: String, expected: Value) async throws {
    #expect(try await made(source) == expected)
  }

  /// The value stands at line 3, column 12.
  @Test(
    "a wrong form is refused at the part that is wrong",
    arguments: [
      ("{$date: x}", "3:13 unknown value form '$date'; did you mean '$time'?"),
      ("{$bool: 0.3}", "3:13 unknown value form '$bool'; did you mean '$boolean'?"),
      ("{$oneOf: [a]}", "3:13 unknown value form '$oneOf'; did you mean '$pick'?"),
      ("{$tme: x}", "3:13 unknown value form '$tme'; did you mean '$time'?"),
      (
        "{$frobnicate: x}",
        "3:13 unknown value form '$frobnicate'; a key that begins with $ is written '$$frobnicate'"
      ),
      ("{$inc: 1}", "3:13 '$inc' belongs to requests of suites"),
      ("{$time: 2026-01-05}", "3:20 $time takes a time as in 2026-01-05T09:00:00Z; '2026-01-05' is none"),
      ("{$time: 5}", "3:20 $time takes a time as in 2026-01-05T09:00:00Z; found an integer"),
      (
        "{$time: 2026-02-29T00:00:00Z}",
        "3:20 $time takes a time as in 2026-01-05T09:00:00Z; '2026-02-29T00:00:00Z' is none"
      ),
      ("{$time: 2026-01-05T09:00:00Z, x: 1}", "3:42 'x' cannot stand beside '$time'"),
      ("{$time: 2026-01-05T09:00:00Z, $geo: [1, 2]}", "3:42 '$time' and '$geo' cannot stand in one map"),
      ("{$geo: [91, 0]}", "3:20 $geo takes [latitude, longitude]; latitude 91 is outside -90...90"),
      (
        "{$geo: [1.5, -180.5]}",
        "3:25 $geo takes [latitude, longitude]; longitude -180.5 is outside -180...180"
      ),
      ("{$geo: [1]}", "3:13 $geo takes [latitude, longitude]"),
      ("{$geo: [a, 1]}", "3:20 $geo takes [latitude, longitude]; found a text"),
      (
        "{$ref: users}", "3:19 'users' is a collection, not a document: a path has an even number of segments"
      ),
      (
        "{$ref: users//x/y}",
        "3:19 'users//x/y' is not the path of a document: path \"users//x/y\" has an empty segment"
      ),
      ("{$bytes: a}", "3:21 $bytes takes standard base64 with padding; this is none"),
      ("{$bytes: AB==}", "3:21 $bytes takes standard base64 with padding; this is none"),
      ("{$bytes: A===}", "3:21 $bytes takes standard base64 with padding; this is none"),
      ("{$vector: []}", "3:13 $vector takes 1 to 2048 numbers; found 0"),
      ("{$vector: [1, x]}", "3:26 $vector takes numbers; found a text"),
      ("{$int: 4.5}", "3:19 $int takes a whole number of 64 bits, as a number or a text; 4.5 is none"),
      (
        "{$int: \"9223372036854775808\"}",
        "3:19 $int takes a whole number of 64 bits, as a number or a text; '9223372036854775808' is none"
      ),
      (
        "{$double: inf}",
        "3:22 $double takes a number, or \"NaN\", \"Infinity\", \"-Infinity\" or \"-0\"; found 'inf'"
      ),
      ("{$serverTime: false}", "3:26 $serverTime takes true"),
      ("[{$absent: true}]", "3:14 $absent cannot stand in a list"),
      ("[{$serverTime: true}]", "3:14 $serverTime cannot stand in a list"),
      ("[[1]]", "3:13 a list cannot hold a list directly; put it into a map"),
      ("{$repeat: [x, -1]}", "3:26 $repeat takes [text, number of times]; -1 is negative"),
      ("{$repeat: [xx, 600000]}", "3:27 the text would be longer than 1048487 bytes"),
      (
        "{$ids: [x, 5, 1]}",
        "3:26 $ids takes [text, first, last] and perhaps a text that follows the number; 1 is before 5"
      ),
      ("{$ids: [x, -9223372036854775807, 9223372036854775807]}", "3:45 $ids makes at most 1000000 texts"),
      ("{$size: x}", "3:20 $size takes a list; found a text"),
      ("{__a__: 1}", "3:13 field name '__a__' is reserved"),
      ("{\"\": 1}", "3:13 a field name cannot be empty"),
      ("\"${who}\"", "3:12 no value is called 'who' here; no names are known (in a/b)"),
      ("\"x${\"", "3:12 '${' without '}'; a literal '${' is written '$${'"),
      ("\"${i:3}\"", "3:12 '${i:3}': after the colon stands a width from 01 to 19, as in ${i:03}"),
      ("\"${a b}\"", "3:12 '${a b}' does not name a value; names are letters, digits and _"),
    ])
  func refuses(source: String, expected: String) {
    let errors = seedErrors("version: 1\ndocuments:\n  a/b: {v: \(source)}\n")
    #expect(errors.map { $0.replacing(" (in a/b)", with: "") } == [expected.replacing(" (in a/b)", with: "")])
  }

  @Test("$serverTime becomes the time of the commit, also inside maps")
  func serverTime() async throws {
    let sink = try await seeded(
      "version: 1\ndocuments:\n  a/b: {at: {$serverTime: true}, m: {n: 1, at: {$serverTime: true}}}\n")
    let time = Value.timestamp(Timestamp(seconds: 1_000, nanoseconds: 0))
    #expect(sink["a/b"] == ["at": time, "m": .map(["n": .integer(1), "at": time])])
  }

  private static func instant(_ text: String) -> Value {
    Timestamp(rfc3339: text).map { .timestamp($0) } ?? .null
  }
}
