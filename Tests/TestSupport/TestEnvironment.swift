/// Time and randomness that tests hold in their hands.

public import DocStore
internal import Platform
internal import Synchronization

/// A clock that moves only when told to, and random numbers from a seed.
public final class TestClock: Sendable {
  private let microseconds: Atomic<Int64>

  /// Begins in 2024.
  public init(_ start: Int64 = 1_704_067_200_000_000) { microseconds = Atomic(start) }

  public var now: Int64 { microseconds.load(ordering: .sequentiallyConsistent) }

  public func advance(microseconds step: Int64) { microseconds.add(step, ordering: .sequentiallyConsistent) }
  public func advance(seconds: Int64) { advance(microseconds: seconds * 1_000_000) }

  public func environment(seed: UInt64 = 1) -> Environment {
    let random = Mutex(SeededRandom(seed: seed))
    return Environment(now: { [self] in now }, random: { random.withLock { $0.next() } })
  }
}

/// SplitMix64: one seed, one run.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    // Wrapping is what the generator is made of.
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// The seed of a random test: `SEED` from the environment, or a fresh one. Tests print it.
public func testSeed() -> UInt64 {
  if let text = getenv("SEED"), let seed = UInt64(String(cString: text)) { return seed }
  return UInt64.random(in: 1...UInt64(UInt32.max))
}
