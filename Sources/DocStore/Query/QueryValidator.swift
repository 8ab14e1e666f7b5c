/// From what a client asks to what is run: every check, in the protocol's order.
///
/// Order: selectors, limit, offset, the filter tree from left to right, the filter as a whole, orders,
/// cursors, projection, vector search; then what no index can serve, which a user is told only when the rules grant the
/// query. Source: docs/spec/protocol.md 5.2; where it is silent, the order in which the official
/// emulator answers (Tests/DocStoreTests/QueryValidatorTests).

public import DocModel

/// Checks one query; `validate` is the way in.
public struct QueryValidator {
  let query: StructuredQuery
  /// Fields that an aggregation adds up.
  let added: [FieldPath]

  /// The checked query, or the error that the service would answer.
  /// - Parameter added: the fields that an aggregation over the query adds up.
  public static func validate(
    _ query: StructuredQuery, adding added: [FieldPath] = []
  ) throws(InvalidArgument) -> NormalizedQuery {
    let normalized = try validateForm(query, adding: added)
    if let error = normalized.lateError { throw error }
    return normalized
  }

  /// As `validate`, but what is told after the rules have judged stands in `lateError`.
  public static func validateForm(
    _ query: StructuredQuery, adding added: [FieldPath] = []
  ) throws(InvalidArgument) -> NormalizedQuery {
    let validator = QueryValidator(query: query, added: added)
    let scope = try validator.scope()
    if let limit = query.limit, limit < 0 { throw QueryErrors.negativeLimit }
    if query.offset < 0 { throw QueryErrors.negativeOffset }
    let filter = try query.filter.map { filter throws(InvalidArgument) in
      try validator.convert(filter, depth: 0)
    }
    try validator.checkWhole(filter, scope: scope)
    let (orders, orderError) = try validator.orders(filter: filter, scope: scope)
    let start = try query.start.map { cursor throws(InvalidArgument) in
      try validator.cursor(cursor, orders: orders)
    }
    let end = try query.end.map { cursor throws(InvalidArgument) in
      try validator.cursor(cursor, orders: orders)
    }
    let projection = try validator.projection()
    let nearest = try validator.nearest()
    let error = validator.indexError(filter) ?? orderError
    var normalized = NormalizedQuery(
      database: query.database, scope: scope, filter: filter, orders: orders,
      explicitOrderCount: min(query.orders.count, orders.count), start: error == nil ? start : nil,
      end: error == nil ? end : nil, offset: query.offset, limit: query.limit, projection: projection)
    normalized.nearest = nearest
    normalized.lateError = error
    return normalized
  }

  // MARK: from

  private func scope() throws(InvalidArgument) -> QueryScope {
    guard query.from.count <= 1 else { throw QueryErrors.manySelectors }
    guard let selector = query.from.first else { return .children(of: query.parent) }
    guard selector.collectionID.isEmpty else {
      try ResourceNameParser.checkCollectionID(selector.collectionID)
      return selector.includesDescendants
        ? .group(collectionID: selector.collectionID, below: query.parent)
        : .collection(query.parent.appending(selector.collectionID))
    }
    return selector.includesDescendants ? .descendants(of: query.parent) : .children(of: query.parent)
  }

  // MARK: paths

  /// Where a path stands; they differ in what reserved names they bear.
  enum PathUse { case filter, order, projection }

  /// Reads a field path. Source: docs/spec/protocol.md 4.5, last paragraph; which places bear `__type__` is
  /// production's (a vector's inside may be filtered and ordered by, not projected).
  func path(_ text: String, as use: PathUse) throws(InvalidArgument) -> FieldPath {
    let path = try FieldPath.parse(text)
    guard path.segments.reduce(path.segments.count - 1, { $0 + $1.utf8.count }) <= Limits.fieldNameBytesMax
    else { throw QueryErrors.pathTooLong }
    if path.isDocumentName { return path }
    for (index, segment) in path.segments.enumerated() {
      guard ResourceNameParser.isReserved(segment) else { continue }
      switch segment {
      case "__key__": throw QueryErrors.keyMember
      case "__name__": throw QueryErrors.nameReserved
      case "__type__":
        let isInside = index > 0 && index == path.segments.count - 1
        guard isInside, use != .projection else { throw QueryErrors.typeReserved }
      default: throw QueryErrors.reservedName(in: path)
      }
    }
    return path
  }

  // MARK: projection

  /// Source: docs/spec/protocol.md 5.7. The document's name comes always, so naming it means nothing.
  private func projection() throws(InvalidArgument) -> FieldMask? {
    guard let texts = query.projection else { return nil }
    var paths: [FieldPath] = []
    for text in texts {
      let path = try path(text, as: .projection)
      if !path.isDocumentName { paths.append(path) }
    }
    return FieldMask(paths)
  }
}
