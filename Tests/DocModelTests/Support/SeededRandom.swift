/// Random numbers that a seed replays.

import Platform

/// SplitMix64: small, fast, good enough to choose test cases.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  /// What to put after `SEED=` to get the same run again; every failure prints it.
  let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// A new seed each run, unless the environment names one with `SEED`.
  static func forThisRun() -> SeededRandom {
    if let text = getenv("SEED"), let seed = UInt64(String(cString: text)) { return SeededRandom(seed: seed) }
    return SeededRandom(seed: UInt64.random(in: 0...UInt64.max))
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }

  /// True once in `times`.
  mutating func once(in times: Int) -> Bool { below(times) == 0 }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
