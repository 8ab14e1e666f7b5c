/// Every key shape of the store; nobody else builds a key.
///
/// ```
/// catalog          01 | P(project) | P(database)                    -> generation u32, cleared before
/// catalog          02                                               -> last version, floor, next generation
/// catalog          03 | g                                           -> a generation to be removed
/// documents        g | P(collection path) | id                      -> record
/// documentHistory  g | P(collection path) | id | ended v            -> record
/// catalog          04 | g | ix                                  -> an index (IndexLayout)
/// catalog          05, 06                                           -> tallies of collections (CollectionTally)
/// catalog          07, 08                                           -> collections by id (CollectionCatalog)
/// catalog          09 | name                                        -> a release (StoredRelease)
/// changes          g | v | ordinal u32                              -> path, source (ChangeRecord)
/// ```
///
/// `g` generation u32, `v` version i64, both big-endian; parts as `KeyWriter` writes them. The collection
/// path is one part, so a collection's documents are contiguous: it ends in `00 01`, which sorts below `/`.
///
/// Source: docs/design/storage-and-scale.md 5.1.
///
/// INVARIANT: document keys are prefix-free, so a history key sorts inside its document's place.
/// LIMIT: 511 bytes a key, what LMDB allows: 4 + 300 + 199 + 8.

internal import DocModel

enum KeyLayout {
  static let collectionBudget = 300
  static let idBudget = 199
  static let generationBytes = 4
  static let versionBytes = 8

  // MARK: documents

  static func documentKey(_ generation: UInt32, _ path: ResourcePath) -> DocumentKey {
    var text = path.text
    return text.withUTF8 { documentKey(generation, UnsafeRawBufferPointer($0)) }
  }

  static func documentKey(_ generation: UInt32, _ path: UnsafeRawBufferPointer) -> DocumentKey {
    var writer = KeyWriter()
    let collectionEnd = write(generation, path, to: &writer)
    return DocumentKey(bytes: writer.bytes, collectionEnd: collectionEnd, isFolded: writer.isFolded)
  }

  /// Writes the key of a document. The result is where the collection's part ends.
  @discardableResult
  static func write(
    _ generation: UInt32, _ path: UnsafeRawBufferPointer, to writer: inout KeyWriter
  ) -> Int {
    let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
    writer.uint32(generation)
    writer.part(UnsafeRawBufferPointer(rebasing: path[..<slash]), budget: collectionBudget)
    let collectionEnd = writer.bytes.count
    writer.documentID(UnsafeRawBufferPointer(rebasing: path[min(slash + 1, path.count)...]), budget: idBudget)
    return collectionEnd
  }

  /// With what every document of one collection begins.
  static func collectionPrefix(_ generation: UInt32, _ collection: ResourcePath) -> [UInt8] {
    var writer = KeyWriter()
    writer.uint32(generation)
    var text = collection.text
    text.withUTF8 { writer.part(UnsafeRawBufferPointer($0), budget: collectionBudget) }
    return writer.bytes
  }

  /// The documents below `parent` at any depth, and whether others may lie among them.
  static func descendants(_ generation: UInt32, of parent: ResourcePath) -> (range: KeyRange, isExact: Bool) {
    var writer = KeyWriter()
    writer.uint32(generation)
    if !parent.isRoot {
      var text = parent.text + "/"
      text.withUTF8 { writer.partPrefix(UnsafeRawBufferPointer($0), budget: collectionBudget) }
    }
    return (KeyRange(prefix: writer.bytes), !writer.isFolded)
  }

  static func generationRange(_ generation: UInt32) -> KeyRange {
    var writer = KeyWriter()
    writer.uint32(generation)
    return KeyRange(prefix: writer.bytes)
  }

  // MARK: history

  static func historyKey(_ documentKey: [UInt8], ended version: Int64) -> [UInt8] {
    var writer = KeyWriter(reserving: 8)
    writer.int64(version)
    return documentKey + writer.bytes
  }

  /// The states of one document that ended after `version`, first ended first.
  static func historyRange(_ documentKey: [UInt8], endedAfter version: Int64) -> KeyRange {
    KeyRange(
      lower: historyKey(documentKey, ended: version + 1), upper: KeyRange.successor(ofPrefix: documentKey))
  }

  // MARK: changes

  static func changeKey(
    _ generation: UInt32, _ version: Int64, ordinal: UInt32, in batch: MutationBatch
  ) -> UnsafeRawBufferPointer {
    let key = batch.allocate(16)
    key.storeBytes(of: generation.bigEndian, as: UInt32.self)
    key.storeBytes(of: KeyWriter.ordered(version).bigEndian, toByteOffset: 4, as: UInt64.self)
    key.storeBytes(of: ordinal.bigEndian, toByteOffset: 12, as: UInt32.self)
    return UnsafeRawBufferPointer(key)
  }

  /// Every change of one generation with `after < version <= upTo`.
  static func changeRange(_ generation: UInt32, after: Int64, upTo: Int64) -> KeyRange {
    let lower = versionKey(generation, after == .max ? .max : after + 1)
    let upper = upTo == .max ? generationRange(generation).upper : versionKey(generation, upTo + 1)
    return KeyRange(lower: lower, upper: upper)
  }

  private static func versionKey(_ generation: UInt32, _ version: Int64) -> [UInt8] {
    var writer = KeyWriter(reserving: 12)
    writer.uint32(generation)
    writer.int64(version)
    return writer.bytes
  }

  // MARK: catalog

  static let stateKey: [UInt8] = [2]
  static let condemnedPrefix: [UInt8] = [3]
  /// Is there while a store is being copied into this one.
  static let unfinishedKey: [UInt8] = [0]

  static func databaseKey(_ database: DatabaseID) -> [UInt8] {
    var writer = KeyWriter()
    var project = database.project
    var name = database.database
    project.withUTF8 { writer.part(UnsafeRawBufferPointer($0), budget: 255) }
    name.withUTF8 { writer.part(UnsafeRawBufferPointer($0), budget: 255) }
    return [1] + writer.bytes
  }

  static let databasePrefix: [UInt8] = [1]

  static func condemnedKey(_ generation: UInt32) -> [UInt8] {
    var writer = KeyWriter(reserving: 8)
    writer.uint32(generation)
    return condemnedPrefix + writer.bytes
  }
}

/// The key of a document, with what is needed to scan around it.
struct DocumentKey {
  let bytes: [UInt8]
  /// Where the collection's part ends.
  let collectionEnd: Int
  /// Whether the record must hold the whole path.
  let isFolded: Bool
}

/// The key of a document that a commit writes, in the memory of its batch: behind it stands the version that
/// ends the document's present state, so the same bytes are the key of its history.
struct PlannedKey {
  let history: UnsafeRawBufferPointer

  var document: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: history[..<(history.count - KeyLayout.versionBytes)])
  }

  init(_ document: [UInt8], ended version: Int64, in batch: MutationBatch) {
    let bytes = batch.allocate(document.count + KeyLayout.versionBytes)
    bytes.copyBytes(from: document)
    bytes.storeBytes(
      of: KeyWriter.ordered(version).bigEndian, toByteOffset: document.count, as: UInt64.self)
    history = UnsafeRawBufferPointer(bytes)
  }
}
