/// Random numbers that are the same everywhere: SplitMix64.

/// A source of random choices. The same seed gives the same texts on every machine.
public struct FuzzRandom: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// The numbers of the input `index` of a run: those of another index have nothing to do with them.
  public init(seed: UInt64, index: UInt64) {
    var mixer = FuzzRandom(seed: seed ^ (index &* 0xD134_2543_DE82_EF95))
    state = mixer.next()
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Below `bound`, which must be positive.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in so many times.
  mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
