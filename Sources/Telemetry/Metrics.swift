/// What a server counts: numbers that rise and fall, and how long things took.

internal import DocStore
internal import Synchronization

/// One number that rises, or rises and falls.
public final class Metric: Sendable {
  private let row = CounterRow(count: 1)

  public init() {}

  public func add(_ amount: Int = 1) { row.add(amount, at: 0) }
  public func subtract(_ amount: Int = 1) { row.add(-amount, at: 0) }
  public var current: Int { row[0] }
}

/// A number that a limit is held against: its sum is known at every step, which makes counting dearer.
public final class LimitedMetric: Sendable {
  private let value = Atomic(0)

  public init() {}

  public func subtract() { value.subtract(1, ordering: .relaxed) }
  public var current: Int { value.load(ordering: .relaxed) }

  /// Adds one and answers the sum.
  public func increment() -> Int { value.add(1, ordering: .relaxed).newValue }
}

/// How often something took how long, for a row of things.
public final class LatencyRow: Sendable {
  /// Upper bounds in nanoseconds; beyond the last one is the bucket without a bound.
  public static let bounds: [UInt64] = [
    50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
  ]
  /// The bounds in seconds, as exporters write them.
  public static let boundTexts = [
    "0.00005", "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1",
    "0.25",
    "0.5", "1", "2.5", "10",
  ]
  private static let stride = bounds.count + 2

  private let counters: CounterRow

  public init(count: Int) { counters = CounterRow(count: count * Self.stride) }

  public func add(nanoseconds: UInt64, at index: Int) {
    var bucket = 0
    Self.bounds.withUnsafeBufferPointer { bounds in
      while bucket < bounds.count, nanoseconds > bounds[bucket] { bucket += 1 }
    }
    counters.add(at: index * Self.stride + bucket)
    counters.add(Int(clamping: nanoseconds), at: index * Self.stride + Self.bounds.count + 1)
  }

  /// Counts of one thing: by bucket (not cumulative; the last one has no bound), and the sum of nanoseconds.
  public func reading(at index: Int) -> (buckets: [Int], nanoseconds: Int) {
    let start = index * Self.stride
    return (
      (0...Self.bounds.count).map { counters[start + $0] }, counters[start + Self.bounds.count + 1]
    )
  }
}
