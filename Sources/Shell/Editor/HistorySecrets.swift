/// What of a statement is not kept: bytes, bearer tokens, and tokens as they are.

import DocModel

enum HistorySecrets {
  /// The text with `…` for each secret.
  static func hidden(in text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let secret = secret(bytes, at: index) {
        result += bytes[index..<secret.lowerBound]
        result += "…".utf8
        index = secret.upperBound
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What is to be hidden of what begins here.
  private static func secret(_ bytes: [UInt8], at start: Int) -> Range<Int>? {
    if start > 0, isWordByte(bytes[start - 1]) { return nil }
    return literal(bytes, at: start) ?? bearer(bytes, at: start) ?? token(bytes, at: start)
  }

  /// `bytes("…")`, with blanks and quotes as the language allows them; up to the quote, or to the end without one.
  private static func literal(_ bytes: [UInt8], at start: Int) -> Range<Int>? {
    guard bytes[start...].starts(with: "bytes".utf8) else { return nil }
    let open = skipped(bytes, from: start + 5)
    guard open < bytes.count, bytes[open] == UInt8(ascii: "(") else { return nil }
    let quote = skipped(bytes, from: open + 1)
    guard quote < bytes.count, bytes[quote] == UInt8(ascii: "\"") || bytes[quote] == UInt8(ascii: "'") else {
      return nil
    }
    return (quote + 1)..<(bytes[(quote + 1)...].firstIndex(of: bytes[quote]) ?? bytes.count)
  }

  /// `Bearer …`, in any case; up to a blank or a quote.
  private static func bearer(_ bytes: [UInt8], at start: Int) -> Range<Int>? {
    guard bytes[start...].prefix(6).map({ $0 | 0x20 }) == Array("bearer".utf8) else { return nil }
    let first = skipped(bytes, from: start + 6)
    guard first > start + 6, first < bytes.count else { return nil }
    let end = bytes[first...].firstIndex { InputScanner.isBlank($0) || $0 == 0x22 || $0 == 0x27 }
    return first..<(end ?? bytes.count)
  }

  /// A token of three parts with dots between them, or of five; the first one is base64 of `{"`.
  private static func token(_ bytes: [UInt8], at start: Int) -> Range<Int>? {
    guard bytes[start...].starts(with: "eyJ".utf8) else { return nil }
    var index = start
    var dots = 0
    while index < bytes.count, isWordByte(bytes[index]) || (bytes[index] == UInt8(ascii: ".") && dots < 4) {
      if bytes[index] == UInt8(ascii: ".") { dots += 1 }
      index += 1
    }
    return dots >= 2 ? start..<index : nil
  }

  private static func skipped(_ bytes: [UInt8], from start: Int) -> Int {
    bytes[min(start, bytes.count)...].firstIndex { !InputScanner.isBlank($0) } ?? bytes.count
  }

  /// What base64 for addresses is made of, and names.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte.isWordByte || byte == UInt8(ascii: "-")
  }
}
