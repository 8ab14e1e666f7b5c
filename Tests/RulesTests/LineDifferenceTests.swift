import Rules
import RulesTools
import Testing

@Suite("differences of texts")
struct LineDifferenceTests {
  private func unified(_ old: String, _ new: String) -> String {
    let difference = LineDifference(from: Array(old.utf8), to: Array(new.utf8))
    return String(decoding: difference.unified(oldName: "old", newName: "new"), as: UTF8.self)
  }

  @Test(
    "hunks are what patch reads",
    arguments: [
      ("a\n", "a\n", ""),
      ("a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"),
      ("", "a\n", "@@ -0,0 +1,1 @@\n+a\n"),
      ("a\n", "", "@@ -1,1 +0,0 @@\n-a\n"),
      ("a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"),
      (
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n6\n7\n8\n9\n",
        "@@ -2,7 +2,6 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n"
      ),
      ("a\nb\nc\nd\n", "b\nc\nx\nd\n", "@@ -1,4 +1,4 @@\n-a\n b\n c\n+x\n d\n"),
    ])
  func hunks(old: String, new: String, expected: String) {
    #expect(unified(old, new) == (expected.isEmpty ? "" : "--- old\n+++ new\n" + expected))
  }

  @Test("applied to the old text, a difference gives the new one", arguments: 0..<200 as Range<UInt64>)
  func applies(seed: UInt64) {
    var random = ParserFuzzTests.Random(state: seed)
    let old = (0..<Int.random(in: 0...30, using: &random)).map { _ in Int.random(in: 0...6, using: &random) }
    let new = (0..<Int.random(in: 0...30, using: &random)).map { _ in Int.random(in: 0...6, using: &random) }
    let text = unified(old.map { "\($0)\n" }.joined(), new.map { "\($0)\n" }.joined())
    #expect(apply(text, to: old.map(String.init)) == new.map(String.init), "seed \(seed)")
  }

  /// What `patch` does.
  private func apply(_ text: String, to old: [String]) -> [String] {
    var result: [String] = []
    var place = 0
    for line in text.split(separator: "\n").dropFirst(2) {
      if line.hasPrefix("@@") {
        let parts = line.split { " ,-+@".contains($0) }.compactMap { Int($0) }
        let start = parts[1] == 0 ? parts[0] : parts[0] - 1
        result += old[place..<start]
        place = start
      } else if line.hasPrefix("+") {
        result.append(String(line.dropFirst()))
      } else {
        #expect(old[place] == line.dropFirst())
        if line.hasPrefix(" ") { result.append(String(line.dropFirst())) }
        place += 1
      }
    }
    return result + old[place...]
  }
}
