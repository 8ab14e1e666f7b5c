/// Gives back what starting, and serving for a while, have brought into memory, when nobody asks for anything.
///
/// Most of what a server that has just begun to listen holds are code and constants of files that only the start needs:
/// the system maps sixteen pages around each one that is used.
///
/// State: what was seen at the last look, in atomics that one event loop changes.

internal import CProcess
internal import NIOCore
internal import Synchronization
internal import Telemetry

final class QuietWatch: Sendable {
  /// The first look: whoever has started a server asks at once, or not for a while.
  private static let patience = TimeAmount.seconds(1)
  /// Between two looks after that.
  private static let beat = TimeAmount.seconds(10)

  private let metrics: ServerMetrics
  /// What clients had sent by then.
  private let bytesThen = Atomic(-1)
  private let isDone = Atomic(false)

  private let letGo: @Sendable () -> Void

  init(
    _ metrics: ServerMetrics,
    letGo: @escaping @Sendable () -> Void = {
      docstore_let_go_of_code()
      docstore_give_memory_back()
    }
  ) {
    self.metrics = metrics
    self.letGo = letGo
  }

  /// Looks as long as the event loop runs.
  func begin(on eventLoop: any EventLoop) {
    eventLoop.scheduleRepeatedTask(initialDelay: Self.patience, delay: Self.beat) { [self] _ in look() }
  }

  /// Lets go once in each time of quiet.
  func look() {
    let bytes = metrics.bytesReceived.current
    let before = bytesThen.exchange(bytes, ordering: .relaxed)
    if before >= 0, before != bytes { return isDone.store(false, ordering: .relaxed) }
    if isDone.load(ordering: .relaxed) || metrics.callsUnderWay.current > 0 { return }
    isDone.store(true, ordering: .relaxed)
    letGo()
  }
}
