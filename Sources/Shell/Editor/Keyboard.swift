/// Keys of a terminal: bytes and escape sequences as what people press.

import Platform

enum Key: Equatable {
  case text(String)
  case enter, altEnter, tab, backTab, backspace, delete
  case left, right, up, down, home, end, wordLeft, wordRight
  /// Ctrl and a letter.
  case control(Character)
  case escape
  /// A whole pasted text.
  case paste(String)
  /// Nobody types any more.
  case closed
  /// A signal came while waiting.
  case interrupted
}

/// The terminal in raw mode, and keys from it.
///
/// Owner: the session's thread. Raw only while a line is read: programs that statements run, and Ctrl-C for
/// them, need the terminal as it was.
final class Keyboard {
  private var saved = termios()
  private var isRaw = false

  /// Nil when standard input is no terminal that can be edited on.
  static func open() -> Keyboard? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    if let kind = getenv("TERM"), String(cString: kind) == "dumb" { return nil }
    let keyboard = Keyboard()
    guard tcgetattr(STDIN_FILENO, &keyboard.saved) == 0 else { return nil }
    TerminalGuard.install(keyboard.saved)
    return keyboard
  }

  func makeRaw() {
    guard !isRaw else { return }
    var raw = saved
    cfmakeraw(&raw)
    // Line ends of what others write stay line ends.
    raw.c_oflag |= tcflag_t(OPOST)
    TerminalGuard.arm(true)
    isRaw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0
    // Pastes come with marks around them.
    _ = Console.write(Array("\u{1B}[?2004h".utf8), to: STDOUT_FILENO)
  }

  func restore() {
    guard isRaw else { return }
    _ = Console.write(Array("\u{1B}[?2004l".utf8), to: STDOUT_FILENO)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
    isRaw = false
    TerminalGuard.arm(false)
  }

  private enum Byte {
    case byte(UInt8)
    case closed, interrupted, late
  }

  /// - Parameter milliseconds: how long to wait; negative for ever.
  private func next(within milliseconds: Int32 = -1) -> Byte {
    var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let count = poll(&ready, 1, milliseconds)
    if count == 0 { return .late }
    if count < 0 { return errno == EINTR ? .interrupted : .closed }
    var byte: UInt8 = 0
    let taken = Platform.read(STDIN_FILENO, &byte, 1)
    if taken == 1 { return .byte(byte) }
    return taken < 0 && errno == EINTR ? .interrupted : .closed
  }

  func key() -> Key {
    switch next() {
    case .closed: return .closed
    case .interrupted, .late: return .interrupted
    case .byte(let byte): return key(byte)
    }
  }

  private func key(_ byte: UInt8) -> Key {
    switch byte {
    case 0x0D, 0x0A: return .enter
    case 0x09: return .tab
    case 0x7F, 0x08: return .backspace
    case 0x1B: return escaped()
    case 0..<0x20: return .control(Character(Unicode.Scalar(byte + 0x60)))
    case 0x20..<0x80: return .text(String(Unicode.Scalar(byte)))
    default: return character(byte)
    }
  }

  /// The rest of a character of several bytes.
  private func character(_ first: UInt8) -> Key {
    let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0
    var bytes = [first]
    for _ in 0..<count {
      guard case .byte(let byte) = next(within: 200) else { break }
      bytes.append(byte)
    }
    return .text(String(decoding: bytes, as: UTF8.self))
  }

  /// What follows the escape character; alone after a moment it is the key.
  private func escaped() -> Key {
    guard case .byte(let byte) = next(within: 50) else { return .escape }
    switch byte {
    case 0x0D, 0x0A: return .altEnter
    case UInt8(ascii: "b"): return .wordLeft
    case UInt8(ascii: "f"): return .wordRight
    case UInt8(ascii: "["), UInt8(ascii: "O"): return sequence()
    default: return .escape
    }
  }

  private func sequence() -> Key {
    var parameters: [UInt8] = []
    while parameters.count < 16, case .byte(let byte) = next(within: 200) {
      if byte < 0x40 {
        parameters.append(byte)
        continue
      }
      let text = String(decoding: parameters, as: UTF8.self)
      let isModified = text.hasSuffix(";5") || text.hasSuffix(";3")
      switch byte {
      case UInt8(ascii: "A"): return .up
      case UInt8(ascii: "B"): return .down
      case UInt8(ascii: "C"): return isModified ? .wordRight : .right
      case UInt8(ascii: "D"): return isModified ? .wordLeft : .left
      case UInt8(ascii: "H"): return .home
      case UInt8(ascii: "F"): return .end
      case UInt8(ascii: "Z"): return .backTab
      case UInt8(ascii: "~"):
        switch text {
        case "1", "7": return .home
        case "4", "8": return .end
        case "3": return .delete
        case "200": return .paste(pasted())
        default: return .escape
        }
      default: return .escape
      }
    }
    return .escape
  }

  /// LIMIT: bytes of one paste.
  private static let pasteBytesMax = 1 << 20

  private func pasted() -> String {
    var bytes: [UInt8] = []
    let end = Array("\u{1B}[201~".utf8)
    while bytes.count < Self.pasteBytesMax, case .byte(let byte) = next(within: 2_000) {
      bytes.append(byte == 0x0D ? 0x0A : byte)
      if bytes.suffix(end.count).elementsEqual(end) {
        return String(decoding: bytes.dropLast(end.count), as: UTF8.self)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
