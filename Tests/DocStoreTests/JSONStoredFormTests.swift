import DocModel
import JSON
import TestSupport
import Testing

@testable import DocStore

/// The stored form of JSON is written from its text; the oracle goes through a tree of values.
@Suite("JSON in the stored form")
struct JSONStoredFormTests {
  @Test("is that of its values, for any object", arguments: 0..<40 as Range<UInt64>)
  func sameAsTree(seed: UInt64) throws {
    var text = RandomObject(seed: seed)
    for _ in 0..<20 {
      let json = text.object(depth: 4)
      let tape = try JSONReader.tape(of: Array(json.utf8))
      guard case .map(let fields) = JSONValue(tape).value else {
        Issue.record("no object: \(json)")
        return
      }
      #expect(tape.storedFields == fields.encoded, "\(json)")
    }
  }

  @Test("is there for objects alone", arguments: ["null", "[]", "[{}]", "\"{}\"", "7"])
  func others(json: String) throws {
    let tape = try JSONReader.tape(of: Array(json.utf8))
    #expect(!tape.isObject)
    #expect(tape.storedFields == nil)
  }
}

/// Texts of objects: few names, so that they repeat themselves; texts on both sides of what a length of one byte says.
private struct RandomObject {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private static let names = [
    #""a""#, #""b""#, #""ab""#, #""""#, #""\u0061""#, #""é""#, #""\n""#, #""name of many letters""#,
  ]

  mutating func object(depth: Int) -> String {
    let members = (0..<below(7)).map { _ in
      let name = Self.names[below(Self.names.count)]
      return "\(name) : \(value(depth: depth - 1))"
    }
    return "{\(members.joined(separator: " , "))}"
  }

  private mutating func value(depth: Int) -> String {
    switch below(depth > 0 ? 9 : 6) {
    case 0: ["null", "true", "false"][below(3)]
    case 1:
      ["0", "-7", "1.0", "1.5", "-0.0", "9223372036854775807", "9223372036854775808", "1e300"][below(8)]
    case 2: #""\u00e9\"""#
    case 3: "\"" + String(repeating: "x", count: below(300)) + "\""
    case 4: "{}"
    case 5: "[]"
    case 6: "[" + (0..<below(5)).map { _ in value(depth: depth - 1) }.joined(separator: ",") + "]"
    default: object(depth: depth - 1)
    }
  }
}
