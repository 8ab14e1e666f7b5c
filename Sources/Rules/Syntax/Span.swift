/// A range of bytes in a ruleset's source text, and the text itself with its lines.
///
/// INVARIANT: `0 <= start <= end <= source size`; both ends lie on character boundaries, because
/// the lexer only cuts there.
public struct Span: Sendable, Hashable {
  /// Offset of the first byte.
  public let start: Int32
  /// Offset after the last byte.
  public let end: Int32

  public init(start: Int32, end: Int32) {
    self.start = start
    self.end = end
  }

  /// The smallest span that covers both.
  public func joined(with other: Span) -> Span {
    Span(start: min(start, other.start), end: max(end, other.end))
  }

  /// The empty span at the start of this one.
  public var atStart: Span { Span(start: start, end: start) }

  /// The empty span after this one.
  public var atEnd: Span { Span(start: end, end: end) }

  /// What lies there in the bytes of a whole source.
  func slice(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    let end = min(Int(end), bytes.count)
    return bytes[min(Int(start), end)..<end]
  }

  func text(in bytes: [UInt8]) -> String { String(decoding: slice(of: bytes), as: UTF8.self) }

  public var byteCount: Int { Int(end - start) }
  public var isEmpty: Bool { start == end }
}

/// A place a person can find: both numbers count from one.
public struct SourcePosition: Sendable, Hashable {
  public let line: Int
  /// Counts characters as the official compiler does: code points, a tab is one.
  public let column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// The text of a ruleset and where its lines begin.
public struct SourceText: Sendable {
  /// What the file is called in messages.
  public let name: String
  public let bytes: [UInt8]
  /// Offset of the first byte of every line; the first is zero.
  public let lineStarts: [Int32]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var starts: [Int32] = [0]
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      starts.append(Int32(offset + 1))
    }
    lineStarts = starts
  }

  /// The line and column of a byte offset.
  public func position(of offset: Int32) -> SourcePosition {
    let line = lineIndex(of: offset)
    return SourcePosition(line: line + 1, column: characterCount(from: lineStarts[line], to: offset) + 1)
  }

  /// The line of a byte offset, counted from one. Much cheaper than `position(of:)`, which counts
  /// characters: whatever is asked once per token must ask only this.
  public func lineNumber(of offset: Int32) -> Int { lineIndex(of: offset) + 1 }

  /// Number of code points before a byte offset: what the official compiler calls an offset.
  public func characterOffset(of offset: Int32) -> Int { characterCount(from: 0, to: offset) }

  /// The source text of a span.
  public func text(of span: Span) -> String { span.text(in: bytes) }

  /// The bytes of a span.
  public func slice(of span: Span) -> ArraySlice<UInt8> { span.slice(of: bytes) }

  /// The text of a line, without its line break; lines count from one.
  public func line(_ number: Int) -> String {
    guard number >= 1, number <= lineStarts.count else { return "" }
    let start = Int(lineStarts[number - 1])
    var end = number < lineStarts.count ? Int(lineStarts[number]) - 1 : bytes.count
    if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private func lineIndex(of offset: Int32) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  private func characterCount(from start: Int32, to end: Int32) -> Int {
    var count = 0
    for byte in bytes[Int(start)..<min(Int(end), bytes.count)] where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }
}

extension SourceText {
  /// The token that follows a place after blanks and comments.
  func word(after start: Int32, length: Int32) -> Span {
    var index = Int(start)
    while index < bytes.count {
      if bytes[index...].starts(with: "//".utf8) {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else if bytes[index...].starts(with: "/*".utf8) {
        index += 2
        while index < bytes.count, !bytes[index...].starts(with: "*/".utf8) { index += 1 }
        index += 2
      } else if bytes[index] <= 0x20 {
        index += 1
      } else {
        break
      }
    }
    return Span(start: Int32(index), end: Int32(index) + length)
  }
}
