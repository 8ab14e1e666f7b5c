/// Texts of documents on a terminal: nothing in them may move the cursor, change colours or turn the
/// direction of writing.

import DocModel

enum TextEscape {
  /// Whether a terminal or a reader could be fooled by the character.
  static func isHostile(_ scalar: Unicode.Scalar) -> Bool { scalar.isHostile }

  /// As it is, with hostile characters as escapes.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHostile) else { return text }
    var result = ""
    append(text, quote: nil, to: &result)
    return result
  }

  /// In double quotes, so that it can be read back.
  static func quoted(_ text: String) -> String {
    var result = "\""
    append(text, quote: "\"", to: &result)
    return result + "\""
  }

  private static func append(_ text: String, quote: Unicode.Scalar?, to result: inout String) {
    guard text.unicodeScalars.contains(joiner) else {
      for scalar in text.unicodeScalars { append(scalar, quote: quote, to: &result) }
      return
    }
    for character in text {
      if isJoinedEmoji(character) {
        result.append(character)
      } else {
        for scalar in character.unicodeScalars { append(scalar, quote: quote, to: &result) }
      }
    }
  }

  /// Makes one sign of several emoji, and is invisible elsewhere.
  private static let joiner: Unicode.Scalar = "\u{200D}"

  /// Emoji with joiners between them: there, and only there, a joiner is seen.
  private static func isJoinedEmoji(_ character: Character) -> Bool {
    var isEmojiBefore = false
    for scalar in character.unicodeScalars {
      if scalar == joiner {
        guard isEmojiBefore else { return false }
        isEmojiBefore = false
      } else if scalar.properties.isEmoji && scalar.value > 0x7F {
        isEmojiBefore = true
      } else if scalar.value != 0xFE0F {
        return false
      }
    }
    return isEmojiBefore
  }

  private static func append(_ scalar: Unicode.Scalar, quote: Unicode.Scalar?, to result: inout String) {
    switch scalar {
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    case "\r": result += "\\r"
    case "\\" where quote != nil: result += "\\\\"
    default:
      if scalar == quote {
        result += "\\\""
      } else if isHostile(scalar) {
        result += escape(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// `\u001b`; beyond four digits as the two halves that JSON has.
  private static func escape(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }.joined()
  }

  /// Columns of a terminal that a text takes: wide characters two, marks that join none.
  static func width(_ text: String) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.value > 0x7F, isWideEmoji(character, scalar) { return 2 }
    switch scalar.value {
    case 0x20...0x7E: return 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default: return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
    }
  }

  /// Emoji are two columns wide, also those that only a selector makes pictures, and flags of two letters.
  private static func isWideEmoji(_ character: Character, _ first: Unicode.Scalar) -> Bool {
    if first.properties.isEmojiPresentation { return true }
    return first.properties.isEmoji && character.unicodeScalars.dropFirst().first?.value == 0xFE0F
  }

  /// Cut to so many columns, with `…` where something is left out.
  static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var result = ""
    var used = 0
    for character in text {
      let own = width(character)
      if used + own > columns - 1 { break }
      result.append(character)
      used += own
    }
    return result + "…"
  }

  /// Without blanks at its end.
  static func trimmed(_ text: String) -> String {
    var text = text
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }
}
