/// How long the thread that writes waits for more commits before it pays for a durability point.
///
/// Clients that wait for an answer and then commit again fall into two groups: those of a batch, and those that came while it
/// was written. Each group then pays for a durability point of its own. Whoever waits for a moment has both in one batch, and all
/// of them half the time. The moment is at most what a batch takes, which is what it spares, and nobody waits where it brought
/// nothing the last times.
struct CommitPace {
  /// Commits that are likely under way: those of the last batch, whose callers have just been answered, and those that came
  /// meanwhile.
  private var expected = 0
  /// What batches take, on average.
  private var batchNanoseconds: UInt64 = 0
  /// Waits in a row that brought nothing.
  private var vainCount = 0
  /// Batches until it is tried again.
  private var restCount = 0

  /// LIMIT: a disk that takes a tenth of a second has no commit wait longer than this.
  private static let waitNanosecondsMax: UInt64 = 2_000_000
  private static let vainMax = 3
  private static let restBatches = 64

  /// A batch of half of them is enough: the others gather while it is written.
  private let isHalfEnough: Bool

  init(isHalfEnough: Bool = false) { self.isHalfEnough = isHalfEnough }

  /// How many commits are waited for.
  var wanted: Int { isHalfEnough ? (expected + 1) / 2 : expected }

  /// What to wait at most, in nanoseconds, when so many commits are there; 0 for not at all.
  func wait(having count: Int) -> UInt64 {
    guard restCount == 0, count > 0, count < wanted else { return 0 }
    return min(batchNanoseconds, Self.waitNanosecondsMax)
  }

  mutating func noteWait(from before: Int, to after: Int) {
    vainCount = after > before ? 0 : vainCount + 1
    if vainCount < Self.vainMax { return }
    vainCount = 0
    restCount = Self.restBatches
  }

  /// - Parameter waiting: commits that came while the batch was written.
  mutating func noteBatch(count: Int, waiting: Int, nanoseconds: UInt64) {
    expected = min(count + waiting, CommitterLimits.batchCommitsMax)
    batchNanoseconds = batchNanoseconds == 0 ? nanoseconds : (3 * batchNanoseconds + nanoseconds) / 4
    if restCount > 0 { restCount -= 1 }
  }
}
