/// From untrusted wire bytes to the stored form.
///
/// Everything a document may not hold is refused here, once, with the service's words; what comes out is
/// canonical and is trusted from then on: entries sorted by key bytes (the last duplicate won), one
/// oneof member a value, minimal varints, timestamps cut to microseconds, one NaN, checked vectors.
///
/// Which of several complaints is given does not depend on where they stand: names, kinds and ranges come
/// first, then arrays in arrays, then the contents of vectors, lengths and depth.
///
/// Recursion is bounded: a level beyond `Limits.nestingReadMax` is refused before it is entered.
///
/// Source: docs/spec/protocol.md 2.3, 3.1, 4.1, 4.5, 4.6; the precedence: observed on the official emulator.

public struct Canonicalizer {
  private var writer: WireWriter
  /// The field whose value is being read, for messages.
  private var top: String = ""
  private let use: Use
  /// An array or a vector in an array waits here until all names and kinds are read.
  private var pendingArrayError: InvalidArgument?
  /// Lengths, depth and vectors' contents wait here until the whole document is read.
  private var pendingError: InvalidArgument?

  /// What a value is for, which decides what arrays may hold. Source: the official emulator.
  public enum Use {
    /// No arrays and no vectors.
    case document
    /// An operand of a transform, or an element of one: no arrays.
    case transform
    /// An operand that is compared with what is stored: anything.
    case comparison
  }

  private init(reserving capacity: Int, _ use: Use) {
    writer = WireWriter(reserving: capacity)
    self.use = use
  }

  /// The stored form of an encoded `Document` message's fields; its name and times are passed over.
  public static func fields(ofDocument message: UnsafeRawBufferPointer) throws(InvalidArgument) -> [UInt8] {
    var canonicalizer = Canonicalizer(reserving: message.count, .document)
    let entries = try entries(of: message, tag: UInt32(FieldsView.documentEntryTag))
    for entry in entries { try canonicalizer.topLevelEntry(entry) }
    if let error = canonicalizer.firstPending { throw error }
    return canonicalizer.writer.bytes
  }

  /// The stored form of fields in the owned form.
  public static func fields(_ fields: Fields) throws(InvalidArgument) -> [UInt8] {
    let encoded = fields.encoded
    var result: Result<[UInt8], InvalidArgument> = .success([])
    encoded.withUnsafeBytes { bytes in
      result = Result { () throws(InvalidArgument) in try Canonicalizer.fields(ofDocument: bytes) }
    }
    return try result.get()
  }

  /// The canonical form of one encoded `Value` that stands alone: an operand of a transform, a filter or
  /// a cursor. `name` is what messages call it.
  public static func value(
    _ message: UnsafeRawBufferPointer, named name: String, for use: Use
  ) throws(InvalidArgument) -> [UInt8] {
    var canonicalizer = Canonicalizer(reserving: message.count, use)
    canonicalizer.top = name
    try canonicalizer.value(message, at: Place(depth: 0, pathBytes: 0, ownKeyBytes: 0, parent: .document))
    if let error = canonicalizer.firstPending { throw error }
    return canonicalizer.writer.bytes
  }

  /// The canonical form of an encoded `Value` whose elements, if it is an array, stand alone: what a filter
  /// tries one by one.
  public static func listOfValues(
    _ message: UnsafeRawBufferPointer, named name: String
  ) throws(InvalidArgument) -> [UInt8] {
    guard case .array(let array) = try OneofMember(message) else {
      return try value(message, named: name, for: .comparison)
    }
    var writer = WireWriter(reserving: message.count)
    try writer.message(9) { (list) throws(InvalidArgument) in
      var cursor = WireCursor(array)
      while !cursor.isAtEnd {
        let tag = cursor.tag()
        if tag == 0x0A {
          list.field(1, bytes: try value(cursor.lengthDelimited(), named: name, for: .comparison))
        } else {
          cursor.skip(tag: tag)
        }
      }
      if cursor.isCorrupt { throw malformed }
    }
    return writer.bytes
  }

  // MARK: entries

  struct Entry {
    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer
  }

  /// Where a value stands: how deep, how long the dotted path to it is, and in what.
  private struct Place {
    enum Parent { case document, map, array }
    let depth: Int
    let pathBytes: Int
    /// How many of `pathBytes` are the value's own key.
    let ownKeyBytes: Int
    let parent: Parent
  }

  static let malformed = InvalidArgument("malformed protobuf message")

