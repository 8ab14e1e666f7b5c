/// How many documents a collection has, and the sum of their records' checksums: kept in the catalog beside every commit,
/// and compared at the end of every scan of a whole collection. A record that is gone without a commit is noticed so.
///
/// ```
/// catalog   05 | g | P(collection path)    -> count u64 | sum u64 | CRC-32C of the key and of both numbers
/// catalog   06                             -> nothing; every collection of the store has its tally
/// ```
///
/// Only stores that outlive the process keep tallies. A collection without one has no documents.

internal import DocModel

struct CollectionTally: Equatable {
  private(set) var count: UInt64 = 0
  /// Wraps around.
  private(set) var sum: UInt64 = 0

  static let byteCount = 20
  static let prefix: UInt8 = 5
  static let completeKey: [UInt8] = [6]

  init() {}

  mutating func add(_ record: DocumentRecord) {
    count &+= 1
    sum &+= UInt64(record.checksum)
  }

  mutating func remove(_ record: DocumentRecord) {
    count &-= 1
    sum &-= UInt64(record.checksum)
  }

  /// What others have changed since.
  mutating func add(_ change: CollectionTally) {
    count &+= change.count
    sum &+= change.sum
  }

  // MARK: stored form

  /// - Parameter collection: with what the keys of its documents begin.
  static func key(_ collection: some Sequence<UInt8>) -> [UInt8] { [prefix] + collection }

  static func range(_ generation: UInt32) -> KeyRange {
    KeyRange(prefix: key(KeyLayout.generationRange(generation).lower))
  }

  func encoded(_ key: [UInt8]) -> [UInt8] {
    var writer = WireWriter()
    writer.fixed64(count)
    writer.fixed64(sum)
    return writer.bytes + withUnsafeBytes(of: Self.checksum(key, writer.bytes).littleEndian) { Array($0) }
  }

  init(_ bytes: UnsafeRawBufferPointer, _ key: [UInt8]) throws(StorageError) {
    guard bytes.count == Self.byteCount else { throw .corrupt }
    var cursor = WireCursor(bytes)
    count = cursor.fixed64()
    sum = cursor.fixed64()
    guard cursor.fixed32() == Self.checksum(key, Array(bytes.prefix(16))) else { throw .corrupt }
  }

  private static func checksum(_ key: [UInt8], _ numbers: [UInt8]) -> UInt32 {
    let sum = key.withUnsafeBytes { CRC32C.checksum($0) }
    return numbers.withUnsafeBytes { CRC32C.checksum($0, seed: sum) }
  }

  /// What is kept of a collection; nothing for one without documents.
  static func stored(_ view: StorageView, _ key: [UInt8]) throws(StorageError) -> CollectionTally {
    guard let bytes = try view.get(.catalog, key) else { return CollectionTally() }
    return try CollectionTally(bytes, key)
  }

  /// The same from the documents that can be read. For a collection in which a damaged document is replaced: nobody knows
  /// what that one had added to the tally.
  ///
  /// - Parameter collection: with what the keys of its documents begin.
  static func counted(
    _ view: StorageView, _ collection: [UInt8], _ generation: UInt32
  ) throws(StorageError) -> CollectionTally {
    var states = DocumentStates(view: view, generation: generation, version: nil, isTallied: false)
    states.damaged = { _ in }
    var tally = CollectionTally()
    try states.scan(KeyRange(prefix: collection), .forward) { _, record in
      tally.add(record)
      return .more
    }
    return tally
  }

  // MARK: stores that have none yet

  /// Counts every collection of a store that was written before tallies were kept. A document that cannot be read is not
  /// counted: reading it says so, and replacing it counts its collection again.
  static func makeAll(_ view: StorageView, _ batch: MutationBatch) throws(StorageError) {
    for database in try DatabaseCatalog.databases(view) {
      let generation = database.generation
      var tallies: [[UInt8]: CollectionTally] = [:]
      var states = DocumentStates(view: view, generation: generation, version: nil, isTallied: false)
      states.damaged = { _ in }
      var isDamaged = false
      try states.scan(KeyLayout.generationRange(generation), .forward) { key, record in
        var reader = KeyReader(key, offset: KeyLayout.generationBytes)
        if reader.skipPart() == nil { isDamaged = true }
        tallies[Array(key[..<reader.offset]), default: CollectionTally()].add(record)
        return isDamaged ? .stop : .more
      }
      if isDamaged { throw .corrupt }
      for (collection, tally) in tallies {
        let key = key(collection)
        batch.put(.catalog, key, tally.encoded(key))
      }
    }
    batch.put(.catalog, completeKey, [])
  }
}
