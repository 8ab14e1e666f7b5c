/// Transactions as the store and its callers see them: ids and options.

internal import DocModel

/// A transaction's id. What a client gets of it is a token, `DocumentStore.token`.
public struct TransactionID: Hashable, Sendable {
  /// No two transactions of a process have the same; it is in the order in which they began.
  let counter: UInt64
  /// Of one that only reads: the time that it shows. Such a transaction is nowhere but in its id.
  let readTime: Int64?
  /// In microseconds.
  let began: Int64

  init(counter: UInt64, readTime: Int64? = nil, began: Int64) {
    self.counter = counter
    self.readTime = readTime
    self.began = began
  }

  var isReadOnly: Bool { readTime != nil }

  static let encodedCount = 1 + 3 * 8

  /// Whether it only reads, the counter, when it began, what it shows.
  var encoded: [UInt8] {
    var bytes: [UInt8] = [isReadOnly ? 1 : 0]
    bytes.reserveCapacity(Self.encodedCount)
    for number in [counter, UInt64(bitPattern: began), UInt64(bitPattern: readTime ?? 0)] {
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return bytes
  }

  init?(encoded bytes: [UInt8]) {
    guard bytes.count == Self.encodedCount else { return nil }
    func number(_ index: Int) -> UInt64 {
      bytes[(1 + 8 * index)..<(9 + 8 * index)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    counter = number(0)
    began = Int64(bitPattern: number(1))
    readTime = bytes[0] == 1 ? Int64(bitPattern: number(2)) : nil
  }
}

public struct TransactionOptions: Sendable {
  public enum Mode: Sendable {
    /// `retrying` names an earlier attempt: its token as the client sent it, empty when there is none.
    case readWrite(retrying: [UInt8])
    /// A snapshot, at `readTime` (microseconds) or else of when it begins.
    case readOnly(readTime: Int64?)
  }

  public var mode: Mode
  /// Whether a read-write transaction lets others write what it has read, and is refused when they did.
  public var isOptimistic = false

  public init(_ mode: Mode) { self.mode = mode }

  public static let readWrite = TransactionOptions(.readWrite(retrying: []))
  public static let readOnly = TransactionOptions(.readOnly(readTime: nil))
}
