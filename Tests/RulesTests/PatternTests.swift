/// Patterns: which are compiled late, that a late one behaves as an early one, and that hostile ones stay
/// cheap.

import DocModel
import Testing

@testable import Rules

/// Texts 96906 of seed 1 and 205366 of seed 2 of the bulk fuzzer's short texts took minutes.
@Suite("Patterns that are data")
struct PatternStepsTests {
  private static let data: Fields = [
    "s": .string(String(repeating: "a", count: 100_000)), "p": .string(String(repeating: "a", count: 4_000)),
  ]

  @Test(
    "of which the steps are too many end the operation",
    arguments: [
      "resource.data.s.replace(resource.data.p, 'x') == 'x'",
      "resource.data.s.split(resource.data.p).size() == 2",
      "resource.data.s.matches('.*' + resource.data.p + 'b')",
    ])
  func tooMany(expression: String) {
    let outcome = Circumstances(data: Self.data).outcome(expression)
    #expect(outcome == FaultText.budget)
  }

  @Test("bound one operation, not the next")
  func eachOperation() throws {
    let ruleset = try compiled(rules("resource.data.s.matches(resource.data.p)"))
    let documents = MemoryDocuments()
    let text = String(repeating: "a", count: 50_000)
    let circumstances = Circumstances(data: [
      "s": .string(text), "p": .string("a{1000}|" + text.prefix(4_000) + "a*"),
    ])
    for _ in 0..<4 {
      #expect(ruleset.decide(circumstances.request(documents), documents: documents).isAllowed)
    }
  }

  @Test("small ones may match as much text as there is")
  func small() {
    let text = String(repeating: "a", count: 1_000_000)
    #expect(
      Circumstances(data: ["s": .string(text)]).verdict(
        "resource.data.s.matches('(a|b)+') && !resource.data.s.matches('[a-c]*d') && resource.data.s.size() > 9"
      ) == .yes)
  }
}

@Suite("Patterns")
struct PatternTests {
  @Test(
    "patterns as rules have them are plain",
    arguments: [
      "", "abc", "[a-z]+", "[A-Za-z0-9_-]{1,100}(/[A-Za-z0-9_-]{1,100})*", "[^/]{1,80}#[0-9]{4,5}", "^.+@.+$",
      "[^@]+@[^@]+\\.[a-z]{2,}", "(a+)+$", "\\d{4}-\\d{2}-\\d{2}", "(?:draft|open|closed)", "https://.*",
      "a??b+?",
      "[\\w.-]+", "[a-]", "[-a]", ".*\\S.*",
    ])
  func isPlain(_ pattern: String) {
    #expect(PlainPattern.isPlain(Array(pattern.utf8)))
    #expect(LiteralPattern(Array(pattern.utf8)) != nil)
  }

  @Test(
    "what is wrong or unusual is not plain",
    arguments: [
      "(", ")", "[", "[a", "[]", "[]a]", "[z-a]", "a**", "a{2}{3}", "(a{500}){500}", "*", "+a", "a{3,2}",
      "a{1001}",
      "a{", "a{,3}", "(?i)a", "(?P<n>a)", "\\1", "\\", "\\pL", "[[:alpha:]]", "é", "(a", "a|*", "^*",
      "a{99999999999999999999}", "[)]", "[(]", "[^)]+", "(a[)]b)",
    ])
  func isUnusual(_ pattern: String) {
    #expect(!PlainPattern.isPlain(Array(pattern.utf8)))
  }

