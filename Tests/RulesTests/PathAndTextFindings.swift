/// Further findings of the differential fuzzer, and what was asked beside them: paths, and texts that are counted
/// in UTF-16 units. The official emulator's answers, version 1.19.9.

import DocModel
import Testing

@testable import Rules

private let root = "/databases/$(database)/documents"

private func undefined(_ name: String) -> String { "Property \(name) is undefined on object." }

private func twice(_ name: String) -> String { "Variable \(name) already exists in the PathTemplate." }

private func noDecoding(_ text: String, _ reason: String) -> String {
  "Unable to decode \(text) to url. Error: URLDecoder: \(reason)"
}

private let incomplete = "Incomplete trailing escape (%) pattern"

private func noDigit(_ place: Int, _ pair: String) -> String {
  "Illegal hex characters in escape (%) pattern - Error at index \(place) in: \"\(pair)\""
}

private let unbound = "Variable x is not bound in path template."

private func wrongBounds(_ bounds: String) -> String {
  "Unsupported operation error. Received: path[\(bounds)]."
    + " Expected: path[null:null], path[int:int], path[int:null], path[null:int]."
}

/// The message of a list of one text that should be a vector.
private func noVector(_ text: String) -> String {
  "Type conversion error. Argument: [values {\n  string_value: \"\(text)\"\n}\n], From type: [list], To type: [vector]."
}

private func serviceCall(_ function: String, _ segments: String...) -> String {
  let lines = segments.map { "  segments {\n    simple: \"\($0)\"\n  }\n" }.joined()
  return "Service call error. Function: [\(function)], Argument: [path_value {\n\(lines)}\n]."
}

/// With the documents u/a, u/x/y/z and q/w.
private let documentRows: [FindingRow] = [
  // A segment with slashes is one segment, and no document.
  FindingRow("exists(\(root)/u/$('a'))", "true"),
  FindingRow("exists(\(root)/u/$('/a'))", "false"),
  FindingRow("exists(\(root)/u/$('a/'))", "false"),
  FindingRow("exists(\(root)/u/$('x/y/z'))", "false"),
  FindingRow("exists(\(root)/u/x/y/$('z'))", "true"),
  FindingRow("exists(\(root)/u/$('/'))", "false"),
  FindingRow("exists(\(root)/$('u/')/a)", "false"),
  FindingRow("exists(\(root)/u/$('\(root)/u/a'))", "false"),
  FindingRow("exists(\(root)/u/$(string(/databases/(default)/documents/u/a)))", "false"),
  FindingRow("existsAfter(\(root)/u/$('/a'))", "false"),
  FindingRow("get(\(root)/u/$('/a')) == null", "true"),
  FindingRow("getAfter(\(root)/u/$('x/y/z')) == null", "true"),
  FindingRow("get(\(root)/u/$('/a')).data.v == 1", "Null value error."),
  FindingRow("exists(\(root)/t/$('/x'))", "false"),
  // Their number decides whether they name a document.
  FindingRow(
    "exists(\(root)/$('u/a'))", serviceCall("exists", "databases", "(default)", "documents", "u/a")),
  FindingRow(
    "exists(\(root)/u/$('x/y')/z)",
    serviceCall("exists", "databases", "(default)", "documents", "u", "x/y", "z")),
  FindingRow(
    "exists(\(root)/u/$(''))", serviceCall("exists", "databases", "(default)", "documents", "u", "")),
  FindingRow(
    "exists(/databases/$('(default)/')/documents/u/a)",
    serviceCall("exists", "databases", "(default)/", "documents", "u", "a")),
  // It counts as a document that is asked for.
  FindingRow(
    "[\((0..<10).map { "exists(\(root)/u/$('s/\($0)'))" }.joined(separator: ", "))].hasOnly([false])", "true"),
  FindingRow(
    "[\((0..<11).map { "exists(\(root)/u/$('s/\($0)'))" }.joined(separator: ", "))].hasOnly([false])",
    serviceCall("exists", "databases", "(default)", "documents", "u", "s/10")),
  FindingRow("exists(path('/databases/(default)/documents/u/%61'))", "true"),
  FindingRow(
    "exists(path('/databases/(default)/documents/u%2Fa'))",
    serviceCall("exists", "databases", "(default)", "documents", "u/a")),
]

