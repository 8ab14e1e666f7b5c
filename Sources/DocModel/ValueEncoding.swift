/// Between the owned form and the encoded form.

extension WireWriter {
  /// Appends one value's canonical message bytes (without tag and length of its own).
  public mutating func value(_ value: Value) {
    switch value {
    case .null: field(11, varint: 0)
    case .boolean(let flag): field(1, varint: flag ? 1 : 0)
    case .integer(let number): field(2, varint: UInt64(bitPattern: number))
    case .double(let number): field(3, double: number.isNaN ? .nan : number)
    case .timestamp(let instant): timestamp(10, instant.truncatedToMicroseconds)
    case .string(let text): field(17, text: text)
    case .bytes(let content): field(18, bytes: content)
    case .reference(let name): field(5, text: name)
    case .geoPoint(let point):
      message(8) { writer in
        if point.latitude.bitPattern != 0 { writer.field(1, double: point.latitude) }
        if point.longitude.bitPattern != 0 { writer.field(2, double: point.longitude) }
      }
    case .array(let elements):
      message(9) { writer in
        for element in elements { writer.message(1) { $0.value(element) } }
      }
    case .vector(let elements): vector(elements)
    case .map(let fields):
      message(6) { $0.entries(of: fields, entryTag: FieldsView.mapEntryTag) }
    }
  }

  private mutating func vector(_ elements: [Double]) {
    message(6) { writer in
      writer.entry("__type__", tag: FieldsView.mapEntryTag) { $0.field(17, text: "__vector__") }
      writer.entry("value", tag: FieldsView.mapEntryTag) { value in
        value.message(9) { array in
          for element in elements { array.message(1) { $0.field(3, double: element) } }
        }
      }
    }
  }

  /// One `key: value` entry whose value `body` writes.
  public mutating func entry(_ key: String, tag: UInt8, _ body: (inout WireWriter) -> Void) {
    bytes.append(tag)
    let start = bytes.count
    bytes.append(0)
    field(1, text: key)
    message(2, body)
    closeLength(at: start)
  }

  /// One entry whose parts are already encoded.
  public mutating func entry(
    key: UnsafeRawBufferPointer, encodedValue: UnsafeRawBufferPointer, tag: UInt8
  ) {
    let length =
      2 + WireWriter.varintLength(UInt64(key.count)) + key.count
      + WireWriter.varintLength(UInt64(encodedValue.count)) + encodedValue.count
    bytes.append(tag)
    varint(UInt64(length))
    field(1, bytes: key)
    field(2, bytes: encodedValue)
  }

  /// All entries of a map or a document, in key order.
  public mutating func entries(of fields: Fields, entryTag: UInt8) {
    for field in fields.entries {
      entry(field.name, tag: entryTag) { $0.value(field.value) }
    }
  }
}

extension Fields {
  /// The stored form of a document with these fields. Checks nothing; `Canonicalizer` does.
  public var encoded: [UInt8] {
    var writer = WireWriter()
    writer.entries(of: self, entryTag: FieldsView.documentEntryTag)
    return writer.bytes
  }

  /// Decodes fields in place into the owned form.
  public init(_ view: FieldsView) {
    self.init(view, depth: 0)
  }

  fileprivate init(_ view: FieldsView, depth: Int) {
    self.init(view.map { (String(decoding: $0.key, as: UTF8.self), Value($0.value, depth: depth)) })
  }

  /// Decodes the stored form of a document.
  public init(encoded bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { Fields(FieldsView(document: $0)) }
  }
}

extension Value {
  /// The value's own message bytes, canonical.
  public var encoded: [UInt8] {
    var writer = WireWriter()
    writer.value(self)
    return writer.bytes
  }

  /// Decodes a value in place into the owned form.
  ///
  /// Stored values nest at most `Limits.nestingMax` levels. Whatever lies deeper than
  /// `Limits.nestingReadMax` is no stored value and becomes null, so no bytes can exhaust the stack.
  public init(_ view: ValueView) {
    self.init(view, depth: 0)
  }

  fileprivate init(_ view: ValueView, depth: Int) {
    guard depth <= Limits.nestingReadMax else {
      self = .null
      return
    }
    switch view.kind {
    case .null: self = .null
    case .boolean: self = .boolean(view.boolean)
    case .integer: self = .integer(view.integer)
    case .double: self = .double(view.double)
    case .timestamp: self = .timestamp(view.timestamp)
    case .string: self = .string(String(decoding: view.string, as: UTF8.self))
    case .bytes: self = .bytes(Array(view.byteString))
    case .reference: self = .reference(String(decoding: view.reference, as: UTF8.self))
    case .geoPoint: self = .geoPoint(view.geoPoint)
    case .array: self = .array(view.array.map { Value($0, depth: depth + 1) })
    case .vector: self = .vector(view.vectorElements.map(\.double))
    case .map: self = .map(Fields(view.fields, depth: depth + 1))
    }
  }
}
