/// Requests, read field by field from their bytes.
///
/// A document's fields stay the bytes they are until `Canonicalizer` checks them.

package import DocModel

/// A walk over the fields of one message. Views it gives live as long as the request's bytes.
struct MessageFields {
  private var cursor: WireCursor
  /// Wire type 2, whatever the number.
  private static let lengthDelimited: UInt32 = 2

  init(_ message: UnsafeRawBufferPointer) { cursor = WireCursor(message) }

  /// Assumed: the service's own text is unknown; gRPC libraries answer INTERNAL with texts of their own.
  static let unreadable = GRPCStatus(.invalidArgument, "the request is not a valid message")

  static let timestampRange = GRPCStatus(.invalidArgument, "timestamp is out of range")

  /// The next field's tag; nil at the end. Throws when the bytes before it were no message.
  mutating func next() throws(GRPCStatus) -> UInt32? {
    let tag = cursor.tag()
    if cursor.isCorrupt { throw Self.unreadable }
    return tag == 0 ? nil : tag
  }

  /// The tag of a length-delimited field.
  @inline(__always)
  static func tag(_ number: UInt32) -> UInt32 { number << 3 | lengthDelimited }

  mutating func message() throws(GRPCStatus) -> UnsafeRawBufferPointer {
    let bytes = cursor.lengthDelimited()
    if cursor.isCorrupt { throw Self.unreadable }
    return bytes
  }

  mutating func text() throws(GRPCStatus) -> String {
    let bytes = try message()
    guard UTF8Check.isValid(bytes) else { throw Self.unreadable }
    return String(decoding: bytes, as: UTF8.self)
  }

  mutating func bytes() throws(GRPCStatus) -> [UInt8] { Array(try message()) }

  mutating func varint() throws(GRPCStatus) -> UInt64 {
    let value = cursor.varint()
    if cursor.isCorrupt { throw Self.unreadable }
    return value
  }

  mutating func int32() throws(GRPCStatus) -> Int32 { Int32(truncatingIfNeeded: try varint()) }

  mutating func double() throws(GRPCStatus) -> Double {
    let bits = cursor.fixed64()
    if cursor.isCorrupt { throw Self.unreadable }
    return Double(bitPattern: bits)
  }

  /// An enumeration's number; one we do not know is the caller's to judge.
  mutating func enumeration() throws(GRPCStatus) -> Int { Int(truncatingIfNeeded: try varint()) }

  /// Passes over a field of another number or type.
  mutating func skip(_ tag: UInt32) throws(GRPCStatus) {
    cursor.skip(tag: tag)
    if cursor.isCorrupt { throw Self.unreadable }
  }
}

// MARK: - Messages shared by several requests

