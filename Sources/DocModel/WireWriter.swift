/// Protobuf bytes, written by appending.

/// Appends encoded fields to an array of bytes.
public struct WireWriter {
  public var bytes: [UInt8]

  @inlinable
  public init(reserving capacity: Int = 0) {
    bytes = []
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  @inlinable
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  @inlinable
  public mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  @inlinable
  public static func varintLength(_ value: UInt64) -> Int {
    value == 0 ? 1 : (64 - value.leadingZeroBitCount + 6) / 7
  }

  @inlinable
  public mutating func tag(_ number: Int, wireType: UInt8) {
    varint(UInt64(number) << 3 | UInt64(wireType))
  }

  @inlinable
  public mutating func fixed64(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A varint field, written also when it is zero.
  @inlinable
  public mutating func field(_ number: Int, varint value: UInt64) {
    tag(number, wireType: 0)
    varint(value)
  }

  @inlinable
  public mutating func field(_ number: Int, double value: Double) {
    tag(number, wireType: 1)
    fixed64(value.bitPattern)
  }

  @inlinable
  public mutating func field(_ number: Int, bytes value: UnsafeRawBufferPointer) {
    tag(number, wireType: 2)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  @inlinable
  public mutating func field(_ number: Int, bytes value: [UInt8]) {
    tag(number, wireType: 2)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  @inlinable
  public mutating func field(_ number: Int, text value: String) {
    tag(number, wireType: 2)
    varint(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  /// A nested message whose length is known only after `body` has written it.
  @inlinable
  public mutating func message<E: Error>(
    _ number: Int, _ body: (inout WireWriter) throws(E) -> Void
  ) throws(E) {
    tag(number, wireType: 2)
    let start = bytes.count
    bytes.append(0)
    try body(&self)
    closeLength(at: start)
  }

  /// Writes the length of what follows the one byte kept free at `start`.
  @inlinable
  public mutating func closeLength(at start: Int) {
    let count = bytes.count - start - 1
    if count < 0x80 {
      bytes[start] = UInt8(truncatingIfNeeded: count)
      return
    }
    let extra = Self.varintLength(UInt64(count)) - 1
    bytes.append(contentsOf: repeatElement(0, count: extra))
    bytes.withUnsafeMutableBytes { buffer in
      // Overlapping on purpose: the contents move up to make room for the longer length.
      let contents = UnsafeRawBufferPointer(rebasing: buffer[start + 1..<start + 1 + count])
      UnsafeMutableRawBufferPointer(rebasing: buffer[start + 1 + extra..<start + 1 + extra + count])
        .copyMemory(from: contents)
      var rest = UInt64(count)
      for index in start..<start + extra {
        buffer[index] = UInt8(truncatingIfNeeded: rest) | 0x80
        rest >>= 7
      }
      buffer[start + extra] = UInt8(truncatingIfNeeded: rest)
    }
  }

  /// `google.protobuf.Timestamp`; zero parts are left out, as protobuf does.
  @inlinable
  public mutating func timestamp(_ number: Int, _ value: Timestamp) {
    message(number) { writer in
      if value.seconds != 0 { writer.field(1, varint: UInt64(bitPattern: value.seconds)) }
      if value.nanoseconds != 0 { writer.field(2, varint: UInt64(bitPattern: Int64(value.nanoseconds))) }
    }
  }

  /// The bytes of such a field whose number is below 16.
  @inlinable
  public static func timestampLength(_ value: Timestamp) -> Int {
    let seconds = value.seconds == 0 ? 0 : 1 + varintLength(UInt64(bitPattern: value.seconds))
    let nanoseconds =
      value.nanoseconds == 0 ? 0 : 1 + varintLength(UInt64(bitPattern: Int64(value.nanoseconds)))
    return 2 + seconds + nanoseconds
  }
}
