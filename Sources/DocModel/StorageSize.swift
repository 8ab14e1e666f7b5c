/// How large the service says that names, values and documents are.
///
/// Source: docs/spec/protocol.md 3.6 (the documentation's storage formula).

public enum StorageSize {
  /// A document name: every collection id and document id on the path, and 16.
  public static func name(_ path: ResourcePath) -> Int {
    var text = path.text
    return text.withUTF8 { nameBytes(UnsafeRawBufferPointer($0)) }
  }

  private static func nameBytes(_ path: UnsafeRawBufferPointer) -> Int {
    var size = 16
    var rest = path
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.count
      let segment = UnsafeRawBufferPointer(rebasing: rest[..<end])
      rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
      if segment.isEmpty { continue }
      size += NameOrder.numericID(segment) != nil ? 8 : segment.count + 1
    }
    return size
  }

  public static func value(_ value: ValueView) -> Int {
    switch value.kind {
    case .null, .boolean: 1
    case .integer, .double, .timestamp: 8
    case .geoPoint: 16
    case .string: value.string.count + 1
    case .bytes: value.byteString.count
    case .reference: reference(value.reference)
    case .array: value.array.reduce(0) { $0 + self.value($1) }
    case .vector: value.vectorElements.elementCount * 8
    case .map: fields(value.fields)
    }
  }

  /// The size of the document name that a reference points to.
  private static func reference(_ name: UnsafeRawBufferPointer) -> Int {
    // projects/P/databases/D/documents/...: the path starts after the fifth slash.
    var slashes = 0
    for (index, byte) in name.enumerated() where byte == UInt8(ascii: "/") {
      slashes += 1
      if slashes == 5 { return nameBytes(UnsafeRawBufferPointer(rebasing: name[(index + 1)...])) }
    }
    return 16
  }

  /// Keys and values, without the 32 bytes of a document.
  public static func fields(_ fields: FieldsView) -> Int {
    fields.reduce(0) { $0 + $1.key.count + 1 + value($1.value) }
  }

  public static func document(_ path: ResourcePath, _ fields: FieldsView) -> Int {
    name(path) + self.fields(fields) + 32
  }
}
