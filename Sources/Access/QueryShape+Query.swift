/// A validated query as rules see it.

internal import DocModel
public import DocStore
public import Rules

extension QueryShape {
  /// The shape of a query. Cursors and projections prove nothing and are left out.
  /// Source: docs/spec/list-query-authorization.md F10.
  public init(_ query: NormalizedQuery) {
    let (parent, collectionID, allDescendants) = Self.place(query.scope)
    self.init(
      parent: parent, collectionID: collectionID, allDescendants: allDescendants,
      ways: query.ways.map { way in way.tests.map(Self.filter) },
      limit: query.limit.map { Int64($0) }, offset: Int64(query.offset),
      orderBy: query.orders.prefix(query.explicitOrderCount).map {
        Order($0.path, isDescending: $0.direction == .descending)
      })
  }

  private static func place(_ scope: QueryScope) -> (ResourcePath, String?, Bool) {
    switch scope {
    case .collection(let collection): (collection.parent, collection.lastSegment, false)
    case .group(let collectionID, let parent): (parent, collectionID, true)
    case .children(let parent): (parent, nil, false)
    case .descendants(let parent): (parent, nil, true)
    }
  }

  private static func filter(_ test: FieldTest) -> Filter {
    switch test.comparison {
    case .lessThan: Filter(test.path, .less, single(test))
    case .lessThanOrEqual: Filter(test.path, .lessOrEqual, single(test))
    case .greaterThan: Filter(test.path, .greater, single(test))
    case .greaterThanOrEqual: Filter(test.path, .greaterOrEqual, single(test))
    case .equal: Filter(test.path, .equal, single(test))
    case .notEqual: Filter(test.path, .notEqual, single(test))
    case .arrayContains: Filter(test.path, .contains, single(test))
    case .arrayContainsAny: Filter(test.path, .containsAny, list(test))
    case .in: Filter(test.path, .isIn, list(test))
    case .notIn: Filter(test.path, .notIn, list(test))
    case .isNull: Filter(test.path, .isNull)
    case .isNotNull: Filter(test.path, .isNotNull)
    case .isNaN: Filter(test.path, .isNaN)
    case .isNotNaN: Filter(test.path, .isNotNaN)
    }
  }

  private static func single(_ test: FieldTest) -> [UInt8] { test.operands.first ?? [] }

  /// The operands as one encoded array value.
  private static func list(_ test: FieldTest) -> [UInt8] {
    var writer = WireWriter()
    writer.message(9) { array in
      for operand in test.operands { array.field(1, bytes: operand) }
    }
    return writer.bytes
  }
}
