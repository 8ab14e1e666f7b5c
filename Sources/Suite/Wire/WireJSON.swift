/// Requests as the REST API of Firestore has them. Source: proto google/firestore/v1, JSON mapping.

internal import DocModel
internal import DocStore
internal import JSON

enum WireJSON {
  static func object(_ body: (inout JSONWriter.ObjectWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(body)
    return writer.bytes
  }

  // MARK: values

  static func value(_ value: Value, _ writer: inout JSONWriter) {
    writer.object { object in
      switch value {
      case .null: object.member("nullValue") { $0.null() }
      case .boolean(let flag): object.member("booleanValue") { $0.boolean(flag) }
      case .integer(let number): object.member("integerValue") { $0.string(String(number)) }
      case .double(let number): object.member("doubleValue") { $0.number(number) }
      case .timestamp(let instant): object.member("timestampValue") { $0.string(instant.rfc3339) }
      case .string(let text): object.member("stringValue") { $0.string(text) }
      case .bytes(let bytes): object.member("bytesValue") { $0.string(Base64.text(bytes)) }
      case .reference(let name): object.member("referenceValue") { $0.string(name) }
      case .geoPoint(let point):
        object.member("geoPointValue") {
          $0.value(["latitude": .double(point.latitude), "longitude": .double(point.longitude)])
        }
      case .array(let elements): object.member("arrayValue") { array(elements, &$0) }
      case .vector(let elements):
        object.member("mapValue") { writer in
          let parts: [(String, Value)] = [
            ("__type__", .string("__vector__")), ("value", .array(elements.map { .double($0) })),
          ]
          map(Fields(parts), &writer)
        }
      case .map(let fields): object.member("mapValue") { map(fields, &$0) }
      }
    }
  }

  private static func array(_ elements: [Value], _ writer: inout JSONWriter) {
    writer.object { object in object.member("values") { $0.array(elements) { value($1, &$0) } } }
  }

  private static func map(_ fields: Fields, _ writer: inout JSONWriter) {
    writer.object { object in object.member("fields") { self.fields(fields, &$0) } }
  }

  static func fields(_ fields: Fields, _ writer: inout JSONWriter) {
    writer.object { object in
      for entry in fields.entries {
        object.member(named: entry.name) { value(entry.value, &$0) }
      }
    }
  }

  /// A value in its stored form.
  private static func encoded(_ bytes: [UInt8], _ writer: inout JSONWriter) {
    value(bytes.withUnsafeBytes { Value(ValueView($0)) }, &writer)
  }

  // MARK: writes

  static func write(_ write: Write, in database: DatabaseID, _ writer: inout JSONWriter) {
    let name = DocumentName(database: database, path: write.path).resourceName
    writer.object { object in
      switch write.operation {
      case .delete: object.member("delete") { $0.string(name) }
      case .verify: object.member("verify") { $0.string(name) }
      case .update(let bytes, let mask):
        object.member("update") { writer in
          writer.object { document in
            document.member("name") { $0.string(name) }
            document.member("fields") { fields(Fields(encoded: bytes), &$0) }
          }
        }
        if let mask { object.member("updateMask") { paths("fieldPaths", mask.map(\.text), &$0) } }
      }
      if !write.transforms.isEmpty {
        object.member("updateTransforms") { $0.array(write.transforms) { transform($1, &$0) } }
      }
      if case .exists(let exists) = write.precondition {
        object.member("currentDocument") { $0.value(["exists": .boolean(exists)]) }
      }
    }
  }

  private static func paths(_ name: StaticString, _ paths: [String], _ writer: inout JSONWriter) {
    writer.object { object in object.member(name) { $0.array(paths) { $0.string($1) } } }
  }

  private static func transform(_ transform: FieldTransform, _ writer: inout JSONWriter) {
    writer.object { object in
      object.member("fieldPath") { $0.string(transform.path.text) }
      switch transform.operation {
      case .serverTime: object.member("setToServerValue") { $0.string("REQUEST_TIME") }
      case .increment(let operand): object.member("increment") { encoded(operand, &$0) }
      case .maximum(let operand): object.member("maximum") { encoded(operand, &$0) }
      case .minimum(let operand): object.member("minimum") { encoded(operand, &$0) }
      case .appendMissing(let elements): object.member("appendMissingElements") { values(elements, &$0) }
      case .removeAll(let elements): object.member("removeAllFromArray") { values(elements, &$0) }
      }
    }
  }

  private static func values(_ elements: [[UInt8]], _ writer: inout JSONWriter) {
    writer.object { object in object.member("values") { $0.array(elements) { encoded($1, &$0) } } }
  }

  // MARK: queries

  static func query(_ query: StructuredQuery, _ writer: inout JSONWriter) {
    writer.object { object in
      if let projection = query.projection {
        object.member("select") { writer in
          writer.object { select in
            select.member("fields") { $0.array(projection) { field($1, &$0) } }
          }
        }
      }
      object.member("from") { writer in
        writer.array(query.from) { writer, selector in
          writer.object { from in
            from.member("collectionId") { $0.string(selector.collectionID) }
            if selector.includesDescendants { from.member("allDescendants") { $0.boolean(true) } }
          }
        }
      }
      if let filter = query.filter { object.member("where") { self.filter(filter, &$0) } }
      if !query.orders.isEmpty {
        object.member("orderBy") { writer in
          writer.array(query.orders) { writer, order in
            writer.object { object in
              object.member("field") { field(order.path, &$0) }
              object.member("direction") {
                $0.string(order.direction == .ascending ? "ASCENDING" : "DESCENDING")
              }
            }
          }
        }
      }
      if let start = query.start { object.member("startAt") { cursor(start, &$0) } }
      if let end = query.end { object.member("endAt") { cursor(end, &$0) } }
      if query.offset > 0 { object.member("offset") { $0.integer(query.offset) } }
      if let limit = query.limit { object.member("limit") { $0.integer(limit) } }
    }
  }

  private static func field(_ path: String, _ writer: inout JSONWriter) {
    writer.object { object in object.member("fieldPath") { $0.string(path) } }
  }

  private static func cursor(_ cursor: StructuredQuery.Cursor, _ writer: inout JSONWriter) {
    writer.object { object in
      object.member("values") { $0.array(cursor.values) { operand($1, &$0) } }
      if cursor.isBefore { object.member("before") { $0.boolean(true) } }
    }
  }

  /// What is refused never gets here: the suite's reader has validated the query.
  private static func operand(_ operand: StructuredQuery.Operand, _ writer: inout JSONWriter) {
    switch operand {
    case .value(let bytes): encoded(bytes, &writer)
    case .refused: value(.null, &writer)
    }
  }

  private static func filter(_ filter: StructuredQuery.Filter, _ writer: inout JSONWriter) {
    writer.object { object in
      switch filter {
      case .composite(let symbol, let filters):
        object.member("compositeFilter") { writer in
          writer.object { composite in
            composite.member("op") { $0.string(symbol == .or ? "OR" : "AND") }
            composite.member("filters") { $0.array(filters) { self.filter($1, &$0) } }
          }
        }
      case .field(let path, let comparison, let operand):
        object.member("fieldFilter") { writer in
          writer.object { field in
            field.member("field") { self.field(path, &$0) }
            field.member("op") { $0.string((comparison ?? .equal).name) }
            field.member("value") { self.operand(operand, &$0) }
          }
        }
      case .unary(let path, let test):
        object.member("unaryFilter") { writer in
          writer.object { unary in
            unary.member("op") { $0.string(name(of: test ?? .isNull)) }
            unary.member("field") { field(path ?? "", &$0) }
          }
        }
      case .unset: break
      }
    }
  }

  private static func name(of test: StructuredQuery.UnaryOperator) -> String {
    switch test {
    case .isNaN: "IS_NAN"
    case .isNull: "IS_NULL"
    case .isNotNaN: "IS_NOT_NAN"
    case .isNotNull: "IS_NOT_NULL"
    }
  }
}
