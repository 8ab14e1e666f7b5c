/// Matching documents that are not yet in order.
///
/// Holds keys and names; documents stay where they are in the snapshot. With a limit no more rows are held
/// than the result can need.

internal import DocModel

/// A document on its way into the result.
struct PendingRow {
  /// The order key, then the path. Keys are prefix-free, so the path never decides the order.
  let bytes: [UInt8]
  let keyCount: Int
  /// Readable as long as the source is.
  let document: StoredDocument

  /// What one row costs beside its bytes: the struct and the array's header.
  static let overheadBytes = 96

  func precedes(_ other: PendingRow) -> Bool {
    bytes.withUnsafeBytes { own in other.bytes.withUnsafeBytes { WireCursor.compare(own, $0) < 0 } }
  }

  func withPath<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[keyCount...])) }
  }
}

/// Collects rows; with a capacity, only the first ones in order.
///
/// INVARIANT: while `capacity` is reached, `rows` is a heap whose first row is the last in order.
struct SortedRows {
  private var rows: [PendingRow] = []
  private let capacity: Int?
  private(set) var bytesHeld = 0

  /// `capacity` is how many rows the result can need; nil for all.
  init(capacity: Int?) {
    self.capacity = capacity
    if let capacity { rows.reserveCapacity(min(capacity, 1_024)) }
  }

  /// Whether a document with this key can still be in the result. Asked before a row is made, so that
  /// most documents of a large scan cost no memory.
  func hasRoom(for key: [UInt8]) -> Bool {
    guard let capacity, rows.count >= capacity else { return true }
    guard let last = rows.first else { return false }
    return key.withUnsafeBytes { own in last.bytes.withUnsafeBytes { WireCursor.compare(own, $0) < 0 } }
  }

  mutating func insert(_ row: PendingRow) {
    bytesHeld += row.bytes.count + PendingRow.overheadBytes
    guard let capacity, rows.count >= capacity else {
      rows.append(row)
      if rows.count == capacity { heapify() }
      if Invariants.areDue(at: rows.count) { checkInvariants() }
      return
    }
    bytesHeld -= rows[0].bytes.count + PendingRow.overheadBytes
    rows[0] = row
    sink(0)
    if Invariants.areDue(at: rows.count) { checkInvariants() }
  }

  func checkInvariants() {
    assert(rows.count <= capacity ?? .max, "no more rows are held than the result can need")
    assert(
      bytesHeld == rows.reduce(0) { $0 + $1.bytes.count + PendingRow.overheadBytes }, "`bytesHeld` counts")
    guard rows.count == capacity else { return }
    assert(
      rows.indices.dropFirst().allSatisfy { !rows[($0 - 1) / 2].precedes(rows[$0]) },
      "no row stands above a later one")
  }

  /// All rows in order.
  func sorted() -> [PendingRow] { rows.sorted { $0.precedes($1) } }

  private mutating func heapify() {
    for index in stride(from: rows.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var last = index
      for child in (2 * index + 1)...(2 * index + 2) where child < rows.count {
        if rows[last].precedes(rows[child]) { last = child }
      }
      if last == index { return }
      rows.swapAt(index, last)
      index = last
    }
  }
}
