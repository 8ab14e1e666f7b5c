/// The order in which the official engine lists names of a hash set, for messages that contain such a list.

enum JavaOrder {
  /// The names in the order of a `java.util.HashSet` that they were put into one by one.
  static func sorted(_ names: [String]) -> [String] {
    var buckets = 16
    while names.count * 4 > buckets * 3 { buckets *= 2 }
    // Stable: within a bucket the older comes first.
    return names.enumerated().sorted { left, right in
      let a = bucket(left.element, of: buckets)
      let b = bucket(right.element, of: buckets)
      return a == b ? left.offset < right.offset : a < b
    }.map(\.element)
  }

  private static func bucket(_ name: String, of count: Int) -> Int {
    let hash = name.utf16.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
    return Int(hash ^ hash >> 16) & (count - 1)
  }
}
