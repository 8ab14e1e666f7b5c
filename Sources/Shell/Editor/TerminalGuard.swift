/// What a signal that ends a program at the terminal does first: it gives the terminal back as it was.

package import Platform
import Synchronization

/// INVARIANT: what handlers touch is there before they are installed and never goes: memory of this type is not
/// freed, and only calls that are safe in handlers are made.
package enum TerminalGuard {
  /// The terminal as it was; written before `isArmed` is set.
  nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  /// Ends the marks around pastes.
  nonisolated(unsafe) private static let farewell: UnsafeMutableBufferPointer<UInt8> = {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 8)
    _ = bytes.initialize(from: "\u{1B}[?2004l".utf8)
    return bytes
  }()
  private static let isArmed = Atomic(false)

  /// Handlers for the end by `kill` and by a terminal that goes; one that is ignored, as by `nohup`, stays so.
  package static func install(_ state: termios, signals: [Int32] = [SIGTERM, SIGHUP]) {
    saved.initialize(to: state)
    _ = farewell
    isArmed.store(false, ordering: .relaxed)
    for number in signals {
      var before = sigaction()
      sigaction(number, nil, &before)
      let isIgnored = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1
      if isIgnored { continue }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { TerminalGuard.leave($0) }
      sigaction(number, &action, nil)
    }
  }

  /// Whether the terminal is to be given back.
  package static func arm(_ isRaw: Bool) { isArmed.store(isRaw, ordering: .sequentiallyConsistent) }

  private static func leave(_ number: Int32) {
    if isArmed.load(ordering: .sequentiallyConsistent) {
      _ = write(STDOUT_FILENO, farewell.baseAddress, farewell.count)
      tcsetattr(STDIN_FILENO, TCSANOW, saved)
    }
    signal(number, SIG_DFL)
    raise(number)
  }
}
