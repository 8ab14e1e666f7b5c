/// Field paths: `a.b`, with back-ticks around segments that are not plain identifiers.

/// The way from a document to one of its fields, through maps.
///
/// INVARIANT: at least one segment, none of them empty.
public struct FieldPath: Sendable {
  public let segments: [String]

  /// Nil when there is no segment or an empty one.
  public init?(segments: [String]) {
    guard !segments.isEmpty, segments.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.segments = segments
  }

  private init(checked segments: [String]) {
    assert(!segments.isEmpty && segments.allSatisfy { !$0.isEmpty }, "a path names something at each step")
    self.segments = segments
  }

  /// The path of one top-level field, taken literally (dots are part of the name).
  public static func field(_ name: String) -> FieldPath? { FieldPath(segments: [name]) }

  /// The pseudo field that holds the document's name.
  public static let documentName = FieldPath(checked: ["__name__"])

  /// Reads the text form that masks, filters and orders use.
  ///
  /// Source: docs/spec/protocol.md 4.5 (grammar and both messages).
  public static func parse(_ text: String) throws(InvalidArgument) -> FieldPath {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw InvalidArgument("Invalid empty property path string.") }
    var segments: [String] = []
    var index = 0
    while true {
      guard let segment = parseSegment(bytes, &index) else { throw malformed(text) }
      segments.append(segment)
      if index == bytes.count { return FieldPath(checked: segments) }
      guard bytes[index] == UInt8(ascii: ".") else { throw malformed(text) }
      index += 1
    }
  }

  private static func malformed(_ text: String) -> InvalidArgument {
    InvalidArgument(
      "Invalid property path \"\(text)\". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), "
        + "and quoted property paths must match regex (`(?:[^`\\\\]|(?:\\\\.))+`)")
  }

  private static func parseSegment(_ bytes: [UInt8], _ index: inout Int) -> String? {
    guard index < bytes.count else { return nil }
    if bytes[index] == UInt8(ascii: "`") { return parseQuoted(bytes, &index) }
    let start = index
    while index < bytes.count, isIdentifierByte(bytes[index], first: index == start) { index += 1 }
    return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
  }

  private static func parseQuoted(_ bytes: [UInt8], _ index: inout Int) -> String? {
    index += 1
    var segment: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "`") {
        return segment.isEmpty ? nil : String(decoding: segment, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        guard index < bytes.count, let meant = unescaped(bytes[index]) else { return nil }
        segment.append(meant)
        index += 1
      } else {
        segment.append(byte)
      }
    }
    return nil
  }

  /// What a backslash and `byte` stand for. The SDKs write only the first two; the others are C's.
  ///
  /// Source: observed on the official emulator, which also takes octal and hexadecimal forms that nobody
  /// sends; every other escape is malformed there as here.
  private static func unescaped(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "`"), UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"): byte
    case UInt8(ascii: "a"): 0x07
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "v"): 0x0B
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "r"): 0x0D
    default: nil
    }
  }

  static func isIdentifierByte(_ byte: UInt8, first: Bool) -> Bool {
    byte.isWordByte && !(first && byte.isDigit)
  }

  /// The text form; `parse(text)` gives the same path back.
  public var text: String {
    segments.count == 1
      ? Self.quotedIfNeeded(segments[0]) : segments.map(Self.quotedIfNeeded).joined(separator: ".")
  }

  private static func quotedIfNeeded(_ segment: String) -> String {
    var plain = segment
    let isPlain = plain.withUTF8 { bytes in
      bytes.indices.allSatisfy { isIdentifierByte(bytes[$0], first: $0 == 0) }
    }
    if isPlain { return segment }
    var quoted = "`"
    for scalar in segment.unicodeScalars {
      if scalar == "`" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "`"
  }

  /// Whether this is `__name__`, the document's name.
  public var isDocumentName: Bool { segments.count == 1 && segments[0] == "__name__" }

  /// Whether `self` is `other` or leads to it.
  public func isPrefix(of other: FieldPath) -> Bool {
    segments.count <= other.segments.count
      && zip(segments, other.segments).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}

extension FieldPath: Hashable, Comparable {
  public static func == (left: FieldPath, right: FieldPath) -> Bool {
    left.segments.count == right.segments.count && left.isPrefix(of: right)
  }

  public func hash(into hasher: inout Hasher) {
    for segment in segments {
      for byte in segment.utf8 { hasher.combine(byte) }
      hasher.combine(0 as UInt8)
    }
  }

  /// Segment by segment, by bytes: the order in which the service adds implied orders.
  public static func < (left: FieldPath, right: FieldPath) -> Bool {
    for (a, b) in zip(left.segments, right.segments) where !a.hasSameBytes(as: b) {
      return a.precedesInBytes(b)
    }
    return left.segments.count < right.segments.count
  }
}
