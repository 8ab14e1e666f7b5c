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

  /// The indexes of a query's explanation: of a vector search the ones that the service searches, whatever is read
  /// here; of every other query those that are read.
  public func indexesUsed(by query: NormalizedQuery) -> [IndexUsage] { query.vectorIndexes ?? indexesUsed }

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
  /// The vector indexes that the service wants for this search, one for each way of the filter: the fields with one
  /// value, the name, then the vector. Nil for a query that is no search.
  ///
  /// Source: the system tests of the service's Python client, which print
  /// `(color ASC, __name__ ASC, embedding VECTOR<3>)`.
  var vectorIndexes: [IndexUsage]? {
    guard let needs = QueryNeeds(self), let vector = needs.vector else { return nil }
    let scope = needs.scope == .collection ? "Collection" : "Collection group"
    let ways = needs.ways.isEmpty ? [QueryNeeds.Way(equalities: [])] : needs.ways
    return ways.map { way in
      var parts = way.equalities.map { "\($0.text) ASC" }
      if let contains = way.contains { parts.append("\(contains.text) CONTAINS") }
      parts.append("__name__ ASC")
      parts.append("\(vector.path.text) VECTOR<\(vector.dimension)>")
      return IndexUsage(queryScope: scope, properties: "(\(parts.joined(separator: ", ")))")
    }
  }
}
