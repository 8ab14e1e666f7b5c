/// Suggestions for misspelt names.

package enum Misspelling {
  /// The candidate with the fewest edits, if it is near enough to be what was meant: one edit for
  /// short names, two for longer ones.
  package static func nearest(to name: String, among candidates: [String]) -> String? {
    let limit = name.utf8.count < 4 ? 1 : 2
    var best: (name: String, distance: Int)?
    let bytes = Array(name.utf8)
    for candidate in candidates where abs(candidate.utf8.count - bytes.count) <= limit {
      let distance = editDistance(bytes, Array(candidate.utf8), limit: limit)
      guard distance > 0, distance <= limit, distance < bytes.count else { continue }
      // Of two equally near ones the first in the alphabet, so that messages do not change.
      if let best, (best.distance, best.name) <= (distance, candidate) { continue }
      best = (candidate, distance)
    }
    return best?.name
  }

  /// Edits between two words; anything over `limit` may be reported as `limit + 1`.
  static func editDistance(_ left: [UInt8], _ right: [UInt8], limit: Int) -> Int {
    guard abs(left.count - right.count) <= limit else { return limit + 1 }
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in 0..<right.count {
        let replaced = diagonal + (byte == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
}