private let pathRows: [FindingRow] = [
  // `bind` leaves out what was bound before.
  FindingRow("{}[string(/{x}/{y}.bind({'x': 0, 'y': 0}).bind({}))]", undefined("/")),
  FindingRow("{}[string(/a/{x}/b/{y}.bind({'x': 0, 'y': 0}).bind({}))]", undefined("/a/b")),
  FindingRow("{}[string(/a/{x}.bind({'x': 0}).bind({}).bind({}))]", undefined("/a")),
  FindingRow("/a/{x}.bind({'x': 0}).bind({}) == /a", "true"),
  FindingRow("/a/{x}.bind({'x': 0}).bind({})['x'] == '0'", undefined("x")),
  FindingRow("{}[string(/a/{x}.bind({'x': 0}).bind({'x': 0}))]", "Variable x is already bound."),
  FindingRow("{}[string(path('/a/{x=**}').bind({'x': /b/c}).bind({}))]", undefined("/a")),
  FindingRow("{}[string(path('/a/{x}/c').bind({'x': 0})[0:2].bind({}))]", undefined("/a")),
  FindingRow("{}[string([/a/$(path('/{x}/c').bind({'x': 1}))][0].bind({}))]", undefined("/a/c")),
  FindingRow("{}[string([/a/$(path('/{x}/c').bind({'x': 1}))/{y}][0].bind({'y': 2}))]", undefined("/a/c/2")),
  FindingRow(
    "{}[string([/a/$(path('/{x=**}').bind({'x': /b/c}))/{y}][0].bind({'y': 1}))]", undefined("/a/1")),
  FindingRow("{}[string([/a/$(path('/{x=**}').bind({'x': /b/c}))][0])]", undefined("/a/b/c")),
  FindingRow("{}[string(request.path.bind({}))]", undefined("/databases/(default)/documents/t/x")),
  // A path has a placeholder once, filled or not, which is found when all that is inserted is known.
  FindingRow("/{x}/{x} == 1", "refused"),
  FindingRow("/a/{x=**}/b/{x} == 1", "refused"),
  FindingRow("[/a/$(path('/{x}/c'))/{x}][0] == 1", twice("x")),
  FindingRow("[/a/{x}/$(path('/{x}/c'))][0] == 1", twice("x")),
  FindingRow("[/$(path('/{x}/c'))/$(path('/{x=**}/c'))][0] == 1", twice("x")),
  FindingRow(
    "[/$(path('/{x}/c').bind({'x': 1}))/$(path('/{x}/c').bind({'x': 2}))][0] == 1", twice("x")),
  FindingRow("[/a/$(path('/{x}/c'))/{x}/$({}.e)][0] == 1", undefined("e")),
  FindingRow("{}[string([/a/$(path('/{x}/c'))/{y}][0].bind({'x': 1, 'y': 2}))]", undefined("/a/1/c/2")),
  FindingRow("/a/{x=**}.bind({'x': 'a'}) == 1", "Type error. Received: [string] Expected: [path]."),
  FindingRow("/a/{x=**}.bind({'x': /b/c}) == /a/b/c", "true"),
  FindingRow("/a/{x=*}.bind({'x': 'b'}) == /a/b", "true"),
  // Bounds of a wrong type are found before a placeholder without a value; `[:]` needs no value.
  FindingRow("/a/{x}['':0] == 1", wrongBounds("string:int")),
  FindingRow("/a/{x}[:''] == 1", wrongBounds("null:string")),
  FindingRow("/a/{x}[1.0:2] == 1", wrongBounds("float:int")),
  FindingRow("/b/$(/a/{x})['':1] == 1", wrongBounds("string:int")),
  FindingRow("/a/{x}[0:{}.e] == 1", undefined("e")),
  FindingRow("/a/{x}[null:1] == 1", unbound),
  FindingRow("/a/{x}[9:10] == 1", unbound),
  FindingRow("/a/{x}[-1:1] == 1", unbound),
  FindingRow("/a/{x}[9999999999:1] == 1", unbound),
  FindingRow("/a/{x}[9999999999] == 1", unbound),
  FindingRow("/a/{x}[:] == 1", "false"),
  FindingRow("/a/{x}[null:null].bind({'x': 'b'}) == /a/b", "true"),
  // The segments of a path's text are decoded as parts of a URL.
  FindingRow("{}[string(path('+3'))]", undefined("/ 3")),
  FindingRow("{}[string(path('a%41b'))]", undefined("/aAb")),
  FindingRow("path('a%2Fb')[0] == 'a/b'", "true"),
  FindingRow("path('a%2fb') == /a/b", "false"),
  FindingRow("{}[string(path('%E2%82%AC%F0%9F%98%80'))]", undefined("/€😀")),
  FindingRow("{}[string(path('a/+/%20/b'))]", undefined("/a/ / /b")),
  FindingRow("{}[string(path(' a+ /b'))]", undefined("/a /b")),
  FindingRow("{}[string(path('%2525'))]", undefined("/%25")),
  FindingRow("{}[string(path('%+1')[0].size())]", undefined("1")),
  FindingRow("{}[string(path('a%-0')[0].size())]", undefined("2")),
  FindingRow("{}[string(path('a%４Ａ%٤١'))]", undefined("/aJA")),
  FindingRow("{}[string(path('a/%7Bx%7D'))]", undefined("/a/{x}")),
  FindingRow("{}[string(path('a/{x}').bind({'x': '+%41'}))]", undefined("/a/+%41")),
  FindingRow("{}[string(/a/$('+%41'))]", undefined("/a/+%41")),
  FindingRow("path('😀'[0] + '+')[0].size() == 2", "true"),
  FindingRow("path('😀+')[0] == '😀 '", "true"),
  FindingRow("{}[string(path(' a%zz /b'))]", noDecoding("a%zz", noDigit(0, "zz"))),
  FindingRow("{}[string(path('a%4z'))]", noDecoding("a%4z", noDigit(1, "4z"))),
  FindingRow("{}[string(path('a%-z'))]", noDecoding("a%-z", noDigit(1, "-z"))),
  FindingRow("{}[string(path('a%😀'))]", noDecoding("a%😀", noDigit(0, "😀"))),
  FindingRow("{}[string(path('a%4😀'))]", noDecoding("a%4😀", noDigit(1, "4?"))),
  FindingRow(
    "{}[string(path('a%-4'))]",
    noDecoding("a%-4", "Illegal hex characters in escape (%) pattern - negative value")),
  FindingRow("{}[string(path('%C3%A'))]", noDecoding("%C3%A", incomplete)),
  FindingRow("{}[string(path('%'))]", noDecoding("%", incomplete)),
  FindingRow("{}[string(path('%zz//b'))]", noDecoding("%zz", noDigit(0, "zz"))),
  FindingRow(
    "{}[string(path('a//b%zz'))]", "Invalid Path Template a//b%zz. Empty segment is not allowed."),
  FindingRow(
    "{}[string(path('a/{x}%'))]", "Invalid Path Template a/{x}%. The capture segment is not closed."),
  // Bytes that are no UTF-8.
  FindingRow("path('%F0%80%80%80x')[0] == '\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}x'", "true"),
  FindingRow("path('%F4%90%80%80x')[0] == '\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}x'", "true"),
  FindingRow("path('%F0%9F%98x')[0] == '\u{FFFD}x'", "true"),
  FindingRow("path('%ED%A0%80%ED%B0%80')[0] == '\u{FFFD}\u{FFFD}'", "true"),
  FindingRow("path('%ED%A0x')[0] == '\u{FFFD}x'", "true"),
  FindingRow("path('%E0%80%80x')[0] == '\u{FFFD}\u{FFFD}\u{FFFD}x'", "true"),
  FindingRow("path('%E2%82%41')[0] == '\u{FFFD}A'", "true"),
  FindingRow("path('%C0%80x')[0] == '\u{FFFD}\u{FFFD}x'", "true"),
  FindingRow("path('%C3/%A9') == path('%80/%81')", "true"),
]

