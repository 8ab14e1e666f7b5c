/// Indexes as the catalog keeps them.

internal import DocModel

/// The record of one index: 1 when it is ready, 0 before, 2 when it is retired and its entries are being removed; then
/// its shape.
enum IndexCatalog {
  static let retired: UInt8 = 2

  /// The record of an index that nobody keeps or reads any more.
  static func encodedRetired(_ index: StoredIndex) -> [UInt8] {
    var record = encoded(index)
    record[0] = retired
    return record
  }

  static func encoded(_ index: StoredIndex) -> [UInt8] {
    var writer = WireWriter()
    writer.bytes.append(index.isReady ? 1 : 0)
    writer.field(1, text: index.shape.collectionID)
    writer.field(2, varint: index.shape.scope == .collection ? 1 : 2)
    for part in index.shape.parts {
      writer.message(3) { message in
        message.field(1, text: part.path.text)
        message.field(2, varint: number(of: part.mode))
      }
    }
    return writer.bytes
  }

  private static func number(of mode: IndexDefinition.Mode) -> UInt64 {
    switch mode {
    case .ascending: 1
    case .descending: 2
    case .contains: 3
    }
  }

  private static func mode(_ number: UInt64) -> IndexDefinition.Mode? {
    switch number {
    case 1: .ascending
    case 2: .descending
    case 3: .contains
    default: nil
    }
  }

  /// Whether an index is ready in a view: the registry may be ahead of it.
  static func isReady(
    _ view: StorageView, _ generation: UInt32, _ number: UInt32
  ) throws(StorageError) -> Bool {
    try view.get(.catalog, IndexLayout.catalogKey(generation, number))?.first == 1
  }

  /// The indexes of all databases.
  static func stored(_ view: StorageView) throws(StorageError) -> StoredIndexes {
    var found = StoredIndexes()
    for database in try DatabaseCatalog.databases(view) {
      let (kept, retired) = try all(view, database.generation)
      found.kept += kept.map { (database, $0) }
      found.retired += retired.map { RetiredEntries(generation: database.generation, number: $0) }
    }
    return found
  }

  /// All indexes of a generation that are kept.
  static func indexes(_ view: StorageView, _ generation: UInt32) throws(StorageError) -> [StoredIndex] {
    try all(view, generation).kept
  }

  /// The indexes of a generation, and the numbers of those that are retired.
  static func all(
    _ view: StorageView, _ generation: UInt32
  ) throws(StorageError) -> (kept: [StoredIndex], retired: [UInt32]) {
    var found: [StoredIndex] = []
    var retiredNumbers: [UInt32] = []
    var isDamaged = false
    let prefix = IndexLayout.catalogPrefix(generation)
    try view.scan(.catalog, KeyRange(prefix: prefix), .forward) { key, value in
      var reader = KeyReader(key, offset: prefix.count)
      guard let number = reader.uint32(), let index = decoded(number, value) else {
        isDamaged = true
        return .stop
      }
      if value.first == retired { retiredNumbers.append(number) } else { found.append(index) }
      return .more
    }
    if isDamaged { throw .corrupt }
    return (found, retiredNumbers)
  }

  static func decoded(_ number: UInt32, _ bytes: UnsafeRawBufferPointer) -> StoredIndex? {
    guard let state = bytes.first else { return nil }
    var cursor = WireCursor(UnsafeRawBufferPointer(rebasing: bytes[1...]))
    guard cursor.tag() == 0x0A else { return nil }
    let collectionID = String(decoding: cursor.lengthDelimited(), as: UTF8.self)
    guard cursor.tag() == 0x10 else { return nil }
    let scope: IndexDefinition.Scope = cursor.varint() == 1 ? .collection : .collectionGroup
    var parts: [IndexShape.Part] = []
    while !cursor.isAtEnd, !cursor.isCorrupt {
      guard cursor.tag() == 0x1A else { return nil }
      var part = WireCursor(cursor.lengthDelimited())
      guard part.tag() == 0x0A else { return nil }
      let text = String(decoding: part.lengthDelimited(), as: UTF8.self)
      guard part.tag() == 0x10, let mode = mode(part.varint()), !part.isCorrupt,
        let path = try? FieldPath.parse(text)
      else { return nil }
      parts.append(IndexShape.Part(path, mode))
    }
    guard !cursor.isCorrupt, !parts.isEmpty else { return nil }
    return StoredIndex(
      number: number, shape: IndexShape(collectionID, scope, parts), isReady: state == 1)
  }
}
