/// Which databases there are, and the few numbers of the whole store.

internal import DocModel

/// A database as the catalog knows it.
///
/// Its `generation` begins every key of its documents. Clearing gives it a new one in constant time; the
/// old keys are removed later.
struct DatabaseRecord {
  var id: DatabaseID
  var generation: UInt32
  /// The version that made this generation; nothing is known of the time before.
  var created: Int64

  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.fixed64(UInt64(generation))
    writer.fixed64(UInt64(bitPattern: created))
    writer.field(1, text: id.project)
    writer.field(2, text: id.database)
    return writer.bytes
  }

  init(id: DatabaseID, generation: UInt32, created: Int64) {
    self.id = id
    self.generation = generation
    self.created = created
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var cursor = WireCursor(bytes)
    generation = UInt32(truncatingIfNeeded: cursor.fixed64())
    created = Int64(bitPattern: cursor.fixed64())
    guard cursor.tag() == 0x0A else { throw .corrupt }
    let project = String(decoding: cursor.lengthDelimited(), as: UTF8.self)
    guard cursor.tag() == 0x12 else { throw .corrupt }
    let database = String(decoding: cursor.lengthDelimited(), as: UTF8.self)
    guard !cursor.isCorrupt else { throw .corrupt }
    id = DatabaseID(project: project, database: database)
  }
}

/// The numbers of the whole store; written with every batch.
struct StoreState {
  /// The last commit's version.
  var lastVersion: Int64
  /// Below this version history may have been collected.
  var floor: Int64
  /// Given to the next new database or cleared one. Starts at 1: 0 means no database.
  var nextGeneration: UInt32
  /// How the bytes of this store are laid out. 1 had no sources in its change records, 2 no keys in the checksums of
  /// its records, 3 no catalog of its collections by id. All are read, and their next commit makes them 4, so that programs
  /// that know less refuse the store instead of misreading it.
  static let formatVersion: UInt64 = 4
  private static let formatsRead: ClosedRange<UInt64> = 1...4

  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.fixed64(Self.formatVersion)
    writer.fixed64(UInt64(bitPattern: lastVersion))
    writer.fixed64(UInt64(bitPattern: floor))
    writer.fixed64(UInt64(nextGeneration))
    return writer.bytes
  }

  init(lastVersion: Int64, floor: Int64, nextGeneration: UInt32) {
    self.lastVersion = lastVersion
    self.floor = floor
    self.nextGeneration = nextGeneration
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var cursor = WireCursor(bytes)
    guard bytes.count == 32, Self.formatsRead.contains(cursor.fixed64()) else { throw .corrupt }
    lastVersion = Int64(bitPattern: cursor.fixed64())
    floor = Int64(bitPattern: cursor.fixed64())
    nextGeneration = UInt32(truncatingIfNeeded: cursor.fixed64())
  }
}

enum DatabaseCatalog {
  /// Nil in a store that was never written.
  static func state(_ view: StorageView) throws(StorageError) -> StoreState? {
    guard let bytes = try view.get(.catalog, KeyLayout.stateKey) else { return nil }
    return try StoreState(bytes)
  }

  /// Nil for a database nobody has written to.
  static func record(_ view: StorageView, _ database: DatabaseID) throws(StorageError) -> DatabaseRecord? {
    guard let bytes = try view.get(.catalog, KeyLayout.databaseKey(database)) else { return nil }
    return try DatabaseRecord(bytes)
  }

  /// The generation of a database; 0 when nobody has written to it. Decodes nothing else.
  static func generation(_ view: StorageView, _ database: DatabaseID) throws(StorageError) -> UInt32 {
    guard let bytes = try view.get(.catalog, KeyLayout.databaseKey(database)) else { return 0 }
    var cursor = WireCursor(bytes)
    return UInt32(truncatingIfNeeded: cursor.fixed64())
  }

  static func databases(_ view: StorageView) throws(StorageError) -> [DatabaseRecord] {
    var records: [DatabaseRecord] = []
    var failure: StorageError?
    try view.scan(.catalog, KeyRange(prefix: KeyLayout.databasePrefix), .forward) { _, value in
      do throws(StorageError) {
        records.append(try DatabaseRecord(value))
        return .more
      } catch {
        failure = error
        return .stop
      }
    }
    if let failure { throw failure }
    return records
  }

  /// Generations that were cleared and whose keys are still to be removed.
  static func condemned(_ view: StorageView, limit: Int) throws(StorageError) -> [UInt32] {
    var generations: [UInt32] = []
    try view.scan(.catalog, KeyRange(prefix: KeyLayout.condemnedPrefix), .forward) { key, _ in
      var reader = KeyReader(key, offset: KeyLayout.condemnedPrefix.count)
      if let generation = reader.uint32() { generations.append(generation) }
      return generations.count < limit ? .more : .stop
    }
    return generations
  }
}
