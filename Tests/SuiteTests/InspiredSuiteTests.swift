/// The pack's own suite passes, and notices when its rules change.

import Platform
import Suite
import Testing

@Suite("The Inspired suite")
struct InspiredSuiteTests {
  private static let rules = folder(above: 3) + "/rules"

  private static func folder(above count: Int) -> String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(count).joined(separator: "/")
  }

  @Test("Every case agrees with the rules")
  func passes() throws {
    let report = try Suite.load(path: Self.rules + "/inspired.rules-test.yaml").run()
    #expect(report.results.count > 800)
    #expect(report.failedCount == 0, "\(PrettyReport.text([report]))")
    #expect(report.skippedCount == 0)
  }

  @Test("The guide's suite passes, and fails as the guide says")
  func guide() throws {
    let guide = try text(of: Self.folder(above: 3) + "/docs/rules-tests.md")
    let blocks = guide.split(separator: "```yaml\n").dropFirst().compactMap {
      $0.split(separator: "```").first
    }
    let suite = String(try #require(blocks.first))
    let report = try Suite.load(text: suite, name: "notes.rules-test.yaml").run()
    #expect(report.failedCount == 0, "\(PrettyReport.text([report]))")
    #expect(report.results.count == 25)
    let broken = suite.split(separator: "resource.data.edits + 1").joined(
      separator: "resource.data.edits + 2")
    let options = SuiteOptions(filter: "editing counts")
    let failing = try Suite.load(text: broken, name: "notes.rules-test.yaml", options: options).run()
    let shown = guide.split(separator: "```\n✗").dropFirst().compactMap { $0.split(separator: "```").first }
    #expect(PrettyReport.text([failing]) == "✗" + (try #require(shown.first)))
  }

  @Test(
    "A change of the rules is noticed",
    arguments: [
      ("allow delete: if isCaller(userId);", "allow delete: if signedIn();"),
      ("text(data.displayName, 1, 80)", "text(data.displayName, 1, 81)"),
      ("allow get, list: if true;", "allow get, list: if signedIn();"),
      ("likesAfter() == likesNow() + step", "likesAfter() >= likesNow() + step"),
    ])
  func noticesChanges(_ old: String, _ new: String) throws {
    let suite = try text(of: Self.rules + "/inspired.rules-test.yaml")
    let rules = try text(of: Self.rules + "/inspired.rules")
    try #require(rules.contains(old))
    let changed = rules.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    let inline = changed.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
    let text = suite.split(separator: "rules: inspired.rules", maxSplits: 1)
      .joined(separator: "rules: |\n" + inline.joined(separator: "\n"))
    let report = try Suite.load(text: text, name: "changed.rules-test.yaml").run()
    #expect(report.failedCount > 0)
  }

  private func text(of path: String) throws -> String {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
