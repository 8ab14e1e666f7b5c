/// What is a comment, and where a statement goes on in the next line.

import DocModel

enum InputScanner {
  /// A line without its comment.
  static func withoutComment(_ line: String) -> String {
    let bytes = Array(line.utf8)
    let first = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 }
    if let first, bytes[first] == UInt8(ascii: "#") { return "" }
    var scan = NestingScan(quotesWithBackticks: true)
    for (index, byte) in bytes.enumerated() {
      // What goes to a program of the system is its own.
      if scan.isOutermost, beginsProgram(bytes, at: index, isFirst: index == first) { return line }
      if scan.take(byte), byte == UInt8(ascii: "-"), index + 1 < bytes.count, bytes[index + 1] == byte,
        index == 0 || bytes[index - 1] == 0x20 || bytes[index - 1] == 0x09,
        index + 2 == bytes.count || bytes[index + 2] == 0x20
      {
        return String(decoding: bytes[..<index], as: UTF8.self)
      }
    }
    return line
  }

  /// Whether a statement ends with this text.
  static func isComplete(_ text: String) -> Bool {
    var shape = StatementShape()
    shape.take(text)
    return shape.isComplete
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// Whether what begins here is for a program of the system: `:! date` at the start of a statement, `| ! head`.
  static func beginsProgram(_ bytes: [UInt8], at index: Int, isFirst: @autoclosure () -> Bool) -> Bool {
    switch bytes[index] {
    case UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "\\"):
      return index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "!") && isFirst()
    case UInt8(ascii: "|"):
      let next = bytes[(index + 1)...].first { !isBlank($0) }
      return next == UInt8(ascii: "!") && (index == 0 || bytes[index - 1] != UInt8(ascii: "|"))
    default: return false
    }
  }
}

/// What of a statement says whether it goes on; taken piece by piece, so that long ones are looked at once.
struct StatementShape {
  private var scan = NestingScan(quotesWithBackticks: true)
  /// The first two signs, and the last one that is no blank.
  private var head: [UInt8] = []
  private var last: UInt8?

  /// A text ends with its line, so that a lone apostrophe does not swallow all that follows.
  mutating func endLine() { scan.endLine() }

  mutating func take(_ text: String) {
    for byte in text.utf8 {
      if byte == 0x0A {
        endLine()
        continue
      }
      let isBlank = InputScanner.isBlank(byte)
      if !isBlank { last = byte }
      if head.count < 2, !isBlank || !head.isEmpty { head.append(byte) }
      scan.take(byte)
    }
  }

  var isComplete: Bool {
    let isCommand = head.first.map { ":.\\".utf8.contains($0) } ?? false
    if isCommand, head.count == 2, head[1] == UInt8(ascii: "!") { return true }
    if scan.depth > 0 { return false }
    // Commands are one line; of others the last sign may want more.
    guard !isCommand, let last else { return true }
    return !"|,=<>&".utf8.contains(last)
  }
}
