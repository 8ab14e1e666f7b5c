/// What an index is stored as.
///
/// A definition and its exact mirror image are one index read forward or backward, so only one of them is
/// stored: the one whose entries end in ascending names.

internal import DocModel

/// INVARIANT: 1 to `partsMax` parts, none of them the name, at most one of mode `contains`; the name follows
/// the parts, ascending.
struct IndexShape: Hashable, Sendable {
  typealias Part = IndexDefinition.Field

  /// LIMIT: fields of a stored index. A longer definition is not built; its queries take other ways.
  static let partsMax = 8

  let collectionID: String
  let scope: IndexDefinition.Scope
  let parts: [Part]

  /// Nil for definitions that cannot be stored.
  init?(_ definition: IndexDefinition) {
    var parts = definition.fields
    var nameMode = parts.last { $0.mode != .contains }?.mode ?? .ascending
    if let last = parts.last, last.path.isDocumentName {
      nameMode = last.mode
      parts.removeLast()
    }
    guard !parts.isEmpty, parts.count <= Self.partsMax, nameMode != .contains,
      parts.count(where: { $0.mode == .contains }) <= 1, !parts.contains(where: { $0.path.isDocumentName }),
      Set(parts.map(\.path)).count == parts.count
    else { return nil }
    collectionID = definition.collectionID
    scope = definition.scope
    self.parts = nameMode == .descending ? parts.map { IndexShape.mirrored($0) } : parts
    checkInvariants()
  }

  init(_ collectionID: String, _ scope: IndexDefinition.Scope, _ parts: [Part]) {
    self.collectionID = collectionID
    self.scope = scope
    self.parts = parts
    checkInvariants()
  }

  func checkInvariants() {
    assert((1...Self.partsMax).contains(parts.count), "an index has parts, and not too many")
    assert(!parts.contains { $0.path.isDocumentName }, "the name follows the parts and is none of them")
    assert(parts.count { $0.mode == .contains } <= 1, "one part at most is elements of arrays")
  }

  static func mirrored(_ part: Part) -> Part {
    switch part.mode {
    case .ascending: Part(part.path, .descending)
    case .descending: Part(part.path, .ascending)
    case .contains: part
    }
  }

  var definition: IndexDefinition {
    IndexDefinition(collectionID: collectionID, scope: scope, fields: parts)
  }

  static func == (left: IndexShape, right: IndexShape) -> Bool { left.definition == right.definition }
  func hash(into hasher: inout Hasher) { hasher.combine(definition) }
}

/// An index that is kept.
struct StoredIndex: Hashable, Sendable {
  /// Begins the keys of its entries, after the generation. Never given to another index of the generation.
  let number: UInt32
  let shape: IndexShape
  /// Whether every document is in. Until then commits keep it and no query uses it.
  var isReady: Bool
}
