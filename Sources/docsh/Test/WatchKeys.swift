/// The keys of `docsh test --watch`, where standard input is a terminal.

import Platform
import Shell

/// Reads keys as they are pressed; lines are not waited for, and nothing is shown that was not written here.
///
/// State and its owner: the loop. The terminal is as it was when the process ends: by `leave`, or by a signal.
final class WatchKeys {
  enum Key: Equatable {
    case all, failed, again, why, quit
    /// Names hold the text; an empty one means all.
    case filter(String)
  }

  private let saved: termios
  /// What is typed behind `filter:`.
  private var typed: String?

  /// Nil where nobody can press keys.
  init?() {
    var state = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &state) == 0 else {
      return nil
    }
    saved = state
    TerminalGuard.install(saved, signals: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    state.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &state) == 0 else { return nil }
    TerminalGuard.arm(true)
  }

  /// Gives the terminal back.
  func leave() {
    var state = saved
    tcsetattr(STDIN_FILENO, TCSANOW, &state)
    TerminalGuard.arm(false)
  }

  /// The line at the foot.
  func prompt(_ suites: String) {
    if let typed { return Terminal.overwrite("filter: \(typed)") }
    let keys = "a all · f failed · t filter · v why · Enter again · q quit"
    let line = "watching \(suites) · \(keys)"
    Terminal.overwrite(Terminal.isInteractive ? "\u{1B}[2m\(line)\u{1B}[0m" : line)
  }

  /// Takes the line at the foot away, for what is printed now.
  func clear() { Terminal.overwrite("") }

  /// The keys that were pressed, in order; nil when there is no terminal any more.
  func read() -> [Key]? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Platform.read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && errno == EINTR ? [] : nil }
    // What begins with Escape is an arrow or its like, and alone ends typing.
    if bytes[0] == 0x1B {
      typed = nil
      return []
    }
    return String(decoding: bytes[..<count], as: UTF8.self).compactMap(key)
  }

  private func key(_ character: Character) -> Key? {
    guard let text = typed else {
      switch character {
      case "a": return .all
      case "f": return .failed
      case "v": return .why
      case "t": typed = ""
      case "q", "\u{4}": return .quit
      case "\n", "\r": return .again
      default: break
      }
      return nil
    }
    switch character {
    case "\n", "\r":
      typed = nil
      return .filter(text)
    case "\u{7F}", "\u{8}": typed = String(text.dropLast())
    case "\u{15}": typed = ""
    default:
      if !character.unicodeScalars.contains(where: { $0.value < 0x20 }) { typed = text + String(character) }
    }
    return nil
  }
}
