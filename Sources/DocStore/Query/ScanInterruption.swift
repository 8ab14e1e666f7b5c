/// The end of scans that somebody no longer waits for.
///
/// One flag for the whole process, for programs that run one query at a time for one user, such as a shell, where Ctrl-C
/// ends whatever scans; servers never raise it. And a question for each piece of work, which servers ask: whether the call
/// that it is for was cancelled or has passed its deadline.

internal import Synchronization

package enum ScanInterruption {
  private static let flag = Atomic(false)

  /// A flag for some of what runs, as tests need it, which run beside others in one process.
  package final class Flag: Sendable {
    fileprivate let isRaised = Atomic(false)

    package init() {}
  }

  /// The flag of the task at hand in place of the process's.
  @TaskLocal package static var own: Flag?

  /// Whether nobody waits for the work at hand; nil where somebody always does. May be called from any thread.
  @TaskLocal private static var isAbandoned: (@Sendable () -> Bool)?

  /// How many documents or entries are looked at before the flag is; a power of two.
  package static let interval = 256

  /// Ends the scans of queries that run, and those that begin before `clear`: they stop as if their visitor had said so.
  /// Whoever raises it takes what they came to for unfinished.
  package static func raise() {
    guard let own else { return raiseForProcess() }
    own.isRaised.store(true, ordering: .relaxed)
  }

  /// The same whatever the task. Safe in a handler of signals once `isRaised` was asked.
  package static func raiseForProcess() { flag.store(true, ordering: .relaxed) }

  package static func clear() {
    guard let own else { return flag.store(false, ordering: .relaxed) }
    own.isRaised.store(false, ordering: .relaxed)
  }

  package static var isRaised: Bool {
    if let own { return own.isRaised.load(ordering: .relaxed) }
    return flag.load(ordering: .relaxed)
  }

  /// Runs `body`, whose scans end once `isAbandoned` says so: they stop as if their visitor had said so. Whoever asks
  /// takes what they came to for unfinished.
  package static func during<Result, Failure: Error>(
    _ isAbandoned: @escaping @Sendable () -> Bool, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = $isAbandoned.withValue(isAbandoned) {
      Swift.Result { () throws(Failure) in try body() }
    }
    return try result.get()
  }

  /// Whether a scan that has looked at so many documents or entries is to end here.
  @inline(__always)
  static func ends(at count: Int) -> Bool { count & (interval - 1) == 0 && isDue }

  /// Whether the work at hand is to end: for whoever has looked at much without asking `ends`.
  package static var isDue: Bool { isRaised || isAbandoned?() == true }
}
