/// When the thread that writes waits for more commits (`CommitPace`).

import Platform
import TestSupport
import Testing

@testable import DocStore

@Suite("the pace of durable commits")
struct CommitPaceTests {
  /// After two batches of a millisecond.
  private func pace(count: Int, waiting: Int, isHalfEnough: Bool = false) -> CommitPace {
    var pace = CommitPace(isHalfEnough: isHalfEnough)
    for _ in 0..<2 { pace.noteBatch(count: count, waiting: waiting, nanoseconds: 1_000_000) }
    return pace
  }

  @Test(
    "it waits as long as a batch takes where commits are missing, and not for a single client",
    arguments: [
      (count: 4, waiting: 4, having: 4, wait: 1_000_000), (count: 4, waiting: 4, having: 8, wait: 0),
      (count: 8, waiting: 0, having: 1, wait: 1_000_000), (count: 1, waiting: 0, having: 1, wait: 0),
      (count: 8, waiting: 0, having: 0, wait: 0), (count: 300, waiting: 300, having: 256, wait: 0),
    ] as [(count: Int, waiting: Int, having: Int, wait: UInt64)])
  func waits(count: Int, waiting: Int, having: Int, wait: UInt64) {
    #expect(pace(count: count, waiting: waiting).wait(having: having) == wait)
  }

  @Test(
    "where another process writes it waits for half of those that are expected",
    arguments: [
      (having: 0, wait: 0), (having: 1, wait: 1_000_000), (having: 3, wait: 1_000_000), (having: 4, wait: 0),
    ] as [(having: Int, wait: UInt64)])
  func waitsForHalf(having: Int, wait: UInt64) {
    for (count, waiting) in [(4, 4), (8, 0), (7, 0)] {
      #expect(pace(count: count, waiting: waiting, isHalfEnough: true).wait(having: having) == wait)
    }
  }

  @Test("where waiting brings nothing three times it is given up for 64 batches")
  func givesUp() {
    var pace = pace(count: 4, waiting: 4)
    for _ in 0..<3 {
      #expect(pace.wait(having: 4) > 0)
      pace.noteWait(from: 4, to: 4)
    }
    for _ in 0..<64 {
      #expect(pace.wait(having: 4) == 0)
      pace.noteBatch(count: 4, waiting: 4, nanoseconds: 1_000_000)
    }
    #expect(pace.wait(having: 4) > 0)
    pace.noteWait(from: 4, to: 8)
    for _ in 0..<2 { pace.noteWait(from: 4, to: 4) }
    #expect(pace.wait(having: 4) > 0)
  }

  @Test("a slow disk has nobody wait longer than two milliseconds")
  func slowDisk() {
    var pace = CommitPace()
    pace.noteBatch(count: 2, waiting: 2, nanoseconds: 400_000_000)
    #expect(pace.wait(having: 2) == 2_000_000)
  }

  @Test("the thread is woken when as many are there as it waits for, and by one when it waits for none")
  func waking() throws {
    let queue = CommitQueue()
    queue.open()
    func submit() throws { try queue.submit(.tidy { _ in }) }
    // Some of the commits that it expects never come: it waits in vain, and then is woken as before.
    for count in [8, 3] {
      var pace = CommitPace()
      pace.noteBatch(count: 8, waiting: 0, nanoseconds: 400_000_000)
      try submit()
      try PlatformThread.start {
        for _ in 1..<count { try? queue.submit(.tidy { _ in }) }
      }
      queue.linger(atMost: 0, &pace)
      try eventually("all are there") { queue.waitingCount == count }
      _ = queue.next(atMost: 0, lends: false)
    }
    let isWoken = Monitor(false)
    try PlatformThread.start {
      var pace = CommitPace()
      queue.linger(atMost: 600_000, &pace)
      isWoken.change { $0 = true }
    }
    usleep(20_000)
    try submit()
    #expect(isWoken.wait(atMost: 60_000) { $0 ? () : nil } != nil)
  }
}