  /// As the official emulator compiles them, and as it judges them where they are put together (`p`).
  @Test(
    "parentheses balance, also in classes and quotes",
    arguments: [
      ("[)]", false), ("[(]", false), ("[)(]", false), ("[()]", true), ("[^()]", true), ("(a[)]b)", false),
      ("([(])", false), (#"\)"#, true), (#"\("#, true), (#"[\)]"#, true), (#"\Q)\E"#, false),
      ("[(]a[)]", true),
      ("[)]a[(]", false), ("(?:[)])", false), ("(?P<n>[(])", false), ("[[:alpha:])]", false), ("[[]", true),
      ("[]]", true), (#"\x29"#, true), ("a)(b", false), (#"a\\)"#, false),
    ])
  func parentheses(pattern: String, isPattern: Bool) throws {
    let literal = "'" + pattern.replacing(#"\"#, with: #"\\"#) + "'"
    for call in ["matches(\(literal))", "split(\(literal)).size() > 0 || true"] {
      let compiles = Ruleset.compile(source: rules("'a'.\(call)"), name: "r").ruleset != nil
      #expect(compiles == isPattern, "\(call)")
    }
    let error = Circumstances(data: ["p": .string(pattern)]).outcome("'a'.matches(resource.data.p) == 1")
    #expect(error.contains("Invalid regular expression pattern") == !isPattern, "\(error)")
  }

  @Test("rulesets share what is compiled, as long as one of them holds it")
  func shared() {
    let source = Array("[a-q]{3,77}x{1,9}".utf8)
    do {
      let first = LiteralPattern(source)
      let second = LiteralPattern(source)
      #expect(first?.pattern != nil && first?.pattern === second?.pattern)
      #expect(CompiledPatterns.known(source) === first?.pattern)
    }
    #expect(CompiledPatterns.known(source) == nil)
  }

  @Test("whatever is plain compiles")
  func plainCompiles() {
    let pieces = [
      "a", "b", "0", "-", "_", "/", "[", "]", "^", "(", ")", "(?:", "|", "*", "+", "?", "{", "}", "{2}",
      "{1,200}", "{0,}",
      "\\d", "\\.", "\\-", "\\]", "\\", ".", "$", "a-z", "[a-z]", "[^0-9]", ",", "5", "\\w", "[a-", "{1000}",
      "#", "=",
    ]
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: .min ... .max, using: &generator)
    var state = seed
    var plain = 0
    for _ in 0..<20_000 {
      var pattern = ""
      for _ in 0..<8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        pattern += pieces[Int(state >> 33) % pieces.count]
      }
      let bytes = Array(pattern.utf8)
      guard PlainPattern.isPlain(bytes) else { continue }
      plain += 1
      let compiled = bytes.withUnsafeBytes { RegularPattern(ByteView($0)) }
      #expect(compiled != nil, "\(pattern), seed \(seed)")
    }
    #expect(plain > 100, "seed \(seed)")
  }

  @Test(
    "a plain pattern at the limit of its size compiles",
    arguments: ["[^a]{1,480}", "(.[^b]\\w){150}", "[^<>]{1,400}"])
  func largest(_ pattern: String) {
    let bytes = Array(pattern.utf8)
    #expect(PlainPattern.isPlain(bytes))
    #expect(bytes.withUnsafeBytes { RegularPattern(ByteView($0)) } != nil)
  }

  @Test("a backtracking bomb answers at once, and no")
  func hostilePattern() throws {
    let ruleset = try #require(
      Ruleset.compile(
        source: """
          rules_version = '2';
          service cloud.firestore { match /databases/{database}/documents {
            match /texts/{id} {
              allow create: if request.resource.data.text.matches('(a+)+$');
              allow update: if request.resource.data.text.matches(request.resource.data.pattern);
            }
          }}
          """, name: "pattern.rules"
      ).ruleset)
    let text = String(repeating: "a", count: 99_999) + "b"
    for method in [RuleMethod.create, .update] {
      let fields = ["text": .string(text), "pattern": .string("(a+)+$")] as Fields
      let elapsed = ContinuousClock().measure {
        let isAllowed = fields.encoded.withUnsafeBytes { encoded in
          ruleset.decide(
            RuleRequest(
              method: method, path: ResourcePath(unchecked: "texts/t"), auth: nil,
              time: Timestamp(seconds: 1_772_355_600, nanoseconds: 0),
              newResource: FieldsView(document: encoded)),
            documents: DocumentAccess()
          ).isAllowed
        }
        #expect(!isAllowed)
      }
      // It takes a fraction of a millisecond; backtracking would take longer than there is time.
      #expect(elapsed < .seconds(30), "\(method.name)")
    }
  }
}
