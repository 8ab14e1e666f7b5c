/// How much of a long value takes part in sorting.
///
/// Each row is a pair of values that differ only at the very end of what the index may hold: one more unit
/// before the difference and they tie. The units were asked of the official emulator (1.19.9), whose
/// answers to the recorded truncation queries are production's.

import DocModel
import DocStore
import Testing

@Suite struct QueryTruncationTests {
  /// `value(count, isGreater)` differs in its last part only.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The smallest count at which the two values tie.
    let tiesAt: Int
    let value: @Sendable (_ count: Int, _ isGreater: Bool) -> Value
  }

  static func text(_ count: Int, _ last: Bool) -> String {
    String(repeating: "0", count: count) + (last ? "b" : "a")
  }
  static func copies(_ value: Value, _ count: Int, then last: Value) -> Value {
    .array(Array(repeating: value, count: count) + [last])
  }
  static func number(_ last: Bool) -> Value { .integer(last ? 2 : 1) }
  static func path(_ path: String) -> Value {
    .reference(QueryTestSource.database.documentsRoot + "/" + path)
  }

  static let rows: [Row] = [
    Row(testDescription: "string", tiesAt: 1_499) { .string(text($0, $1)) },
    Row(testDescription: "two-byte letters", tiesAt: 750) {
      .string(String(repeating: "é", count: $0) + ($1 ? "b" : "a"))
    },
    Row(testDescription: "bytes", tiesAt: 1_500) { .bytes(Array(repeating: 48, count: $0) + [$1 ? 2 : 1]) },
    Row(testDescription: "string in array", tiesAt: 1_499) { .array([.string(text($0, $1))]) },
    Row(testDescription: "string in map", tiesAt: 1_497) { .map(["k": .string(text($0, $1))]) },
    Row(testDescription: "array in map in array", tiesAt: 1_497) {
      .array([.map(["k": .array([.string(text($0, $1))])])])
    },
    Row(testDescription: "integers", tiesAt: 188) { copies(.integer(1), $0, then: number($1)) },
    Row(testDescription: "doubles", tiesAt: 188) { copies(.double(1.5), $0, then: number($1)) },
    Row(testDescription: "booleans", tiesAt: 1_500) { copies(.boolean(true), $0, then: .boolean($1)) },
    Row(testDescription: "nulls", tiesAt: 1_500) { copies(.null, $0, then: .boolean($1)) },
    Row(testDescription: "short strings", tiesAt: 137) {
      copies(.string("0123456789"), $0, then: .string($1 ? "b" : "a"))
    },
    Row(testDescription: "empty strings", tiesAt: 1_499) {
      copies(.string(""), $0, then: .string($1 ? "b" : "a"))
    },
    Row(testDescription: "string then integer", tiesAt: 1_499) {
      .array([.string(String(repeating: "0", count: $0)), number($1)])
    },
    Row(testDescription: "string then nothing", tiesAt: 1_500) {
      let text = Value.string(String(repeating: "0", count: $0))
      return .array($1 ? [text, .boolean(true)] : [text])
    },
    Row(testDescription: "map of integers", tiesAt: 116) { count, isGreater in
      var fields = Fields((0..<count).map { ("a" + "\(1_000 + $0)".dropFirst(), .integer(1)) })
      fields["z"] = number(isGreater)
      return .map(fields)
    },
    Row(testDescription: "reference", tiesAt: 1_481) { path("c/" + text($0, $1)) },
    Row(testDescription: "deep reference", tiesAt: 774) {
      path("c/a/d/" + String(repeating: "x", count: 700) + "/d/" + text($0, $1))
    },
    Row(testDescription: "references", tiesAt: 75) { copies(path("c/a"), $0, then: number($1)) },
    Row(testDescription: "vector", tiesAt: 187) {
      .vector(Array(repeating: 1, count: $0) + [$1 ? 2 : 1])
    },
  ]

  /// Whether the greater value, under the smaller name, still comes first.
  private func tie(_ greater: Value, _ smaller: Value) throws -> Bool {
    let store = QueryTestSource(["c/a": ["v": greater], "c/b": ["v": smaller]])
    var query = StructuredQuery(database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
    query.orders = [.init("v")]
    return try store.paths(query) == ["c/a", "c/b"]
  }

  @Test("values tie when they differ only beyond the indexed part", arguments: rows)
  func ties(_ row: Row) throws {
    #expect(try !tie(row.value(row.tiesAt - 1, true), row.value(row.tiesAt - 1, false)))
    #expect(try tie(row.value(row.tiesAt, true), row.value(row.tiesAt, false)))
    #expect(try tie(row.value(row.tiesAt * 2, true), row.value(row.tiesAt * 2, false)))
  }

  @Test("a cut value sorts after the value that ends where it was cut")
  func cutAfterWhole() throws {
    let whole = Value.string(String(repeating: "a", count: 1_499))
    let cut = Value.string(String(repeating: "a", count: 1_600))
    #expect(try !tie(cut, whole))
  }

  @Test("cursors are cut like what they are compared with")
  func cursors() throws {
    let long = Value.string(String(repeating: "a", count: 2_000))
    let other = Value.string(String(repeating: "a", count: 1_999) + "b")
    let store = QueryTestSource(["c/a": ["v": long], "c/b": ["v": other], "c/d": ["v": .string("b")]])
    var query = StructuredQuery(database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
    query.orders = [.init("v")]
    query.start = .init([other], isBefore: false)
    #expect(try store.paths(query) == ["c/d"])
    query.start = .init([other], isBefore: true)
    #expect(try store.paths(query) == ["c/a", "c/b", "c/d"])
  }
}
