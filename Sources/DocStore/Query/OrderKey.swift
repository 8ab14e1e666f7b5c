/// A document's place in a query's order, as bytes.
///
/// Shape: for each order but the last, the value as the index holds it (`KeyWriter`) and one byte, 1 when
/// the value was cut; for the last, the path's segments and 00. Parts of descending orders are
/// complemented. Keys of one query compare as its documents do; a cursor's key is a prefix of such keys
/// and compares with their beginnings.
///
/// INVARIANT: parts are prefix-free, so a shorter key never runs into the next part of a longer one.
/// Checked by: `QueryExecutorTests` against comparison of decoded values.

internal import DocModel

extension KeyWriter {
  /// No part of a key in memory is folded.
  static var unlimited: Int { Int.max / 4 }

  mutating func orderPart(_ value: ValueView, _ direction: StructuredQuery.Direction) {
    let start = bytes.count
    if IndexedValue.fits(value) {
      self.value(value, budget: Self.unlimited)
      byte(0)
    } else {
      IndexedValue.cut(value).withUnsafeBytes { self.value(ValueView($0), budget: Self.unlimited) }
      byte(1)
    }
    if direction == .descending { complement(from: start) }
  }

  /// `path` is relative to the database's root.
  mutating func namePart(_ path: UnsafeRawBufferPointer, _ direction: StructuredQuery.Direction) {
    let start = bytes.count
    var segmentStart = 0
    for index in 0...path.count where index == path.count || path[index] == UInt8(ascii: "/") {
      documentID(UnsafeRawBufferPointer(rebasing: path[segmentStart..<index]), budget: Self.unlimited)
      segmentStart = index + 1
    }
    byte(0)
    if direction == .descending { complement(from: start) }
  }
}

/// A cursor as the key of its position.
struct CursorKey {
  let key: [UInt8]
  let isBefore: Bool

  init(_ cursor: QueryCursor, orders: [QueryOrder]) {
    var writer = KeyWriter()
    for (value, order) in zip(cursor.values, orders) {
      value.withUnsafeBytes { bytes in
        if order.path.isDocumentName {
          writer.namePart(NameOperand.relativePath(ValueView(bytes).reference), order.direction)
        } else {
          writer.orderPart(ValueView(bytes), order.direction)
        }
      }
    }
    key = writer.bytes
    isBefore = cursor.isBefore
  }

  /// Whether a document with this key lies after the position.
  func precedes(_ documentKey: [UInt8]) -> Bool {
    let order = compare(documentKey)
    return order < 0 || (order == 0 && isBefore)
  }

  /// The cursor against the beginning of the key.
  private func compare(_ documentKey: [UInt8]) -> Int {
    key.withUnsafeBytes { own in
      documentKey.withUnsafeBytes { other in
        let beginning = UnsafeRawBufferPointer(rebasing: other[..<min(own.count, other.count)])
        return WireCursor.compare(own, beginning)
      }
    }
  }
}

/// Writes order keys for the documents of one query.
struct OrderKeyMaker {
  private let orders: [(lookup: FieldLookup?, direction: StructuredQuery.Direction)]
  private let start: CursorKey?
  private let end: CursorKey?
  private let resume: [UInt8]?
  private let memory = OperandMemory()

  /// Without `checksCursors` every document lies between the query's cursors.
  init(_ query: NormalizedQuery, checksCursors: Bool) {
    orders = query.orders.map { [memory] order in
      (order.path.isDocumentName ? nil : FieldLookup(order.path, memory), order.direction)
    }
    start = checksCursors ? query.start.map { CursorKey($0, orders: query.orders) } : nil
    end = checksCursors ? query.end.map { CursorKey($0, orders: query.orders) } : nil
    resume = query.resumeKey
  }

  /// Makes keys of documents that need no check.
  init(orders: [QueryOrder]) {
    self.orders = orders.map { [memory] order in
      (order.path.isDocumentName ? nil : FieldLookup(order.path, memory), order.direction)
    }
    start = nil
    end = nil
    resume = nil
  }

  /// Whether a key decides if a document lies between the query's positions.
  var hasBounds: Bool { start != nil || end != nil || resume != nil }

  /// Whether a document that arrives in order must have its key made all the same.
  var isNeeded: Bool { hasBounds || orders.count > 1 }

  /// Makes the key of a document; false when the document is not in the result because it lacks an
  /// ordered field or lies outside the cursors.
  func write(_ path: UnsafeRawBufferPointer, _ fields: FieldsView, to writer: inout KeyWriter) -> Bool {
    writer.removeAll()
    for (lookup, direction) in orders {
      if let lookup {
        guard let value = lookup.value(in: fields) else { return false }
        writer.orderPart(value, direction)
      } else {
        writer.namePart(path, direction)
      }
    }
    if let start, !start.precedes(writer.bytes) { return false }
    if let end, end.precedes(writer.bytes) { return false }
    if let resume, !resume.lexicographicallyPrecedes(writer.bytes) { return false }
    return true
  }
}
