import Rules
import Testing

@Suite("the formatter keeps comments")
struct FormatterCommentTests {
  @Test(
    "between statements",
    arguments: [
      (
        "// a\n\n\n// b\nmatch /x { // c\n\n // d\n allow read; // e\n // f\n\n}\n// g",
        "// a\n\n// b\nmatch /x { // c\n\n  // d\n  allow read; // e\n  // f\n}\n// g"
      ),
      ("match /x // a\n// b\n{ allow read; }", "match /x { // a\n  // b\n  allow read;\n}"),
      ("match /x { allow read /* a */; }", "match /x { allow read /* a */; }"),
      ("match /x { allow read // a\n }", "match /x {\n  allow read; // a\n}"),
      ("match /x { allow read // a\n// b\n; }", "match /x {\n  allow read; // a\n  // b\n}"),
      (
        "/* a */ match /x { /* b */ allow read; /* c */ }", "/* a */ match /x { /* b */ allow read; /* c */ }"
      ),
      (
        "function f(/* a */ b, c /* d */) { return /* e */ b; /* f */ } // g",
        "function f(/* a */ b, c /* d */) { return /* e */ b; /* f */ } // g"
      ),
      (
        "function f() { // a\n let b = 1; // c\n\n // d\n return b; }",
        "function f() { // a\n  let b = 1; // c\n\n  // d\n  return b;\n}"
      ),
      ("  /**\n   * a\n   */\nmatch /x { allow read; }", "/**\n * a\n */\nmatch /x { allow read; }"),
      ("/*\n\t a\n\t\tb\n*/\nmatch /x { allow read; }", "/*\n   a\n    b\n*/\nmatch /x { allow read; }"),
      ("//a   \nmatch /x { allow read; }", "//a\nmatch /x { allow read; }"),
    ])
  func statements(declarations: String, formatted: String) {
    #expect(Formatted.declarations(declarations) == formatted)
  }

  /// Text 781469 of seed 6 of the bulk fuzzer's short texts.
  @Test("that would move behind a `/*` without end, and end it, make the file one with a mistake")
  func openSegment() {
    #expect(
      Formatted.condition("// a\n/* c *//*") == #"syntax: ["this comment never ends: no `*/` follows"]"#)
    #expect(Formatted.condition("/* c *//*") == "allow get: if /* c */ /*;")
  }

  @Test(
    "in expressions",
    arguments: [
      ("a // x\n && b // y", "allow get: if a // x\n  && b; // y"),
      ("a && // x\n b", "allow get: if a // x\n  && b;"),
      ("a\n // x\n && b", "allow get: if a\n  // x\n  && b;"),
      ("a &&\n // x\n b", "allow get: if a\n  // x\n  && b;"),
      ("a /* x */ && /* y */ b", "allow get: if a /* x */ && /* y */ b;"),
      ("[ // x\n 1, // y\n 2 // z\n ]", "allow get: if [ // x\n  1, // y\n  2 // z\n];"),
      ("[1 /* x */, /* y */ 2]", "allow get: if [1 /* x */, /* y */ 2];"),
      ("[\n // x\n ]", "allow get: if [\n  // x\n];"),
      ("f(a, // x\n b)", "allow get: if f(\n  a, // x\n  b\n);"),
      ("f(/* x */)", "allow get: if f(/* x */);"),
      ("(a // x\n)", "allow get: if (\n  a // x\n);"),
      ("( // x\n a)", "allow get: if ( // x\n  a\n);"),
      ("a ? b // x\n : c", "allow get: if a\n  ? b // x\n  : c;"),
      ("a. // x\n b == c", "allow get: if a.b == c; // x"),
      ("a == // x\n b", "allow get: if a // x\n  == b;"),
      ("/a /* x */ /b", "allow get: if /a /* x */ /b;"),
      ("a / /* x */ b", "allow get: if a / /* x */ b;"),
      ("{'a': 1, // x\n 'b': /* y */ 2}", "allow get: if {\n  'a': 1, // x\n  'b': /* y */ 2\n};"),
      ("a /* x\n y */ && b", "allow get: if a /* x\n| y */\n  && b;"),
    ])
  func expressions(condition: String, formatted: String) {
    #expect(Formatted.condition(condition) == formatted)
  }

  @Test("an id stays the id of its statement, and nothing becomes one")
  func ids() {
    let proper = "// @id x\nmatch /a {\n  // @id y\n  // why\n  allow read;\n}"
    #expect(Formatted.declarations(proper) == proper)
    #expect(
      Formatted.declarations("match /a\n// @id x\n{ allow read; }")
        == "match /a {\n  // @id x\n\n  allow read;\n}")
    #expect(
      Formatted.declarations("match /a { allow read\n// @id x\n; allow write; }")
        == "match /a {\n  allow read;\n  // @id x\n\n  allow write;\n}")
    #expect(
      Formatted.declarations("match /a { allow read; // @id x\nallow write; }")
        == "match /a {\n  allow read; // @id x\n  allow write;\n}")
  }
}
