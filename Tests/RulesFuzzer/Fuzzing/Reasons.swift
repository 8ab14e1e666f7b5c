/// Reading the official emulator's reasons.

enum Reasons {
  /// Entries of a refusal: `false for 'get' @ L4`, one for each `allow` that was tried.
  ///
  /// An entry ends with its place, so commas inside values do no harm.
  static func entries(_ message: String) -> [String] {
    var entries: [String] = []
    var rest = Substring(message)
    while rest.first == "\n" || rest.first == " " { rest.removeFirst() }
    var start = rest.startIndex
    var search = rest
    while let mark = search.firstRange(of: "' @ L") {
      var end = mark.upperBound
      while end < rest.endIndex, rest[end].isNumber { end = rest.index(after: end) }
      if end == rest.endIndex || rest[end...].hasPrefix(", ") {
        entries.append(String(rest[start..<end]))
        start = end == rest.endIndex ? end : rest.index(end, offsetBy: 2)
      }
      search = rest[end...]
    }
    if start < rest.endIndex { entries.append(String(rest[start...])) }
    return entries
  }

  /// The entries that tell the outcome. Reads by name and writes are tried twice by the official emulator,
  /// first without the stored document; what counts is the second time.
  static func decisive(_ entries: [String], count: Int) -> [String] { Array(entries.suffix(max(1, count))) }
}
