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

  /// Values in the order of a `java.util.HashMap` whose keys are lists of texts.
  static func sorted<Value>(_ values: [Value], by key: (Value) -> [String]) -> [Value] {
    if values.count < 2 { return values }
    var buckets = 16
    while values.count * 4 > buckets * 3 { buckets *= 2 }
    return values.enumerated().map { (offset: $0.offset, bucket: bucket(key($0.element), of: buckets)) }
      .sorted { ($0.bucket, $0.offset) < ($1.bucket, $1.offset) }
      .map { values[$0.offset] }
  }

  private static func bucket(_ list: [String], of count: Int) -> Int {
    spread(list.reduce(UInt32(1)) { $0 &* 31 &+ hash($1) }, count)
  }

  private static func bucket(_ name: String, of count: Int) -> Int { spread(hash(name), count) }

  private static func hash(_ name: String) -> UInt32 {
    // Names are ASCII for the most part, of which bytes are the units.
    if let known = name.utf8.withContiguousStorageIfAvailable(asciiHash) ?? nil { return known }
    return name.utf16.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
  }

  /// Nil when a character is not ASCII.
  private static func asciiHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    var hash: UInt32 = 0
    for byte in bytes {
      if byte >= 0x80 { return nil }
      hash = hash &* 31 &+ UInt32(byte)
    }
    return hash
  }

  private static func spread(_ hash: UInt32, _ count: Int) -> Int { Int(hash ^ hash >> 16) & (count - 1) }
}
