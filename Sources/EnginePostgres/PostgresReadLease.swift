/// For how long this server may read without looking at the log of commits.
///
/// Where a store is read much and nobody commits, a look for each turn of a loop takes longer than the reads. So commits are
/// announced: a row of `clock` says whether any may come. While it says no, a look that began at a time allows reads for
/// `leaseSeconds` from that time on. Who wants to commit says so in the row, and waits for `waitSeconds` before the commit
/// itself: every lease that was given before has ended then, and who looks from now on gets none. That is the state in which a
/// store begins; it ends when a server that looks often sees that nothing was committed for a while.
///
/// Nobody's wall clock matters, and no server has to answer: clocks that only go forward must go about equally fast on all
/// machines, and may not stand still while others go.
///
/// INVARIANT: a commit is sent at least `waitSeconds` after its server has first seen this announcement over the same link, and
/// the row still said so when it was read with the clock's row had, which is kept until the commit. Who changes the row back
/// has the clock's row, too.

internal import Platform
internal import Synchronization

final class PostgresReadLease: Sendable {
  /// What the row says. Each change has a number, odd where commits may come.
  struct Announcement: Hashable {
    let number: Int64
    var isMade: Bool { number % 2 != 0 }
  }

  private struct State {
    /// What a commit has seen over its link, and since when. Of another link that says nothing: a standby that has become the
    /// primary may lack an announcement, and gives its number to another one.
    var seen = (announcement: Announcement(number: 1), link: 0, since: Int64.max)
    /// What has stood unchanged, the announcement and the number of the last commit, and since when.
    var unchanged = (announcement: Announcement(number: 1), commit: Int64(-1), since: Int64.max)
    /// The looks that were counted, and when.
    var counted = (looks: 0, at: Int64(0))
  }

  private let state = Mutex(State())
  private let end = Atomic<Int64>(0)
  private let looks = Atomic<Int>(0)

  static let leaseSeconds = 0.002
  /// Longer, for clocks that do not go equally fast.
  static let waitSeconds = 0.003
  private static let quietSeconds = 0.25
  /// Looks in a second that are worth it.
  private static let looksMin = 500.0
  private static let countedSeconds = 0.04

  private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  /// Whether everything that was committed is here.
  var holds: Bool { SystemClock.monotonic < end.load(ordering: .acquiring) }

  /// A look has found nothing new.
  ///
  /// - Parameter began: when it was sent.
  func note(_ announcement: Announcement, began: Int64) {
    looks.wrappingAdd(1, ordering: .relaxed)
    guard !announcement.isMade else { return }
    end.max(began + Self.nanoseconds(Self.leaseSeconds), ordering: .acquiringAndReleasing)
  }

  // MARK: commits

  /// From when on a commit may be sent, by the clock that only goes forward; nil where it has to be announced first.
  ///
  /// - Parameters:
  ///   - announcement: what the row says, asked with the clock's row.
  ///   - link: over which it was asked, and the commit will be sent.
  func commitTime(_ announcement: Announcement, over link: PostgresLink) -> Int64? {
    let now = SystemClock.monotonic
    return state.withLock { state in
      if state.seen.announcement != announcement || state.seen.link != link.number {
        state.seen = (announcement, link.number, now)
      }
      return announcement.isMade ? state.seen.since + Self.nanoseconds(Self.waitSeconds) : nil
    }
  }

  // MARK: quiet

  /// Whether the announcement is to be taken back: nothing has been committed for a while, and there are many looks.
  func isQuiet(_ announcement: Announcement, after commit: Int64) -> Bool {
    let now = SystemClock.monotonic
    let looks = looks.load(ordering: .relaxed)
    return state.withLock { state in
      if state.unchanged.announcement != announcement || state.unchanged.commit != commit {
        state.unchanged = (announcement, commit, now)
      }
      let seconds = Double(now - state.counted.at) / 1e9
      guard seconds >= Self.countedSeconds else { return false }
      let rate = Double(looks - state.counted.looks) / seconds
      state.counted = (looks, now)
      return announcement.isMade && rate >= Self.looksMin
        && now - state.unchanged.since >= Self.nanoseconds(Self.quietSeconds)
    }
  }
}
