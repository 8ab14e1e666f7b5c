import Testing

@testable import JSON

@Suite("JSON, read strictly")
struct JSONReaderTests {
  func read(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

  @Test(
    "values are read as what they are",
    arguments: [
      ("null", .null), (" true ", .boolean(true)), ("0", .integer(0)), ("-7", .integer(-7)),
      ("9223372036854775807", .integer(.max)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)),
      ("-9223372036854775808", .integer(.min)), ("-0", .integer(0)), ("10", .integer(10)),
      ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
      ("92233720368547758070", .double(92_233_720_368_547_758_070)),
      ("1.5e3", .double(1_500)), ("1.0", .double(1)),
      (#""a\"\\\/\b\f\n\r\t""#, .string(Array("a\"\\/\u{8}\u{c}\n\r\t".utf8))),
      (#""\u00e9\ud83d\ude00""#, .string(Array("\u{e9}\u{1F600}".utf8))), ("[]", .array([])),
      ("{}", .object([])),
      ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])),
    ] as [(String, JSONValue)])
  func accepts(text: String, value: JSONValue) throws {
    #expect(try read(text) == value)
  }

  @Test(
    "what RFC 8259 does not allow is refused",
    arguments: [
      "", " ", "nul", "tru", "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "Infinity", "1e999",
      "[1,]", "[1 2]", "{,}",
      #"{"a"}"#, #"{"a":1,}"#, "{a:1}", "'a'", "\"a", "\"\u{1}\"", #""\x""#, #""\u12""#,
      #""\ud800""#, #""\udc00""#,
      #""\ud800\u0041""#, "1 2", "[", "{\"a\":", "\u{feff}{}", "// x\n1",
    ])
  func refuses(text: String) {
    #expect(throws: JSONError.self) { try read(text) }
  }

  /// Eight bytes are looked at together, so each has to be seen in each place.
  @Test("A text ends at its quote and nowhere else, whatever is around it", arguments: 0..<27)
  func ends(length: Int) throws {
    for place in 0...length {
      for (middle, value) in [
        ("", ""), ("\\n", "\n"), ("\\\"", "\""), ("\\\\", "\\"), ("\u{7F}", "\u{7F}"), (" ", " "), ("!", "!"),
        ("#", "#"),
        ("[", "["), ("]", "]"), ("é", "é"), ("\u{1F600}", "\u{1F600}"),
      ] {
        let around = [String(repeating: "~", count: place), String(repeating: "a", count: length - place)]
        let read = try read("[\"\(around[0])\(middle)\(around[1])\",7]")
        #expect(read == [.text(around[0] + value + around[1]), 7], "\(around) \(middle)")
      }
      for control in ["\u{0}", "\u{1F}", "\n"] {
        let text =
          String(repeating: "a", count: place) + control + String(repeating: "a", count: length - place)
        #expect(throws: JSONError.self) { try read("[\"\(text)\",7]") }
      }
    }
  }

  @Test("bytes that are no UTF-8 are refused")
  func invalidUTF8() {
    #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
  }

  @Test("nesting stops at the limit, not at the end of the stack")
  func depth() throws {
    let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
    #expect(throws: Never.self) { try read(deep(128)) }
    #expect(throws: JSONError.self) { try read(deep(130)) }
    #expect(throws: JSONError.self) { try read(String(repeating: "[", count: 1_000_000)) }
  }

  // MARK: places

  @Test("A value takes no more memory for knowing where it stands")
  func sizes() {
    #expect(MemoryLayout<JSONValue>.size == 16)
    #expect(MemoryLayout<JSONValue.Member>.stride == 32)
  }

  @Test("Values and names know where they begin, behind blanks and comments")
  func places() throws {
    let text = #"/* a */ { "x" : [ 1, // one"# + "\n" + #" "é", {} ] , "y":null}"#
    let value = try JSONReader.read(Array(text.utf8), .file)
    #expect(value.offset == 8)
    let members = try #require(value.members)
    #expect(members.map(\.offset) == [10, 42] && members.map(\.value.offset) == [16, 46])
    #expect(members[0].value.elements?.map(\.offset) == [18, 29, 35])
  }

  /// Marked by `^`: where the error is said to be.
  @Test(
    "Errors say what is wrong, where",
    arguments: [
      ("^", "the text ends here; a value is expected"), ("{\"a\": ^nul}", "found `n`; a value is expected"),
      ("[1 ^2]", "found `2`; `,` or `]` is expected"),
      ("[1^,]", "no comma may stand before `]`; remove it"),
      ("{^a:1}", "found `a`; a name in double quotes is expected, or `}`"),
      ("{\"a\"^}", "found `}`; `:` is expected after a name"),
      ("[^'a']", "texts stand between double quotes"), ("[^é]", "found `…`; a value is expected"),
      ("[^\"a]", "this text has no end; close it with `\"`"),
      ("[^\"a\n\"]", "this text does not end on its line; close it with `\"`"),
      (#"["^\x"]"#, "JSON knows no such escape; write `\\\\` for a backslash"),
      (#"["\u^12 0"]"#, "`\\u` takes four hexadecimal digits"),
      (#"["\ud800^"]"#, "half of a pair of escapes is no letter"),
      ("[^-01]", "`-01` is no number; write it as `12`, `-0.5` or `1e9`"),
      ("[^1e999]", "this number is too large"), ("[^/**/ 1]", "found `/`; a value is expected"),
      ("{} ^{}", "there is more text after the end of the JSON; remove it"),
      ("^\u{FEFF}{}", "the text begins with a byte order mark; save it as UTF-8 without one"),
    ])
  func errors(_ marked: String, _ message: String) throws {
    let text = marked.utf8.filter { $0 != UInt8(ascii: "^") }
    let error = #expect(throws: JSONError.self) { try JSONReader.read(text) }
    #expect(error?.message == message)
    #expect(error?.offset == marked.utf8.prefix { $0 != UInt8(ascii: "^") }.count)
  }

  // MARK: options

  @Test("Comments stand between tokens, for who asks for them")
  func comments() throws {
    let text = Array("// a\n[/**/1/* * / */,//\n2]//".utf8)
    #expect(try JSONReader.read(text, .file) == [1, 2])
    #expect(throws: JSONError.self) { try JSONReader.read(text) }
    for text in ["/", "/ / a\n1", "/* 1", "/*/1", "1 /"] {
      #expect(throws: JSONError.self, "\(text)") { try JSONReader.read(Array(text.utf8), .file) }
    }
  }

  @Test("Limits are those of who asks")
  func limits() throws {
    let deep = { Array((String(repeating: "[", count: $0) + String(repeating: "]", count: $0)).utf8) }
    #expect(throws: Never.self) { try JSONReader.read(deep(33), .file) }
    let error = #expect(throws: JSONError.self) { try JSONReader.read(deep(34), .file) }
    #expect(error == JSONError("lists and objects are nested too deeply", at: 33))
    let few = JSONOptions(allowsComments: false, depthMax: 9, valuesMax: 3, noun: "text")
    #expect(try JSONReader.read(Array("[1,2]".utf8), few) == [1, 2])
    let many = #expect(throws: JSONError.self) { try JSONReader.read(Array("[1,2,3]".utf8), few) }
    #expect(many == JSONError("the text has more than 3 values; split it", at: 5))
  }

  // MARK: values

  @Test("What a value is not, it does not say to be")
  func accessors() throws {
    let value = try read(#"{"a": [true, 1, 1.5, "x", null], "b": {"c": 2}, "b": {"c": 3}}"#)
    let elements = try #require(value["a"]?.elements)
    #expect(elements.map(\.boolean) == [true, nil, nil, nil, nil])
    #expect(elements.map(\.int) == [nil, 1, nil, nil, nil])
    #expect(elements.map(\.number) == [nil, 1, 1.5, nil, nil])
    #expect(elements.map(\.text) == [nil, nil, nil, "x", nil])
    #expect(elements.map(\.isNull) == [false, false, false, false, true])
    #expect(elements.map(\.kindName) == ["true", "a number", "a number", "a text", "null"])
    // Of two members of one name the last counts.
    #expect(value["b"]?["c"] == 3 && value["d"] == nil && elements[0]["a"] == nil)
    #expect(value.oneOrMore == [value] && value["a"]?.oneOrMore == elements)
  }
}
