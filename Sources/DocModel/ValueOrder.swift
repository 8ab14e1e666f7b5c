/// The total order of values and the equalities built on it.
///
/// Source: docs/spec/protocol.md 3.2 to 3.4.

public enum ValueOrder {
  /// Places of the kinds in the order; NaN has one of its own below all numbers.
  @usableFromInline
  package enum Rank {
    static let null = 0, boolean = 1, nan = 2, number = 3, timestamp = 4, string = 5, bytes = 6
    static let reference = 7, geoPoint = 8, array = 9, vector = 10, map = 11
  }

  package static func rank(_ value: ValueView) -> Int {
    switch value.tag {
    case ValueView.Tag.boolean: Rank.boolean
    case ValueView.Tag.integer: Rank.number
    case ValueView.Tag.double: value.double.isNaN ? Rank.nan : Rank.number
    case ValueView.Tag.timestamp: Rank.timestamp
    case ValueView.Tag.string: Rank.string
    case ValueView.Tag.bytes: Rank.bytes
    case ValueView.Tag.reference: Rank.reference
    case ValueView.Tag.geoPoint: Rank.geoPoint
    case ValueView.Tag.array: Rank.array
    case ValueView.Tag.map: value.fields.isVector ? Rank.vector : Rank.map
    default: Rank.null
    }
  }

  @inline(__always)
  package static func isNaN(_ value: ValueView) -> Bool {
    value.tag == ValueView.Tag.double && value.double.isNaN
  }

  /// Null and NaN: a test finds nothing equal to them, nor before or after them.
  @inline(__always)
  package static func isUnordered(_ value: ValueView) -> Bool { value.isNull || isNaN(value) }

  /// Whether a range filter with one of them as operand can match the other: the same kind, where
  /// integers and doubles are one and vectors are not maps. NaN is of no class but its own.
  public static func areComparable(_ left: ValueView, _ right: ValueView) -> Bool {
    rank(left) == rank(right)
  }

  /// Negative, zero or positive as `left` sorts before, with or after `right`.
  ///
  /// 1 and 1.0 are equal, as are 0.0 and -0.0, two NaN, two nulls.
  public static func compare(_ left: ValueView, _ right: ValueView) -> Int {
    let rank = rank(left)
    let other = self.rank(right)
    if rank != other { return rank < other ? -1 : 1 }
    switch rank {
    case Rank.boolean: return (left.boolean ? 1 : 0) - (right.boolean ? 1 : 0)
    case Rank.number: return compareNumbers(left, right)
    case Rank.timestamp:
      let (a, b) = (left.timestamp, right.timestamp)
      return a < b ? -1 : (b < a ? 1 : 0)
    case Rank.string: return WireCursor.compare(left.string, right.string)
    case Rank.bytes: return WireCursor.compare(left.byteString, right.byteString)
    case Rank.reference: return NameOrder.comparePaths(left.reference, right.reference)
    case Rank.geoPoint: return compareGeoPoints(left.geoPoint, right.geoPoint)
    case Rank.array: return compareArrays(left.array, right.array)
    case Rank.vector: return compareVectors(left.vectorElements, right.vectorElements)
    case Rank.map: return compareMaps(left.fields, right.fields)
    default: return 0
    }
  }

  /// Equality of the order, at every depth.
  public static func areEqual(_ left: ValueView, _ right: ValueView) -> Bool {
    // The same bytes are the same value, NaN included, and most hits are of this sort.
    WireCursor.areEqual(left.bytes, right.bytes) || compare(left, right) == 0
  }

  /// The same kind and value at every depth: what makes a write one that changes nothing.
  ///
  /// Canonical bytes are unique for a value, so the bytes decide.
  public static func areIdentical(_ left: ValueView, _ right: ValueView) -> Bool {
    WireCursor.areEqual(left.bytes, right.bytes)
  }

  private static func compareNumbers(_ left: ValueView, _ right: ValueView) -> Int {
    switch (left.tag == ValueView.Tag.integer, right.tag == ValueView.Tag.integer) {
    case (true, true):
      let (a, b) = (left.integer, right.integer)
      return a < b ? -1 : (a > b ? 1 : 0)
    case (true, false): return compare(left.integer, right.double)
    case (false, true): return -compare(right.integer, left.double)
    case (false, false):
      let (a, b) = (left.double, right.double)
      return a < b ? -1 : (a > b ? 1 : 0)
    }
  }

  /// Exact: no int64 is converted to a double that might not hold it. `double` is not NaN.
  public static func compare(_ integer: Int64, _ double: Double) -> Int {
    // 2^63 is exact as a double; every int64 lies in [-2^63, 2^63).
    if double >= 9_223_372_036_854_775_808.0 { return -1 }
    if double < -9_223_372_036_854_775_808.0 { return 1 }
    let whole = double.rounded(.towardZero)
    let truncated = Int64(whole)
    if integer != truncated { return integer < truncated ? -1 : 1 }
    let fraction = double - whole
    return fraction > 0 ? -1 : (fraction < 0 ? 1 : 0)
  }

  private static func compareGeoPoints(_ a: GeoPoint, _ b: GeoPoint) -> Int {
    if a.latitude != b.latitude { return a.latitude < b.latitude ? -1 : 1 }
    if a.longitude != b.longitude { return a.longitude < b.longitude ? -1 : 1 }
    return 0
  }

  private static func compareArrays(_ left: ArrayView, _ right: ArrayView) -> Int {
    var a = left.makeIterator()
    var b = right.makeIterator()
    while true {
      switch (a.next(), b.next()) {
      case (.none, .none): return 0
      case (.none, .some): return -1
      case (.some, .none): return 1
      case (.some(let x), .some(let y)):
        let order = compare(x, y)
        if order != 0 { return order }
      }
    }
  }

  private static func compareVectors(_ left: ArrayView, _ right: ArrayView) -> Int {
    let (a, b) = (left.elementCount, right.elementCount)
    return a != b ? a - b : compareArrays(left, right)
  }

  private static func compareMaps(_ left: FieldsView, _ right: FieldsView) -> Int {
    var a = left.makeIterator()
    var b = right.makeIterator()
    while true {
      switch (a.next(), b.next()) {
      case (.none, .none): return 0
      case (.none, .some): return -1
      case (.some, .none): return 1
      case (.some(let x), .some(let y)):
        let keys = WireCursor.compare(x.key, y.key)
        if keys != 0 { return keys }
        let values = compare(x.value, y.value)
        if values != 0 { return values }
      }
    }
  }
}
