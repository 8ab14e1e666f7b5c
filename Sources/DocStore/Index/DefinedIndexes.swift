/// Which indexes a database has: the automatic ones, what was defined beside them, what was switched off.
///
/// Source: docs/spec/production-differences.md 3.1, 3.2.

public import DocModel

/// What `find_nearest` searches: a vector field and how many numbers its vectors have.
public struct VectorField: Hashable, Sendable {
  public let path: FieldPath
  public let dimension: Int

  public init(_ path: FieldPath, dimension: Int) {
    self.path = path
    self.dimension = dimension
  }
}

/// An entry of `indexes` in a `firestore.indexes.json`.
public struct CompositeIndex: Hashable, Sendable {
  /// Its ordered fields and its array field, with the document's name where it was written.
  public let definition: IndexDefinition
  /// The vector field at its end.
  public let vector: VectorField?

  public init(_ definition: IndexDefinition, vector: VectorField? = nil) {
    self.definition = definition
    self.vector = vector
  }

  /// The fields without the document's name, which ends every index.
  public var ownFields: ArraySlice<IndexDefinition.Field> {
    definition.fields.last?.path.isDocumentName == true
      ? definition.fields.dropLast() : definition.fields[...]
  }

  /// The direction of the document's name: its own, or that of the last ordered field.
  public var nameDirection: StructuredQuery.Direction {
    let last = definition.fields.last { $0.mode != .contains }
    return last?.mode == .descending ? .descending : .ascending
  }

  /// Whether the automatic indexes of single fields are what it would be: the service refuses to create
  /// such a composite. Scope and exemptions do not count.
  public var isSingleField: Bool {
    guard vector == nil, ownFields.count == 1, let field = ownFields.first else { return false }
    return nameDirection == (field.mode == .descending ? .descending : .ascending)
  }
}

/// An entry of `fieldOverrides`: all indexes that a field of a collection id has, in place of the automatic
/// ones.
public struct FieldOverride: Hashable, Sendable {
  public struct Index: Hashable, Sendable {
    public let scope: IndexDefinition.Scope
    public let mode: IndexDefinition.Mode

    public init(_ scope: IndexDefinition.Scope, _ mode: IndexDefinition.Mode) {
      self.scope = scope
      self.mode = mode
    }
  }

  public let collectionID: String
  /// Nil for `*`: every field without an override of its own.
  public let path: FieldPath?
  public let indexes: [Index]
  /// Whether documents are deleted some time after the time in the field: a TTL policy.
  public let expires: Bool

  public init(collectionID: String, path: FieldPath?, indexes: [Index], expires: Bool = false) {
    self.collectionID = collectionID
    self.path = path
    self.indexes = indexes
    self.expires = expires
  }

  /// What a field has that nothing was said of.
  public static let automatic: [Index] = [
    Index(.collection, .ascending), Index(.collection, .descending), Index(.collection, .contains),
  ]

  public static func == (left: FieldOverride, right: FieldOverride) -> Bool {
    left.collectionID.hasSameBytes(as: right.collectionID) && left.path == right.path
      && left.indexes == right.indexes && left.expires == right.expires
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: collectionID)
    hasher.combine(path)
    hasher.combine(indexes)
    hasher.combine(expires)
  }
}

/// All that is known of a database's indexes. Without definitions: the automatic ones alone.
public struct DefinedIndexes: Sendable, Equatable {
  public let composites: [CompositeIndex]
  public let overrides: [FieldOverride]
  private let compositesByID: [CollectionID: [CompositeIndex]]
  private let overridesByID: [CollectionID: [FieldOverride]]

  public static let automatic = DefinedIndexes(composites: [], overrides: [])

  public init(composites: [CompositeIndex], overrides: [FieldOverride]) {
    self.composites = composites
    self.overrides = overrides
    compositesByID = Dictionary(grouping: composites) { CollectionID($0.definition.collectionID) }
    overridesByID = Dictionary(grouping: overrides) { CollectionID($0.collectionID) }
  }

  public static func == (left: DefinedIndexes, right: DefinedIndexes) -> Bool {
    left.composites == right.composites && left.overrides == right.overrides
  }

  /// Whether there are the automatic ones alone.
  var isAutomatic: Bool { composites.isEmpty && overrides.isEmpty }

  /// Whether the fields of a collection id have their automatic indexes, all of them.
  package func isUntouched(_ collectionID: @autoclosure () -> String) -> Bool {
    overridesByID.isEmpty || overridesByID[CollectionID(collectionID())] == nil
  }

  /// The composites that serve a query of this scope. Those that the service would not create are no help.
  package func composites(_ collectionID: String, serving scope: IndexDefinition.Scope) -> [CompositeIndex] {
    guard let all = compositesByID[CollectionID(collectionID)] else { return [] }
    return all.filter { index in
      !index.isSingleField && (scope == .collection || index.definition.scope == .collectionGroup)
    }
  }

  /// Whether a field has an index of its own. An override of a map is inherited by the fields in it; one of
  /// a field replaces what the field had, in every scope.
  package func hasSingleField(
    _ path: FieldPath, _ mode: IndexDefinition.Mode, _ collectionID: String, _ scope: IndexDefinition.Scope
  ) -> Bool {
    indexes(of: path, collectionID).contains(FieldOverride.Index(scope, mode))
  }

  /// All indexes of a field alone.
  public func indexes(of path: FieldPath, _ collectionID: String) -> [FieldOverride.Index] {
    guard let overrides = overridesByID[CollectionID(collectionID)] else { return FieldOverride.automatic }
    let nearest =
      overrides
      .filter { $0.path?.isPrefix(of: path) == true }
      .max { ($0.path?.segments.count ?? 0) < ($1.path?.segments.count ?? 0) }
    let found = nearest ?? overrides.first { $0.path == nil }
    return found?.indexes ?? FieldOverride.automatic
  }

  /// The fields with TTL policies, each with the id of its collections.
  public var expiries: [(collectionID: String, path: FieldPath)] {
    overrides.compactMap { override in
      override.expires ? override.path.map { (override.collectionID, $0) } : nil
    }
  }

  /// Whether a field has a TTL policy.
  public func expires(by path: FieldPath, _ collectionID: String) -> Bool {
    expiries.contains { $0.collectionID.hasSameBytes(as: collectionID) && $0.path == path }
  }

  /// Composites as the engine takes them: those without a vector that the service would create.
  public var definitions: [IndexDefinition] {
    composites.filter { $0.vector == nil && !$0.isSingleField }.map(\.definition)
  }

  /// These and more. An override replaces an earlier one of the same field.
  public func adding(_ more: DefinedIndexes) -> DefinedIndexes {
    let kept = overrides.filter { old in
      !more.overrides.contains {
        $0.collectionID.hasSameBytes(as: old.collectionID) && $0.path == old.path
      }
    }
    return DefinedIndexes(
      composites: composites + more.composites.filter { !composites.contains($0) },
      overrides: kept + more.overrides)
  }
}

/// A collection id by its bytes.
struct CollectionID: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: CollectionID, right: CollectionID) -> Bool { left.text.hasSameBytes(as: right.text) }

  func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension Hasher {
  mutating func combine(bytesOf text: String) {
    var text = text
    text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    combine(0 as UInt8)
  }
}
