import CDiagnosticPages
import Rules
import Testing

@testable import RulesTools

@Suite("the pages of the diagnostics")
struct DiagnosticPagesTests {
  static let folder = "docs/diagnostics"

  /// A page as far as the tests read it.
  struct Page {
    let title: String
    let severity: String
    let official: String?
    /// Blocks that are rules: the example, and how it is repaired.
    let blocks: [String]

    init(_ text: String) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      title = lines.first ?? ""
      let line = lines.first { $0.hasPrefix("*") } ?? ""
      severity = String(line.dropFirst().prefix { $0 != "*" })
      official = line.firstRange(of: "official message: ").map { range in
        let ticks = line[range.upperBound...].prefix { $0 == "`" }.count
        return String(line[range.upperBound...].dropFirst(ticks).dropLast(ticks))
      }
      var blocks: [String] = []
      var open: [String]?
      for line in lines {
        if line == "```rules" {
          open = []
        } else if line == "```" {
          if let open { blocks.append(open.joined(separator: "\n") + "\n") }
          open = nil
        } else {
          open?.append(line)
        }
      }
      self.blocks = blocks
    }
  }

  private static func page(_ id: DiagnosticID) throws -> Page { Page(try RepositoryFile.text(id.page)) }

  /// Examples that no page can show.
  private static let unshown: [DiagnosticID: [UInt8]] = [
    .notUtf8: Array("rules_version = '2'; // caf".utf8) + [0xE9, 0x0A],
    .sourceTooLong: Array(("//" + String(repeating: "x", count: 262_144) + "\n").utf8),
  ]

  @Test("every diagnostic has a page, and every page a diagnostic")
  func complete() throws {
    let names = try RepositoryFile.names(in: Self.folder).filter { $0 != "README.md" }
    #expect(names == DiagnosticID.allCases.map { $0.rawValue + ".md" }.sorted())
    let index = try RepositoryFile.text(Self.folder + "/README.md")
    for id in DiagnosticID.allCases {
      #expect(
        index.contains("| [\(id.rawValue)](\(id.rawValue).md) | \(try Self.page(id).severity) |"), "\(id)")
    }
  }

  @Test("the example of a page gives exactly its diagnostic", arguments: DiagnosticID.allCases)
  func example(id: DiagnosticID) throws {
    let page = try Self.page(id)
    #expect(page.title.hasPrefix("# \(id.rawValue): "))
    let parsed =
      if let bytes = Self.unshown[id] {
        RulesParser.parse(source: bytes, name: "firestore.rules")
      } else {
        RulesParser.parse(source: try #require(page.blocks.first), name: "firestore.rules")
      }
    // What proofs find needs a compiled ruleset.
    let found =
      id == .listLeak
      ? RulesCompiler.compile(source: parsed.source.bytes, name: "firestore.rules", remarks: true).diagnostics
      : RulesCompiler.check(parsed).diagnostics
    // What is about version 1 needs a file in version 1, and that is a diagnostic of its own. A file
    // that is too long or no text has other mistakes.
    let isAlone = found.allSatisfy { $0.kind == id || $0.kind == .oldVersion }
    #expect(isAlone || Self.unshown[id] != nil, "\(found.map { "\($0.id): \($0.message)" })")
    let own = try #require(found.first { $0.kind == id }, "\(found.map(\.id))")
    #expect(own.severity.rawValue == page.severity)
    if Self.unshown[id] == nil { #expect(own.officialText == page.official) }
  }

  @Test("the repair of a page gives no diagnostic", arguments: DiagnosticID.allCases)
  func repair(id: DiagnosticID) throws {
    guard let repaired = try Self.page(id).blocks.dropFirst().first else { return }
    let found = Sample.check(repaired, remarks: true).diagnostics
    #expect(found.isEmpty, "\(found.map { "\($0.id): \($0.message)" })")
  }

  @Test("most pages show a repair")
  func repairs() throws {
    let shown = try DiagnosticID.allCases.count { try Self.page($0).blocks.count == 2 }
    #expect(shown >= DiagnosticID.allCases.count - 6)
  }

  @Test("docsh carries the pages as they are", arguments: DiagnosticID.allCases)
  func embedded(id: DiagnosticID) throws {
    let carried = try #require(
      diagnostic_page(id.rawValue), "run Scripts/diagnostic-pages after adding \(id.page)")
    #expect(String(cString: carried) == (try RepositoryFile.text(id.page)))
  }

  @Test(
    "what is no name has no page",
    arguments: ["", "rules", "rules-", "rules-nothing", "rules-assignment: ", "# rules-assignment", "README"])
  func noName(text: String) {
    #expect(diagnostic_page(text) == nil)
  }
}
