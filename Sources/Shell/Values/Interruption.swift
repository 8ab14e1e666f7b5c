/// Ctrl-C: ends the statement under way, not the shell.

import DocStore
import Platform

/// Whether the user asked for the end of what runs.
///
/// The handler of the signal only raises a flag, which is all that is safe there. It is installed without
/// `SA_RESTART`, so that waiting for a socket or a key ends too.
package enum Interruption {
  /// Makes Ctrl-C raise the flag, and a closed pipe an error of writing rather than the end.
  package static func install() {
    signal(SIGPIPE, SIG_IGN)
    // The flag is made here, not in the handler.
    clear()
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in ScanInterruption.raiseForProcess() }
    sigaction(SIGINT, &action, nil)
  }

  /// Scans of a store in this process end, too.
  package static func raise() { ScanInterruption.raise() }
  package static func clear() { ScanInterruption.clear() }
  package static var isRaised: Bool { ScanInterruption.isRaised }

  static func check() throws(ShellError) {
    if isRaised { throw ShellError(.interrupted, "interrupted") }
  }

  /// While it lasts the shell hears neither Ctrl-C nor Ctrl-\: a program has the terminal, and they are the program's.
  ///
  /// Owner: the session's thread. One inside another changes nothing.
  struct Deafness {
    private static let numbers = [SIGINT, SIGQUIT]
    private var before: [sigaction] = []

    init() {
      var ignored = sigaction()
      ignored.__sigaction_handler.sa_handler = SIG_IGN
      for number in Self.numbers {
        var action = sigaction()
        sigaction(number, &ignored, &action)
        before.append(action)
      }
    }

    func end() {
      for (number, action) in zip(Self.numbers, before) {
        var action = action
        sigaction(number, &action, nil)
      }
    }
  }
}
