/// The order in which the official engine lists names of a hash set, for messages that contain such a list.

enum JavaOrder {
  /// The names in the order of a `java.util.HashSet` that they were put into one by one.
  static func sorted(_ names: [String]) -> [String] { sorted(names, byName: \.self) }

  /// Values in the order of a `java.util.HashMap` whose keys are texts.
  static func sorted<Value>(_ values: [Value], byName key: (Value) -> String) -> [Value] {
    sorted(values) { bucket(key($0), of: $1) }
  }

  /// Values in the order of a `java.util.HashMap` whose keys are lists of texts.
  static func sorted<Value>(_ values: [Value], by key: (Value) -> [String]) -> [Value] {
    sorted(values) { bucket(key($0), of: $1) }
  }

  /// Stable: within a bucket the older comes first.
  private static func sorted<Value>(_ values: [Value], bucket: (Value, Int) -> Int) -> [Value] {
    if values.count < 2 { return values }
    var buckets = 16
    while values.count * 4 > buckets * 3 { buckets *= 2 }
    return values.enumerated().map { (offset: $0.offset, bucket: bucket($0.element, buckets)) }
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
