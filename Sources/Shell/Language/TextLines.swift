/// Lines of texts, as every system ends them.

enum TextLines {
  /// The lines of a text, without their ends: `\n`, or `\r\n`. What follows the last end is a line, too.
  ///
  /// Bytes are looked at, because the two bytes of `\r\n` are one `Character`, which is no `"\n"`.
  static func of(_ text: String) -> [String] {
    text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line(Array($0)) }
  }

  /// A line, without the first half of its end.
  static func line(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }
}
