/// The one member that an encoded `Value` has set, before it is known to be acceptable.

/// Source: proto google/firestore/v1/document.proto, Value. Of several members on the wire the last wins.
/// Protobuf would merge two maps in one value; no encoder writes such a thing, so the rule stays simple.
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

  init(_ message: UnsafeRawBufferPointer) throws(InvalidArgument) {
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
      case let tag where tag == 0x9A || tag == 0xA2 || tag == 0xAA:
        _ = cursor.lengthDelimited()
        member = nil
        pipelineOnly = Self.pipelineMemberName(tag: tag)
      case let other: cursor.skip(tag: other)
      }
    }
    if cursor.isCorrupt { throw Canonicalizer.malformed }
    if let member {
      self = member
    } else if let pipelineOnly {
      // Source: observed on the official emulator.
      throw InvalidArgument("Value type is not supported: \(pipelineOnly)")
    } else {
      throw InvalidArgument("Cannot convert firestore.v1.Value with type unset.")
    }
  }

  private static func pipelineMemberName(tag: UInt32) -> String {
    switch tag {
    case 0x9A: "FIELD_REFERENCE_VALUE"
    case 0xA2: "FUNCTION_VALUE"
    default: "PIPELINE_VALUE"
    }
  }

  /// What the service's message about `__type__` calls the kind. Source: docs/spec/protocol.md 4.6.
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

/// Scalars that are messages on the wire. Source of the texts: observed on the official emulator.
enum ScalarReader {
  static func timestamp(_ message: UnsafeRawBufferPointer) throws(InvalidArgument) -> Timestamp {
    var cursor = WireCursor(message)
    var seconds: Int64 = 0
    var nanoseconds: Int32 = 0
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x08: seconds = Int64(bitPattern: cursor.varint())
      // An int32 field keeps the low 32 bits, as every protobuf parser does.
      case 0x10: nanoseconds = Int32(truncatingIfNeeded: cursor.varint())
      case let other: cursor.skip(tag: other)
      }
    }
    if cursor.isCorrupt { throw Canonicalizer.malformed }
    guard seconds >= Timestamp.secondsMin, seconds <= Timestamp.secondsMax else {
      throw InvalidArgument("Timestamp seconds exceeds limit for field.")
    }
    guard nanoseconds >= 0, nanoseconds < 1_000_000_000 else {
      throw InvalidArgument("Timestamp nanos exceeds limit for field.")
    }
    return Timestamp(seconds: seconds, nanoseconds: nanoseconds).truncatedToMicroseconds
  }

  static func geoPoint(_ message: UnsafeRawBufferPointer) throws(InvalidArgument) -> GeoPoint {
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
    guard point.latitude >= -90, point.latitude <= 90 else {
      throw InvalidArgument(
        "Geo point latitude '\(degrees(point.latitude))' outside permitted range -90.0 to 90.0.")
    }
    guard point.longitude >= -180, point.longitude <= 180 else {
      throw InvalidArgument(
        "Geo point longitude '\(degrees(point.longitude))' outside permitted range -180.0 to 180.0.")
    }
    return point
  }

  private static func degrees(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return number.description
  }

  /// Source: docs/spec/production-differences.md W15.
  static func checkReference(_ name: UnsafeRawBufferPointer) throws(InvalidArgument) {
    guard UTF8Check.isValid(name) else { throw InvalidArgument("a reference is not valid UTF-8") }
    _ = try ResourceNameParser.document(String(decoding: name, as: UTF8.self), as: .reference)
  }
}

/// Vectors, which arrive as maps. Source: docs/spec/protocol.md 4.6, first failing check wins.
enum VectorReader {
  /// The array message of a map that says it is a vector.
  static func elementsMessage(
    _ entries: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)]
  ) throws(InvalidArgument) -> UnsafeRawBufferPointer {
    guard let value = entries.first(where: { $0.key.elementsEqual("value".utf8) })?.value else {
      throw InvalidArgument("Vector map is missing key 'value'.")
    }
    guard case .array(let message) = try OneofMember(value) else {
      throw InvalidArgument("Vector value type must be an array.")
    }
    guard entries.count == 2 else { throw InvalidArgument("Vector value map has extraneous entries.") }
    return message
  }

  /// NaN may be asked for, not stored.
  static func elements(
    _ message: UnsafeRawBufferPointer, allowsNaN: Bool = false
  ) throws(InvalidArgument) -> [Double] {
    let messages = try elementMessages(message)
    if messages.isEmpty { throw InvalidArgument("Cannot have a zero length vector.") }
    if messages.count > Limits.vectorElementsMax {
      throw InvalidArgument("Vectors must be at most \(Limits.vectorElementsMax) dimensions.")
    }
    var elements: [Double] = []
    elements.reserveCapacity(messages.count)
    for message in messages {
      guard case .double(let element) = try OneofMember(message) else {
        throw InvalidArgument("Vector must only contain values of type 'double'")
      }
      elements.append(element)
    }
    if !allowsNaN, elements.contains(where: \.isNaN) { throw notANumber }
    return elements
  }

  static let notANumber = InvalidArgument("Vector cannot contain NaN values.")

  private static func elementMessages(
    _ message: UnsafeRawBufferPointer
  ) throws(InvalidArgument) -> [UnsafeRawBufferPointer] {
    var messages: [UnsafeRawBufferPointer] = []
    var cursor = WireCursor(message)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      if tag == 0x0A { messages.append(cursor.lengthDelimited()) } else { cursor.skip(tag: tag) }
    }
    if cursor.isCorrupt { throw Canonicalizer.malformed }
    return messages
  }
}
