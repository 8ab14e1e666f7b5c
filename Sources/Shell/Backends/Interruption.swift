/// Ctrl-C: ends the statement under way, not the shell.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether the user asked for the end of what runs.
///
/// The handler of the signal only raises a flag, which is all that is safe there. It is installed without
/// `SA_RESTART`, so that waiting for a socket or a key ends too.
package enum Interruption {
  private static let flag = Atomic(false)

  /// Makes Ctrl-C raise the flag, and a closed pipe an error of writing rather than the end.
  package static func install() {
    signal(SIGPIPE, SIG_IGN)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in Interruption.raise() }
    sigaction(SIGINT, &action, nil)
  }

  package static func raise() { flag.store(true, ordering: .relaxed) }
  package static func clear() { flag.store(false, ordering: .relaxed) }
  package static var isRaised: Bool { flag.load(ordering: .relaxed) }

  static func check() throws(ShellError) {
    if isRaised { throw ShellError(.interrupted, "interrupted") }
  }
}
