import Testing

@testable import Wire

@Suite("JSON, read strictly")
struct JSONTests {
  func read(_ text: String) throws -> JSON { try JSONReader.read(Array(text.utf8)) }

  @Test(
    "values are read as what they are",
    arguments: [
      ("null", .null), (" true ", .boolean(true)), ("0", .integer(0)), ("-7", .integer(-7)),
      ("9223372036854775807", .integer(.max)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)),
      ("1.5e3", .double(1_500)), ("1.0", .double(1)),
      (#""a\"\\\/\b\f\n\r\t""#, .string(Array("a\"\\/\u{8}\u{c}\n\r\t".utf8))),
      (#""\u00e9\ud83d\ude00""#, .string(Array("\u{e9}\u{1F600}".utf8))), ("[]", .array([])),
      ("{}", .object([])),
      ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])),
    ] as [(String, JSON)])
  func accepts(text: String, value: JSON) throws {
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
}
