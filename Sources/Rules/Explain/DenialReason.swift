/// The few lines that a denial adds to the official words: which rule, and what in it decided.
///
/// INVARIANT: no value of a document is in them, because whoever is refused may not read it: only the rules'
/// own text, error texts as the official engine writes them, and how many documents were read.

extension Explanation {
  /// LIMIT: rules that a denial tells of.
  private static let rulesMax = 4

  /// One line for each rule that was tried; empty when allowed or when no rule is about the request.
  public var reasonLines: [String] {
    if isAllowed { return [] }
    var lines: [String] = []
    let tried = allows.filter { $0.outcome != .granted }
    for trace in tried.prefix(Self.rulesMax) {
      lines.append("\(trace.id) (line \(trace.position.line)): \(DenialReason.text(trace))")
    }
    if tried.count > Self.rulesMax { lines.append("and \(tried.count - Self.rulesMax) more") }
    if decision.accesses > 0 {
      lines.append(
        "the rules read \(decision.accesses == 1 ? "1 document" : "\(decision.accesses) documents")")
    }
    return lines
  }
}

/// What decided one rule, in the rules' own words.
enum DenialReason {
  /// LIMIT: characters of a piece of source.
  private static let textMax = 120

  static func text(_ trace: AllowTrace) -> String {
    let simple = trace.deciding.first { !isCompound($0.text) } ?? trace.deciding.last
    let text = simple.map { "`\(OneLine.text($0.text, most: textMax))`" } ?? "the condition"
    switch trace.outcome {
    case .granted: return "granted"
    case .refused: return "\(text) is false"
    case .fault: return "\(text) has no value"
    }
  }

  /// Whether the outermost operator joins questions: `&&`, `||`, `?:`. Parentheses around all of it do not count.
  private static func isCompound(_ text: String) -> Bool {
    var depth = 0
    var quote: UInt8?
    let bytes = Array(text.utf8)
    let isWrapped = bytes.first == UInt8(ascii: "(") && bytes.last == UInt8(ascii: ")")
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open { quote = nil }
      } else {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "?"):
          if depth == 0 || (isWrapped && depth == 1) { return true }
        default: break
        }
      }
      index += 1
    }
    return false
  }
}
