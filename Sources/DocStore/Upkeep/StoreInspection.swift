/// What is wrong with the entries of a store, one by one: for whoever reads them without opening it.

public import DocModel
internal import Platform

/// An entry that cannot be trusted.
public struct RecordDamage: Hashable, Sendable, CustomStringConvertible {
  public let keyspace: Keyspace
  /// A document's name where the key tells it, the key otherwise.
  public let name: String
  public let reason: String

  public var description: String { "\(name): \(reason)" }
}

/// Looks at entries, those of the catalog first.
///
/// INVARIANT: an entry that is found sound opens as the store opens it.
public final class StoreInspection {
  /// Documents, and earlier states of documents, that are sound.
  public private(set) var documentCount = 0
  public private(set) var historyCount = 0
  public private(set) var damages: [RecordDamage] = []
  /// Databases by their generations.
  public private(set) var databases: [UInt32: DatabaseID] = [:]

  private var state: StoreState?
  private var condemned: Set<UInt32> = []
  private var unnamed: Set<UInt32> = []
  private var newest: Int64 = 0

  public init() {}

  /// Whether an entry is sound. Whatever is not is in `damages` then.
  public func isSound(
    _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> Bool {
    switch keyspace {
    case .catalog: isCatalogSound(key, value)
    case .documents: isDocumentSound(keyspace, key, value)
    case .documentHistory: isDocumentSound(keyspace, key, value)
    case .changes: isChangeSound(key, value)
    // Entries of indexes are made from documents; they are not kept by a repair.
    case .indexEntries, .indexHistory: true
    }
  }

  private func damage(_ keyspace: Keyspace, _ name: String, _ reason: String) -> Bool {
    damages.append(RecordDamage(keyspace: keyspace, name: name, reason: reason))
    return false
  }

  // MARK: catalog

  private func isCatalogSound(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    switch key.first {
    case KeyLayout.databasePrefix.first:
      guard let record = try? DatabaseRecord(value),
        key.elementsEqual(KeyLayout.databaseKey(record.id)), databases[record.generation] == nil
      else { return damage(.catalog, "catalog \(Self.hex(key))", "the entry of a database makes no sense") }
      databases[record.generation] = record.id
    case KeyLayout.stateKey.first:
      guard let state = try? StoreState(value) else {
        return damage(.catalog, "catalog", "the numbers of the store make no sense")
      }
      self.state = state
    case KeyLayout.condemnedPrefix.first:
      var reader = KeyReader(key, offset: 1)
      guard let generation = reader.uint32() else {
        return damage(.catalog, "catalog \(Self.hex(key))", "names no cleared database")
      }
      condemned.insert(generation)
    default: break
    }
    return true
  }

  // MARK: documents

  private func isDocumentSound(
    _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> Bool {
    let isPast = keyspace == .documentHistory
    let ended = isPast ? KeyLayout.versionBytes : 0
    var reader = KeyReader(key)
    guard key.count > ended, let generation = reader.uint32() else {
      return damage(keyspace, "key \(Self.hex(key))", "is no key of a document")
    }
    if condemned.contains(generation) { return true }
    let own = UnsafeRawBufferPointer(rebasing: key[..<(key.count - ended)])
    let name = name(of: own, generation, isPast)
    guard let record = try? DocumentRecord(value, key: own) else {
      return damage(keyspace, name, "does not match its checksum")
    }
    guard let path = Self.path(of: own, record.path),
      own.elementsEqual(KeyLayout.documentKey(generation, path).bytes)
    else { return damage(keyspace, name, "its key does not lead to its path") }
    if databases[generation] == nil, unnamed.insert(generation).inserted {
      damages.append(
        RecordDamage(
          keyspace: .catalog, name: "generation \(generation)",
          reason: "has documents, and no database that is named"))
    }
    newest = max(newest, record.updateTime)
    if isPast { historyCount += 1 } else { documentCount += 1 }
    return true
  }

  /// The path that a key and what stands beside it say; nil when they say none.
  private static func path(of key: UnsafeRawBufferPointer, _ whole: UnsafeRawBufferPointer?) -> ResourcePath?
  {
    var bytes: [UInt8] = []
    if let whole {
      bytes = Array(whole)
    } else {
      var reader = KeyReader(key, offset: KeyLayout.generationBytes)
      guard reader.part(into: &bytes) == .whole else { return nil }
      bytes.append(UInt8(ascii: "/"))
      guard reader.documentID(into: &bytes) == .whole else { return nil }
    }
    guard let text = String(validating: bytes, as: UTF8.self), text.utf8.contains(UInt8(ascii: "/")) else {
      return nil
    }
    return ResourcePath(unchecked: text)
  }

  private func name(of key: UnsafeRawBufferPointer, _ generation: UInt32, _ isPast: Bool) -> String {
    let database =
      databases[generation].map { DocumentName(database: $0, path: .root).resourceName }
      ?? "generation \(generation)"
    guard let path = Self.path(of: key, nil) else { return "\(database), key \(Self.hex(key))" }
    let name =
      databases[generation].map { DocumentName(database: $0, path: path).resourceName }
      ?? "\(database), \(path.text)"
    return isPast ? name + ", an earlier state" : name
  }

  private func isChangeSound(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    let path = ChangeRecord.path(value)
    guard key.count == 16, String(validating: path, as: UTF8.self)?.contains("/") == true else {
      return damage(.changes, "change \(Self.hex(key))", "names no document")
    }
    return true
  }

  private static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
    bytes.prefix(64).hexadecimal
  }

  // MARK: repair

  /// Whether an entry of the catalog belongs into a store made of what was saved: indexes are built anew, and
  /// collections entered and counted.
  public func isKept(catalogKey key: UnsafeRawBufferPointer) -> Bool {
    ![
      IndexLayout.catalogPrefix, KeyLayout.stateKey.first, CollectionTally.prefix,
      CollectionTally.completeKey.first, CollectionCatalog.prefix, CollectionCatalog.completeKey.first,
    ].contains(key.first)
  }

  /// What the catalog of a store made of what was saved needs beside what is kept of it.
  ///
  /// - Parameter keepsHistory: whether earlier states were saved, all of them; otherwise nothing is known of the past.
  public func catalogEntries(keepsHistory: Bool) -> [(key: [UInt8], value: [UInt8])] {
    let last = max(newest, state?.lastVersion ?? 0)
    let generation = (Set(databases.keys).union(unnamed).union(condemned).max() ?? 0) + 1
    let numbers = StoreState(
      lastVersion: last, floor: keepsHistory ? state?.floor ?? last : last,
      nextGeneration: max(generation, state?.nextGeneration ?? 0))
    return [(KeyLayout.stateKey, numbers.encoded)]
      + unnamed.sorted().map { generation in
        let id = Self.recovered(generation)
        return (
          KeyLayout.databaseKey(id), DatabaseRecord(id: id, generation: generation, created: 0).encoded
        )
      }
  }

  /// Under which name the documents of a database are saved whose own name is lost.
  public static func recovered(_ generation: UInt32) -> DatabaseID {
    DatabaseID(project: "recovered", database: "generation-\(generation)")
  }

  /// Databases that were given a name.
  public var recoveredDatabases: [DatabaseID] { unnamed.sorted().map(Self.recovered) }
}
