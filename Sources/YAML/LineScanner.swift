/// Finds lines and places in a source by walking over its bytes.
///
/// Only error messages pay for it. Lines end where libyaml ends them, or the places it reports would
/// point elsewhere: at LF, CR, CR LF, NEL (U+0085), LS and PS (U+2028, U+2029).
struct LineScanner {
  /// LIMIT: bytes of one line that are shown.
  private static let lineBytesMax = 64 * 1_024

  private let source: YAMLSource
  private var chunk = [UInt8](repeating: 0, count: 64 * 1_024)
  private var chunkStart = 0
  private var chunkCount = 0
  private var offset = 0

  init(source: YAMLSource) {
    self.source = source
    // A byte order mark belongs to no line.
    if byte(at: 0) == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF { offset = 3 }
  }

  mutating func line(_ number: Int) -> String? {
    var current = 1
    while current < number {
      guard let byte = byte(at: offset) else { return nil }
      let length = breakLength(byte)
      offset += max(1, length)
      if length > 0 { current += 1 }
    }
    var text: [UInt8] = []
    while let byte = byte(at: offset), breakLength(byte) == 0, text.count < Self.lineBytesMax {
      text.append(byte)
      offset += 1
    }
    return String(decoding: text, as: UTF8.self)
  }

  mutating func mark(ofByte target: Int) -> YAMLMark {
    var line = 1
    var column = 1
    while offset < target, let byte = byte(at: offset) {
      let length = breakLength(byte)
      offset += max(1, length)
      if length > 0 {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return YAMLMark(line: line, column: column)
  }

  /// How long the line break is that begins at `offset` with `byte`; 0 when none does.
  private mutating func breakLength(_ byte: UInt8) -> Int {
    switch byte {
    case 0x0A: return 1
    case 0x0D: return self.byte(at: offset + 1) == 0x0A ? 2 : 1
    case 0xC2: return self.byte(at: offset + 1) == 0x85 ? 2 : 0
    case 0xE2:
      guard self.byte(at: offset + 1) == 0x80, let third = self.byte(at: offset + 2) else { return 0 }
      return third == 0xA8 || third == 0xA9 ? 3 : 0
    default: return 0
    }
  }

  /// One byte of the source; nil behind its end, and after a read error.
  private mutating func byte(at index: Int) -> UInt8? {
    if index < chunkStart || index >= chunkStart + chunkCount {
      chunkStart = index
      chunkCount = chunk.withUnsafeMutableBytes { source.read(into: $0, at: index) } ?? 0
      guard chunkCount > 0 else { return nil }
    }
    return chunk[index - chunkStart]
  }
}
