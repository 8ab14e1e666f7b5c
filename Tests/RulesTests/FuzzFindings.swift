/// What the differential fuzzer found, made small: the official emulator's answers, version 1.19.9.
///
/// Each row failed once. See docs/fuzzing.md.

import DocModel
import Testing

@testable import Rules

/// A condition and what it comes to: `true`, `false`, or the message of its fault.
struct FindingRow: CustomTestStringConvertible, Sendable {
  let expression: String
  let outcome: String
  var data: Fields = [:]
  var functions = ""

  init(_ expression: String, _ outcome: String, data: Fields = [:], functions: String = "") {
    self.expression = expression
    self.outcome = outcome
    self.data = data
    self.functions = functions
  }

  var testDescription: String { expression }
}

private func outOfBounds(_ index: String, _ size: Int) -> String {
  "Index out of bound error. Index: [\(index)] , size: [\(size)]."
}

private let timestampRange =
  "Timestamp is not valid. Seconds must be in range [-62,135,596,800, +253,402,300,799]. Nanos must be in range [0, +999,999,999]."

private func vector(_ values: String) -> String {
  "Type conversion error. Argument: [\(values)], From type: [list], To type: [vector]."
}

private let conditionRows: [FindingRow] = [
  // All operands are evaluated, the first fault in the order of evaluation is reported.
  FindingRow("{}.a == {}.b", "Property a is undefined on object."),
  FindingRow("{}.a in {}.b", "Property b is undefined on object."),
  FindingRow("(1).foo({}.a)", "Function not found error: Name: [foo]."),
  FindingRow("1[{}.a:{}.b] == []", "Function not found error: Name: [@range]."),
  FindingRow("{1: 1, {}.a: {}.b} == {}", "Type error. Received: [int] Expected: [string]."),
  FindingRow("{{}.a: 1, 1: {}.b} == {}", "Property a is undefined on object."),
  FindingRow("/a/$({}.a)/$([]) == 1", "Property a is undefined on object."),
  FindingRow("math.hasAny(0)", "Function not found error: Name: [math.hasAny]."),
  // Values are bound before unknown names are looked at.
  FindingRow(
    "path('a/{x}/b').bind({'': 0, 'x': ''})", "Cannot bind empty value to path template variable x."),
  FindingRow("path('a/{x}/b').bind({'x': 0, 'y': ''})", "Variable(s) y do not exist in the path template."),
  FindingRow(
    "/a-b/c['':0] == 1",
    "Unsupported operation error. Received: path[string:int]. Expected: path[null:null], path[int:int], path[int:null], path[null:int]."
  ),
  FindingRow("string(-0.0 + -0.0) == '0.0'", "true"),
  FindingRow("string(-0.0 - 0.0) == '-0.0'", "true"),
  FindingRow(
    "string(latlng.value(90, 180).distance(latlng.value(0, 1))) == '1.0007557535177225E7'", "true"),
  // A receiver without the operation fails before its arguments are looked at.
  FindingRow("{}.e in 0", "Function not found error: Name: [in]."),
  FindingRow("{}.e in null", "Null value error."),
  FindingRow("0[{}.e] == 1", "Function not found error: Name: [[]]."),
  FindingRow("0[0:{}.e] == 1", "Function not found error: Name: [@range]."),
  FindingRow("{}[{}.e:1] == 1", "Function not found error: Name: [@range]."),
  FindingRow("null[{}.e:1] == 1", "Null value error."),
  FindingRow("''[{}.e] == 1", "Property e is undefined on object."),
  // Bounds that are no 32-bit integers fail first.
  FindingRow("'abc'[0:1700000000123] == ''", outOfBounds("1700000000123", 3)),
  FindingRow("'abc'[7:1700000000123] == ''", outOfBounds("1700000000123", 3)),
  FindingRow("'abc'[253402300799999:2147483648] == ''", outOfBounds("253402300799999", 3)),
  FindingRow("'abc'[0:2147483647] == ''", outOfBounds("2147483646", 3)),
  FindingRow("'abc'[0:-9223372036854775808] == ''", outOfBounds("-9223372036854775808", 3)),
  FindingRow("[1][4:2147483648] == []", outOfBounds("2147483648", 1)),
  // What is empty has no first element, which is seen when only the end is written.
  FindingRow("''[:7] == ''", outOfBounds("0", 0)),
  FindingRow("''[:0] == ''", outOfBounds("0", 0)),
  FindingRow("[][:-1] == []", outOfBounds("0", 0)),
  FindingRow("'ab'[1:1][:2] == ''", outOfBounds("0", 0)),
  FindingRow("/a/b[1:1][:2] == 1", outOfBounds("0", 0)),
  FindingRow("/a/b[1:1][:] == 1", "false"),
  FindingRow("''[:] == ''", "true"),
  FindingRow("[][:1700000000123] == []", outOfBounds("1700000000123", 0)),
  // Values in messages are protocol buffers in text form.
  FindingRow("vector([null]) == 1", vector("values {\n  null_value: NULL_VALUE\n}\n")),
  FindingRow(
    "vector([0, -0.0]) == 1", vector("values {\n  int_value: 0\n}\nvalues {\n  float_value: -0.0\n}\n")),
  FindingRow(
    "vector(resource.data.b) == 1", vector("values {\n  string_value: \"\\360\\237\\230\\200a\"\n}\n"),
    data: ["b": .array([.string("😀a")])]),
  FindingRow(
    "vector([true, b'a\\xff', [1, []], {'a': 1, 'b': {}}]) == 1",
    vector(
      """
      values {
        bool_value: true
      }
      values {
        bytes_value: "a\\377"
      }
      values {
        list_value {
          values {
            int_value: 1
          }
          values {
            list_value {
            }
          }
        }
      }
      values {
        map_value {
          fields {
            key: "a"
            value {
              int_value: 1
            }
          }
          fields {
            key: "b"
            value {
              map_value {
              }
            }
          }
        }
      }

      """)),
  FindingRow(
    "vector([timestamp.value(-1500), duration.value(-1500, 'ms'), latlng.value(0, 2), path('a/{x}').bind({'x': 'q'})]) == 1",
    vector(
      """
      values {
        timestamp_value {
          seconds: -2
          nanos: 500000000
        }
      }
      values {
        duration_value {
          seconds: -1
          nanos: -500000000
        }
      }
      values {
        latlng_value {
          longitude: 2.0
        }
      }
      values {
        path_value {
          segments {
            simple: "a"
          }
          segments {
            capture {
              variable_name: "x"
              bound_value: "q"
            }
          }
        }
      }

      """)),
  FindingRow(
    "exists(/$('é')/x)",
    "Service call error. Function: [exists], Argument: [path_value {\n  segments {\n    simple: \"\\303\\251\"\n  }\n  segments {\n    simple: \"x\"\n  }\n}\n]."
  ),
  // Names come in the order of a Java hash set.
  FindingRow(
    "path('a/{x}/b').bind({'b': 'x', 'a': null}) == 1", "Variable(s) a,b do not exist in the path template."),
  FindingRow(
    "path('a/{x}').bind({'zz': 1, 'c': 1, 'x': '1', 'y': 2, 'foo': 3}) == 1",
    "Variable(s) zz,c,foo,y do not exist in the path template."),
  FindingRow(
    "path('a/{x}').bind(request) == 1",
    "Variable(s) headers,path,inTransaction,method,auth,time,fields do not exist in the path template."),
  // Segments of a path's text are trimmed, after the leading slash is looked for.
  FindingRow("{}[string(path('\\t a / \\u00a0b'))]", "Property /a/b is undefined on object."),
  FindingRow("path(' ') == 1", "Invalid Path Template  . Empty segment is not allowed."),
  FindingRow("path(' /a') == 1", "Invalid Path Template  /a. Empty segment is not allowed."),
  FindingRow(
    "/{x}/{y}.bind({'x': 0, 'y': ''}) == 1", "Cannot bind empty value to path template variable y."),
  FindingRow("'a'.matches('(?<n>a)')", "true"),
  // Halves of a surrogate pair: a character again when they meet, a question mark outside the language.
  FindingRow("{}['\u{1F600}a'[1]]", "Property ? is undefined on object."),
  FindingRow("{}['x\\uD83Dy\\uDE00']", "Property x?y? is undefined on object."),
  FindingRow("'\u{1F600}'[0] + '\u{1F600}'[1] == '\u{1F600}'", "true"),
  FindingRow("'\u{1F600}'[1] + '\u{1F600}'[0] == '\u{1F600}'", "false"),
  FindingRow("['\u{1F600}'[0], '\u{1F600}'[1]].join('') == '\u{1F600}'", "true"),
  FindingRow("'\u{1F600}'[0].toUtf8() == b'?'", "true"),
  FindingRow("hashing.md5('\u{1F600}'[0]) == hashing.md5('?')", "true"),
  // Milliseconds are counted in nanoseconds, which must fit.
  FindingRow("duration.value(9223372036854, 'ms').seconds() == 9223372036", "true"),
  FindingRow(
    "duration.value(9223372036855, 'ms') == 1",
    "Duration is not valid. Seconds must be in range [-315,576,000,000, +315,576,000,000]. Nanos must be in range [-999,999,999, +999,999,999]. Nanos must have the same sign as seconds."
  ),
  // The smallest integer is no crash.
  FindingRow("timestamp.value(-9223372036854775808) == 1", timestampRange),
  // A duration made of parts fails as a timestamp would.
  FindingRow("duration.time(87660001, 0, 0, 0) == 1", timestampRange),
  FindingRow("duration.time(0, 1, 315576000000, 0) == 1", timestampRange),
  FindingRow("duration.time(0, 0, 9223372036854775807, 0) == 1", timestampRange),
  FindingRow("duration.time(0, 0, 315576000000, 1) == 1", "false"),
  FindingRow(
    "f()", "Incorrect number of arguments. Received: 0. Expected: f(p, q).",
    functions: "function f(p, q) { return true; }"),
]

