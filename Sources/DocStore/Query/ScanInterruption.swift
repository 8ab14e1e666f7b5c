/// The end of scans that somebody no longer waits for.
///
/// One flag for the whole process: for programs that run one query at a time for one user, such as a shell, where Ctrl-C
/// ends whatever scans. Servers never raise it.

internal import Synchronization

package enum ScanInterruption {
  private static let flag = Atomic(false)

  /// How many documents or entries are looked at before the flag is; a power of two.
  package static let interval = 256

  /// Ends the scans of queries that run, and those that begin before `clear`: they stop as if their visitor had said so.
  /// Whoever raises it takes what they came to for unfinished. Safe in a handler of signals once `isRaised` was asked.
  package static func raise() { flag.store(true, ordering: .relaxed) }
  package static func clear() { flag.store(false, ordering: .relaxed) }
  package static var isRaised: Bool { flag.load(ordering: .relaxed) }

  /// Whether a scan that has looked at so many documents or entries is to end here.
  @inline(__always)
  static func ends(at count: Int) -> Bool { count & (interval - 1) == 0 && isRaised }
}
