/// Values on their way out and back in.

import Client
import Conditions
import DocModel
import DocStore
import Suite
import Testing

@testable import Shell

private var context: LanguageContext {
  LanguageContext(database: DatabaseID(project: "demo"), now: 0)
}
private let bob = "projects/demo/databases/(default)/documents/users/bob"

private func value(_ text: String) throws -> Value {
  var parser = StatementParser(text, context)
  return try parser.located { (parser) throws(ConditionError) in
    let value = try parser.values.value()
    try parser.expectEnd()
    return value
  }
}

@Suite("Values of the shell")
struct ValueTests {
  @Test(
    "What is printed can be typed again",
    arguments: [
      "null", "true", "-3", "4.5", "5.0", "1e+20", "NaN", "Infinity", "-Infinity", "@2026-03-01T09:00:00Z",
      "@2026-03-01T09:00:00.123456Z", "\"a \\\"b\\\" \\\\ \\n\"", "bytes(\"aGk=\")", "bytes(\"\")",
      "/users/bob",
      "geo(51.5, -0.2)", "[1, [2], {}]", "vector[1.0, -0.5]", "{a: 1, \"b c\": {d: null}}", "\"\\u001b[31m\"",
      "\"a\\udb40\\udc67b\"", "{\"\\udb40\\udc01\": 1}",
    ])
  func printed(_ text: String) throws {
    #expect(ValueText.literal(try value(text)) == text)
  }