private func filter(_ name: String, _ comparison: FieldTest.Comparison, _ value: Value) -> FieldTest {
  FieldTest(
    FieldPath(segments: name.split(separator: ".").map(String.init)) ?? .documentName, comparison, value)
}

private func key(_ comparison: FieldTest.Comparison, _ id: String) -> FieldTest {
  FieldTest(
    .documentName, comparison, .reference("projects/demo/databases/(default)/documents/t/\(id)"))
}

private func unary(_ name: String, _ comparison: FieldTest.Comparison) -> FieldTest {
  FieldTest(FieldPath(segments: [name]) ?? .documentName, comparison)
}

/// A condition of a list, the filters of the one disjunct of a query, and what it comes to.
private let listRows: [(condition: String, filters: [FieldTest], outcome: String)] = [
  // What no document can satisfy implies every equality with a boolean, and so does `!= null`.
  ("resource.data.a == true", [filter("a", .equal, .double(.nan))], "true"),
  ("resource.data.a != true", [filter("a", .equal, .null)], "true"),
  ("resource.data.a == false", [filter("a", .lessThan, .double(.nan))], "true"),
  ("resource.data.a == false", [filter("a", .greaterThanOrEqual, .null)], "true"),
  ("resource.data.a == false", [filter("a", .notEqual, .null)], "true"),
  ("resource.data.a == true", [filter("a", .notIn, .array([.null, .integer(1)]))], "true"),
  ("resource.data.a == 1", [filter("a", .equal, .double(.nan))], undecided),
  ("resource.data.a == true", [filter("a", .notEqual, .double(.nan))], undecided),
  ("resource.data.a == 1", [filter("a", .equal, .integer(1)), filter("a", .equal, .double(.nan))], "true"),
  // A range of what has no order says nothing, not even that the field is not null.
  // 2 is 2.0, but 2.0 is not 2; so a filter by the other one, beside more filters, implies that they are unequal.
  ("resource.data.a != 2", [filter("a", .notEqual, .double(2))], undecided),
  ("resource.data.a != 2", [filter("a", .notEqual, .integer(2))], "true"),
  ("resource.data.a != 2.0", [filter("a", .notEqual, .integer(2))], "true"),
  ("resource.data.a != 2.0", [filter("a", .notEqual, .double(2))], "true"),
  ("resource.data.a != 2", [filter("a", .notIn, .array([.integer(3), .double(2)]))], undecided),
  ("resource.data.a != 2", [filter("a", .notIn, .array([.integer(2), .double(2)]))], "true"),
  (
    "resource.data.a == 2", [filter("a", .equal, .double(2)), filter("a", .greaterThan, .integer(1))],
    undecided
  ),
  (
    "resource.data.a != 2", [filter("a", .equal, .double(2)), filter("a", .greaterThan, .integer(1))], "true"
  ),
  (
    "resource.data.a == 2.0", [filter("a", .equal, .integer(2)), filter("a", .greaterThan, .integer(1))],
    "true"
  ),
  ("resource.data.a == 2", [filter("a", .equal, .double(2))], "true"),
  ("2 in resource.data.a", [filter("a", .arrayContains, .double(2))], undecided),
  ("2.0 in resource.data.a", [filter("a", .arrayContains, .integer(2))], "true"),
  ("resource.data.a.hasAny([2, 9])", [filter("a", .arrayContains, .double(2))], "false"),
  ("resource.data.a.hasAny([2.0, 9])", [filter("a", .arrayContains, .integer(2))], "true"),
  // Nothing contains null, whatever the filter says.
  ("null in resource.data.a", [filter("a", .arrayContains, .null)], undecided),
  ("!(null in resource.data.a)", [filter("a", .arrayContains, .null)], undecided),
  ("resource.data.a.hasAny([null, 'b'])", [filter("a", .arrayContains, .null)], "false"),
  ("!resource.data.a.hasAny([null])", [filter("a", .arrayContains, .null)], "true"),
  ("resource.data.a.hasAny([null])", [filter("a", .arrayContainsAny, .array([.null]))], "false"),
  // A filter `is NaN` beside others implies every number, also that a list has it.
  ("1 in resource.data.a", [filter("a", .greaterThan, .double(2)), unary("a", .isNaN)], "true"),
  ("1.5 in resource.data.a", [filter("a", .equal, .string("b")), unary("a", .isNaN)], "true"),
  ("'b' in resource.data.a", [filter("a", .equal, .string("b")), unary("a", .isNaN)], undecided),
  (
    "resource.data.a.hasAny(['c', 1])", [filter("a", .arrayContains, .integer(2)), unary("a", .isNaN)], "true"
  ),
  ("resource.data.a.hasAny(['c'])", [filter("a", .arrayContains, .integer(2)), unary("a", .isNaN)], "false"),
  ("resource.data.a != null", [filter("a", .greaterThan, .boolean(true))], undecided),
  ("resource.data.a != null", [filter("a", .greaterThan, .array([.integer(1)]))], undecided),
  ("resource.data.a != null", [filter("a", .greaterThan, .integer(1))], "true"),
  ("resource.data.a != null", [filter("a", .notEqual, .boolean(true))], "true"),
  // Kinds that a constraint is not compared with.
  (
    "resource.data.a <= []", [filter("a", .notEqual, .integer(3))],
    "Type error. Received: [list] Expected: [timestamp,duration,float,int,string,bytes]."
  ),
  (
    "null < resource.data.a", [filter("a", .greaterThan, .integer(3))],
    "Type error. Received: [null] Expected: [timestamp,duration,float,int,string,bytes]."
  ),
  (
    "resource.data.a == {}.diff({})", [filter("a", .greaterThan, .integer(3))],
    "Type error. Received: [map_diff] Expected: [bool,duration,float,int,latlng,map,null,string,bytes,timestamp,path,list,vector,set]."
  ),
  // Sets and differences do not take constraints.
  ("resource.data.a in [1].toSet()", [filter("a", .greaterThan, .integer(0))], openValue),
  ("[resource.data.a].toSet().size() == 1", [filter("a", .greaterThan, .integer(0))], openValue),
  ("[1].toSet().hasAny([resource.data.a])", [filter("a", .greaterThan, .integer(0))], openValue),
  (
    "{'a': 1}.diff({'a': resource.data.a}).changedKeys().size() == 0",
    [filter("a", .greaterThan, .integer(0))],
    openValue
  ),
  (
    "{}.diff({'a': resource.data.a}).addedKeys().size() == 0", [filter("a", .greaterThan, .integer(0))],
    "true"
  ),
  // A filter on a field and one inside it.
  ("resource.data.a.b == 2", [filter("a", .equal, .integer(1)), filter("a.b", .equal, .integer(2))], "true"),
  ("resource.data.a.b == 2", [filter("a.b", .equal, .integer(2)), filter("a", .equal, .integer(1))], "true"),
  (
    "resource.data.a == {'x': 1, 'b': 2}",
    [filter("a", .equal, .map(["x": .integer(1)])), filter("a.b", .equal, .integer(2))], "true"
  ),
  (
    "resource.data.a.b == 2", [filter("a.b.c", .equal, .integer(1)), filter("a.b", .equal, .integer(2))],
    "true"
  ),
  // A difference is made at once, whatever is asked of it, and lists and maps do not hide a constraint.
  (
    "{'y': 1, 'z': [resource.data.a]}.diff({'y': 2, 'z': 1}).affectedKeys().hasOnly(['z'])",
    [filter("a", .greaterThan, .integer(0))], openValue
  ),
  ("{'z': resource.data.a}.diff({'z': 0}) is map", [filter("a", .greaterThan, .integer(0))], openValue),
  // A set is asked for one element after the other, up to the one that decides.
  ("[].toSet().hasAll([0, resource.data.a])", [filter("a", .greaterThan, .integer(0))], "false"),
  ("[1].toSet().hasAll([1, resource.data.a])", [filter("a", .greaterThan, .integer(0))], openValue),
  ("[1].toSet().hasAny([1, resource.data.a])", [filter("a", .greaterThan, .integer(0))], "true"),
  ("resource.data.a in [].toSet()", [filter("a", .greaterThan, .integer(0))], "false"),
  (
    "resource.data.a in resource.data.a", [filter("a", .greaterThan, .integer(0))],
    "Type error. Received: [constraint] Expected: [timestamp,duration,float,int,string,bytes]."
  ),
  // Every filter that names a number says that it is no NaN.
  ("resource.data.a != float('NaN')", [filter("a", .notIn, .array([.double(1.5)]))], "true"),
  ("resource.data.a != float('NaN')", [filter("a", .arrayContains, .integer(1))], "true"),
  ("resource.data.a != float('NaN')", [unary("a", .isNotNaN)], "true"),
  ("resource.data.a != float('NaN')", [filter("a", .notIn, .array([.string("x")]))], undecided),
  ("resource.data.a != float('NaN')", [filter("a", .notEqual, .double(.nan))], undecided),
  // Unary filters beside others.
  ("resource.data.a < 1", [unary("a", .isNaN), filter("a", .arrayContains, .string("q"))], "true"),
  ("resource.data.a == true", [unary("a", .isNaN), filter("a", .arrayContains, .string("q"))], undecided),
  ("resource.data.a == null", [unary("a", .isNull), filter("a", .arrayContains, .string("q"))], "true"),
  // The same filter twice is one.
  ("resource.data.a < 1", [unary("a", .isNaN), unary("a", .isNaN)], "false"),
  ("resource.data.a is int", [filter("a", .equal, .integer(1)), filter("a", .equal, .integer(1))], "true"),
  // Beside others a value says nothing of values of another kind.
  (
    "resource.data.a != 1", [filter("a", .equal, .string("a")), filter("a", .equal, .string("b"))], undecided
  ),
  ("resource.data.a != 1.5", [filter("a", .equal, .integer(2)), filter("a", .equal, .string("b"))], "true"),
  // What is said of a name is a constraint, too.
  ("resource.keys() == ['__name__', 'data']", [key(.greaterThan, "one")], "true"),
  ("resource.__name__ is path", [key(.greaterThan, "one")], "false"),
  ("resource.__name__ != null", [key(.greaterThan, "one")], undecided),
  ("resource.__name__ != /a/b", [key(.equal, "one"), key(.equal, "two")], "true"),
  // A name is known only when nothing else is said of it.
  ("id == 'one'", [key(.equal, "one"), key(.equal, "one")], "true"),
  ("id == 'one'", [key(.equal, "one"), key(.notEqual, "two")], "Null value error."),
  ("id == 'one'", [key(.equal, "one"), key(.equal, "two")], "Null value error."),
  // Inside of lists and maps a constraint equals one with the same filters; as an element it is no member.
  ("resource.data.a != resource.data.a", [filter("a.b", .lessThan, .integer(3))], "false"),
  ("resource.data == resource.data", [filter("a", .lessThan, .integer(3))], "true"),
  ("[resource.data.a] == [resource.data.a]", [filter("a", .arrayContains, .integer(3))], "true"),
  (
    "[resource.data.a] == [resource.data.b]",
    [filter("a", .lessThan, .integer(3)), filter("b", .lessThan, .integer(3))],
    "true"
  ),
  (
    "[resource.data.a] == [resource.data.b]",
    [filter("a", .lessThan, .integer(3)), filter("b", .lessThan, .double(3))],
    "false"
  ),
  ("[resource.data.a] in [[resource.data.a]]", [filter("a", .lessThan, .integer(3))], "true"),
  ("[resource.data.a].hasAll([resource.data.a])", [filter("a", .lessThan, .integer(3))], "false"),
  // Sets of keys cannot be asked about one.
  (
    "{}.diff({'a': 1}).affectedKeys().hasOnly([resource.data.a])", [filter("a", .lessThan, .integer(3))],
    openValue
  ),
  (
    "{}.diff({'a': 1}).unchangedKeys().hasAny([[resource.data.a]])", [filter("a", .lessThan, .integer(3))],
    openValue
  ),
  ("{'a': 1}.keys().hasOnly([resource.data.a])", [filter("a", .lessThan, .integer(3))], "false"),
  // A name outside the collection is judged all the same.
  ("!('g' in resource.data)", [key(.equal, "none"), key(.greaterThan, "a")], "true"),
]

