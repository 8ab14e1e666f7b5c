/// Scalars and what they mean.

internal import JSON

/// How a scalar is written. Only plain ones are anything but strings.
public enum YAMLScalarStyle: Sendable {
  case plain, singleQuoted, doubleQuoted, literal, folded
}

/// What a scalar means.
public enum YAMLScalarValue: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case string
}

/// A scalar as written and as resolved.
///
/// Plain scalars: nothing, `~` and `null` are null; `true` and `false` are booleans; numbers as JSON
/// writes them, and `.inf`, `-.inf`, `.nan`, are numbers; everything else is a string. So `yes`, `No`,
/// `0x10`, `007`, `+1` and `2026-01-05` are strings: nothing changes its meaning unseen.
public struct YAMLScalar: Sendable {
  public let text: String
  public let style: YAMLScalarStyle
  public let value: YAMLScalarValue

  /// Throws when a plain scalar is a number that neither Int64 nor Double can hold.
  init(text: String, style: YAMLScalarStyle, at mark: YAMLMark) throws(YAMLError) {
    self.text = text
    self.style = style
    value = style == .plain ? try Self.resolve(text, at: mark) : .string
  }

  private static func resolve(_ text: String, at mark: YAMLMark) throws(YAMLError) -> YAMLScalarValue {
    // The first byte decides most scalars without looking further.
    guard let first = text.utf8.first else { return .null }
    switch first {
    case UInt8(ascii: "~"): return text.utf8.count == 1 ? .null : .string
    case UInt8(ascii: "n"): return text == "null" ? .null : .string
    case UInt8(ascii: "t"): return text == "true" ? .boolean(true) : .string
    case UInt8(ascii: "f"): return text == "false" ? .boolean(false) : .string
    case UInt8(ascii: "."):
      return text == ".inf" ? .double(.infinity) : text == ".nan" ? .double(.nan) : .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      if text == "-.inf" { return .double(-.infinity) }
      return try number(text, at: mark)
    default: return .string
    }
  }

  private static func number(_ text: String, at mark: YAMLMark) throws(YAMLError) -> YAMLScalarValue {
    switch JSONNumberForm(of: text.utf8.span) {
    case nil: return .string
    case .whole:
      guard let number = Int64(text) else {
        throw YAMLError(
          "the integer \(text) does not fit in 64 bits; quote it to make it a text", at: mark)
      }
      return .integer(number)
    case .fraction:
      guard let number = Double(text), number.isFinite else {
        throw YAMLError("the number \(text) is too large for a double; quote it to make it a text", at: mark)
      }
      return .double(number)
    }
  }
}
