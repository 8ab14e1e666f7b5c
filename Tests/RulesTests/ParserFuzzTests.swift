import Rules
import Testing

@testable import RulesTools

/// Broken programs in bulk. The parser and the checker must come back with a tree whatever they get;
/// a failure prints the seed.
@Suite("random texts")
struct ParserFuzzTests {
  /// SplitMix64: the same seed gives the same texts everywhere.
  struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  static let words = [
    "rules_version", "=", "'2'", ";", "service", "cloud.firestore", "{", "}", "match", "/a", "/{b}",
    "/{c=**}", "allow", "read",
    "write", ",", ":", "if", "(", ")", "[", "]", "function", "f", "return", "let", "x", "true", "null", "1",
    "2.5", "'s'", "b's'",
    "/", "/$(", "$", "/(default)", "?", "&&", "||", "==", "!=", "===", "!", "-", "--", "+", "*", "**", "%",
    "in", "is", "int",
    ".", ".size()", "request", "resource", ".data", "math", "get(", "// c\n", "/* c */", "/*", "'", "\"",
    "\\", "#", "é", "😀", "\n", " ",
    "import", "default", "@id", "=>", "{{", "}}", "9223372036854775808", "\u{0}",
  ]

  static let valid = """
    rules_version = '2';
    // @id all
    service cloud.firestore {
      function isOwner(uid) { let me = request.auth; return me != null && me.uid == uid; }
      match /databases/{database}/documents {
        match /users/{uid}/{rest=**} {
          function ok(d) { return d.keys().hasOnly(['a', 'b']) && d.a is string && d.a.size() < 5 ? true : d.b[1:2] == [-1]; }
          // @id users-write
          allow create, update: if isOwner(uid) && ok(request.resource.data) || 4 / 2 in [1, 2.0];
          allow get: if exists(/databases/$(database)/documents/users/$(uid)) && !('x' in resource.data);
          match /posts/{post} { allow read; }
        }
      }
    }
    """

  /// What must hold for any text.
  private func examine(_ source: String, seed: UInt64) {
    // Repairs take a hundred parses of a broken text: every twentieth is enough.
    let parsed = RulesParser.parse(source: source, name: "f", repairs: seed % 20 == 0)
    let checked = seed % 5 == 0 ? RulesCompiler.check(parsed) : RulesChecker.check(parsed)
    let size = Int32(parsed.source.bytes.count)
    for diagnostic in checked.diagnostics {
      guard let span = diagnostic.span else { continue }
      #expect(span.start >= 0 && span.start <= span.end && span.end <= size, "seed \(seed): \(diagnostic.id)")
    }
    #expect(checked.resolution.bindings.count == parsed.syntax.expressionCount)
    #expect(
      checked.resolution.functions.count == parsed.syntax.functionCount || checked.diagnostics.containsError,
      "seed \(seed)")
    let text = DiagnosticRenderer(source: parsed.source).render(checked.diagnostics)
    #expect(text.isEmpty == checked.diagnostics.isEmpty)
  }

  @Test("token soup", arguments: 0..<8 as Range<UInt64>)
  func soup(block: UInt64) {
    for round in 0..<700 as Range<UInt64> {
      let seed = block * 1_000_000 + round
      var random = Random(state: seed)
      let count = Int.random(in: 1...60, using: &random)
      let words = (0..<count).map { _ in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
      let soup = words.joined(separator: Bool.random(using: &random) ? " " : "")
      examine(Bool.random(using: &random) ? soup : Sample.file(condition: soup), seed: seed)
    }
  }

  @Test("valid files with some bytes changed", arguments: 0..<8 as Range<UInt64>)
  func mutations(block: UInt64) {
    for round in 0..<350 as Range<UInt64> {
      let seed = 77_000_000 + block * 1_000_000 + round
      var random = Random(state: seed)
      var bytes = Array(Self.valid.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.removeSubrange(place..<end)
        case 1:
          bytes.insert(
            contentsOf: Array(Self.words[Int.random(in: 0..<Self.words.count, using: &random)].utf8),
            at: place)
        case 2: bytes[place] = UInt8.random(in: 0...255, using: &random)
        default:
          bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      examine(String(decoding: bytes, as: UTF8.self), seed: seed)
      _ = RulesParser.parse(source: bytes, name: "f", repairs: false)
    }
  }

  @Test("every prefix of a valid file")
  func prefixes() {
    let bytes = Array(Self.valid.utf8)
    for count in bytes.indices {
      examine(String(decoding: bytes[..<count], as: UTF8.self), seed: UInt64(count))
      #expect(!Sample.compiles(String(decoding: bytes[..<count], as: UTF8.self)))
    }
    #expect(Sample.check(Self.valid).diagnostics.allSatisfy { $0.severity == .warning })
  }
}
