/// Whether a query can be served, as the service decides it.
///
/// An index serves a disjunct when its fields are a prefix of fields with one value, then the query's orders,
/// then the document's name in the query's direction. Several such indexes are merged when together they
/// have every field of the disjunct. Nothing else helps: no index is read backwards, and no field of an index is
/// skipped. The first disjunct that is not served names the definition to add.
///
/// Source: docs/spec/production-differences.md 3.4 to 3.7; Tests/DocStoreTests/IndexVerdicts has what the service
/// answered.

internal import DocModel
public import DocStore

public enum IndexRequirement {
  /// The definition that a query lacks; nil when it can be served.
  public static func missing(
    for query: NormalizedQuery, among indexes: DefinedIndexes
  ) -> MissingIndex? {
    if isServedAutomatically(query, among: indexes) { return nil }
    return QueryNeeds(query).flatMap { missing(for: $0, among: indexes) }
  }

  public static func missing(for needs: QueryNeeds, among indexes: DefinedIndexes) -> MissingIndex? {
    let composites = indexes.composites(needs.collectionID, serving: needs.scope)
    for disjunct in needs.disjuncts where !isServed(disjunct, of: needs, composites, indexes) {
      return MissingIndex(disjunct, of: needs)
    }
    return nil
  }

  /// The composites that help to serve a query: for telling which definitions are used.
  public static func members(for needs: QueryNeeds, among indexes: DefinedIndexes) -> [CompositeIndex] {
    indexes.composites(needs.collectionID, serving: needs.scope).filter { index in
      needs.disjuncts.contains { prefix(of: index, for: $0, of: needs) != nil }
    }
  }

  // MARK: the usual case

  /// A quick answer for most queries, without looking at disjuncts: one collection whose fields have all their
  /// indexes, and equalities alone, or conditions and an order on one field. False means: look closer.
  public static func isServedAutomatically(_ query: NormalizedQuery, among indexes: DefinedIndexes) -> Bool {
    guard case .collection(let path) = query.scope, query.orders.count <= 2, query.nearest == nil else {
      return false
    }
    guard let order = query.orders.first else { return false }
    if order.path.isDocumentName {
      guard order.direction == .ascending, query.requiredFields.isEmpty else { return false }
      return indexes.isUntouched(path.lastSegment)
    }
    guard query.orders[1].direction == order.direction else { return false }
    guard query.requiredFields.allSatisfy({ $0 == order.path }) else { return false }
    var isOneField = true
    query.filter?.forEachTest { test in
      switch test.comparison {
      case .arrayContains, .arrayContainsAny: isOneField = false
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual, .in, .notIn,
        .isNull, .isNotNull, .isNaN, .isNotNaN:
        if test.path != order.path, !test.path.isDocumentName { isOneField = false }
      }
    }
    return isOneField && indexes.isUntouched(path.lastSegment)
  }

  // MARK: one disjunct

  private static func isServed(
    _ disjunct: QueryNeeds.Disjunct, of needs: QueryNeeds, _ composites: [CompositeIndex],
    _ indexes: DefinedIndexes
  ) -> Bool {
    if needs.vector != nil {
      // Assumed: the search of vectors reads one index; nothing is merged with it.
      let wanted = disjunct.wanted(needs.orders)
      return composites.contains { prefix(of: $0, for: disjunct, of: needs)?.count == wanted.count }
    }
    let wanted = disjunct.wanted(needs.orders)
    if wanted.isEmpty, isScanned(needs, indexes) { return true }
    var open = wanted
    if needs.orders.isEmpty { open.removeAll { isMerged($0, needs, indexes) } }
    var hasMember = !wanted.isEmpty
    for composite in composites {
      guard let prefix = prefix(of: composite, for: disjunct, of: needs) else { continue }
      hasMember = true
      open.removeAll { prefix.contains($0) }
    }
    return hasMember && open.isEmpty
  }

  /// Whether an automatic index gives the order itself: by name, or by one field.
  private static func isScanned(_ needs: QueryNeeds, _ indexes: DefinedIndexes) -> Bool {
    guard let order = needs.orders.first else { return needs.nameDirection == .ascending }
    return needs.orders.count == 1
      && (order.mode == .descending ? .descending : .ascending) == needs.nameDirection
      && indexes.hasSingleField(order.path, order.mode, needs.collectionID, needs.scope)
  }

  /// Whether the automatic index of a field with one value gives the order of names. That of elements goes
  /// both ways; the others end in the name in their own direction.
  private static func isMerged(
    _ field: IndexDefinition.Field, _ needs: QueryNeeds, _ indexes: DefinedIndexes
  ) -> Bool {
    let mode: IndexDefinition.Mode =
      if field.mode == .contains {
        .contains
      } else {
        needs.nameDirection == .ascending ? .ascending : .descending
      }
    return indexes.hasSingleField(field.path, mode, needs.collectionID, needs.scope)
  }

  /// The fields in front of the orders, as the disjunct wants them; nil when the index is no help.
  private static func prefix(
    of index: CompositeIndex, for disjunct: QueryNeeds.Disjunct, of needs: QueryNeeds
  ) -> [IndexDefinition.Field]? {
    guard index.vector == needs.vector, index.ownFields.count >= needs.orders.count else { return nil }
    if index.vector == nil, index.nameDirection != needs.nameDirection { return nil }
    guard index.ownFields.suffix(needs.orders.count).elementsEqual(needs.orders) else { return nil }
    var open = disjunct.wanted(needs.orders)
    var prefix: [IndexDefinition.Field] = []
    for field in index.ownFields.dropLast(needs.orders.count) {
      let wanted = open.firstIndex {
        $0.path == field.path && ($0.mode == .contains) == (field.mode == .contains)
      }
      guard let wanted else { return nil }
      prefix.append(open.remove(at: wanted))
    }
    return prefix
  }
}
