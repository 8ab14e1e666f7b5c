/// The one member that an encoded `Value` has set, before it is known to be acceptable.

/// Source: proto google/firestore/v1/document.proto, Value. Of several members on the wire the last wins.
enum OneofMember {
  case null
  case boolean(Bool)
  case integer(UInt64)
  case double(Double)
  case timestamp(UnsafeRawBufferPointer)
  case string(UnsafeRawBufferPointer)
  case bytes(UnsafeRawBufferPointer)
  case reference(UnsafeRawBufferPointer)
  case geoPoint(UnsafeRawBufferPointer)
  case array(UnsafeRawBufferPointer)
  case map(UnsafeRawBufferPointer)

  init(_ message: UnsafeRawBufferPointer) throws(Complaint) {
    var cursor = WireCursor(message)
    var member: OneofMember?
    var pipelineOnly: String?
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x58:
        _ = cursor.varint()
        member = .null
      case 0x08: member = .boolean(cursor.varint() != 0)
      case 0x10: member = .integer(cursor.varint())
      case 0x19: member = .double(Double(bitPattern: cursor.fixed64()))
      case 0x52: member = .timestamp(cursor.lengthDelimited())
      case 0x8A: member = .string(cursor.lengthDelimited())
      case 0x92: member = .bytes(cursor.lengthDelimited())
      case 0x2A: member = .reference(cursor.lengthDelimited())
      case 0x42: member = .geoPoint(cursor.lengthDelimited())
      case 0x4A: member = .array(cursor.lengthDelimited())
      case 0x32: member = .map(cursor.lengthDelimited())
      case 0x9A, 0xA2, 0xAA:
        _ = cursor.lengthDelimited()
        pipelineOnly = "a field reference, a function or a pipeline is a value only inside a pipeline"
      case let other: cursor.skip(tag: other)
      }
    }
    if cursor.isCorrupt { throw Canonicalizer.malformed }
    guard let member else {
      throw Complaint(pipelineOnly ?? "Cannot convert firestore.v1.Value with type unset.")
    }
    self = member
  }

  /// What the service's complaint about `__type__` calls the kind. Source: spec/protocol.md 4.6.
  var storageKindName: String {
    switch self {
    case .null: "NULL"
    case .boolean: "BOOLEAN"
    case .integer: "LONG"
    case .double: "DOUBLE"
    case .timestamp: "TIMESTAMP"
    case .string: "STRING"
    case .bytes: "BYTES"
    case .reference: "ENTITY_REF"
    case .geoPoint: "GEO_POINT"
    case .array: "ARRAY"
    case .map: "MAP"
    }
  }
}

/// Scalars that are messages on the wire.
enum ScalarReader {
  static func timestamp(_ message: UnsafeRawBufferPointer) throws(Complaint) -> Timestamp {
    var cursor = WireCursor(message)
    var seconds: Int64 = 0
    var nanoseconds: Int64 = 0
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x08: seconds = Int64(bitPattern: cursor.varint())
      case 0x10: nanoseconds = Int64(bitPattern: cursor.varint())
      case let other: cursor.skip(tag: other)
      }
    }
    if cursor.isCorrupt { throw Canonicalizer.malformed }
    guard let nanoseconds = Int32(exactly: nanoseconds) else {
      throw Complaint("a timestamp's nanos must be in [0, 999999999], found \(nanoseconds)")
    }
    let timestamp = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    guard timestamp.isValid else {
      throw Complaint(
        "a timestamp must lie between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z, "
          + "found \(seconds) seconds and \(nanoseconds) nanos")
    }
    return timestamp.truncatedToMicroseconds
  }

  static func geoPoint(_ message: UnsafeRawBufferPointer) throws(Complaint) -> GeoPoint {
    var cursor = WireCursor(message)
    var point = GeoPoint(latitude: 0, longitude: 0)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x09: point.latitude = Double(bitPattern: cursor.fixed64())
      case 0x11: point.longitude = Double(bitPattern: cursor.fixed64())
      case let other: cursor.skip(tag: other)
      }
    }
    if cursor.isCorrupt { throw Canonicalizer.malformed }
    guard point.isValid else {
      throw Complaint(
        "a geo point must have a latitude in [-90, 90] and a longitude in [-180, 180], "
          + "found \(point.latitude), \(point.longitude)")
    }
    return point
  }

  /// Source: spec/production-differences.md W15.
  static func checkReference(_ name: UnsafeRawBufferPointer) throws(Complaint) {
    guard UTF8Check.isValid(name) else { throw Complaint("a reference is not valid UTF-8") }
    let text = String(decoding: name, as: UTF8.self)
    let slashes = name.reduce(0) { $0 + ($1 == UInt8(ascii: "/") ? 1 : 0) }
    if slashes == 4, text.hasSuffix("/documents") {
      throw Complaint(
        "Resource name \"\(text)\" is invalid: Omit \"/documents\" when referencing a database "
          + "(except as the parent of a document).")
    }
    _ = try ResourceNameParser.document(text, as: .reference)
  }
}

/// Vectors, which arrive as maps. Source: spec/protocol.md 4.6, first failing check wins.
enum VectorReader {
  static func elements(
    _ entries: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)]
  ) throws(Complaint) -> [Double] {
    guard let value = entries.first(where: { $0.key.elementsEqual("value".utf8) })?.value else {
      throw Complaint("Vector map is missing key 'value'.")
    }
    guard case .array(let message) = try OneofMember(value) else {
      throw Complaint("Vector value type must be an array.")
    }
    guard entries.count == 2 else { throw Complaint("Vector value map has extraneous entries.") }
    let messages = Array(ArrayView(message))
    if messages.isEmpty { throw Complaint("Cannot have a zero length vector.") }
    if messages.count > Limits.vectorElementsMax {
      throw Complaint("Vectors must be at most \(Limits.vectorElementsMax) dimensions.")
    }
    var elements: [Double] = []
    elements.reserveCapacity(messages.count)
    for message in messages {
      guard case .double(let element) = try OneofMember(message.bytes) else {
        throw Complaint("Vector must only contain values of type 'double'")
      }
      elements.append(element)
    }
    if elements.contains(where: \.isNaN) { throw Complaint("Vector cannot contain NaN values.") }
    return elements
  }
}