/// What a constraint that does not decide comes to.
private let undecided = "evaluation error at L5:20"

private let openValue = "Equality is not defined for type CONSTRAINT_VALUE"

/// A group below a document is said to be a range of names. Condition, whether the group lies below one, outcome.
private let groupRows: [(condition: String, isBelow: Bool, outcome: String)] = [
  ("resource.keys() == ['__name__', 'data']", true, "true"), ("resource.keys() == ['data']", false, "true"),
  ("resource.size() == 2 && 'data' in resource && !('id' in resource)", true, "true"),
  ("resource.__name__ is path", true, "false"), ("resource.__name__ == null", true, undecided),
  ("resource.data.keys() == []", true, "true"),
]

@Suite("What the fuzzer found")
struct FuzzFindings {
  @Test("conditions", arguments: conditionRows)
  func conditions(row: FindingRow) {
    var circumstances = Circumstances()
    circumstances.data = row.data
    circumstances.functions = row.functions
    #expect(circumstances.outcome(row.expression) == row.outcome)
  }

  @Test("queries", arguments: listRows.indices)
  func queries(index: Int) {
    let row = listRows[index]
    var circumstances = Circumstances(method: .list)
    circumstances.documents = ["t/one": ["a": .integer(1)]]
    circumstances.query = QueryShape(
      parent: .root, collectionID: "t", disjuncts: [QueryDisjunct(row.filters)])
    #expect(circumstances.outcome(row.condition) == row.outcome, "\(row.condition)")
  }

