/// Which bytes stand where in index entries.
///
/// ```
/// indexEntries  g | ix | P(parent document) | value.. | id    -> entry value    collection scope
/// indexEntries  g | ix | value.. | path                       -> entry value    collection-group scope
/// entry value   name offset u16 | [count u8, end of each fold u16.., path]
/// catalog       04 | g | ix                                   -> state, definition
/// ```
///
/// A value is what the service's index knows of it (`IndexedValue`), then 1 when it was cut and 0 otherwise.
/// Parts that are too long are folded; then the second half of the entry value is there.
///
/// INVARIANT: how long a value part may be depends on the number of parts only by steps (`valueBudget`), and
/// names have one budget a scope: entries whose parts have equal budgets agree byte by byte, so they can be
/// joined and merged without being read.
/// LIMIT: 511 bytes a key, what LMDB allows: 4 + 4 + 80 + 323 + 100.
/// Source: docs/design/storage-and-scale.md 5.1 and 5.4.

internal import DocModel

enum IndexLayout {
  static let parentBudget = 80
  static let idBudget = 100
  static let pathBudget = 180

  /// Bytes of key for one value, its flag not counted.
  static func valueBudget(parts: Int) -> Int {
    switch parts {
    case ...1: 322
    case 2...3: 106
    case 4...6: 52
    default: 39
    }
  }

  /// With what all entries of an index begin.
  static func indexPrefix(_ generation: UInt32, _ number: UInt32) -> [UInt8] {
    var writer = KeyWriter(reserving: 8)
    writer.uint32(generation)
    writer.uint32(number)
    return writer.bytes
  }

  /// With what the entries of one collection begin, whose parent is `parent`.
  static func prefix(
    _ generation: UInt32, _ number: UInt32, _ scope: IndexDefinition.Scope, parent: UnsafeRawBufferPointer
  ) -> [UInt8] {
    var writer = KeyWriter()
    writer.uint32(generation)
    writer.uint32(number)
    if scope == .collection { writer.part(parent, budget: parentBudget) }
    return writer.bytes
  }

  // MARK: catalog

  static let catalogPrefix: UInt8 = 4

  static func catalogPrefix(_ generation: UInt32) -> [UInt8] {
    var writer = KeyWriter(reserving: 8)
    writer.byte(catalogPrefix)
    writer.uint32(generation)
    return writer.bytes
  }

  static func catalogKey(_ generation: UInt32, _ number: UInt32) -> [UInt8] {
    var writer = KeyWriter(reserving: 16)
    writer.byte(catalogPrefix)
    writer.uint32(generation)
    writer.uint32(number)
    return writer.bytes
  }

  /// What a key of the catalog names; nil where that is no index.
  static func index(ofCatalogKey key: UnsafeRawBufferPointer) -> (generation: UInt32, number: UInt32)? {
    var reader = KeyReader(key, offset: 1)
    guard key.first == catalogPrefix, let generation = reader.uint32(), let number = reader.uint32() else {
      return nil
    }
    return (generation, number)
  }
}

extension KeyWriter {
  /// A value as an index holds it. Returns where its fold ends, when it was folded.
  mutating func indexPart(_ value: ValueView, _ mode: IndexDefinition.Mode, budget: Int) -> Int? {
    let start = bytes.count
    let isWhole = IndexedValue.fits(value)
    if isWhole {
      self.value(value, budget: budget)
    } else {
      IndexedValue.cut(value).withUnsafeBytes { self.value(ValueView($0), budget: budget) }
    }
    let fold = takeFold()
    byte(isWhole ? 0 : 1)
    if mode == .descending { complement(from: start) }
    return fold
  }

  /// The document's place at the end of an entry.
  mutating func indexName(_ path: UnsafeRawBufferPointer, _ scope: IndexDefinition.Scope) -> Int? {
    switch scope {
    case .collection:
      let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? -1
      documentID(UnsafeRawBufferPointer(rebasing: path[(slash + 1)...]), budget: IndexLayout.idBudget)
    case .collectionGroup: documentPath(path, budget: IndexLayout.pathBudget)
    }
    return takeFold()
  }

  /// Where the prefix and mark of the part just written end, if it was folded.
  private mutating func takeFold() -> Int? {
    guard isFolded else { return nil }
    forgetFolds()
    return bytes.count - KeyReader.hashBytes
  }
}

/// What stands beside the key of an entry.
struct IndexEntryValue {
  /// Where the name begins in the key.
  let nameOffset: Int
  /// The document's path, when any part is folded.
  let path: UnsafeRawBufferPointer?
  private let folds: UnsafeRawBufferPointer

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 2 else { return nil }
    nameOffset = Self.number(bytes, 0)
    guard bytes.count > 2 else {
      path = nil
      folds = WireCursor.empty
      return
    }
    let end = 3 + 2 * Int(bytes[2])
    guard bytes.count >= end else { return nil }
    folds = UnsafeRawBufferPointer(rebasing: bytes[3..<end])
    path = UnsafeRawBufferPointer(rebasing: bytes[end...])
  }

  /// The end of the first fold behind `offset`.
  func firstFold(behind offset: Int) -> Int? {
    for index in stride(from: 0, to: folds.count, by: 2) {
      let end = Self.number(folds, index)
      if end > offset { return end }
    }
    return nil
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
    Int(bytes[index]) << 8 | Int(bytes[index + 1])
  }

  static func encoded(nameOffset: Int, folds: [Int], path: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: Int) {
      bytes.append(UInt8(truncatingIfNeeded: number >> 8))
      bytes.append(UInt8(truncatingIfNeeded: number))
    }
    append(nameOffset)
    if folds.isEmpty { return bytes }
    bytes.append(UInt8(truncatingIfNeeded: folds.count))
    for fold in folds { append(fold) }
    bytes.append(contentsOf: path)
    return bytes
  }
}