extension MessageFields {
  /// Reads every field of one tag; passes over all others.
  @inline(__always)
  static func each(
    _ wanted: UInt32, of message: UnsafeRawBufferPointer,
    _ read: (inout MessageFields) throws(GRPCStatus) -> Void
  ) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      if tag == wanted { try read(&fields) } else { try fields.skip(tag) }
    }
  }

  /// The last text of a field; empty when there is none.
  static func text(_ number: UInt32, of message: UnsafeRawBufferPointer) throws(GRPCStatus) -> String {
    var text = ""
    try each(tag(number), of: message) { fields throws(GRPCStatus) in text = try fields.text() }
    return text
  }

  /// `google.protobuf.Int64Value`
  static func int64Value(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Int64 {
    var value: Int64 = 0
    try each(1 << 3, of: message) { fields throws(GRPCStatus) in
      value = Int64(bitPattern: try fields.varint())
    }
    return value
  }

  /// `google.protobuf.Int32Value`
  static func int32Value(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Int {
    Int(Int32(truncatingIfNeeded: try int64Value(message)))
  }

  /// `DocumentMask`: the texts of its paths. A mask without paths is not the same as no mask.
  static func mask(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> [String] {
    var paths: [String] = []
    try each(tag(1), of: message) { fields throws(GRPCStatus) in paths.append(try fields.text()) }
    return paths
  }

  /// `google.protobuf.Timestamp`
  static func timestamp(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Timestamp {
    var fields = MessageFields(message)
    var seconds: Int64 = 0
    var nanoseconds: Int32 = 0
    while let tag = try fields.next() {
      switch tag {
      case 1 << 3: seconds = Int64(bitPattern: try fields.varint())
      case 2 << 3: nanoseconds = Int32(truncatingIfNeeded: try fields.varint())
      default: try fields.skip(tag)
      }
    }
    guard (0..<1_000_000_000).contains(nanoseconds), seconds >= Timestamp.secondsMin,
      seconds <= Timestamp.secondsMax
    else {
      throw timestampRange
    }
    return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// A `Timestamp` that says when to read. Source: docs/spec/production-differences.md Q13.
  static func readTime(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Timestamp {
    let time = try timestamp(message)
    guard time.nanoseconds % 1_000 == 0 else { throw tooPrecise }
    return time
  }

  static let tooPrecise = GRPCStatus(
    .invalidArgument, "timestamp cannot have more than microseconds precision")

  /// `Precondition`; an empty one is none.
  static func precondition(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> WirePrecondition {
    var fields = MessageFields(message)
    var precondition = WirePrecondition.none
    while let tag = try fields.next() {
      switch tag {
      case 1 << 3: precondition = .exists(try fields.varint() != 0)
      case Self.tag(2): precondition = .updateTime(try timestamp(try fields.message()))
      default: try fields.skip(tag)
      }
    }
    return precondition
  }

  /// Source: proto google/firestore/v1/common.proto, TransactionOptions.ConcurrencyMode.OPTIMISTIC.
  private static let optimisticMode: UInt64 = 1

  /// `TransactionOptions`. A read begins a transaction that only reads unless it says otherwise, unlike
  /// BeginTransaction. Source: docs/spec/streams.md 4.2.
  static func transactionOptions(
    _ message: UnsafeRawBufferPointer, unlessSaid choice: TransactionChoice = .readOnly(at: nil)
  ) throws(GRPCStatus) -> TransactionChoice {
    var fields = MessageFields(message)
    var choice = choice
    while let tag = try fields.next() {
      switch tag {
      case Self.tag(2):
        var readTime: Timestamp?
        try each(Self.tag(2), of: try fields.message()) { fields throws(GRPCStatus) in
          readTime = try Self.readTime(try fields.message())
        }
        choice = .readOnly(at: readTime)
      case Self.tag(3):
        var readWrite = MessageFields(try fields.message())
        var retried: [UInt8] = []
        var isOptimistic = false
        while let tag = try readWrite.next() {
          switch tag {
          case Self.tag(1): retried = try readWrite.bytes()
          case 2 << 3: isOptimistic = try readWrite.varint() == Self.optimisticMode
          default: try readWrite.skip(tag)
          }
        }
        choice = isOptimistic ? .optimistic(retrying: retried) : .readWrite(retrying: retried)
      default: try fields.skip(tag)
      }
    }
    return choice
  }
}

/// A write's condition as it was sent.
enum WirePrecondition: Equatable {
  case none
  case exists(Bool)
  case updateTime(Timestamp)
}

/// Which kind of transaction a client wants.
package enum TransactionChoice: Equatable, Sendable {
  /// `retrying` is the token of the attempt before; empty for a first one.
  case readWrite(retrying: [UInt8])
  /// The same, without locks.
  case optimistic(retrying: [UInt8])
  case readOnly(at: Timestamp?)
}

/// At which state a read looks.
package enum ConsistencyChoice: Equatable, Sendable {
  /// The newest.
  case latest
  /// Inside a transaction.
  case transaction([UInt8])
  /// Inside a transaction that begins with this read.
  case newTransaction(TransactionChoice)
  case readTime(Timestamp)
}