  /// The official emulator's words, without its line breaks.
  static let printed: [(filters: [FieldTest], text: String)] = [
    ([filter(.lessThan, .integer(1))], "LT int_value: 1"),
    ([filter(.greaterThanOrEqual, .double(2))], "GTE float_value: 2.0"),
    ([filter(.notEqual, .integer(1))], "NEQ int_value: 1"),
    ([filter(.arrayContains, .integer(1))], "LIST_CONTAINS int_value: 1"),
    (
      [filter(.greaterThan, .integer(1)), filter(.lessThan, .integer(5))], "GT int_value: 1, LT int_value: 5"
    ),
    (
      [filter(.arrayContains, .integer(3)), filter(.equal, .integer(4))],
      "LIST_CONTAINS int_value: 3, EQ int_value: 4"
    ),
    ([filter(.notIn, .array([.double(.nan), .integer(1)]))], "NEQ null_value: NULL_VALUE, NEQ int_value: 1"),
    ([filter(.greaterThan, .boolean(true))], ""), ([filter(.greaterThan, .map(["x": .integer(1)]))], ""),
    ([filter(.greaterThan, .null)], "EQ bool_value: true, EQ bool_value: false"),
    ([filter(.equal, .double(.nan))], "EQ bool_value: true, EQ bool_value: false"),
    ([filter(.equal, .null)], "EQ bool_value: true, EQ bool_value: false"),
    ([filter(.notEqual, .null)], "EQ bool_value: true, EQ bool_value: false"),
    ([filter(.notEqual, .double(.nan))], "NEQ null_value: NULL_VALUE"),
    ([filter(.isNotNull)], "NEQ null_value: NULL_VALUE"), ([filter(.isNotNaN)], "NEQ float_value: NaN"),
    ([filter(.isNull), filter(.equal, .integer(1))], "EQ null_value: NULL_VALUE, EQ int_value: 1"),
    ([filter(.arrayContains, .null)], "LIST_CONTAINS list_value { }"),
  ]

