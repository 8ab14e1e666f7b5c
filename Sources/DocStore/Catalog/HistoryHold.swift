/// History that somebody still needs, kept beyond the hour that reads may go back.

internal import Synchronization

/// State: the version after which everything is kept; `.max` when nobody holds anything.
final class HistoryHold: Sendable {
  /// LIMIT: how long history is held at most, so that nobody who is gone for good fills the disk.
  static let secondsMax: Int64 = 7 * 24 * 3_600

  private let version: Atomic<Int64>

  init(_ version: Int64?) { self.version = Atomic(version ?? .max) }

  func set(_ held: Int64?) { version.store(held ?? .max, ordering: .sequentiallyConsistent) }

  /// Up to where history may be collected at a time: `floor`, or less while somebody holds on to it.
  func bounded(_ floor: Int64, now: Int64) -> Int64 {
    let held = version.load(ordering: .sequentiallyConsistent)
    return min(floor, max(held, now - Self.secondsMax * 1_000_000))
  }
}
