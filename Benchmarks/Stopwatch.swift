/// Time as benchmarks in one thread count it: the thread's own processor time, so that other work on the
/// machine does not count.

// Swift takes the system's `timespec` to be of the first module of C that a target names it with, and this target names that one.
import CNGHTTP2
import Platform

enum Stopwatch {
  static func processorNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// Nanoseconds that `body` takes for one of `count` things: the median of the rounds, and the best.
  static func measure(
    rounds: Int, count: Int, _ body: () -> Void
  ) -> (median: Double, best: Double) {
    body()
    var times: [Double] = []
    for _ in 0..<rounds {
      let start = processorNanoseconds()
      body()
      times.append((processorNanoseconds() - start) / Double(count))
    }
    times.sort()
    return (times[times.count / 2], times[0])
  }
}

/// Numbers that look random and are the same in every run.
struct NumberSequence {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state &>> 33) % UInt64(bound))
  }
}
