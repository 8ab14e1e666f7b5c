/// Chance that can be repeated: one seed, one sequence, on every machine.

/// SplitMix64.
///
/// INVARIANT: a case is made from its own generator, so that case 7 of a seed is the same however many
/// cases are asked for and in whatever order.
public struct Seeded: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64, number: Int = 0) {
    state = seed &* 0xD134_2543_DE82_EF95 &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    _ = next()
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From 0 to `bound` - 1.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// Whether something that happens so many times in a thousand happens now.
  public mutating func happens(_ perMille: Int) -> Bool { below(1000) < perMille }

  /// One of them; the choices are never empty.
  public mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
}