  @Test(
    "A character may be escaped, in two halves as JSON has it",
    arguments: [
      (#""\u0041""#, "A"), (#""\ud83d\ude00""#, "😀"), (#"'\uD83D\uDE00!'"#, "😀!"),
      (#""\udb40\udc67""#, "\u{E0067}"),
      (#""\uffff""#, "\u{FFFF}"), (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\ud800\udc00""#, "\u{10000}"),
    ])
  func escaped(_ text: String, _ meaning: String) throws {
    #expect(try value(text) == .string(meaning))
  }

  @Test(
    "Half a character is none",
    arguments: [
      (#""\ud83d""#, "half a character"), (#""\ud83dx""#, "half a character"),
      (#""\ude00""#, "half a character"), (#""\ud83d\u0041""#, "half a character"),
      (#""\ud83d\ud83d""#, "half a character"), (#""\u12""#, "four hexadecimal digits"),
      (#""\u+041""#, "four hexadecimal digits"), (#""\ud83d\u12""#, "four hexadecimal digits"),
    ])
  func half(_ text: String, _ message: String) {
    let error = #expect(throws: ShellError.self) { try value(text) }
    #expect(error?.message.range(ofBytes: message) != nil, "\(error?.message ?? "")")
  }

  @Test(
    "JSON keeps the types, plain JSON does not",
    arguments: [
      ("@2026-03-01T09:00Z", #"{"$time":"2026-03-01T09:00:00Z"}"#, #""2026-03-01T09:00:00Z""#),
      ("/users/bob", #"{"$ref":"users/bob"}"#, #""users/bob""#),
      ("geo(51.5, -0.2)", #"{"$geo":[51.5,-0.2]}"#, #"{"latitude":51.5,"longitude":-0.2}"#),
      ("bytes(\"aGk=\")", #"{"$bytes":"aGk="}"#, #""aGk=""#),
      ("vector[1, 0.5]", #"{"$vector":[1,0.5]}"#, "[1,0.5]"),
      ("5.0", #"{"$double":5}"#, "5"),
      ("4.5", "4.5", "4.5"),
      ("NaN", #"{"$double":"NaN"}"#, #""NaN""#),
      ("{\"$x\": [1, \"\\u001b\"]}", #"{"$$x":[1,"\u001b"]}"#, #"{"$x":[1,"\u001b"]}"#),
    ])
  func json(_ text: String, _ typed: String, _ plain: String) throws {
    #expect(ValueJSON(isPlain: false).text(try value(text)) == typed)
    #expect(ValueJSON(isPlain: true).text(try value(text)) == plain)
  }

  @Test("A line of JSON is read back as the same document")
  func lines() throws {
    let text = """
      {a: @2026-03-01T09:00Z, b: /users/bob, c: geo(1, 2), d: bytes("aGk="), e: vector[1], f: 5.0, g: NaN, \
      "$h": 1, i: [{"$j": 2}], k: -0.0, l: "\u{E0067} \u{1F600} \u{200D}", "\u{E0067}": 1}
      """
    guard case .map(let fields) = try value(text) else { throw ShellError.usage("no map") }
    let document = ShellDocument(
      path: ResourcePath(unchecked: "users/bob"), fields: fields, createTime: 0, updateTime: 0)
    let write = try ImportLine.write(ResultPrinter.line(document, PrintStyle()), context)
    #expect(write.path.text == "users/bob")
    guard case .update(let bytes, nil) = write.operation else { throw ShellError.usage("no update") }
    #expect(Fields(encoded: bytes) == fields)
  }

  @Test(
    "Bytes of a line are base64 as it is written, and nothing else",
    arguments: [
      ("aGk=", true), ("", true), ("aGk", false), ("aGl=", false), ("a-k=", false), ("aG k", false),
    ])
  func importedBytes(_ text: String, _ isRead: Bool) {
    let line = #"{"__name__":"users/bob","d":{"$bytes":"\#(text)"}}"#
    if isRead {
      #expect(throws: Never.self) { try ImportLine.write(line, context) }
    } else {
      #expect(throws: ShellError.self) { try ImportLine.write(line, context) }
    }
  }

  @Test(
    "Nothing in a text reaches the terminal as a command",
    arguments: [
      ("\u{1B}[2J", "\\u001b[2J"), ("a\u{9B}31m", "a\\u009b31m"), ("\u{202E}abc", "\\u202eabc"),
      ("line\nbreak", "line\\nbreak"), ("naïve", "naïve"), ("\u{7F}", "\\u007f"),
      ("\u{E0001}", "\\udb40\\udc01"),
    ])
  func hostile(_ text: String, _ shown: String) {
    #expect(TextEscape.printable(text) == shown)
    let document = ShellDocument(
      path: ResourcePath(unchecked: "c/d"), fields: ["f": .string(text)], createTime: 0, updateTime: 0)
    for mode in OutputMode.allCases {
      var style = PrintStyle()
      style.mode = mode
      for line in ResultPrinter.documents([document], style) {
        let hostile = line.unicodeScalars.filter { TextEscape.isHostile($0) && !(mode == .csv && $0 == "\n") }
        #expect(hostile.isEmpty, "\(mode)")
      }
    }
  }

  @Test("Fields are what their bytes are, in tables and in descriptions")
  func names() {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let documents = [composed, decomposed].map { name in
      ShellDocument(
        path: ResourcePath(unchecked: "s/x"), fields: Fields([(name, .integer(1))]), createTime: 0,
        updateTime: 0)
    }
    var style = PrintStyle()
    #expect(ResultPrinter.columns(documents, style).count == 2)
    style.mode = .csv
    let csv = ResultPrinter.documents(documents, style)
    #expect(csv.map { $0.utf8.count { $0 == 0x2C } } == [2, 2, 2])
    #expect(csv.dropFirst() == ["x,,1", "x,1,"])
    var sketch = FieldSketch()
    for document in documents { sketch.add(document.fields) }
    #expect(sketch.rows.map { $0[2] } == [.string("50%"), .string("50%")])
  }

  @Test("One long cell does not make all lines long", arguments: [OutputMode.table, .markdown])
  func padding(_ mode: OutputMode) {
    let long = String(repeating: "x", count: 100_000)
    let documents = (0..<100).map { number in
      ShellDocument(
        path: ResourcePath(unchecked: "s/\(number)"),
        fields: ["a": .string(number == 50 ? long : "a"), "b": .integer(1)],
        createTime: 0, updateTime: 0)
    }
    var style = PrintStyle()
    style.mode = mode
    let lines = ResultPrinter.documents(documents, style)
    #expect(lines.contains { $0.range(ofBytes: long) != nil })
    #expect(lines.reduce(0) { $0 + $1.utf8.count } < 100_000 + 110 * 250)
  }

  @Test("Tables")
  func tables() {
    let documents = [
      ShellDocument(
        path: ResourcePath(unchecked: "s/one"),
        fields: ["name": .string("Askew | Yoga"), "rating": .double(4.9)],
        createTime: 0, updateTime: 0),
      ShellDocument(
        path: ResourcePath(unchecked: "s/twotwo"), fields: ["name": .null], createTime: 0, updateTime: 0),
    ]
    var style = PrintStyle()
    #expect(
      ResultPrinter.documents(documents, style)
        == ["  id      name          rating", "  one     Askew | Yoga  4.9", "  twotwo  null"])
    style.columns = [FieldPath.field("id"), FieldPath.field("rating")].compactMap { $0 }
    #expect(ResultPrinter.documents(documents, style) == ["  id      rating", "  one     4.9", "  twotwo"])
    style.mode = .csv
    style.columns = nil
    #expect(
      ResultPrinter.documents(documents, style) == ["id,name,rating", "one,Askew | Yoga,4.9", "twotwo,,"])
    style.mode = .markdown
    #expect(
      ResultPrinter.documents(documents, style) == [
        "| id     | name          | rating |", "|--------|---------------|--------|",
        "| one    | Askew \\| Yoga | 4.9    |", "| twotwo | null          |        |",
      ])
    style.mode = .yaml
    #expect(
      ResultPrinter.documents(Array(documents.prefix(1)), style)
        == ["\"s/one\":", "  \"name\": \"Askew | Yoga\"", "  \"rating\": 4.9"])
    style.mode = .json
    #expect(
      ResultPrinter.documents(Array(documents.suffix(1)), style) == [
        "{", "  \"s/twotwo\": {\"name\":null}", "}",
      ])
  }
}
