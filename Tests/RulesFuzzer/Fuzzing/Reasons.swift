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

  /// The entries that tell the outcome. The official emulator tries reads by name and writes twice, first
  /// without the stored document, and a write first as a create; what counts is the last time, for the method
  /// that our reasons name.
  static func decisive(_ entries: [String], _ own: [String]) -> [String] {
    let methods = Set(own.map(method))
    let fitting = entries.filter { methods.contains(method($0)) }
    return Array((fitting.isEmpty ? entries : fitting).suffix(max(1, own.count)))
  }

  /// `get` of `false for 'get' @ L4`
  private static func method(_ entry: String) -> Substring {
    guard let end = entry.ranges(of: "' @ L").last?.lowerBound,
      let start = entry[..<end].lastIndex(of: "'")
    else { return "" }
    return entry[start..<end]
  }
}
