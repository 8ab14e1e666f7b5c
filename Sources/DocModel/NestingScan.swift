/// Quotes and brackets in texts that are looked at before they are parsed.

/// Follows a text byte by byte: whether it is in quotes, and how deep in brackets.
///
/// In quotes a backslash takes the next byte with it. Which bracket closes which is not looked at: whoever
/// parses the text complains about that.
package struct NestingScan: Sendable {
  /// Open `(`, `[` and `{`; below zero behind brackets that close nothing.
  package private(set) var depth = 0
  private var quote: UInt8?
  private var isEscaped = false
  private let quotesWithBackticks: Bool

  /// - Parameter quotesWithBackticks: whether a backtick is a quote, as `"` and `'` are.
  package init(quotesWithBackticks: Bool) { self.quotesWithBackticks = quotesWithBackticks }

  package var isInQuotes: Bool { quote != nil }

  /// Whether what comes is in no quotes and no brackets.
  package var isOutermost: Bool { quote == nil && depth <= 0 }

  /// Whether the byte is in no quotes and neither a quote nor a bracket itself.
  @discardableResult
  package mutating func take(_ byte: UInt8) -> Bool {
    if let open = quote {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == open {
        quote = nil
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
    case UInt8(ascii: "`") where quotesWithBackticks: quote = byte
    case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
    default: return true
    }
    return false
  }

  /// Ends quotes with their line, unless a backslash takes the line's end with it.
  package mutating func endLine() {
    if !isEscaped { quote = nil }
    isEscaped = false
  }
}
