/// Reading the official emulator's reasons.

internal import DocModel

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
  ///
  /// It also tries again whenever a document has to be fetched. Until then a condition that needs the document
  /// is an "evaluation error", and stays one when another write or way is refused in the same round.
  /// - Parameter fetches: whether the request has documents to be fetched, so that such entries tell nothing.
  static func decisive(_ entries: [String], _ own: [String], fetches: Bool = false) -> [String] {
    let settled = fetches && !own.contains(where: isOpen) ? entries.filter { !isOpen($0) } : entries
    let telling = settled.isEmpty ? entries : settled
    let methods = Set(own.map(method))
    let fitting = telling.filter { methods.contains(method($0)) }
    return Array((fitting.isEmpty ? telling : fitting).suffix(max(1, own.count)))
  }

  /// The points of time in a reason, which are protocol buffers in text form.
  static func times(_ entry: String) -> [Timestamp] {
    entry.ranges(of: "timestamp_value {").compactMap { range in
      let fields = entry[range.upperBound...].prefix { $0 != "}" }
      guard let seconds = number("seconds: ", in: fields) else { return nil }
      return Timestamp(seconds: seconds, nanoseconds: Int32(number("nanos: ", in: fields) ?? 0))
    }
  }

  private static func number(_ label: String, in text: Substring) -> Int64? {
    guard let start = text.firstRange(of: label)?.upperBound else { return nil }
    return Int64(text[start...].prefix { $0 == "-" || $0.isNumber })
  }

  private static func isOpen(_ entry: String) -> Bool { entry.hasPrefix("evaluation error at ") }

  /// `get` of `false for 'get' @ L4`
  private static func method(_ entry: String) -> Substring {
    guard let end = entry.ranges(of: "' @ L").last?.lowerBound,
      let start = entry[..<end].lastIndex(of: "'")
    else { return "" }
    return entry[start..<end]
  }
}
