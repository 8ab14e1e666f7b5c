/// A query as the rules see it: where it looks, what every result satisfies, and its bounds.

public import DocModel

/// The shape of one query, aggregation, listener target or ListDocuments call.
public struct QueryShape: Sendable {
  /// What a filter says of a field.
  public enum Operator: UInt8, Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// `array-contains`
    case contains
    /// Operand is an array: `in`, `array-contains-any`, `not-in`.
    case isIn, containsAny, notIn
    /// Unary filters, without operand. They differ from comparisons with null:
    /// see docs/spec/production-differences.md 1.10.
    case isNull, isNotNull, isNaN, isNotNaN
  }

  /// One comparison. `FieldPath.documentName` stands for the document's name, with a reference operand.
  public struct Filter: Sendable {
    public let field: FieldPath
    public let comparison: Operator
    /// The encoded `Value` message; empty for unary filters.
    public let operand: [UInt8]

    public init(_ field: FieldPath, _ comparison: Operator, _ operand: [UInt8] = []) {
      self.field = field
      self.comparison = comparison
      self.operand = operand
    }

    public init(_ field: FieldPath, _ comparison: Operator, _ operand: Value) {
      self.init(field, comparison, operand.encoded)
    }

    /// Equal for filters that say the same.
    var bytes: [UInt8] {
      let number = Operator.allCases.firstIndex(of: comparison) ?? 0
      return Array(field.text.utf8) + [0xFF, UInt8(truncatingIfNeeded: number)] + operand
    }

    /// Whether the other says the same.
    package func isSame(as other: Filter) -> Bool {
      comparison == other.comparison && operand == other.operand && field == other.field
    }
  }

  /// An explicit order.
  public struct Order: Sendable {
    public let field: FieldPath
    public let isDescending: Bool

    public init(_ field: FieldPath, isDescending: Bool = false) {
      self.field = field
      self.isDescending = isDescending
    }
  }

  /// The document the collection lies under; the root for a root collection.
  public let parent: ResourcePath
  /// Nil asks for every collection below the parent.
  public let collectionID: String?
  /// Whether this is a collection group: the collection at any depth below the parent.
  public let allDescendants: Bool
  /// The filter in disjunctive form: each way is a conjunction, and each must be granted.
  /// Values of `in` and `array-contains-any` need not be split; that happens here. No filter: one empty way.
  public let ways: [[Filter]]
  public let limit: Int64?
  public let offset: Int64
  /// Explicit orders only.
  public let orderBy: [Order]

  public init(
    parent: ResourcePath, collectionID: String?, allDescendants: Bool = false, ways: [[Filter]] = [[]],
    limit: Int64? = nil, offset: Int64 = 0, orderBy: [Order] = []
  ) {
    self.parent = parent
    self.collectionID = collectionID
    self.allDescendants = allDescendants
    self.ways = ways.isEmpty ? [[]] : ways
    self.limit = limit
    self.offset = offset
    self.orderBy = orderBy
  }

  /// What `request.path` is below the database's root.
  public var requestPath: ResourcePath {
    guard let collectionID else { return parent }
    return parent.appending(collectionID)
  }
}
