/// `$add`, `$subtract`, `$join` and `$concat`: what they make, and what they refuse.

import DocModel
import Testing

@Suite("computed values")
struct ComputedFormTests {
  @Test(
    "a computed form makes the value",
    arguments: [
      ("{$add: [1, 2]}", .integer(3)), ("{$add: [1, -2, 10]}", .integer(9)),
      ("{$add: [1, 0.5]}", .double(1.5)), ("{$add: [0.5, 1, 1]}", .double(2.5)),
      ("{$add: [9223372036854775807, 1.0]}", .double(9_223_372_036_854_775_808)),
      ("{$add: [9223372036854775806, 1]}", .integer(.max)),
      ("{$subtract: [-9223372036854775807, 1]}", .integer(.min)),
      ("{$subtract: [10, 4]}", .integer(6)), ("{$subtract: [1, 0.25]}", .double(0.75)),
      ("{$add: [{$size: [a, b]}, {$subtract: [5, 1]}]}", .integer(6)),
      ("{$add: [{$time: 2026-01-05T09:00:00.25Z}, 90m]}", instant("2026-01-05T10:30:00.25Z")),
      ("{$add: [2026-01-31T23:00:00Z, 1d, 2h, 30s]}", instant("2026-02-02T01:00:30Z")),
      ("{$add: [2026-01-05T09:00:00Z, 1w1d12h30m5s]}", instant("2026-01-13T21:30:05Z")),
      ("{$add: [2026-01-05T09:00:00Z, -1h]}", instant("2026-01-05T08:00:00Z")),
      ("{$add: [2026-01-05T09:00:00Z, +1h]}", instant("2026-01-05T10:00:00Z")),
      ("{$subtract: [2026-01-05T09:00:00Z, 12h]}", instant("2026-01-04T21:00:00Z")),
      ("{$subtract: [1970-01-01T00:00:00.5Z, 1s]}", instant("1969-12-31T23:59:59.5Z")),
      ("{$join: [a, 7, true]}", .string("a7true")), ("{$join: [a, b], separator: \", \"}", .string("a, b")),
      ("{$join: [], separator: x}", .string("")),
      ("{$join: {$ids: [u, 1, 3]}, separator: \"|\"}", .string("u1|u2|u3")),
      ("{$concat: [[1, a], [], [{b: 2}]]}", .array([.integer(1), .string("a"), .map(["b": .integer(2)])])),
      ("{$concat: [{$ids: [u, 1, 2]}, [x]]}", .array([.string("u1"), .string("u2"), .string("x")])),
      ("{$size: {$concat: [[1], [2, 3]]}}", .integer(3)), ("{$concat: []}", .array([])),
    ] as [(String, Value)])
  func makes(source: String, expected: Value) async throws {
    #expect(try await made(source) == expected)
  }

  /// The value stands at line 3, column 12.
  @Test(
    "a wrong argument is refused where it stands",
    arguments: [
      (
        "{$add: [9223372036854775807, 1]}",
        "3:41 9223372036854775807 + 1 does not fit in an integer of 64 bits; with {$double: 1} the result is a double"
      ),
      (
        "{$subtract: [-9223372036854775807, 5]}",
        "3:47 -9223372036854775807 - 5 does not fit in an integer of 64 bits; with {$double: 5} the result is a double"
      ),
      ("{$add: [1]}", "3:13 $add takes a list of two or more values: numbers, or a time and lengths of time"),
      ("{$add: 1}", "3:19 $add takes a list; found an integer"),
      (
        "{$subtract: [1, 2, 3]}",
        "3:13 $subtract takes a list of two values: numbers, or a time and lengths of time"
      ),
      ("{$add: [1, a]}", "3:23 $add takes numbers after a number; found a text"),
      ("{$add: [true, 1]}", "3:20 $add takes numbers, or a time and lengths of time; found true or false"),
      (
        "{$add: [a, b]}",
        "3:20 $add takes numbers, or first a time as in 2026-01-05T09:00:00Z; 'a' is none"
      ),
      (
        "{$add: [2026-01-05T09:00:00Z, 90]}",
        "3:42 $add takes lengths of time after a time, as in 90m or 1d12h30m (w, d, h, m, s; at most a hundred years); found an integer"
      ),
      (
        "{$subtract: [2026-01-05T09:00:00Z, 90min]}",
        "3:47 $subtract takes lengths of time after a time, as in 90m or 1d12h30m (w, d, h, m, s; at most a hundred years); '90min' is none"
      ),
      (
        "{$add: [2026-01-05T09:00:00Z, 5300w]}",
        "3:42 $add takes lengths of time after a time, as in 90m or 1d12h30m (w, d, h, m, s; at most a hundred years); '5300w' is none"
      ),
      (
        "{$add: [9999-12-31T23:00:00Z, 59m, 1m]}",
        "3:47 $add leads from 9999-12-31T23:59:00Z out of the years 1 to 9999, where times end"
      ),
      (
        "{$subtract: [0001-01-01T00:00:00Z, 1s]}",
        "3:47 $subtract leads from 0001-01-01T00:00:00Z out of the years 1 to 9999, where times end"
      ),
      ("{$add: [1, 2], $size: []}", "3:27 '$add' and '$size' cannot stand in one map"),
      ("{$join: a}", "3:20 $join takes a list of texts; found a text"),
      ("{$join: [a, 1.5]}", "3:20 $join takes texts, integers and booleans; element 2 is a double"),
      ("{$join: [a], separator: 1}", "3:36 separator is a text; found an integer"),
      ("{$join: [a], with: x}", "3:25 unknown key 'with'; '$join' has separator"),
      ("{$concat: [[a], b]}", "3:28 $concat takes lists; texts are joined by {$join: LIST, separator: TEXT}"),
      ("{$concat: [[a], 7]}", "3:28 $concat takes lists; found an integer"),
      ("{$sum: [1, 2]}", "3:13 unknown value form '$sum'; did you mean '$add'?"),
    ])
  func refuses(source: String, message: String) {
    #expect(seedErrors("version: 1\ndocuments:\n  a/b: {v: \(source)}\n") == [message])
  }

