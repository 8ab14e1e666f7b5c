/// A document as one record of an export.
///
/// Source: docs/spec/streams.md 6.5 (fields, meanings, groups), checked byte by byte against exports of the official
/// emulator.

internal import DocModel

/// Numbers that say what the bytes of a property stand for.
enum Meaning {
  static let time: UInt64 = 7
  static let point: UInt64 = 9
  static let blob: UInt64 = 14
  static let byteString: UInt64 = 16
  static let entity: UInt64 = 19
  static let emptyList: UInt64 = 24
}

enum EntityWriter {
  static let vectorProperty = "__vector__"

  /// One record.
  static func entity(_ path: ResourcePath, _ fields: Fields, of database: DatabaseID) -> [UInt8] {
    let elements = Self.elements(path.segments)
    var writer = WireWriter(reserving: 512)
    writer.message(13) { key in
      key.field(13, text: "dev~" + database.project)
      key.message(14) { write(elements, to: &$0) }
      if database.database != "(default)" { key.field(23, text: database.database) }
    }
    write(fields, to: &writer)
    writer.message(16) { write(Array(elements.prefix(1)), to: &$0) }
    return writer.bytes
  }

  // MARK: keys

  struct Element {
    let kind: String
    let id: String
    let number: Int64?
  }

  private static func elements(_ segments: [Substring.UTF8View.SubSequence]) -> [Element] {
    stride(from: 0, to: segments.count - 1, by: 2).map { index in
      let id = String(Substring(segments[index + 1]))
      return Element(
        kind: String(Substring(segments[index])), id: id,
        number: Array(id.utf8).withUnsafeBytes { NameOrder.numericID($0) })
    }
  }

  private static func write(_ elements: [Element], to writer: inout WireWriter) {
    for element in elements {
      writer.tag(1, wireType: 3)
      writer.field(2, text: element.kind)
      if let number = element.number {
        writer.field(3, varint: UInt64(bitPattern: number))
      } else {
        writer.field(4, text: element.id)
      }
      writer.tag(1, wireType: 4)
    }
  }

  // MARK: properties

  /// Empty arrays come first, in a field of their own.
  private static func write(_ fields: Fields, to writer: inout WireWriter) {
    for entry in fields.entries {
      if case .array(let elements) = entry.value, elements.isEmpty {
        writer.message(14) { property in
          property.field(1, varint: Meaning.emptyList)
          property.field(3, text: entry.name)
          property.field(4, varint: 0)
          property.message(5) { _ in }
        }
      }
    }
    for entry in fields.entries {
      if case .array(let elements) = entry.value {
        for element in elements { write(entry.name, element, isMultiple: true, to: &writer) }
      } else {
        write(entry.name, entry.value, isMultiple: false, to: &writer)
      }
    }
  }

  private static func write(
    _ name: String, _ value: Value, isMultiple: Bool, to writer: inout WireWriter
  ) {
    writer.message(15) { property in
      if let meaning = meaning(value) { property.field(1, varint: meaning) }
      property.field(3, text: name)
      property.field(4, varint: isMultiple ? 1 : 0)
      property.message(5) { write(value, to: &$0) }
    }
  }

  private static func meaning(_ value: Value) -> UInt64? {
    switch value {
    case .timestamp: Meaning.time
    case .geoPoint: Meaning.point
    case .bytes: Meaning.blob
    case .map, .vector: Meaning.entity
    case .null, .boolean, .integer, .double, .string, .reference, .array: nil
    }
  }

  private static func write(_ value: Value, to writer: inout WireWriter) {
    switch value {
    case .null, .array: break
    case .boolean(let value): writer.field(2, varint: value ? 1 : 0)
    case .integer(let value): writer.field(1, varint: UInt64(bitPattern: value))
    case .double(let value): writer.field(4, double: value)
    case .timestamp(let time): writer.field(1, varint: UInt64(bitPattern: time.microseconds))
    case .string(let text): writer.field(3, text: text)
    case .bytes(let bytes): writer.field(3, bytes: bytes)
    case .geoPoint(let point):
      writer.tag(5, wireType: 3)
      writer.field(6, double: point.latitude)
      writer.field(7, double: point.longitude)
      writer.tag(5, wireType: 4)
    case .reference(let name): write(reference: name, to: &writer)
    case .map(let fields): writer.field(3, bytes: nested { write(fields, to: &$0) })
    case .vector(let elements):
      writer.field(
        3,
        bytes: nested { nested in
          for element in elements {
            write(vectorProperty, .double(element), isMultiple: true, to: &nested)
          }
        })
    }
  }

  /// An entity without a key of its own.
  private static func nested(_ body: (inout WireWriter) -> Void) -> [UInt8] {
    var writer = WireWriter()
    writer.message(13) { key in
      key.field(13, text: "")
      key.field(14, text: "")
    }
    body(&writer)
    writer.field(16, text: "")
    return writer.bytes
  }

  /// A name that is none of a document (there is none in a stored value) keeps what can be said of it.
  private static func write(reference text: String, to writer: inout WireWriter) {
    let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard segments.count >= 5 else { return }
    let database = String(Substring(segments[3]))
    writer.tag(12, wireType: 3)
    writer.field(13, text: "dev~" + String(Substring(segments[1])))
    for element in elements(Array(segments[5...])) {
      writer.tag(14, wireType: 3)
      writer.field(15, text: element.kind)
      if let number = element.number {
        writer.field(16, varint: UInt64(bitPattern: number))
      } else {
        writer.field(17, text: element.id)
      }
      writer.tag(14, wireType: 4)
    }
    if database != "(default)" { writer.field(23, text: database) }
    writer.tag(12, wireType: 4)
  }
}
