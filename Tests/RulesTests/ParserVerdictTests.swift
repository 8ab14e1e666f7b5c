import Rules
import Testing

/// More than a thousand small texts and whether the official compiler accepted them.
enum ParserVerdicts {
  struct Row: CustomTestStringConvertible {
    let compiles: Bool
    let form: Character
    let text: String

    var testDescription: String { text }

    var source: String {
      switch form {
      case "E": Sample.file(condition: text)
      case "M": Sample.file(declarations: text)
      default: text
      }
    }
  }

  /// Every table, and how many rows it has at least.
  static let tables: [(name: String, text: String, count: Int)] = [
    ("expressions", expressions, 250), ("declarations", declarations, 250), ("conformance", conformance, 250),
    ("divisions", divisions, 55),
  ]

  static func rows(_ table: String) -> [Row] {
    table.split(separator: "\n").compactMap { line in
      let characters = Array(line)
      guard characters.count > 3 else { return nil }
      let text = characters[3...].map { character -> Character in
        switch character {
        case "␤": "\n"
        case "␉": "\t"
        case "␍": "\r"
        case "␌": "\u{0C}"
        default: character
        }
      }
      return Row(compiles: characters[0] == "+", form: characters[1], text: String(text))
    }
  }
}

@Suite("what compiles, compared with the recorded verdicts of the official compiler")
struct ParserVerdictTests {
  @Test("verdicts agree", arguments: ParserVerdicts.tables.map(\.name))
  func agree(name: String) throws {
    let table = try #require(ParserVerdicts.tables.first { $0.name == name })
    let rows = ParserVerdicts.rows(table.text)
    #expect(rows.count >= table.count, "the table \(name) was read")
    for row in rows {
      let diagnostics = Sample.check(row.source).diagnostics
      #expect(
        !diagnostics.containsError == row.compiles,
        "\(name): \(row.text)\n\(diagnostics.map(\.message).joined(separator: "\n"))")
    }
  }

  @Test("a byte order mark is refused, as by the official compiler")
  func byteOrderMark() {
    let diagnostics = Sample.check("\u{FEFF}" + Sample.file(condition: "true")).diagnostics
    #expect(diagnostics.map(\.id) == ["rules-wide-blank"])
    #expect(diagnostics.map(\.officialText) == ["token recognition error at: '\u{FEFF}'"])
    #expect(diagnostics.containsError)
  }

  @Test(
    "blanks that are none are one message, refused as by the official compiler",
    arguments: ["\u{A0}", "\u{3000}"])
  func wideBlanks(blank: String) {
    let condition = "true\(blank)&&\(blank)\(blank)true // \(blank)"
    let diagnostics = Sample.check(Sample.file(condition: condition)).diagnostics
    #expect(diagnostics.map(\.id) == ["rules-wide-blank"])
    #expect(diagnostics.map(\.officialText) == ["token recognition error at: '\(blank)'"])
    #expect(diagnostics.containsError)
    #expect(diagnostics.first?.fix?.edits.count == 2)
  }

  @Test(
    "oddities of published rules are accepted",
    arguments: [
      "rules_version='2'\n\nservice cloud.firestore { match /a/{b} { allow read; } }",
      "// header\nrules_version = \"2\";\nservice cloud.firestore { match /a/{b} { allow read; } }\n// end",
      Sample.file(
        declarations: "match /a/{b} { function f() { return request.auth != null } allow read: if f() }"),
      Sample.file(
        declarations:
          "match /a/{b} { allow read: if b == 'x'\n allow write: if b == 'y'\n match /x/{y} { allow read } }"),
      Sample.file(declarations: "match /a/{b} { allow create,update : if(b == 'x'); }"),
      Sample.file(declarations: "match /a/{b} { allow read:\n if b == 'x'; allow write: if\n b == 'y'; }"),
      Sample.file(condition: "(\n id == 'a' &&\n id == 'b'\n)"),
      Sample.file(
        condition: "['a', // x\n 'b',].hasAll([id,]) // why\n && true /* here */ || /** doc\n * x */ false"),
      Sample.file(condition: "id == 'a' ? true : id == 'b' ? false : true"),
      Sample.file(
        condition: "get(\n /databases/$(database)/documents/a/$(\n string(id)\n)\n).data.x == '完了'"),
      Sample.file(condition: "exists(/databases/(default)/documents/a/$(id.split('_')[0]))"),
      Sample.file(
        declarations: "match /user-meta/{u} { allow read; } match /orgs/{o}/logo.jpg { allow read; }"),
      Sample.file(
        declarations:
          "match /schools/{s}/x { match /{c} { allow read; } } match /settings/public { allow read; }"),
      Sample.file(
        declarations: "match /{p=**}/posts/{id} { allow read; } match /{collection}/{id} { allow read; }"),
      Sample.file(declarations: "match /a/{b} { allow upddate: if true; allow readwrite; }"),
      "rules_version = '2';\r\nservice cloud.firestore {\r\n\tmatch /a/{b} {\r\n\t\tallow read; // 日本語 😀\r\n\t}\r\n}",
    ])
  func oddities(source: String) {
    #expect(!Sample.check(source).diagnostics.containsError, "\(Sample.check(source).diagnostics)")
  }
}
