/// Texts made to cost: deep, long, many, and calls that multiply.
///
/// Each shape takes a size in bytes, roughly; what reads it must take time in proportion.
public enum HostileTexts {
  public struct Shape: Sendable {
    public let name: String
    public let build: @Sendable (_ size: Int) -> [UInt8]
  }

  private static let head =
    "rules_version = '2';\nservice cloud.firestore { match /databases/{database}/documents {\n"
  private static let tail = "\n}}\n"

  private static func times(_ piece: String, _ size: Int) -> String {
    String(repeating: piece, count: max(1, size / piece.utf8.count))
  }

  /// Inside a condition.
  private static func condition(_ name: String, _ build: @escaping @Sendable (Int) -> String) -> Shape {
    Shape(name: name) { Array("\(head)match /t/{id} { allow read, write: if \(build($0)); }\(tail)".utf8) }
  }

  /// Among declarations.
  private static func declarations(_ name: String, _ build: @escaping @Sendable (Int) -> String) -> Shape {
    Shape(name: name) { Array("\(head)\(build($0))\(tail)".utf8) }
  }

  /// A whole file.
  private static func file(_ name: String, _ build: @escaping @Sendable (Int) -> String) -> Shape {
    Shape(name: name) { Array(build($0).utf8) }
  }

  public static let shapes: [Shape] = texts + expressions + programs

  private static let texts: [Shape] = [
    file("slashes") { times("/", $0) }, file("blanks") { times(" \n\t", $0) },
    file("line comments") { times("// c\n", $0) }, file("block comments") { times("/* c */", $0) },
    file("comments that never end") { times("/*", $0) }, file("quotes") { times("'", $0) },
    file("unclosed strings") { times("'a\n", $0) }, file("curly quotes") { times("“", $0) },
    file("one name") { times("a", $0) }, file("one number") { times("9", $0) },
    file("braces") { times("{", $0) }, file("closing braces") { times("}", $0) },
    file("backslashes") { "'" + times("\\", $0) }, file("NULs") { times("\u{0}", $0) },
    file("wide blanks") { times("\u{A0}", $0) }, file("foreign text") { times("é😀", $0) },
    file("unknown characters apart") { times("# ", $0) },
    file("services") { times("service cloud.firestore {}\n", $0) },
    file("services without end") { times("service ", $0) },
    file("versions") { times("rules_version = '2';\n", $0) },
    file("matches outside") { times("match /a/{b} { function f() { return 1; } }\n", $0) },
    file("returns of the carriage") { times("a\r", $0) },
    Shape(name: "bytes that are no text") { Array(repeating: 0xFF, count: $0) },
    Shape(name: "half characters") { size in (0..<size).map { $0 % 2 == 0 ? 0xC3 : 0x28 } },
  ]

  private static let expressions: [Shape] = [
    condition("open parentheses") { times("(", $0) },
    condition("parentheses") { times("(", $0 / 2) + "1" + times(")", $0 / 2) },
    condition("not") { times("!", $0) + "true" }, condition("minus") { times("- ", $0) + "1" },
    condition("and") { times("true && ", $0) + "true" },
    condition("and without operands") { times("&&", $0) },
    condition("or of comparisons") { times("id == 'a' || ", $0) + "true" },
    condition("sum") { times("1 + ", $0) + "1 == 2" }, condition("members") { times("a.", $0) + "a" },
    condition("calls of members") { "a" + times(".b()", $0) },
    condition("indexes") { "a" + times("[0]", $0) },
    condition("lists in lists") { times("[", $0 / 2) + times("]", $0 / 2) },
    condition("maps in maps") { times("{'a':", $0 * 5 / 6) + "1" + times("}", $0 / 6) },
    condition("a long list") { "[" + times("1, ", $0) + "1].size() > 0" },
    condition("a long map") { "{" + times("'a': 1, ", $0) + "'b': 2}.size() > 0" },
    condition("many arguments") { "f(" + times("1, ", $0) + "1)" },
    condition("ternaries") { times("a ? b : ", $0) + "c" },
    condition("ternaries inside") { times("a ? ", $0) + "c" },
    condition("is") { "a" + times(" is bool", $0) },
    condition("comparisons") { "a" + times(" == a", $0) }, condition("in") { "a" + times(" in a", $0) },
    condition("a long path") { "exists(" + times("/a", $0) + ")" },
    condition("paths in paths") { times("/a/$(", $0) + "b" },
    condition("a long string") { "id == '" + times("x", $0) + "'" },
    condition("escapes") { "id == '" + times("\\n", $0) + "'" },
    condition("bytes") { "b'" + times("\\xff", $0) + "' == id" },
    condition("a pattern of groups") { "id.matches('" + times("(a", $0 / 2) + times(")", $0 / 2) + "')" },
    condition("a pattern of stars") { "id.matches('" + times("a*", $0) + "')" },
    condition("a pattern of counts") { _ in "id.matches('((a{1,100}){1,100}){1,100}')" },
    condition("a pattern of alternatives") { "id.matches('" + times("a|", $0) + "')" },
    condition("many patterns") { size in
      (0..<size / 24).map { "id.matches('a\($0)*')" }.joined(separator: " || ")
    },
    condition("unknown names") { size in (0..<size / 12).map { "name\($0)" }.joined(separator: " || ") },
    condition("member typos") { times("request.autth || ", $0) + "true" },
  ]

