/// A record of an export as a document: ours, the official emulator's, the service's.
///
/// Source: docs/spec/streams.md 6.5.

internal import DocModel

/// A document of an export.
struct ExportedDocument {
  /// The id of its database; the project is whatever imports it.
  let database: String
  let path: ResourcePath
  let fields: Fields
}

struct EntityReader {
  /// References of indexed properties are moved to this project, as officially.
  private let project: String
  /// LIMIT: maps inside each other; documents have 20 levels.
  private static let depthMax = 64

  init(project: String) { self.project = project }

  private static var invalid: ExportError { ExportError(.invalid, "Invalid record") }

  func document(_ record: [UInt8]) throws(ExportError) -> ExportedDocument {
    try record.withUnsafeBufferPointer { buffer throws(ExportError) -> ExportedDocument in
      try document(UnsafeRawBufferPointer(buffer))
    }
  }

  private func document(_ bytes: UnsafeRawBufferPointer) throws(ExportError) -> ExportedDocument {
    var database = ""
    var path = ""
    var properties = PropertyList()
    var cursor = WireCursor(bytes)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 13 << 3 | 2: (database, path) = try key(cursor.lengthDelimited())
      case 14 << 3 | 2: try add(cursor.lengthDelimited(), isIndexed: true, to: &properties, depth: 0)
      case 15 << 3 | 2: try add(cursor.lengthDelimited(), isIndexed: false, to: &properties, depth: 0)
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
    let document = ResourcePath(unchecked: path)
    guard !cursor.isCorrupt, document.isDocument else { throw Self.invalid }
    return ExportedDocument(database: database, path: document, fields: properties.fields)
  }

  // MARK: keys

  private func key(_ bytes: UnsafeRawBufferPointer) throws(ExportError) -> (database: String, path: String) {
    var database = "(default)"
    var path: [String] = []
    var cursor = WireCursor(bytes)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 14 << 3 | 2:
        var elements = WireCursor(cursor.lengthDelimited())
        while !elements.isAtEnd {
          guard elements.tag() == 1 << 3 | 3 else { throw Self.invalid }
          path += try element(&elements, kind: 2, number: 3, name: 4, end: 1 << 3 | 4)
        }
      case 23 << 3 | 2: database = text(cursor.lengthDelimited())
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
    if cursor.isCorrupt { throw Self.invalid }
    return (database.isEmpty ? "(default)" : database, path.joined(separator: "/"))
  }

