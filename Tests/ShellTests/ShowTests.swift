/// How results are shown: tables that fit and that do not, while documents come, a screen at a time.

import Client
import DocModel
import DocStore
import EngineLMDB
import Platform
import Testing

@testable import Shell

private func document(_ number: Int, _ fields: Fields) -> ShellDocument {
  ShellDocument(
    path: ResourcePath(unchecked: "big/d\(number)"), fields: fields, createTime: 0, updateTime: 0)
}

@Suite("Results are shown", .serialized)
struct ShowTests {
  private static let wide = [
    document(1, ["a": .string("aaaaaaaaaa"), "b": .string("bbbbbbbbbb"), "c": .integer(3)])
  ]
  private static let table = ["  id  a           b           c", "  d1  aaaaaaaaaa  bbbbbbbbbb  3"]
  private static let list = ["big/d1", "  a  \"aaaaaaaaaa\"", "  b  \"bbbbbbbbbb\"", "  c  3"]

  @Test(
    "Rows that do not fit become a field a line",
    arguments: [
      (PrintStyle.Expansion.auto, 40, table), (.auto, 30, list), (.auto, nil, table), (.on, 80, list),
      (.off, 30, ["  id  a           b          …", "  d1  aaaaaaaaaa  bbbbbbbbbb …"]),
    ] as [(PrintStyle.Expansion, Int?, [String])])
  func expanded(_ expansion: PrintStyle.Expansion, _ width: Int?, _ lines: [String]) {
    var style = PrintStyle()
    style.expansion = expansion
    style.width = width
    #expect(ResultPrinter.documents(Self.wide, style) == lines)
  }

  @Test("Columns that were asked for are those of the list, too")
  func expandedColumns() throws {
    var style = PrintStyle()
    style.expansion = .on
    style.columns = [try FieldPath.parse("c"), try FieldPath.parse("a")]
    #expect(ResultPrinter.documents(Self.wide, style) == ["big/d1", "  c  3", "  a  \"aaaaaaaaaa\""])
  }

  @Test(
    "What is shown first waits for no more than a page",
    arguments: [
      (OutputMode.table, 1_001, 1), (.markdown, 1_002, 1), (.jsonl, 1_000, 1), (.doc, 2_000, 2),
      (.yaml, 2_000, 2),
      (.json, 1_000, 1),
    ])
  func streamed(_ mode: OutputMode, _ page: Int, _ each: Int) {
    var style = PrintStyle()
    style.mode = mode
    var lines: [String] = []
    let stream = ResultStream(style, .documents) {
      lines += $0
      return true
    }
    for number in 0..<ResultStream.pageDocuments {
      #expect(stream.take(document(number, ["a": .integer(1)])))
    }
    #expect(lines.count == page)
    for number in 0..<3 {
      #expect(stream.take(document(number, ["a": .string("longer"), "late": .null])))
      #expect(lines.count - page == each * (number + 1) || [.doc, .yaml].contains(mode))
    }
    #expect(stream.hidden == (mode == .table || mode == .markdown ? ["late"] : []))
  }

  @Test("Whole documents in columns have the columns of all")
  func csv() {
    var style = PrintStyle()
    style.mode = .csv
    var lines: [String] = []
    let stream = ResultStream(style, .documents) {
      lines += $0
      return true
    }
    for number in 0..<1_500 { #expect(stream.take(document(number, ["a": .integer(1)]))) }
    #expect(stream.take(document(1_500, ["late": .integer(2)])))
    #expect(stream.finish())
    #expect(lines.first == "id,a,late")
    #expect(lines.last == "d1500,,2")
  }

  // MARK: at a terminal

  /// A collection `big` of 3,000 documents.
  private static func talk(_ body: (Talk) throws -> Void) throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    for first in stride(from: 0, to: 3_000, by: 500) {
      try store.commitAndWait(
        SessionKit.database,
        try (first..<first + 500).map { number in
          let fields = try Canonicalizer.fields([
            "n": .integer(Int64(number)), "t": .string("text \(number)"),
          ])
          return Write(ResourcePath(unchecked: "big/d\(10_000 + number)"), .update(fields: fields, mask: nil))
        })
    }
    try body(
      Talk(
        EmbeddedBackend(store, database: SessionKit.database, location: "here", rules: nil),
        terminal: (columns: 80, rows: 24)))
  }