private let textRows: [FindingRow] = [
  // A message that holds half of a character shows a question mark; of bytes it was one before.
  FindingRow("vector(['a😀b'[1:2]]) == vector([1])", noVector("?")),
  FindingRow("vector(['a😀b'[1:2] + 'a😀b'[2:3]]) == vector([1])", noVector("\\360\\237\\230\\200")),
  FindingRow("vector(['é']) == vector([1])", noVector("\\303\\251")),
  // After an empty match the search goes on one unit further.
  FindingRow("{}['a😀b'.split('').join('|')]", undefined("|a|?|?|b")),
  FindingRow("{}['a😀xb'.split('x*').join('|')]", undefined("|a|?|?||b")),
  FindingRow("{}['€😀'.split('€*').join('|')]", undefined("||?|?")),
  FindingRow("'😀'.split('')[1] == '😀'[0]", "true"),
  FindingRow("'😀'.split('').join('') == '😀'", "true"),
  FindingRow("'😀' in '😀'.split('')", "false"),
  FindingRow("'😀'.split('').size() == 3", "true"),
  FindingRow("{}['aé€😀b'.replace('', '-')]", undefined("-a-é-€-?-?-b-")),
  FindingRow("'😀'.replace('', '') == '😀'", "true"),
  FindingRow("{}['😀b'.replace('^|.', '-')]", undefined("-?--")),
  FindingRow("{}['😀b'.replace('^|[😀]', '-')]", undefined("-😀b")),
  FindingRow("{}['😀b'.replace('^|(.b)', '<$1>')]", undefined("<>?<?b>")),
  FindingRow("{}['😀😀b'.replace('|(b)', '<$1>')]", undefined("<>?<>?<>?<>?<>b<>")),
  FindingRow("{}['a😀'.replace('\\\\b|.', '-')]", undefined("-a-?-")),
  FindingRow("{}['a😀'.replace('(😀)?', '<$1>')]", undefined("<>a<😀><>")),
  FindingRow("{}['😀'.replace('', '😀')]", undefined("😀?😀?😀")),
  FindingRow("{}['😀a'.split('\\\\b').join('|')]", undefined("😀|a")),
  // A word's boundary is never inside of a character.
  FindingRow("{}['a😀b'.split('\\\\B').join('|')]", undefined("a😀b")),
  FindingRow("{}['a😀xb'.replace('\\\\B', '-')]", undefined("a😀x-b")),
  FindingRow("{}['a😀'.replace('\\\\B|a', '-')]", undefined("-😀-")),
  FindingRow("{}['😀a'.split('\\\\B').join('|')]", undefined("|?|?a")),
  FindingRow("'😀'.matches('.') && !'😀'.matches('..')", "true"),
  FindingRow("'😀'.size() == 2 && '😀'.lower() == '😀' && '𐐀'.lower() == '𐐀'", "true"),
  // Patterns that the official engine takes, or refuses.
  FindingRow("'é'.matches('\\\\é') && 'ü'.matches('[\\\\é-\\\\ü]+') && '😀'.matches('\\\\😀')", "true"),
  FindingRow("'\\\\é'.matches('\\\\Q\\\\é\\\\E') && '\\\\C'.matches('\\\\Q\\\\C')", "true"),
  FindingRow("'a'.matches('\\\\C')", "refused"),
  FindingRow("'a'.matches('[^\\\\C]')", "refused"),
  FindingRow("'\\\\C'.matches('\\\\\\\\C')", "true"),
  FindingRow("'a'.matches('(?P<n>a)|(?P<n>b)')", "refused"),
  FindingRow("'a'.matches('(?P<n>a)|(?<n>b)')", "refused"),
  FindingRow("'a'.matches('(?P<n>a)|(?<m>b)')", "true"),
  FindingRow("'a'.matches('(?P<é>a)')", "refused"),
  FindingRow("'a'.matches('(?<é>a)')", "refused"),
  FindingRow("'a'.matches('(?<n_1>a)') && 'a'.matches('(?<1n>a)')", "true"),
  FindingRow("'(?P<é>)'.matches('\\\\Q(?P<é>)\\\\E')", "true"),
  FindingRow("'a'.matches('\\\\' + 'C')", "Invalid regular expression pattern. Pattern: \\C."),
]

