/// The distance of stored vectors from one that is asked about.
///
/// Source: docs/spec/protocol.md 5.9. Sums run in four lanes, which the compiler turns into vector instructions.

internal import DocModel
internal import Platform

/// Measures against one vector.
struct VectorDistance {
  private let measure: DistanceMeasure
  private let vector: [Double]
  /// The sum of the vector's squares.
  private let squares: Double

  init(_ query: NearestQuery) {
    measure = query.measure
    vector = query.vector
    squares = Self.sum(query.vector.count) { query.vector[$0] * query.vector[$0] }
  }

  /// Whether a vector without length is asked about.
  var hasNoLength: Bool { squares == 0 }

  /// Nil for a vector of another dimension. NaN where there is no distance.
  func to(_ stored: VectorView) -> Double? {
    guard stored.count == vector.count else { return nil }
    let count = vector.count
    return vector.withUnsafeBufferPointer { vector in
      switch measure {
      case .euclidean:
        return Self.sum(count) { index in
          let difference = vector[index] - stored[index]
          return difference * difference
        }.squareRoot()
      case .dotProduct: return Self.sum(count) { vector[$0] * stored[$0] }
      case .cosine:
        let product = Self.sum(count) { vector[$0] * stored[$0] }
        let storedSquares = Self.sum(count) { stored[$0] * stored[$0] }
        return 1 - product / (squares * storedSquares).squareRoot()
      }
    }
  }

  /// Whether a stored vector has no length, which leaves nothing to measure an angle with.
  func hasNoLength(_ stored: VectorView) -> Bool {
    stored.count == vector.count && !(0..<stored.count).contains { stored[$0] != 0 }
  }

  /// Shorter vectors are added up from left to right, as everybody's tests with round numbers do.
  private static let lanesMin = 16

  @inline(__always)
  private static func sum(_ count: Int, _ term: (Int) -> Double) -> Double {
    if count < lanesMin {
      var sum = 0.0
      for index in 0..<count { sum += term(index) }
      return sum
    }
    var lanes = SIMD4<Double>()
    var index = 0
    while index + 4 <= count {
      lanes += SIMD4(term(index), term(index + 1), term(index + 2), term(index + 3))
      index += 4
    }
    var lane = 0
    while index < count {
      lanes[lane] += term(index)
      lane += 1
      index += 1
    }
    return lanes[0] + lanes[1] + lanes[2] + lanes[3]
  }
}

extension DistanceMeasure {
  /// The distance as the beginning of an order key, nearest first; NaN is the farthest.
  func orderKey(_ distance: Double) -> [UInt8] {
    var bits = UInt64.max
    if !distance.isNaN {
      // Both zeros are one distance.
      let rank = (self == .dotProduct ? -distance : distance) + 0
      let pattern = rank.bitPattern
      bits = pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
    }
    return withUnsafeBytes(of: bits.bigEndian) { Array($0) }
  }

  /// Whether a distance is near enough; NaN never is.
  func isWithin(_ distance: Double, _ threshold: Double) -> Bool {
    switch self {
    case .euclidean, .cosine: distance <= threshold
    case .dotProduct: distance >= threshold
    }
  }
}
