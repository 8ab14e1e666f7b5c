/// What is done because time has passed, not because somebody asked.

/// Work that becomes due as the store's time goes on (`Environment.now`), which may stand and be moved.
public protocol TimedWork: Sendable {
  /// When something is due next, in microseconds since the epoch; nil while nothing is, or when it is not known.
  var nextTime: Int64? { get }
  /// Does all that is due by the store's time; returns when it is done, or has failed and waits to be tried again.
  func runDue() async
  /// Does what is due, again and again, until the task is cancelled.
  func run() async
}
