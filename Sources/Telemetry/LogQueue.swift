/// Lines on their way to a file descriptor, written by a thread that does nothing else.
///
/// Whoever logs never waits: a line is taken into memory, or dropped and counted when too much waits there,
/// because a reader of logs that has stopped reading must stop nobody else. What was dropped is told in a line of
/// its own as soon as lines go out again.
///
/// State and its guard: `state` behind its monitor.

internal import DocStore
internal import Platform

public final class LogQueue: Sendable {
  /// LIMIT: lines and bytes that wait to be written.
  public static let linesMax = 8_192
  public static let bytesMax = 4 << 20
  /// How long `close` waits for what was logged to be written.
  private static let closeMilliseconds = 1_000

  /// What the queue has done so far.
  public struct Metrics: Sendable, Equatable {
    public var written = 0
    public var dropped = 0
    public var waiting = 0
  }

  private struct State {
    var pending: [UInt8] = []
    var metrics = Metrics()
    /// Dropped, and not told yet.
    var untold = 0
    var isClosing = false
    var hasEnded = false
  }

  private let descriptor: Int32
  private let state = Monitor(State())
  /// The line that tells how many lines were dropped.
  private let dropNotice: @Sendable (Int) -> [UInt8]

  /// Starts the thread. The descriptor stays the caller's.
  public init(descriptor: Int32, dropNotice: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.dropNotice = dropNotice
    do throws(PlatformThread.Exhausted) { try PlatformThread.start { [self] in write() } } catch {
      state.change { $0.hasEnded = true }
    }
  }

  /// Takes a line, its end included, or drops it. Never waits for the reader of the log.
  public func append(_ line: [UInt8]) {
    state.change { state in
      guard !state.hasEnded, state.metrics.waiting < Self.linesMax,
        state.pending.count + line.count <= Self.bytesMax
      else {
        state.metrics.dropped += 1
        state.untold += 1
        return
      }
      state.metrics.waiting += 1
      state.pending.append(contentsOf: line)
    }
  }

  public var metrics: Metrics { state.withLock { $0.metrics } }

  /// Writes what waits, for a while at most, and ends the thread. Lines that come later are dropped.
  public func close() {
    state.change { $0.isClosing = true }
    _ = state.wait(atMost: Self.closeMilliseconds) { $0.hasEnded ? true : nil }
  }

  /// The writing thread.
  private func write() {
    while let (bytes, count) = next() {
      let isWritten = (try? Descriptor.writeAll(bytes, to: descriptor)) != nil
      state.change { state in
        state.metrics.waiting -= count
        if isWritten { state.metrics.written += count } else { state.metrics.dropped += count }
      }
    }
    state.change { $0.hasEnded = true }
  }

  /// All that waits, once there is something; nil at the end.
  private func next() -> (bytes: [UInt8], count: Int)? {
    state.wait { state -> (bytes: [UInt8], count: Int)?? in
      guard state.untold > 0 || !state.pending.isEmpty else {
        return state.isClosing ? .some(nil) : nil
      }
      var bytes = state.pending
      let count = state.metrics.waiting
      state.pending = []
      if state.untold > 0 {
        bytes += dropNotice(state.untold)
        state.untold = 0
      }
      return .some((bytes, count))
    }
  }
}
