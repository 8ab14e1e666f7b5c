/// Transactions as clients see them: ids and options.

internal import DocModel

/// A transaction's id: 9 bytes on the wire, 0x11 and a little-endian counter.
/// Source: spec/protocol.md 1.10, spec/streams.md 4.2.
public struct TransactionID: Hashable, Sendable {
  public let counter: UInt64

  init(counter: UInt64) { self.counter = counter }

  public var bytes: [UInt8] {
    var writer = WireWriter(reserving: 9)
    writer.field(2, double: Double(bitPattern: counter))
    return writer.bytes
  }

  /// Fails for bytes of another shape, also for none.
  public init(_ bytes: [UInt8]) throws(StoreError) {
    guard let id = Self.parse(bytes) else { throw .invalid(TransactionText.malformed) }
    self = id
  }

  private init?(parsing bytes: [UInt8]) {
    guard bytes.count == 9, bytes[0] == 0x11 else { return nil }
    var counter: UInt64 = 0
    for byte in bytes[1...].reversed() { counter = counter << 8 | UInt64(byte) }
    self.counter = counter
  }

  static func parse(_ bytes: [UInt8]) -> TransactionID? { TransactionID(parsing: bytes) }
}

public struct TransactionOptions: Sendable {
  public enum Mode: Sendable {
    /// `retrying` names an earlier attempt: raw bytes as the client sent them, empty when there is none.
    case readWrite(retrying: [UInt8])
    /// A snapshot, fixed at `readTime` (microseconds) or else by the first read.
    case readOnly(readTime: Int64?)
  }

  public var mode: Mode
  /// Whether a read-write transaction lets others write what it has read, and is refused when they did.
  public var isOptimistic = false

  public init(_ mode: Mode) { self.mode = mode }

  public static let readWrite = TransactionOptions(.readWrite(retrying: []))
  public static let readOnly = TransactionOptions(.readOnly(readTime: nil))
}
