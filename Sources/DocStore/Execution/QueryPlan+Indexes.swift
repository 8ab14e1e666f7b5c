/// The indexes of a plan as the service names them.

internal import DocModel

extension QueryPlan {
  /// Every index that is read. Documents lie in the order of their names, so reading them is reading the
  /// index of names; documents that are looked up need none.
  /// Source: https://firebase.google.com/docs/firestore/reference/query-explain-report-reference
  public var indexesUsed: [IndexUsage] {
    switch access {
    case .nothing, .lookup: []
    case .range(let range): [Self.names("Collection", range.direction)]
    case .scan(.collection), .scan(.children): [Self.names("Collection", .ascending)]
    case .scan(.group), .scan(.descendants): [Self.names("Collection group", .ascending)]
    case .indexes(let access): access.usages
    }
  }

  /// The indexes of a query's explanation: of a vector search and of sums the ones that the service reads, whatever is
  /// read here; of every other query those that are read.
  public func indexesUsed(by query: NormalizedQuery) -> [IndexUsage] { query.neededIndexes ?? indexesUsed }

  /// Whether the index entries that a run reads are the documents themselves.
  public var readsNames: Bool {
    switch access {
    case .range, .scan: true
    case .nothing, .lookup, .indexes: false
    }
  }

  private static func names(_ scope: String, _ direction: StructuredQuery.Direction) -> IndexUsage {
    IndexUsage(queryScope: scope, properties: "(__name__ \(direction == .ascending ? "ASC" : "DESC"))")
  }
}

extension NormalizedQuery {
  /// The indexes that the service wants for a vector search or for sums, one for each disjunct of the filter: the fields
  /// with one value, the orders, the name, then the vector. Nil for every other query.
  ///
  /// Source: the system tests of the service's Python client, which print
  /// `(color ASC, __name__ ASC, embedding VECTOR<3>)`, and `(stats.product ASC, __name__ ASC)` for an average.
  var neededIndexes: [IndexUsage]? {
    guard nearest != nil || !requiredFields.isEmpty, let needs = QueryNeeds(self) else { return nil }
    let scope = needs.scope == .collection ? "Collection" : "Collection group"
    let disjuncts = needs.disjuncts.isEmpty ? [QueryNeeds.Disjunct(equalities: [])] : needs.disjuncts
    return disjuncts.map { disjunct in
      var parts = (disjunct.wanted(needs.orders) + needs.orders).map(\.explanation)
      parts.append("__name__ \(needs.nameDirection == .ascending ? "ASC" : "DESC")")
      if let vector = needs.vector { parts.append("\(vector.path.text) VECTOR<\(vector.dimension)>") }
      return IndexUsage(queryScope: scope, properties: "(\(parts.joined(separator: ", ")))")
    }
  }
}
