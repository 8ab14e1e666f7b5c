/// What the author may have meant.

/// Suggestions for misspelt names.
public enum Spelling {
  /// ` (did you mean 'x'?)`, or nothing when no word is near.
  public static func suggestion(for word: String, among words: [String]) -> String {
    nearest(to: word, among: words).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The other word that differs least, when it differs by at most a third of its letters (two for words of
  /// four and more), and has one in common. Of two equally near ones the first in the alphabet, so that messages do not
  /// change.
  public static func nearest(to word: String, among words: [String]) -> String? {
    let letters = Array(word.unicodeScalars)
    guard letters.count <= lettersMax else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in words {
      let other = Array(candidate.unicodeScalars)
      let longer = max(letters.count, other.count)
      let allowed = longer < 4 ? 1 : max(2, longer / 3)
      guard other.count <= lettersMax, abs(letters.count - other.count) <= allowed else { continue }
      let distance = distance(letters, other)
      guard distance > 0, distance <= allowed, distance < longer else { continue }
      if let best, (best.distance, best.word) <= (distance, candidate) { continue }
      best = (candidate, distance)
    }
    return best?.word
  }

  /// LIMIT: longer texts are no misspelt names.
  private static let lettersMax = 64

  /// Insertions, removals, replacements and swaps of neighbours that turn one text into the other.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
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
