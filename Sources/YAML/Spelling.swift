/// What the author may have meant.

public enum Spelling {
  /// ` (did you mean 'x'?)`, or nothing when no word is near.
  public static func suggestion(for word: String, among words: [String]) -> String {
    nearest(to: word, among: words).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The word that differs least, when it differs by at most a third of its letters (two for words of
  /// four and more), and has one in common.
  public static func nearest(to word: String, among words: [String]) -> String? {
    var best: (word: String, distance: Int)?
    for candidate in words {
      let distance = distance(word, candidate)
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    guard let best else { return nil }
    let letters = max(best.word.unicodeScalars.count, word.unicodeScalars.count)
    let allowed = letters < 4 ? 1 : max(2, letters / 3)
    return best.distance <= allowed && best.distance < letters ? best.word : nil
  }

  /// LIMIT: longer texts are no misspelt keys.
  private static let lettersMax = 64

  /// Insertions, removals, replacements and swaps of neighbours that turn one text into the other.
  private static func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left.unicodeScalars)
    let b = Array(right.unicodeScalars)
    guard a.count <= lettersMax, b.count <= lettersMax else { return Int.max }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