  /// The entries of a message, sorted, the last of equal keys kept.
  static func entries(of message: UnsafeRawBufferPointer, tag: UInt32) throws(InvalidArgument) -> [Entry] {
    var cursor = WireCursor(message)
    var entries: [Entry] = []
    var isSorted = true
    while !cursor.isAtEnd {
      let next = cursor.tag()
      guard next == tag else {
        cursor.skip(tag: next)
        continue
      }
      let entry = try entry(cursor.lengthDelimited())
      if let last = entries.last, WireCursor.compare(last.key, entry.key) >= 0 { isSorted = false }
      entries.append(entry)
    }
    if cursor.isCorrupt { throw malformed }
    return isSorted ? entries : sorted(entries)
  }

  private static func entry(_ message: UnsafeRawBufferPointer) throws(InvalidArgument) -> Entry {
    var cursor = WireCursor(message)
    var key = WireCursor.empty
    var value = WireCursor.empty
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x0A: key = cursor.lengthDelimited()
      case 0x12: value = cursor.lengthDelimited()
      case let other: cursor.skip(tag: other)
      }
    }
    if cursor.isCorrupt { throw malformed }
    guard UTF8Check.isValid(key) else { throw InvalidArgument("a field name is not valid UTF-8") }
    return Entry(key: key, value: value)
  }

  private static func sorted(_ entries: [Entry]) -> [Entry] {
    let order = entries.indices.sorted { a, b in
      let order = WireCursor.compare(entries[a].key, entries[b].key)
      return order != 0 ? order < 0 : a < b
    }
    var kept: [Entry] = []
    kept.reserveCapacity(entries.count)
    for index in order {
      if let last = kept.last, WireCursor.areEqual(last.key, entries[index].key) { kept.removeLast() }
      kept.append(entries[index])
    }
    return kept
  }

  private mutating func topLevelEntry(_ entry: Entry) throws(InvalidArgument) {
    let name = String(decoding: entry.key, as: UTF8.self)
    if ResourceNameParser.isReserved(entry.key) { throw InvalidArgument("field name \(name) is reserved") }
    if entry.key.isEmpty { complainLater("The property.name is the empty string.") }
    if entry.key.count > Limits.fieldNameBytesMax {
      complainLater("The property.name is longer than \(Limits.fieldNameBytesMax) bytes.")
    }
    top = name
    let place = Place(
      depth: 0, pathBytes: entry.key.count, ownKeyBytes: entry.key.count, parent: .document)
    try write(entry, tag: FieldsView.documentEntryTag, at: place)
  }

  private mutating func write(_ entry: Entry, tag: UInt8, at place: Place) throws(InvalidArgument) {
    writer.bytes.append(tag)
    let start = writer.bytes.count
    writer.bytes.append(0)
    writer.field(1, bytes: entry.key)
    writer.bytes.append(0x12)
    let valueStart = writer.bytes.count
    writer.bytes.append(0)
    try value(entry.value, at: place)
    writer.closeLength(at: valueStart)
    writer.closeLength(at: start)
  }

  private mutating func complainOfElement(_ kind: String) {
    if pendingArrayError == nil {
      pendingArrayError = InvalidArgument("Cannot convert \(kind) value in an array value.")
    }
  }

  private mutating func complainLater(_ message: String) {
    if pendingError == nil { pendingError = InvalidArgument(message) }
  }

  private var firstPending: InvalidArgument? { pendingArrayError ?? pendingError }

  /// The error about what lies below a top-level field.
  private var invalidNested: String { "Property \(top) contains an invalid nested entity." }

  // MARK: values

  private mutating func value(_ message: UnsafeRawBufferPointer, at place: Place) throws(InvalidArgument) {
    let member = try OneofMember(message)
    switch member {
    case .null: writer.field(11, varint: 0)
    case .boolean(let flag): writer.field(1, varint: flag ? 1 : 0)
    case .integer(let number): writer.field(2, varint: number)
    case .double(let number): writer.field(3, double: number.isNaN ? .nan : number)
    case .timestamp(let bytes): writer.timestamp(10, try ScalarReader.timestamp(bytes))
    case .string(let text):
      guard UTF8Check.isValid(text) else { throw InvalidArgument("a string value is not valid UTF-8") }
      checkLength(text.count, at: place)
      writer.field(17, bytes: text)
    case .bytes(let content):
      checkLength(content.count, at: place)
      writer.field(18, bytes: content)
    case .reference(let name):
      try ScalarReader.checkReference(name)
      writer.field(5, bytes: name)
    case .geoPoint(let bytes): writer.value(.geoPoint(try ScalarReader.geoPoint(bytes)))
    case .array(let bytes): try array(bytes, at: place)
    case .map(let bytes): try map(bytes, at: place)
    }
  }

  private mutating func checkLength(_ count: Int, at place: Place) {
    guard count > Limits.valueBytesMax else { return }
    switch place.parent {
    case .document:
      complainLater("The value of property \"\(top)\" is longer than \(Limits.valueBytesMax) bytes.")
    case .array:
      complainLater("The value of property \"array\" is longer than \(Limits.valueBytesMax) bytes.")
    case .map:
      complainLater(invalidNested)
    }
  }

  private mutating func checkDepth(_ place: Place) throws(InvalidArgument) {
    if place.depth >= Limits.nestingMax { complainLater(invalidNested) }
    if place.depth >= Limits.nestingReadMax { throw firstPending ?? InvalidArgument(invalidNested) }
  }

  private mutating func array(_ message: UnsafeRawBufferPointer, at place: Place) throws(InvalidArgument) {
    // Source: docs/spec/production-differences.md W7.
    if place.parent == .array, use != .comparison { complainOfElement("an array") }
    try checkDepth(place)
    let isTop = place.depth == 0 && place.parent == .document
    let named = top
    if isTop { top = "array" }
    // An array on the way counts as the word `array` in place of its own key (docs/spec/protocol.md 2.3).
    let pathBytes = place.pathBytes - place.ownKeyBytes + 5
    let inner = Place(depth: place.depth + 1, pathBytes: pathBytes, ownKeyBytes: 0, parent: .array)
    writer.bytes.append(ValueView.Tag.array)
    let start = writer.bytes.count
    writer.bytes.append(0)
    var cursor = WireCursor(message)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      guard tag == 0x0A else {
        cursor.skip(tag: tag)
        continue
      }
      writer.bytes.append(0x0A)
      let elementStart = writer.bytes.count
      writer.bytes.append(0)
      let element = cursor.lengthDelimited()
      if cursor.isCorrupt { throw Self.malformed }
      try value(element, at: inner)
      writer.closeLength(at: elementStart)
    }
    if cursor.isCorrupt { throw Self.malformed }
    writer.closeLength(at: start)
    top = named
  }

  private mutating func map(_ message: UnsafeRawBufferPointer, at place: Place) throws(InvalidArgument) {
    let entries = try Self.entries(of: message, tag: UInt32(FieldsView.mapEntryTag))
    if let type = entries.first(where: { FieldsView.isTypeKey($0.key) }) {
      return try special(entries, type: type, at: place)
    }
    try checkDepth(place)
    writer.bytes.append(ValueView.Tag.map)
    let start = writer.bytes.count
    writer.bytes.append(0)
    for entry in entries {
      if ResourceNameParser.isReserved(entry.key) {
        throw InvalidArgument("field name '\(String(decoding: entry.key, as: UTF8.self))' is reserved.")
      }
      let pathBytes = place.pathBytes + 1 + entry.key.count
      if entry.key.isEmpty || pathBytes > Limits.fieldNameBytesMax { complainLater(invalidNested) }
      let inner = Place(
        depth: place.depth + 1, pathBytes: pathBytes, ownKeyBytes: entry.key.count, parent: .map)
      try write(entry, tag: FieldsView.mapEntryTag, at: inner)
    }
    writer.closeLength(at: start)
  }

  /// A map with `__type__`: a vector, which counts no level of nesting, or nothing known.
  private mutating func special(_ entries: [Entry], type: Entry, at place: Place) throws(InvalidArgument) {
    guard try isVectorMarker(type.value) else { return complainLater(invalidNested) }
    let message = try VectorReader.elementsMessage(entries.map { ($0.key, $0.value) })
    do {
      writer.value(.vector(try VectorReader.elements(message)))
    } catch {
      complainLater(error.message)
      // What is no vector at all is not refused for its place.
      if error != VectorReader.notANumber { return }
    }
    if place.parent == .array, use == .document { complainOfElement("a vector") }
  }

  /// Whether a `__type__` entry says that the map is a vector.
  private func isVectorMarker(_ message: UnsafeRawBufferPointer) throws(InvalidArgument) -> Bool {
    let member = try OneofMember(message)
    guard case .string(let text) = member else {
      throw InvalidArgument("Field __type__ must be a string; founds \(member.storageKindName).")
    }
    return text.elementsEqual("__vector__".utf8)
  }
}