  @Test("names, templates, other documents and drawn values can be computed with")
  func references() async throws {
    let sink = try await seeded(
      """
      version: 1
      templates:
        class: {endsAt: {$add: ["${starts}", "${minutes}m"]}}
      documents:
        plans/basic: {classes: 4, from: {$time: 2026-01-05T09:00:00Z}, tags: [a]}
        plans/plus:
          classes: {$add: [{$from: plans/basic, field: classes}, 4]}
          from: {$add: [{$from: plans/basic, field: from}, 2w]}
          tags: {$concat: [{$from: plans/basic, field: tags}, [b]]}
      generate:
        - path: classes/c${i}
          repeat: 3
          let:
            minutes: {$int: {min: 30, max: 90}}
            starts: {$add: [2026-03-02T18:00:00Z, "${i}d"]}
            people: {$ids: [p, 1, "${i}"]}
          fields: {$like: class, minutes: "${minutes}", people: {$join: "${people}", separator: " "}}
      """)
    #expect(sink.value("plans/plus", "classes") == .integer(8))
    #expect(
      sink.value("plans/plus", "from") == Timestamp(rfc3339: "2026-01-19T09:00:00Z").map { .timestamp($0) })
    #expect(sink.value("plans/plus", "tags") == .array([.string("a"), .string("b")]))
    for day in 1...3 {
      let document = "classes/c\(day)"
      guard case .integer(let minutes) = sink.value(document, "minutes") else {
        Issue.record("\(document) has no minutes")
        continue
      }
      let start = try #require(Timestamp(rfc3339: "2026-03-0\(2 + day)T18:00:00Z"))
      let end = Timestamp(seconds: start.seconds + minutes * 60, nanoseconds: 0)
      #expect(sink.value(document, "endsAt") == .timestamp(end))
    }
    #expect(sink.value("classes/c3", "people") == .string("p1 p2 p3"))
  }

  @Test(
    "a seed has no now", arguments: ["{$time: now}", "{$add: [now-1d, 1h]}", "{$timeBetween: [now-1d, now]}"])
  func present(source: String) {
    let errors = seedErrors("version: 1\ndocuments:\n  a/b: {v: \(source)}\n")
    #expect(errors.count == 1)
    #expect(
      errors.first?.contains("means nothing here: a seed gives the same documents") == true, "\(errors)")
  }

  @Test("an overflow of one document names it")
  func overflowOfOne() {
    let source = """
      version: 1
      generate:
        - path: a/d${i}
          repeat: 3
          fields: {n: {$add: [9223372036854775805, "${i}"]}}
      """
    #expect(
      seedErrors(source) == [
        "5:46 9223372036854775805 + 3 does not fit in an integer of 64 bits; with {$double: 3} the result is a double (in a/d3)"
      ])
  }

  @Test("an argument that draws has a place of its own, so that the others change nothing")
  func places() async throws {
    let drawn = "{$int: {min: 0, max: 1000000000}}"
    let two = try await made("{$add: [\(drawn), 0]}")
    let three = try await made("{$add: [\(drawn), 0, {$int: {min: 0, max: 0}}]}")
    let both = try await made("{$subtract: [\(drawn), \(drawn)]}")
    #expect(two == three)
    #expect(both != .integer(0))
  }

  @Test("lists that double with each name end at the budget")
  func growth() {
    let names = (1...40).map { "  n\($0): {$concat: [\"${n\($0 - 1)}\", \"${n\($0 - 1)}\"]}" }
    let source = "version: 1\nlet:\n  n0: [a]\n\(names.joined(separator: "\n"))\n"
    #expect(seedErrors(source).first?.hasSuffix("the value grows too large here") == true)
  }

  private static func instant(_ text: String) -> Value {
    Timestamp(rfc3339: text).map { .timestamp($0) } ?? .null
  }
}