private func vector(_ values: String) -> String {
  "Type conversion error. Argument: [\(values)], From type: [list], To type: [vector]."
}

private func field(_ key: String, _ value: Int) -> String {
  "    fields {\n      key: \"\(key)\"\n      value {\n        int_value: \(value)\n      }\n    }\n"
}

private let mapRows: [FindingRow] = [
  // Printed maps are sorted by their keys, in UTF-16 units.
  FindingRow(
    "vector([{'b': 1, 'aa': 2, 'A': 3, '\u{FFFD}': 4, '😀': 5, 'é': 6}]) == 1",
    vector(
      "values {\n  map_value {\n" + field("A", 3) + field("aa", 2) + field("b", 1) + field("\\303\\251", 6)
        + field("\\360\\237\\230\\200", 5) + field("\\357\\277\\275", 4) + "  }\n}\n")),
  // Values of a map come as they were written; of the engine's own maps in an order of their own.
  FindingRow("{}[{'b': 'x', 'a': 'y'}.values().join(',')]", undefined("x,y")),
  FindingRow("request.values()[6] == 'get' && request.values()[5] == null", "true"),
  FindingRow("request.values()[4] == request.path && request.values()[0] == request.time", "true"),
  FindingRow("resource.values() == [resource.data, resource.__name__, resource.id]", "true"),
]

