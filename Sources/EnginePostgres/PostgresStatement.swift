/// A statement with its values, and what came of it. All values travel as the server keeps them, in its binary format.

internal import CPQ

/// A value of a statement, as bytes.
struct PostgresValue {
  /// The server's number of the type.
  let type: UInt32
  let bytes: [UInt8]

  static func integer(_ value: Int64) -> PostgresValue {
    PostgresValue(type: 20, bytes: bigEndian(UInt64(bitPattern: value)))
  }

  static func text(_ value: String) -> PostgresValue { PostgresValue(type: 25, bytes: Array(value.utf8)) }

  static func bytes(_ value: [UInt8]) -> PostgresValue { PostgresValue(type: 17, bytes: value) }

  static func bytes(_ value: UnsafeRawBufferPointer) -> PostgresValue {
    PostgresValue(type: 17, bytes: Array(value))
  }

  /// An array of one dimension, which begins at 1.
  static func array(_ values: some Collection<UnsafeRawBufferPointer>) -> PostgresValue {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + values.reduce(0) { $0 + $1.count + 4 })
    for field in [values.isEmpty ? 0 : 1, 0, 17] as [UInt32] { append(field, to: &bytes) }
    if !values.isEmpty {
      append(UInt32(values.count), to: &bytes)
      append(1, to: &bytes)
    }
    for value in values {
      append(UInt32(value.count), to: &bytes)
      bytes.append(contentsOf: value)
    }
    return PostgresValue(type: 1_001, bytes: bytes)
  }

  private static func append(_ field: UInt32, to bytes: inout [UInt8]) {
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: field >> shift)) }
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }
}

struct PostgresStatement {
  let text: String
  var values: [PostgresValue]

  init(_ text: String, _ values: PostgresValue...) {
    self.text = text
    self.values = values
  }
}

/// The rows that a statement gave.
///
/// INVARIANT: their bytes stay where they are as long as this lives.
final class PostgresRows {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { docstore_pq_clear(result) }

  var count: Int { Int(docstore_pq_row_count(result)) }

  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: docstore_pq_value(result, Int32(row), Int32(column)),
      count: Int(docstore_pq_length(result, Int32(row), Int32(column))))
  }

  /// A whole number of any width; 0 for null.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column)
    guard let first = bytes.first else { return 0 }
    return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
  }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    docstore_pq_is_null(result, Int32(row), Int32(column)) != 0
  }

  /// Nil for null.
  func text(_ row: Int, _ column: Int) -> String? {
    if docstore_pq_is_null(result, Int32(row), Int32(column)) != 0 { return nil }
    return String(decoding: bytes(row, column), as: UTF8.self)
  }
}