  @Test("A screen is asked about, and the rest of the query is not run when nobody wants it")
  func screens() throws {
    try Self.talk { talk in
      var asked = 0
      talk.session.askMore = {
        asked += 1
        return asked < 3 ? .more : .enough
      }
      let lines = talk.run("big").results
      #expect(asked == 3)
      #expect(lines.count == 3 * Session.pageLines)
      #expect(lines[1] == "  d10000  0    text 0")
      #expect(talk.session.seen.count < 3_000)
      #expect(talk.run(":more").results.first == "  d10152  152  text 152")
      talk.session.askMore = { .more }
      #expect(talk.run("big").results.count == 3_001)
      #expect(talk.run("big | ids").results.count == 3_000)
    }
  }

  @Test("The time that a reader takes is none of the query's")
  func readingTime() throws {
    try Self.talk { talk in
      talk.session.settings.showsTiming = true
      talk.session.console.isQuiet = false
      var asked = 0
      talk.session.askMore = {
        asked += 1
        if asked == 1 { usleep(1_500_000) }
        return .more
      }
      let note = talk.run("big limit 100").messages.last ?? ""
      let words = note.split(separator: " ").map(String.init)
      #expect(words.prefix(2) == ["100", "documents"], "\(note)")
      let milliseconds = words.firstIndex(of: "ms").flatMap { Double(words[$0 - 1]) }
      #expect((milliseconds ?? 9_999) < 1_400, "\(note)")
    }
  }

  // MARK: what is said of it

  private struct Row: CustomTestStringConvertible {
    let statements: [String]
    let results: [String]
    let message: String?

    init(_ statements: String..., results: [String] = [], message: String? = nil) {
      self.statements = statements
      self.results = results
      self.message = message
    }

    var testDescription: String { statements.joined(separator: " ⏎ ") }
  }

  private static let rows: [Row] = [
    Row("group private | ids", results: ["users/bob/private/keys"]),
    Row("**/private | ids | json", results: ["[\"users/bob/private/keys\"]"]),
    Row("users/bob select name, age | jsonl", results: [#"{"__name__":"users/bob","age":40,"name":"Bob"}"#]),
    Row("users/bob\nselect age\n| jsonl", results: [#"{"__name__":"users/bob","age":40}"#]),
    Row(":let n = users | count", ":echo $n users", results: ["4 users"]),
    Row(":echo $5 and \\$n", results: ["$5 and $n"]),
    Row(":echo $m", message: "there is no variable '$m'"),
    Row("users where age == $m", message: "there is no variable '$m'; ':let m = …' makes it"),
    Row(":let n = 1", "users where age == $m", message: "there is no variable '$m'; there are $n"),
    Row(":as {uid: 'x', email: 'x@y.z'}", ":eval request.auth.token.email", results: ["\"x@y.z\""]),
    Row(":as {uid: 'x', emial: 'x@y.z'}", message: "'emial' is no part of a persona"),
    Row(":x auto", ":set", results: ["x        auto"]), Row(":x maybe", message: "neither auto, on nor off"),
  ]

  @Test("Answers", arguments: rows)
  private func answers(_ row: Row) async throws {
    try await SessionKit.talk(.embedded) { talk in
      for variable in talk.session.variables.keys { talk.session.variables[variable] = nil }
      var answer = (status: Int32(0), results: [String](), messages: [String]())
      for statement in row.statements {
        answer = talk.run(statement)
      }
      #expect(row.results.allSatisfy { answer.results.contains($0) }, "\(answer)")
      #expect((answer.status == 0) == (row.message == nil), "\(answer)")
      if let message = row.message {
        #expect(answer.messages.contains { $0.range(ofBytes: message) != nil }, "\(answer)")
      }
    }
  }

  @Test(
    "Joined emoji are one wide sign; a joiner elsewhere is seen",
    arguments: [
      ("👩\u{200D}👩\u{200D}👧", "👩\u{200D}👩\u{200D}👧", 2), ("❤️", "❤️", 2), ("🇨🇭", "🇨🇭", 2),
      ("🧘🏽\u{200D}♀️", "🧘🏽\u{200D}♀️", 2),
      ("🪷", "🪷", 2), ("a\u{200D}b", "a\\u200db", 8), ("\u{200D}👩", "\\u200d👩", 8), ("1", "1", 1),
      ("é", "é", 1), ("☕", "☕", 2),
    ])
  func emoji(_ text: String, _ printed: String, _ width: Int) {
    #expect(TextEscape.printable(text) == printed)
    #expect(TextEscape.width(printed) == width)
    #expect(TextEscape.quoted(text) == "\"\(printed)\"")
  }
}
