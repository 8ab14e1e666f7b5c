/// Where a random value is drawn, as a number that the value depends on.
///
/// The derivation is part of the seed format's version 1 (docs/seeds.md, section 7) and never changes:
/// the golden values in the tests hold it fast.

/// A chain of steps from the seed of a file to one form of one document.
///
/// Each step is absorbed with its kind and length, so that different chains do not run together.
public struct DrawPlace: Hashable, Sendable {
  let state: UInt64

  private init(state: UInt64) { self.state = state }

  /// The beginning of every chain of one file.
  public init(seed: Int64) {
    state = Self.mixed(UInt64(bitPattern: seed) ^ 0x6D6F_7374_6C79_6861)
  }

  private enum Step: UInt64 {
    case name = 1
    case index = 2
  }

  /// The place of a named part: a field, a `let`, a form's argument, a path.
  public func child(_ name: String) -> DrawPlace {
    var name = name
    return name.withUTF8 { bytes in
      var state = Self.absorbed(Step.name.rawValue << 56 | UInt64(bytes.count), into: self.state)
      var index = 0
      while index < bytes.count {
        var word: UInt64 = 0
        for offset in 0..<min(8, bytes.count - index) {
          word |= UInt64(bytes[index + offset]) << (8 * UInt64(offset))
        }
        state = Self.absorbed(word, into: state)
        index += 8
      }
      return DrawPlace(state: state)
    }
  }

  /// The place of a numbered part: a list element, a repetition.
  public func child(_ index: Int) -> DrawPlace {
    let state = Self.absorbed(Step.index.rawValue << 56, into: state)
    return DrawPlace(state: Self.absorbed(UInt64(bitPattern: Int64(index)), into: state))
  }

  /// A number for the place, the same on every platform.
  public var hash: UInt64 { state }

  /// The values that are drawn here.
  var stream: RandomStream { RandomStream(state: state) }

  private static func absorbed(_ word: UInt64, into state: UInt64) -> UInt64 {
    mixed((state ^ word) &+ RandomStream.step)
  }

  /// A bijection in which every bit of the argument changes about half of the result.
  static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// SplitMix64: a counter that is mixed. Part of the format's version 1.
struct RandomStream {
  static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  init(state: UInt64) { self.state = state }

  mutating func next() -> UInt64 {
    state &+= Self.step
    return DrawPlace.mixed(state)
  }

  /// A number below `bound`, all equally likely. `bound` must not be 0.
  ///
  /// The high half of a product, drawn again where the low half shows that the number would be one of
  /// the few that come up once too often.
  mutating func number(below bound: UInt64) -> UInt64 {
    var product = next().multipliedFullWidth(by: bound)
    if product.low < bound {
      let threshold = (0 &- bound) % bound
      while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
    }
    return product.high
  }

  /// A number from `low` to `high`, both included.
  mutating func number(from low: Int64, through high: Int64) -> Int64 {
    let span = UInt64(bitPattern: high) &- UInt64(bitPattern: low)
    let offset = span == .max ? next() : number(below: span + 1)
    return Int64(bitPattern: UInt64(bitPattern: low) &+ offset)
  }

  mutating func index(of count: Int) -> Int { Int(number(below: UInt64(count))) }
}
