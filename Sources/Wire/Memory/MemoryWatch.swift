/// Measures the memory of the process while connections hold much, and gives back to the system what nobody uses.
///
/// Nothing runs while connections hold little. When they hold an eighth of the budget, or somebody waits for room, a
/// thread measures and relieves every few milliseconds, until all is quiet; then, once, memory that was freed goes back to
/// the system.
///
/// State and what guards it: `isAwake` is atomic, `control` is a monitor, the rest belongs to the thread.

internal import CProcess
internal import DocStore
internal import NIOCore
internal import Platform
internal import Synchronization
internal import Telemetry

package final class MemoryWatch: Sendable {
  private struct Control {
    var hasThread = false
    var isClosed = false
  }

  /// Between two looks.
  private static let beatMilliseconds = 4
  /// The same when the room is nearly full.
  private static let fastBeatMilliseconds = 1
  /// How long all must be quiet before memory is given back.
  private static let quietNanoseconds: UInt64 = 500_000_000
  /// While much is held: LIMIT of how often memory is given back; the allocator is locked meanwhile.
  private static let trimPause: UInt64 = 250_000_000
  /// The same where memory is not short, as while clients wait that do not read.
  private static let idleTrimPause: UInt64 = 2_000_000_000
  /// LIMIT: freed memory that is not worth giving back.
  private static let trimBytesMin = 16 << 20

  private let isAwake = Atomic(false)
  private let control = Monitor(Control())

  /// Once for the process, before the first connection. Below 4 MiB are most documents and requests: to have each from the
  /// system would cost a third more processor time (900 kB, read and written).
  private static let keepsLargeBlocksApart: Void = docstore_keep_large_blocks_apart(4 << 20)

  package init() { Self.keepsLargeBlocksApart }

  package func close() { control.change { $0.isClosed = true } }

  /// Has the thread look after a budget. Costs a load while it does already.
  func wake(_ budget: MemoryBudget) {
    guard !isAwake.load(ordering: .relaxed),
      isAwake.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else { return }
    let isFirst = control.change { control in
      defer { control.hasThread = true }
      return !control.hasThread && !control.isClosed
    }
    guard isFirst else { return }
    do throws(PlatformThread.Exhausted) { try PlatformThread.start { [self] in run(budget) } } catch {
      // Tried again when somebody wakes it next.
      control.change { $0.hasThread = false }
      isAwake.store(false, ordering: .relaxed)
    }
  }

  private func run(_ budget: MemoryBudget) {
    var trimming = Trimming()
    while true {
      let isClosed = control.wait { control -> Bool? in
        if control.isClosed { return true }
        return isAwake.load(ordering: .relaxed) ? false : nil
      }
      if isClosed || lookAfter(budget, &trimming) { return }
    }
  }

  /// Until all is quiet. Whether the watch was closed.
  private func lookAfter(_ budget: MemoryBudget, _ trimming: inout Trimming) -> Bool {
    var quietSince: UInt64?
    while true {
      let now = NIODeadline.now().uptimeNanoseconds
      trimming.look(at: budget, now: now)
      let isQuiet = budget.relieve(now: now)
      let since = isQuiet ? quietSince ?? now : nil
      quietSince = since
      if let since, now - since >= Self.quietNanoseconds {
        trimming.trim(budget, now: now)
        isAwake.store(false, ordering: .relaxed)
        // Who came in between has not woken anybody.
        guard budget.held >= budget.watchedBytes || !budget.relieve(now: now) else { return false }
        isAwake.store(true, ordering: .relaxed)
      }
      let isTight = budget.free < budget.bytes / 4
      let beat = isTight ? Self.fastBeatMilliseconds : isQuiet ? 50 : Self.beatMilliseconds
      // With thousands that wait a look takes long; it is never the most of what the machine does.
      let milliseconds = max(beat, Int((NIODeadline.now().uptimeNanoseconds - now) / 1_000_000) * 8)
      if control.wait(atMost: milliseconds, { $0.isClosed ? () : nil }) != nil { return true }
    }
  }

  /// When freed memory was last given back, and what the process took beside what is held.
  private struct Trimming {
    private var lastTrim: UInt64 = 0
    private var restThen: Int?

    mutating func look(at budget: MemoryBudget, now: UInt64) {
      guard let rest = measure(budget) else { return }
      let before = restThen ?? rest
      restThen = min(before, rest)
      let isTight = budget.free < budget.bytes / 4
      let pause = isTight ? MemoryWatch.trimPause : MemoryWatch.idleTrimPause
      if rest >= before + MemoryWatch.trimBytesMin, now >= lastTrim + pause { trim(budget, now: now) }
    }

    mutating func trim(_ budget: MemoryBudget, now: UInt64) {
      docstore_give_memory_back()
      lastTrim = now
      restThen = measure(budget)
    }

    private func measure(_ budget: MemoryBudget) -> Int? {
      guard let bytes = ProcessMetrics.privateMemory else { return nil }
      budget.measured(privateBytes: bytes)
      return max(0, bytes - budget.held)
    }
  }
}
