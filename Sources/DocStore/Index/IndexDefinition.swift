/// What an index holds, as `firestore.indexes.json` writes it.
///
/// Source: docs/spec/production-differences.md 3.2.

public import DocModel

/// One index over the documents of every collection of one id.
///
/// A document is in the index when it has every field; `contains` gives one entry for each distinct element
/// of an array. The document's name ends every entry: in the direction of the last ordered field, unless
/// `fields` ends in `__name__` with a direction of its own.
public struct IndexDefinition: Sendable {
  public enum Scope: Hashable, Sendable {
    /// Serves queries over one collection at a time.
    case collection
    /// Serves queries over all collections of the id, and over one.
    case collectionGroup
  }

  public enum Mode: Hashable, Sendable {
    case ascending, descending
    /// The elements of an array.
    case contains
  }

  public struct Field: Hashable, Sendable {
    public let path: FieldPath
    public let mode: Mode

    public init(_ path: FieldPath, _ mode: Mode) {
      self.path = path
      self.mode = mode
    }
  }

  public let collectionID: String
  public let scope: Scope
  /// In the order of the index.
  public let fields: [Field]

  public init(collectionID: String, scope: Scope, fields: [Field]) {
    self.collectionID = collectionID
    self.scope = scope
    self.fields = fields
  }
}

/// Ids are compared by their bytes.
extension IndexDefinition: Hashable {
  public static func == (left: IndexDefinition, right: IndexDefinition) -> Bool {
    left.collectionID.hasSameBytes(as: right.collectionID) && left.scope == right.scope
      && left.fields == right.fields
  }

  public func hash(into hasher: inout Hasher) {
    for byte in collectionID.utf8 { hasher.combine(byte) }
    hasher.combine(scope)
    hasher.combine(fields)
  }
}

extension IndexDefinition: CustomStringConvertible {
  /// `orders (status ASC, total DESC)`, as the service prints indexes.
  public var description: String {
    let parts = fields.map { field in
      switch field.mode {
      case .ascending: "\(field.path.text) ASC"
      case .descending: "\(field.path.text) DESC"
      case .contains: "\(field.path.text) CONTAINS"
      }
    }
    let group = scope == .collectionGroup ? "group " : ""
    return "\(group)\(collectionID) (\(parts.joined(separator: ", ")))"
  }
}
