/// `StructuredQuery` from the wire into the store's unchecked model.
///
/// Read by hand rather than through the generated types: operands stay the bytes they are until they
/// are canonicalised, so a query is not decoded to be encoded again. Nothing is judged here but the
/// form; `QueryValidator` decides which fault is told.
///
/// Source: proto google/firestore/v1/query.proto; field numbers in docs/spec/protocol.md 1.3.

package import DocModel
package import DocStore

package enum QueryReader {
  /// LIMIT: filters inside filters; bounds the recursion. Protobuf itself stops at 100 messages, two a filter.
  static let filterDepthMax = 50
  static let tooDeep = GRPCStatus(.invalidArgument, "filters are nested too deeply")

  package static func read(
    _ message: UnsafeRawBufferPointer, database: DatabaseID, parent: ResourcePath
  ) throws(GRPCStatus) -> StructuredQuery {
    var query = StructuredQuery(database: database, parent: parent, from: [])
    var cursors: (start: UnsafeRawBufferPointer?, end: UnsafeRawBufferPointer?)
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): query.projection = try projection(try fields.message())
      case MessageFields.tag(2): query.from.append(try selector(try fields.message()))
      case MessageFields.tag(3): query.filter = try filter(try fields.message(), depth: 0)
      case MessageFields.tag(4): query.orders.append(try order(try fields.message()))
      case MessageFields.tag(5): query.limit = try MessageFields.int32Value(try fields.message())
      case 6 << 3: query.offset = Int(try fields.int32())
      case MessageFields.tag(7): cursors.start = try fields.message()
      case MessageFields.tag(8): cursors.end = try fields.message()
      case MessageFields.tag(9): query.nearest = try nearest(try fields.message())
      default: try fields.skip(tag)
      }
    }
    // Cursor values are named by the orders, which may follow them.
    if let start = cursors.start { query.start = try cursor(start, query.orders) }
    if let end = cursors.end { query.end = try cursor(end, query.orders) }
    return query
  }

  private static func projection(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> [String] {
    var paths: [String] = []
    try MessageFields.each(MessageFields.tag(2), of: message) { fields throws(GRPCStatus) in
      paths.append(try fieldReference(try fields.message()))
    }
    return paths
  }

  static func fieldReference(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> String {
    try MessageFields.text(2, of: message)
  }

  private static func selector(
    _ message: UnsafeRawBufferPointer
  ) throws(GRPCStatus) -> StructuredQuery.CollectionSelector {
    var selector = StructuredQuery.CollectionSelector("")
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(2): selector.collectionID = try fields.text()
      case 3 << 3: selector.includesDescendants = try fields.varint() != 0
      default: try fields.skip(tag)
      }
    }
    return selector
  }

  private static func order(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> StructuredQuery.Order {
    var order = StructuredQuery.Order("")
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): order.path = try fieldReference(try fields.message())
      case 2 << 3: order.direction = try fields.enumeration() == 2 ? .descending : .ascending
      default: try fields.skip(tag)
      }
    }
    return order
  }

  private static func cursor(
    _ message: UnsafeRawBufferPointer, _ orders: [StructuredQuery.Order]
  ) throws(GRPCStatus) -> StructuredQuery.Cursor {
    var values: [StructuredQuery.Operand] = []
    var isBefore = false
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1):
        let path = values.count < orders.count ? orders[values.count].path : "__name__"
        values.append(StructuredQuery.Operand(wire: try fields.message(), fieldPath: path))
      case 2 << 3: isBefore = try fields.varint() != 0
      default: try fields.skip(tag)
      }
    }
    return StructuredQuery.Cursor(values, isBefore: isBefore)
  }
}

// MARK: - Vector search

extension QueryReader {
  private static func nearest(
    _ message: UnsafeRawBufferPointer
  ) throws(GRPCStatus) -> StructuredQuery.Nearest {
    var nearest = StructuredQuery.Nearest(
      field: "", vector: .failure(QueryErrors.valueUnset), measure: nil, limit: nil)
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): nearest.field = try fieldReference(try fields.message())
      case MessageFields.tag(2):
        let value = try fields.message()
        nearest.vector = Result { () throws(InvalidArgument) in try Canonicalizer.queryVector(value) }
      case 3 << 3: nearest.measure = DistanceMeasure(rawValue: try fields.enumeration())
      case MessageFields.tag(4): nearest.limit = try MessageFields.int32Value(try fields.message())
      case MessageFields.tag(5): nearest.resultField = try fields.text()
      case MessageFields.tag(6): nearest.threshold = try doubleValue(try fields.message())
      default: try fields.skip(tag)
      }
    }
    return nearest
  }

  /// `google.protobuf.DoubleValue`
  private static func doubleValue(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Double {
    var value = 0.0
    try MessageFields.each(1 << 3 | 1, of: message) { fields throws(GRPCStatus) in value = try fields.double()
    }
    return value
  }
}

// MARK: - Filters

extension QueryReader {
  private static func filter(
    _ message: UnsafeRawBufferPointer, depth: Int
  ) throws(GRPCStatus) -> StructuredQuery.Filter {
    guard depth <= filterDepthMax else { throw tooDeep }
    var filter = StructuredQuery.Filter.unset
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): filter = try composite(try fields.message(), depth: depth)
      case MessageFields.tag(2): filter = try fieldFilter(try fields.message())
      case MessageFields.tag(3): filter = try unaryFilter(try fields.message())
      default: try fields.skip(tag)
      }
    }
    return filter
  }

  private static func composite(
    _ message: UnsafeRawBufferPointer, depth: Int
  ) throws(GRPCStatus) -> StructuredQuery.Filter {
    var operation: StructuredQuery.CompositeOperator?
    var filters: [StructuredQuery.Filter] = []
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case 1 << 3: operation = StructuredQuery.CompositeOperator(rawValue: try fields.enumeration())
      case MessageFields.tag(2): filters.append(try filter(try fields.message(), depth: depth + 1))
      default: try fields.skip(tag)
      }
    }
    return .composite(operation, filters)
  }

  private static func fieldFilter(_ message: UnsafeRawBufferPointer) throws(GRPCStatus)
    -> StructuredQuery.Filter
  {
    var path = ""
    var operation: StructuredQuery.FieldOperator?
    var operand: UnsafeRawBufferPointer?
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): path = try fieldReference(try fields.message())
      case 2 << 3: operation = StructuredQuery.FieldOperator(rawValue: try fields.enumeration())
      case MessageFields.tag(3): operand = try fields.message()
      default: try fields.skip(tag)
      }
    }
    guard let operand else { return .field(path: path, operation, .unset) }
    let value =
      operation?.takesList == true
      ? StructuredQuery.Operand(wireList: operand, fieldPath: path)
      : StructuredQuery.Operand(wire: operand, fieldPath: path)
    return .field(path: path, operation, value)
  }

  private static func unaryFilter(_ message: UnsafeRawBufferPointer) throws(GRPCStatus)
    -> StructuredQuery.Filter
  {
    var path: String?
    var operation: StructuredQuery.UnaryOperator?
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case 1 << 3: operation = StructuredQuery.UnaryOperator(rawValue: try fields.enumeration())
      case MessageFields.tag(2): path = try fieldReference(try fields.message())
      default: try fields.skip(tag)
      }
    }
    return .unary(path: path, operation)
  }
}