  private static let programs: [Shape] = [
    declarations("matches in matches") { times("match /a {", $0) },
    declarations("closed matches in matches") { times("match /a/{b} {", $0 * 14 / 15) + times("}", $0 / 15) },
    declarations("matches beside each other") { size in
      (0..<size / 36).map { "match /a\($0)/{b} { allow read; }" }.joined()
    },
    declarations("the same match") { times("match /a/{b} { allow read; }", $0) },
    declarations("globs") { size in
      (0..<size / 40).map { "match /{a\($0)=**}/x/{b} { allow read; }" }.joined()
    },
    declarations("a long pattern") { "match " + times("/{a}", $0) + " { allow read; }" },
    declarations("allows") { "match /a/{b} {" + times("allow read: if b == 'x';", $0) + "}" },
    declarations("methods") { "match /a/{b} { allow " + times("read, ", $0) + "write; }" },
    declarations("functions") { size in
      (0..<size / 34).map { "function f\($0)() { return true; }\n" }.joined()
    },
    declarations("one function again and again") { times("function f() { return 1; }\n", $0) },
    declarations("functions in functions") { times("function f() {", $0) },
    declarations("lets") { "function f() { " + times("let a = 1; ", $0) + "return a; }" },
    declarations("parameters") { "function f(" + times("a, ", $0) + "a) { return 1; }" },
    declarations("a long row of calls") { size in
      (0..<size / 36).map { "function f\($0)() { return f\($0 + 1)(); }\n" }.joined()
    },
    declarations("a ring of calls") { size in
      let count = max(2, size / 36)
      return (0..<count).map { "function f\($0)() { return f\(($0 + 1) % count)(); }\n" }.joined()
    },
    declarations("everyone calls everyone") { size in
      let count = max(2, Int(Double(size / 8).squareRoot()))
      let calls = (0..<count).map { "f\($0)()" }.joined(separator: "+")
      return (0..<count).map { "function f\($0)() { return \(calls); }\n" }.joined()
    },
    declarations("calls that double at every step") { _ in doubling(steps: 20, "f0() || true") },
    declarations("texts that double at every step") { _ in growing("x + x") },
    declarations("lists that double at every step") { _ in growing("x.concat(x)", first: "['a']") },
    declarations("texts that are replaced and replaced") { _ in growing("x.replace('.', x)") },
    declarations("joins that multiply") { _ in growing("x.split('').join(x)") },
    declarations("documents under many names") { size in
      (0..<size / 90).map {
        "match /c\($0)/{b} { allow read: if get(/databases/$(database)/documents/users/u\($0)).data.a == b; }"
      }.joined()
    },
  ]

  /// Functions of which each calls the next one twice.
  private static func doubling(steps: Int, _ condition: String) -> String {
    let functions = (0..<steps).map { "function f\($0)() { return f\($0 + 1)() && f\($0 + 1)(); }\n" }
      .joined()
    return functions
      + "function f\(steps)() { return true; }\nmatch /t/{id} { allow read, write: if \(condition); }"
  }

  /// A value that every `let` makes larger.
  private static func growing(_ step: String, first: String = "'xy'") -> String {
    let lets = (0..<10).map { "let x\($0 + 1) = \(step.replacing("x", with: "x\($0)")); " }.joined()
    return """
      function grow(x0) { \(lets)return x10; }
      match /t/{id} { allow read, write: if grow(grow(grow(grow(\(first))))).size() > 0; }
      """
  }
}

extension String {
  /// The one-letter name `name` by another one; letters inside words stay.
  fileprivate func replacing(_ name: Character, with replacement: String) -> String {
    var result = ""
    var previous: Character = " "
    for (index, character) in zip(indices, self) {
      let after = self.index(after: index)
      let next = after < endIndex ? self[after] : " "
      if character == name, !previous.isLetter, !next.isLetter, previous != "'" {
        result += replacement
      } else {
        result.append(character)
      }
      previous = character
    }
    return result
  }
}
