/// A clock that stands still until somebody moves it: for suites, and for servers that tests drive.

public import DocModel
internal import Synchronization

/// The time of a store in which only tests let time pass.
///
/// Versions go on while it stands, a microsecond a commit; server timestamps and `request.time` are the time that was
/// set last before the version. What waits and limits are measured by (`Environment.elapsed`) runs on.
public final class StandingClock: Sendable {
  /// LIMIT: settings that are remembered, for commits under way while the clock is moved.
  private static let stepsMax = 64

  /// Ascending; the last one is the present.
  private let steps: Mutex<[Int64]>

  /// Stands at a time in microseconds since the epoch.
  public init(_ time: Int64) { steps = Mutex([time]) }

  public var now: Int64 { steps.withLock { $0[$0.count - 1] } }

  /// Goes on to a later time, or stays; an earlier one is refused.
  public func move(to time: Int64) throws(InvalidArgument) {
    let present = steps.withLock { steps -> Int64? in
      let present = steps[steps.count - 1]
      if time < present { return present }
      if time > present { steps.append(time) }
      if steps.count > Self.stepsMax { steps.removeFirst() }
      return nil
    }
    guard let present else { return }
    throw InvalidArgument(
      "The clock stands at \(Timestamp(microseconds: present).rfc3339) and cannot go back to "
        + "\(Timestamp(microseconds: time).rfc3339).")
  }

  /// Any time, also an earlier one: cases of a suite are judged at times of their own.
  package func set(_ time: Int64) { steps.withLock { $0 = [time] } }

  /// What a commit of this version writes as server time: the same for all parts of a commit, also when the clock is
  /// moved meanwhile.
  func serverTime(_ version: Int64) -> Int64 {
    steps.withLock { steps in steps.last { $0 <= version } ?? steps[0] }
  }

  /// The machine's clock measures what passes.
  public func environment(random: @escaping @Sendable () -> UInt64) -> Environment {
    Environment(
      now: { [self] in now }, random: random, serverTime: { [self] in serverTime($0) },
      elapsed: Environment.system.elapsed)
  }
}

extension StandingClock {
  /// A time that people write, in microseconds since the epoch: `2026-03-01T00:00:00Z`, or with a sign, after
  /// `present`, `+12h`, `+1d12h30m`.
  public static func time(_ text: String, after present: Int64) throws(InvalidArgument) -> Int64 {
    guard text.hasPrefix("+") else {
      let instant = Timestamp(rfc3339: text.utf8.count == 10 ? text + "T00:00:00Z" : text)
      guard let instant, instant.seconds >= 0 else {
        throw InvalidArgument(
          "'\(text)' is no time since 1970; write 2026-03-01T00:00:00Z, 2026-03-01, or +12h, +1d12h30m (w, d, h, m, s)"
        )
      }
      return instant.microseconds
    }
    let time = present + (try TimeStep.seconds(text.dropFirst(), of: text)) * 1_000_000
    guard Timestamp(microseconds: time).isValid else {
      throw InvalidArgument("'\(text)' leads behind the year 9999, where times end")
    }
    return time
  }
}
