/// docs/guides/cheat-sheet.md: the cells of a row are the same statement, or are answered with it.

import DocModel
import Testing

@testable import Shell

private struct SheetRow: CustomTestStringConvertible {
  /// The cell of the shell, and the others, which have a mark where they are only answered.
  let own: String
  let others: [String]

  var testDescription: String { own }

  /// Nil for a line that is no row of statements.
  init?(_ line: String) {
    // A bar inside a cell is escaped.
    let bar = "\u{1}"
    let marked = line.split(separator: "\\|", omittingEmptySubsequences: false).joined(separator: bar)
    let cells = marked.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
      cell in
      TextEscape.trimmed(String(cell.drop { $0 == " " }))
        .split(separator: bar, omittingEmptySubsequences: false).joined(separator: "|")
    }
    guard cells.count == 3, cells[2].hasPrefix("`") else { return nil }
    own = Self.code(cells[2])
    others = cells.dropLast().filter { !$0.isEmpty }
  }

  static func code(_ cell: String) -> String { String(cell.drop { $0 == "`" }.prefix { $0 != "`" }) }
}

@Suite("The cheat sheet", .serialized)
struct CheatSheetTests {
  private static func rows() throws -> [SheetRow] {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let page = parts.dropLast(3).joined(separator: "/") + "/docs/guides/cheat-sheet.md"
    let text = String(decoding: try ScriptFile.contents(page), as: UTF8.self)
    return TextLines.of(text).compactMap(SheetRow.init)
  }

  @Test("The cells of a row mean the same")
  func equal() throws {
    let context = LanguageContext(
      database: SessionKit.database, now: 1_772_355_600_000_000, commands: CommandTable.names)
    let rows = try Self.rows()
    #expect(rows.count > 30)
    for row in rows {
      let own = describe(try StatementParser.parse(row.own, context))
      for cell in row.others {
        let typed = SheetRow.code(cell)
        if cell.hasSuffix("†") {
          let error = #expect(throws: ShellError.self, "\(typed)") {
            try StatementParser.parse(typed, context)
          }
          #expect(error?.message.range(ofBytes: row.own) != nil, "\(error?.message ?? typed)")
        } else {
          let understood = (try? StatementParser.parse(typed, context)).map(describe)
          #expect(understood == own, "\(typed)")
        }
      }
    }
  }

  @Test("The shell's column runs, from top to bottom", arguments: Placement.allCases)
  func runs(_ placement: Placement) async throws {
    let rows = try Self.rows()
    try await SessionKit.talk(placement) { talk in
      talk.session.settings.assumesYes = true
      for row in rows {
        let answer = talk.run(row.own)
        #expect(answer.status == 0, "\(row.own): \(answer.messages)")
      }
    }
  }
}
