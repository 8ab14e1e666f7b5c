/// Numbers that many threads count and one reads now and then.
///
/// A count is one relaxed atomic addition and nothing else: no lock, no look-up, no allocation.

internal import Synchronization

/// A row of counters that lie next to each other.
///
/// `@unchecked Sendable`: the memory is allocated once, and everything in it is atomic.
public final class CounterRow: @unchecked Sendable {
  public let count: Int
  private let counters: UnsafeMutablePointer<Atomic<Int>>

  public init(count: Int) {
    self.count = count
    counters = .allocate(capacity: count)
    for index in 0..<count { (counters + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counters.deinitialize(count: count)
    counters.deallocate()
  }

  /// Adds to a counter; an index outside is a mistake of the caller and counts nothing.
  public func add(_ amount: Int = 1, at index: Int) {
    guard index >= 0, index < count else { return }
    counters[index].add(amount, ordering: .relaxed)
  }

  public subscript(index: Int) -> Int {
    index >= 0 && index < count ? counters[index].load(ordering: .relaxed) : 0
  }
}

/// One number that rises, or rises and falls.
public final class Figure: Sendable {
  private let value = Atomic(0)

  public init() {}

  public func add(_ amount: Int = 1) { value.add(amount, ordering: .relaxed) }
  public func subtract(_ amount: Int = 1) { value.subtract(amount, ordering: .relaxed) }
  public var current: Int { value.load(ordering: .relaxed) }

  /// Adds one and answers the sum, for a limit.
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
