/// Suggestions for misspelt names.
enum Spelling {
  /// The candidate with the fewest edits, if it is near enough to be what was meant: one edit for
  /// short names, two for longer ones.
  static func nearest(to name: String, among candidates: [String]) -> String? {
    let limit = name.utf8.count < 4 ? 1 : 2
    var best: (name: String, distance: Int)?
    for candidate in candidates.sorted() where candidate != name {
      let distance = editDistance(Array(name.utf8), Array(candidate.utf8), limit: limit)
      guard distance <= limit, distance < best?.distance ?? .max, distance < name.utf8.count else { continue }
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