  /// A collection id and a document id, up to the end of their group.
  private func element(
    _ cursor: inout WireCursor, kind: UInt32, number: UInt32, name: UInt32, end: UInt32
  ) throws(ExportError) -> [String] {
    var collection: String?
    var id: String?
    while true {
      switch cursor.tag() {
      case end:
        guard let collection, let id, !collection.isEmpty, !id.isEmpty else { throw Self.invalid }
        return [collection, id]
      case kind << 3 | 2: collection = text(cursor.lengthDelimited())
      case number << 3: id = "__id\(Int64(bitPattern: cursor.varint()))__"
      case name << 3 | 2: id = text(cursor.lengthDelimited())
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
  }

  private func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: properties

  /// Properties as they come: those of one name that are marked as multiple make an array.
  private struct PropertyList {
    private(set) var fields = Fields()

    mutating func add(_ name: String, _ value: Value, isMultiple: Bool) {
      guard isMultiple else {
        fields[name] = value
        return
      }
      if case .array(let elements)? = fields[name] {
        fields[name] = .array(elements + [value])
      } else {
        fields[name] = .array([value])
      }
    }
  }

  private func add(
    _ bytes: UnsafeRawBufferPointer, isIndexed: Bool, to list: inout PropertyList, depth: Int
  ) throws(ExportError) {
    var meaning: UInt64 = 0
    var name = ""
    var isMultiple = false
    var value = WireCursor.empty
    var cursor = WireCursor(bytes)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 1 << 3: meaning = cursor.varint()
      case 3 << 3 | 2: name = text(cursor.lengthDelimited())
      case 4 << 3: isMultiple = cursor.varint() != 0
      case 5 << 3 | 2: value = cursor.lengthDelimited()
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
    guard !cursor.isCorrupt, !name.isEmpty else { throw Self.invalid }
    if meaning == Meaning.emptyList { return list.add(name, .array([]), isMultiple: false) }
    list.add(
      name, try self.value(value, meaning: meaning, isIndexed: isIndexed, depth: depth),
      isMultiple: isMultiple)
  }

  private func value(
    _ bytes: UnsafeRawBufferPointer, meaning: UInt64, isIndexed: Bool, depth: Int
  ) throws(ExportError) -> Value {
    var result = Value.null
    var cursor = WireCursor(bytes)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 1 << 3:
        let number = Int64(bitPattern: cursor.varint())
        result = meaning == Meaning.time ? .timestamp(Timestamp(microseconds: number)) : .integer(number)
      case 2 << 3: result = .boolean(cursor.varint() != 0)
      case 4 << 3 | 1: result = .double(Double(bitPattern: cursor.fixed64()))
      case 3 << 3 | 2:
        let content = cursor.lengthDelimited()
        switch meaning {
        case Meaning.blob, Meaning.byteString: result = .bytes(Array(content))
        case Meaning.entity: result = try nested(content, depth: depth + 1)
        default: result = .string(text(content))
        }
      case 5 << 3 | 3: result = .geoPoint(try point(&cursor))
      case 12 << 3 | 3: result = .reference(try reference(&cursor, isIndexed: isIndexed))
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
    if cursor.isCorrupt { throw Self.invalid }
    return result
  }

  /// A map; or a vector, which is a map of nothing but its elements under one name.
  private func nested(_ bytes: UnsafeRawBufferPointer, depth: Int) throws(ExportError) -> Value {
    guard depth <= Self.depthMax else { throw Self.invalid }
    var list = PropertyList()
    var cursor = WireCursor(bytes)
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 14 << 3 | 2, 15 << 3 | 2:
        try add(cursor.lengthDelimited(), isIndexed: false, to: &list, depth: depth)
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
    if cursor.isCorrupt { throw Self.invalid }
    if list.fields.count == 1, case .array(let elements)? = list.fields[EntityWriter.vectorProperty] {
      let numbers = elements.compactMap { element -> Double? in
        if case .double(let number) = element { number } else { nil }
      }
      if numbers.count == elements.count, !numbers.isEmpty { return .vector(numbers) }
    }
    return .map(list.fields)
  }

  private func point(_ cursor: inout WireCursor) throws(ExportError) -> GeoPoint {
    var latitude = 0.0
    var longitude = 0.0
    while true {
      switch cursor.tag() {
      case 5 << 3 | 4: return GeoPoint(latitude: latitude, longitude: longitude)
      case 6 << 3 | 1: latitude = Double(bitPattern: cursor.fixed64())
      case 7 << 3 | 1: longitude = Double(bitPattern: cursor.fixed64())
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
  }

  private func reference(_ cursor: inout WireCursor, isIndexed: Bool) throws(ExportError) -> String {
    var project = ""
    var database = "(default)"
    var path: [String] = []
    while true {
      switch cursor.tag() {
      case 12 << 3 | 4:
        let owner = isIndexed ? self.project : project
        return "projects/\(owner)/databases/\(database)/documents/" + path.joined(separator: "/")
      case 13 << 3 | 2:
        // `dev~P` of emulators, `s~P` of the service.
        let app = text(cursor.lengthDelimited())
        project = app.firstIndex(of: "~").map { String(app[app.index(after: $0)...]) } ?? app
      case 14 << 3 | 3: path += try element(&cursor, kind: 15, number: 16, name: 17, end: 14 << 3 | 4)
      case 23 << 3 | 2:
        let name = text(cursor.lengthDelimited())
        if !name.isEmpty { database = name }
      case 0: throw Self.invalid
      case let tag: cursor.skip(tag: tag)
      }
    }
  }
}
