/// Requests of the Firestore service, written as protobuf.
///
/// Source: proto google/firestore/v1/firestore.proto, query.proto, write.proto (field numbers).

package import DocModel
package import DocStore

/// A transaction of a store.
package struct TransactionToken: Equatable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }
}

/// What is listened to.
package enum ListenTarget {
  case document(ResourcePath)
  case query(StructuredQuery)
}

/// Messages for one database.
package struct RequestMessages {
  package let database: DatabaseID

  package init(database: DatabaseID) { self.database = database }

  package func name(_ path: ResourcePath) -> String {
    DocumentName(database: database, path: path).resourceName
  }

  package func parent(_ path: ResourcePath) -> String {
    path.isRoot ? database.documentsRoot : database.documentsRoot + "/" + path.text
  }

  // MARK: reads

  package func getDocument(_ path: ResourcePath, _ transaction: TransactionToken?) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: name(path))
    if let transaction { writer.field(3, bytes: transaction.bytes) }
    return writer.bytes
  }

  package func batchGet(_ paths: [ResourcePath], _ transaction: TransactionToken? = nil) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: database.resourceName)
    for path in paths { writer.field(2, text: name(path)) }
    if let transaction { writer.field(4, bytes: transaction.bytes) }
    return writer.bytes
  }

  package func runQuery(
    _ query: StructuredQuery, _ transaction: TransactionToken?, explains: Bool = false
  ) throws(InvalidArgument) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: parent(query.parent))
    try writer.message(2) { (writer) throws(InvalidArgument) in try Self.write(query, to: &writer) }
    if let transaction { writer.field(5, bytes: transaction.bytes) }
    if explains { writer.message(10) { _ in } }
    return writer.bytes
  }

  package func runAggregation(
    _ query: StructuredQuery, _ aggregations: [Aggregation], _ transaction: TransactionToken?
  ) throws(InvalidArgument) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: parent(query.parent))
    try writer.message(2) { (writer) throws(InvalidArgument) in
      try writer.message(1) { (writer) throws(InvalidArgument) in try Self.write(query, to: &writer) }
      for (index, aggregation) in aggregations.enumerated() {
        writer.message(3) { Self.write(aggregation.operation, alias: "f\(index)", to: &$0) }
      }
    }
    if let transaction { writer.field(4, bytes: transaction.bytes) }
    return writer.bytes
  }

  private static func write(_ operation: Aggregation.Operator, alias: String, to writer: inout WireWriter) {
    switch operation {
    case .unset: break
    case .count(let upTo):
      writer.message(1) { count in
        if let upTo { count.message(1) { $0.field(1, varint: UInt64(bitPattern: upTo)) } }
      }
    case .sum(let field): writer.message(2) { $0.message(1) { $0.field(2, text: field) } }
    case .average(let field): writer.message(3) { $0.message(1) { $0.field(2, text: field) } }
    }
    writer.field(7, text: alias)
  }

  /// - Parameter target: a document or a query.
  package func listen(_ target: ListenTarget) throws(InvalidArgument) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: database.resourceName)
    try writer.message(2) { (added) throws(InvalidArgument) in
      switch target {
      case .document(let path): added.message(3) { $0.field(2, text: name(path)) }
      case .query(let query):
        try added.message(2) { (asked) throws(InvalidArgument) in
          asked.field(1, text: parent(query.parent))
          try asked.message(2) { (writer) throws(InvalidArgument) in try Self.write(query, to: &writer) }
        }
      }
      added.field(5, varint: 2)
    }
    return writer.bytes
  }

  // MARK: queries

  private static func write(_ query: StructuredQuery, to writer: inout WireWriter) throws(InvalidArgument) {
    if let projection = query.projection {
      writer.message(1) { select in
        let fields = projection.isEmpty ? ["__name__"] : projection
        for field in fields { select.message(2) { $0.field(2, text: field) } }
      }
    }
    for selector in query.from {
      writer.message(2) { from in
        from.field(2, text: selector.collectionID)
        if selector.includesDescendants { from.field(3, varint: 1) }
      }
    }
    if let filter = query.filter {
      try writer.message(3) { (writer) throws(InvalidArgument) in try write(filter, to: &writer) }
    }
    for order in query.orders {
      writer.message(4) { message in
        message.message(1) { $0.field(2, text: order.path) }
        message.field(2, varint: order.direction == .ascending ? 1 : 2)
      }
    }
    if let limit = query.limit { writer.message(5) { $0.field(1, varint: UInt64(limit)) } }
    if query.offset > 0 { writer.field(6, varint: UInt64(query.offset)) }
    if let start = query.start { try writeCursor(start, 7, to: &writer) }
    if let end = query.end { try writeCursor(end, 8, to: &writer) }
    if let nearest = query.nearest {
      try writer.message(9) { (writer) throws(InvalidArgument) in try write(nearest, to: &writer) }
    }
  }

  private static func writeCursor(
    _ cursor: StructuredQuery.Cursor, _ number: Int, to writer: inout WireWriter
  ) throws(InvalidArgument) {
    try writer.message(number) { (message) throws(InvalidArgument) in
      for value in cursor.values { message.field(1, bytes: try bytes(value)) }
      if cursor.isBefore { message.field(2, varint: 1) }
    }
  }

  private static func bytes(_ operand: StructuredQuery.Operand) throws(InvalidArgument) -> [UInt8] {
    switch operand {
    case .value(let bytes): return bytes
    case .refused(let error): throw error
    }
  }

  private static func write(
    _ filter: StructuredQuery.Filter, to writer: inout WireWriter
  ) throws(InvalidArgument) {
    switch filter {
    case .composite(let comparison, let filters):
      try writer.message(1) { (message) throws(InvalidArgument) in
        if let comparison { message.field(1, varint: UInt64(comparison.rawValue)) }
        for filter in filters {
          try message.message(2) { (writer) throws(InvalidArgument) in try write(filter, to: &writer) }
        }
      }
    case .field(let path, let comparison, let operand):
      let value = try bytes(operand)
      writer.message(2) { message in
        message.message(1) { $0.field(2, text: path) }
        if let comparison { message.field(2, varint: UInt64(comparison.rawValue)) }
        message.field(3, bytes: value)
      }
    case .unary(let path, let comparison):
      writer.message(3) { message in
        if let comparison { message.field(1, varint: UInt64(comparison.rawValue)) }
        if let path { message.message(2) { $0.field(2, text: path) } }
      }
    case .unset: break
    }
  }

  private static func write(
    _ nearest: StructuredQuery.Nearest, to writer: inout WireWriter
  ) throws(InvalidArgument) {
    let vector = try nearest.vector.get()
    writer.message(1) { $0.field(2, text: nearest.field) }
    writer.field(2, bytes: Value.vector(vector).encoded)
    if let measure = nearest.measure { writer.field(3, varint: UInt64(measure.rawValue)) }
    if let limit = nearest.limit { writer.message(4) { $0.field(1, varint: UInt64(limit)) } }
  }

  // MARK: writes and transactions

  package func commit(_ writes: [Write], _ transaction: TransactionToken?) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: database.resourceName)
    for write in writes { writer.message(2) { self.write(write, to: &$0) } }
    if let transaction { writer.field(3, bytes: transaction.bytes) }
    return writer.bytes
  }

  private func write(_ write: Write, to writer: inout WireWriter) {
    switch write.operation {
    case .delete: writer.field(2, text: name(write.path))
    case .verify: writer.field(5, text: name(write.path))
    case .update(let fields, let mask):
      writer.message(1) { document in
        document.field(1, text: name(write.path))
        // The stored form of fields is that of the message.
        document.bytes += fields
      }
      if let mask {
        writer.message(3) { message in
          for path in mask { message.field(1, text: path.text) }
        }
      }
    }
    switch write.precondition {
    case .none: break
    case .exists(let flag): writer.message(4) { $0.field(1, varint: flag ? 1 : 0) }
    case .updateTime(let time): writer.message(4) { $0.timestamp(2, Timestamp(microseconds: time)) }
    }
    for transform in write.transforms { writer.message(7) { Self.write(transform, to: &$0) } }
  }

  private static func write(_ transform: FieldTransform, to writer: inout WireWriter) {
    writer.field(1, text: transform.path.text)
    switch transform.operation {
    case .serverTime: writer.field(2, varint: 1)
    case .increment(let operand): writer.field(3, bytes: operand)
    case .maximum(let operand): writer.field(4, bytes: operand)
    case .minimum(let operand): writer.field(5, bytes: operand)
    case .appendMissing(let elements):
      writer.message(6) { list in for element in elements { list.field(1, bytes: element) } }
    case .removeAll(let elements):
      writer.message(7) { list in for element in elements { list.field(1, bytes: element) } }
    }
  }

  package func begin(readOnly: Bool) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: database.resourceName)
    writer.message(2) { $0.message(readOnly ? 2 : 3) { _ in } }
    return writer.bytes
  }

  package func rollBack(_ transaction: TransactionToken) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: database.resourceName)
    writer.field(2, bytes: transaction.bytes)
    return writer.bytes
  }

  package func listCollectionIDs(_ path: ResourcePath, pageToken: String) -> [UInt8] {
    var writer = WireWriter()
    writer.field(1, text: parent(path))
    writer.field(2, varint: 300)
    if !pageToken.isEmpty { writer.field(3, text: pageToken) }
    return writer.bytes
  }
}
