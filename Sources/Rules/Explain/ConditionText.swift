/// The text of conditions, looked at without a parser.

internal import DocModel

package enum ConditionText {
  /// Whether the outermost operator joins questions: `&&`, `||`, `?:`. Parentheses around all of it do not count.
  package static func isCompound(_ text: String) -> Bool {
    var scan = NestingScan(quotesWithBackticks: false)
    var last: UInt8 = 0
    for byte in unwrapped(Array(text.utf8)) {
      if scan.take(byte), scan.isOutermost {
        switch byte {
        case UInt8(ascii: "?"): return true
        case UInt8(ascii: "&"), UInt8(ascii: "|"):
          if last == byte { return true }
        default: break
        }
      }
      last = byte
    }
    return false
  }

  /// The text without parentheses around all of it.
  private static func unwrapped(_ text: [UInt8]) -> ArraySlice<UInt8> {
    var inner = text[...]
    while inner.first == UInt8(ascii: "("), inner.last == UInt8(ascii: ")") {
      var scan = NestingScan(quotesWithBackticks: false)
      for byte in inner.dropLast() {
        scan.take(byte)
        if scan.isOutermost { return inner }
      }
      inner = inner.dropFirst().dropLast()
      while let first = inner.first, first.isBlank { inner = inner.dropFirst() }
      while let last = inner.last, last.isBlank { inner = inner.dropLast() }
    }
    return inner
  }
}