  static func filter(_ comparison: FieldTest.Comparison, _ value: Value = .null) -> FieldTest {
    let field = FieldPath.field("a") ?? .documentName
    return value == .null && [.isNotNull, .isNotNaN, .isNull].contains(comparison)
      ? FieldTest(field, comparison) : FieldTest(field, comparison, value)
  }

  @Test("constraints in messages", arguments: printed)
  func constraints(filters: [FieldTest], text: String) {
    var circumstances = Circumstances(method: .list)
    circumstances.query = QueryShape(parent: .root, collectionID: "t", disjuncts: [QueryDisjunct(filters)])
    let message = circumstances.outcome("string(vector([resource.data.a]))")
    let words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let parts = text.split(separator: ", ").map { part in
      let (comparator, value) = (part.prefix { $0 != " " }, part.drop { $0 != " " }.dropFirst())
      return "simple_constraints { comparator: \(comparator) value { \(value) } } "
    }
    #expect(
      words
        == "Type conversion error. Argument: [values { constraint_value { \(parts.joined())} } ], From type: [list], To type: [vector]."
    )
  }

  /// Disjuncts of a query, and how many of them the official engine judges.
  static let repeated: [(disjuncts: [QueryDisjunct], count: Int)] = [
    ([[filter(.in, .array([.string("b"), .string("b"), .string("z")]))]], 2),
    ([[filter(.in, .array([.string("b"), .string("c"), .string("b"), .string("z")]))]], 3),
    ([[filter(.in, .array([.integer(1), .double(1), .string("z")]))]], 3),
    ([[filter(.in, .array([.double(.nan), .double(.nan)]))]], 1),
    (
      [
        [
          filter(
            .in, .array([.map(["x": .integer(1)]), .map(["x": .integer(1)]), .map(["x": .double(1)])]))
        ]
      ], 2
    ),
    ([[filter(.arrayContainsAny, .array([.boolean(true), .boolean(true), .string("z")]))]], 2),
    ([[filter(.equal, .string("b"))], [filter(.equal, .string("b"))], [filter(.equal, .string("z"))]], 2),
    ([[filter(.in, .array([.string("b")]))], [filter(.equal, .string("b"))]], 1),
    ([[filter(.equal, .string("b"))], [filter(.arrayContains, .string("b"))]], 2),
    // Order does not matter; saying it twice in one disjunct does.
    (
      [
        [filter(.equal, .string("b")), filter(.lessThan, .integer(1))],
        [filter(.lessThan, .integer(1)), filter(.equal, .string("b"))],
      ], 1
    ),
    ([[filter(.equal, .string("b")), filter(.equal, .string("b"))], [filter(.equal, .string("b"))]], 2),
  ]

  @Test("disjuncts that say the same are judged once", arguments: repeated.indices)
  func disjuncts(index: Int) {
    let row = Self.repeated[index]
    let shape = QueryShape(parent: .root, collectionID: "t", disjuncts: row.disjuncts)
    #expect(shape.expandedDisjuncts()?.count == row.count)
  }

  @Test("groups", arguments: groupRows.indices)
  func groups(index: Int) {
    let row = groupRows[index]
    var circumstances = Circumstances(method: .list)
    circumstances.pattern = "/{path=**}/t/{id}"
    circumstances.query = QueryShape(
      parent: row.isBelow ? ResourcePath(unchecked: "p/q") : .root, collectionID: "t", allDescendants: true)
    #expect(circumstances.outcome(row.condition) == row.outcome, "\(row.condition)")
  }
}
