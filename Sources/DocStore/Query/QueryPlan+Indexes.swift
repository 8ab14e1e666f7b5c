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
    case .scan(.group), .scan(.descendants): [Self.names("Collection Group", .ascending)]
    case .indexes(let access): access.usages
    }
  }

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
