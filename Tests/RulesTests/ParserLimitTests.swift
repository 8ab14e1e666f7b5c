import Rules
import Testing

@Suite("limits on nesting")
struct ParserLimitTests {
  struct Shape: CustomTestStringConvertible {
    let name: String
    let allowed: Int
    let build: @Sendable (Int) -> String

    init(_ name: String, _ allowed: Int, _ build: @escaping @Sendable (Int) -> String) {
      self.name = name
      self.allowed = allowed
      self.build = build
    }

    var testDescription: String { name }
  }

  /// A chain: the first operand, then so many more.
  private static func chain(_ first: String, _ more: String) -> @Sendable (Int) -> String {
    { first + repeated(more, $0) }
  }

  /// A nest: so many openers around the inside.
  private static func nest(_ open: String, _ inside: String, _ close: String) -> @Sendable (Int) -> String {
    { repeated(open, $0) + inside + repeated(close, $0) }
  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  /// Source: each boundary was asked of the official compiler.
  static let shapes: [Shape] = [
    Shape("and of literals", 98, chain("true", " && true")),
    Shape("or of literals", 98, chain("true", " || true")),
    Shape("and of comparisons", 97, chain("a == b", " && a == b")), Shape("sum", 98, chain("1", " + 1")),
    Shape("parentheses", 98, nest("(", "true", ")")), Shape("not", 98, nest("!", "true", "")),
    Shape("not and parentheses", 49, nest("!(", "true", ")")),
    Shape("minus and parentheses", 98, nest("-(", "1", ")")),
    Shape("lists", 98, nest("[", "1", "]")), Shape("empty lists", 99, nest("[", "", "]")),
    Shape("maps", 98, nest("{'a':", "1", "}")), Shape("calls", 98, nest("f(", "1", ")")),
    Shape("methods of arguments", 98, nest("a.f(", "1", ")")),
    Shape("indexes of indexes", 98, nest("a[", "0", "]")),
    Shape("ternary", 98, nest("a ? b : ", "c", "")), Shape("ternary inside", 98, nest("a ? ", "c", " : b")),
    Shape("is", 98, chain("a", " is bool")), Shape("paths", 98, nest("/a/$(", "b", ")")),
    Shape("parentheses and index", 97, nest("(", "a", "[0])")), Shape("members", 599, chain("a", ".b")),
    Shape("methods of results", 599, chain("a", ".f()")),
  ]

  @Test("the last allowed depth compiles and the next one does not", arguments: shapes)
  func boundary(shape: Shape) {
    #expect(Sample.compiles(Sample.file(condition: shape.build(shape.allowed))), "\(shape.name)")
    let errors = Sample.check(Sample.file(condition: shape.build(shape.allowed + 1))).diagnostics.filter {
      $0.severity == .error
    }
    #expect(errors.map(\.officialText) == ["Expression is too complex to evaluate safely."], "\(shape.name)")
  }

  @Test("absurd nesting is an error, not a crash", arguments: shapes)
  func absurd(shape: Shape) {
    let errors = Sample.check(Sample.file(condition: shape.build(10_000))).diagnostics.filter {
      $0.severity == .error
    }
    #expect(errors.map(\.id).contains("rules-too-complex"), "\(shape.name)")
    #expect(errors.count <= 2, "\(shape.name): \(errors.map(\.message))")
  }

  @Test(
    "twenty thousand unclosed brackets and signs are survived",
    arguments: [
      "true && ", "(", "[", "{'a':", "!", "f(", "-(", "a ? ", ")", "/a/$(", "a.b[", "}", "a.", "- ",
    ])
  func survive(piece: String) {
    #expect(!Sample.compiles(Sample.file(condition: Self.repeated(piece, 20_000))))
  }

  @Test(
    "twenty thousand nested blocks are survived",
    arguments: [
      "match /a { ", "match ", "function f() { ", "{", "allow ", "service ",
    ])
  func surviveBlocks(piece: String) {
    #expect(!Sample.compiles(Sample.file(declarations: Self.repeated(piece, 20_000))))
  }

  @Test("a chain of a hundred thousand operators is one message")
  func longChain() {
    let chain = Sample.file(condition: "true" + Self.repeated(" && true", 100_000))
    let errors = RulesParser.parse(source: chain, name: "f").diagnostics
    #expect(errors.map(\.id) == ["rules-too-complex"])
  }

  @Test("long flat texts are no problem")
  func flat() {
    let elements = Self.repeated("1, ", 20_000)
    #expect(Sample.compiles(Sample.file(condition: "[\(elements)].size() == f(\(elements))")))
    #expect(
      Sample.compiles(
        Sample.file(declarations: "match /a/{b} { " + Self.repeated("allow read; ", 10_000) + "}")))
  }
}