private let timestampRange =
  "Timestamp is not valid. Seconds must be in range [-62,135,596,800, +253,402,300,799]. Nanos must be in range [0, +999,999,999]."

/// A nanosecond after a midnight, by milliseconds since 1970.
private func after(_ midnight: Int) -> String { "(timestamp.value(\(midnight)) + duration.value(1, 'ns'))" }

private let timeRows: [FindingRow] = [
  // `T` and `Z` are capitals.
  FindingRow("timestamp.value('2024-02-29T01:02:03.004Z').toMillis() == 1709168523004", "true"),
  FindingRow("timestamp.value('2024-02-29t01:02:03.004Z') == 1", timestampRange),
  FindingRow("timestamp.value('2024-02-29T01:02:03z') == 1", timestampRange),
  // Before 1970 the first second of a day belongs to the next one, once nanoseconds have passed.
  FindingRow("\(after(-86_400_000)).date() == timestamp.value(0)", "true"),
  FindingRow("\(after(-86_400_000)).time().seconds() == -86399", "true"),
  FindingRow("\(after(-86_400_000)).time().nanos() == -999999999", "true"),
  FindingRow("\(after(-86_400_000)).day() == 31", "true"),
  FindingRow("\(after(-172_800_000)).time().seconds() == -86399", "true"),
  FindingRow("\(after(-172_799_000)).time().seconds() == 1", "true"),
  FindingRow("\(after(0)).time() == duration.value(1, 'ns')", "true"),
  FindingRow("\(after(86_400_000)).date() == timestamp.value(86400000)", "true"),
  FindingRow("timestamp.value(-86400000).time() == duration.value(0, 's')", "true"),
  FindingRow("timestamp.value(-86400001).time().seconds() == 86399", "true"),
  FindingRow("timestamp.value(-1500).date() == timestamp.value(-86400000)", "true"),
  FindingRow("timestamp.value(-1500).time() == duration.value(86398500, 'ms')", "true"),
]

@Suite("What the fuzzer found of paths and texts")
struct PathAndTextFindings {
  private func outcome(_ row: FindingRow) -> String {
    var circumstances = Circumstances()
    circumstances.documents = ["u/a": ["v": .integer(1)], "u/x/y/z": [:], "q/w": [:]]
    return circumstances.outcome(row.expression)
  }

  @Test("documents", arguments: documentRows)
  func documents(row: FindingRow) { #expect(outcome(row) == row.outcome) }

  @Test("paths", arguments: pathRows)
  func paths(row: FindingRow) { #expect(outcome(row) == row.outcome) }

  @Test("texts", arguments: textRows)
  func texts(row: FindingRow) { #expect(outcome(row) == row.outcome) }

  @Test("maps", arguments: mapRows)
  func maps(row: FindingRow) { #expect(outcome(row) == row.outcome) }

  @Test("times", arguments: timeRows)
  func times(row: FindingRow) { #expect(outcome(row) == row.outcome) }

  @Test("a list and a write have request's values in the official order")
  func requestValues() {
    var list = Circumstances(method: .list)
    #expect(list.outcome("request.values()[6] == request.path && request.values()[7] == 'list'") == "true")
    #expect(list.outcome("request.values()[5] == request.query && request.values()[4] == null") == "true")
    list = Circumstances(method: .create, data: nil, new: ["a": .integer(1)])
    let expected = "request.values()[4] == request.path && request.values()[8].data.a == 1"
    #expect(list.outcome("\(expected) && request.values()[9] == 'create'") == "true")
  }

  @Test("a store is not asked for what no document can be named")
  func notAsked() throws {
    let ruleset = try compiled(rules("!exists(\(root)/u/$('x/y')) && !exists(\(root)/u/$('x/y'))"))
    let documents = MemoryDocuments()
    let circumstances = Circumstances()
    #expect(ruleset.decide(circumstances.request(documents), documents: documents).isAllowed)
    #expect(documents.fetches == 0)
    #expect(documents.distinctAccesses == 1)
    #expect(documents.log.paths == ["u/x/y"])
  }
}
