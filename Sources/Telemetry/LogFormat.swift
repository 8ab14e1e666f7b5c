/// How a log line is written: for people, or one JSON object for machines.

internal import DocModel
internal import JSON
public import Logging
internal import Platform

public enum LogFormat: String, Sendable, CaseIterable {
  /// `2026-03-01T09:00:00.412Z info request method=GetDocument ms=0.4`
  case text
  /// `{"time":"2026-03-01T09:00:00.412Z","level":"info","message":"request","method":"GetDocument","ms":"0.4"}`
  case json

  /// LIMIT: bytes of one value; the rest is cut, so that nobody fills a log with one line.
  static let valueBytesMax = 4_096

  /// A line with its end.
  public func line(
    level: Logger.Level, _ message: String, _ metadata: Logger.Metadata, atMilliseconds time: Int64
  ) -> [UInt8] {
    let values = metadata.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    switch self {
    case .text:
      var line: [UInt8] = []
      line.reserveCapacity(160)
      line += timeText(time)
      line += " \(level.rawValue) ".utf8
      appendText(message, to: &line, isQuoted: false)
      for (key, value) in values {
        line.append(UInt8(ascii: " "))
        appendText(key, to: &line, isQuoted: false)
        line.append(UInt8(ascii: "="))
        appendText(value, to: &line, isQuoted: Self.needsQuotes(value))
      }
      return line + [UInt8(ascii: "\n")]
    case .json:
      var writer = JSONWriter()
      writer.reserve(160)
      writer.object { object in
        object.member("time") { $0.string(timeText(time)) }
        object.member("level") { $0.string(level.rawValue) }
        object.member("message") { $0.string(Self.cut(message)) }
        for (key, value) in values {
          object.member(named: Self.cut(Self.reserved.contains(key) ? key + "_" : key)) {
            $0.string(Self.cut(value))
          }
        }
      }
      return writer.bytes + [UInt8(ascii: "\n")]
    }
  }

  private static let reserved: Set<String> = ["time", "level", "message"]

  private static func needsQuotes(_ value: String) -> Bool {
    value.isEmpty || value.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "=") }
  }

  /// Control characters are escaped: a line stays one line, whatever a client has sent.
  private func appendText(_ text: String, to line: inout [UInt8], isQuoted: Bool) {
    if isQuoted { line.append(UInt8(ascii: "\"")) }
    for byte in Self.cut(text).utf8 {
      switch byte {
      case UInt8(ascii: "\n"): line += "\\n".utf8
      case UInt8(ascii: "\r"): line += "\\r".utf8
      case UInt8(ascii: "\t"): line += "\\t".utf8
      case 0..<0x20, 0x7F: line += "\\x".utf8 + Self.hex(byte)
      case UInt8(ascii: "\"") where isQuoted: line += "\\\"".utf8
      default: line.append(byte)
      }
    }
    if isQuoted { line.append(UInt8(ascii: "\"")) }
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > valueBytesMax else { return text }
    return String(decoding: text.utf8.prefix(valueBytesMax), as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private func timeText(_ milliseconds: Int64) -> [UInt8] {
    let whole = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    let rest = Int32(milliseconds - whole * 1_000)
    // Always three digits, so that lines stand below each other.
    let seconds = Timestamp(seconds: whole, nanoseconds: 0).rfc3339.dropLast()
    let digits = String(rest)
    return Array(seconds.utf8) + Array(".".utf8)
      + [UInt8](repeating: UInt8(ascii: "0"), count: 3 - digits.utf8.count) + Array(digits.utf8)
      + [UInt8(ascii: "Z")]
  }
}
