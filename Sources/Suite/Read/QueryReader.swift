/// Queries: a collection's path, or a map of clauses.

internal import Conditions
internal import DocModel
internal import DocStore
internal import Fixtures
internal import YAML

struct QueryReader {
  let database: DatabaseID
  /// What `@now` means.
  let clock: Int64

  func read(_ node: YAMLNode) throws(YAMLError) -> NormalizedQuery { try listed(node).normalized }

  /// The query in both forms.
  func listed(_ node: YAMLNode) throws(YAMLError) -> ListedQuery {
    let query: StructuredQuery
    if case .scalar = node.content {
      query = try collection(node)
    } else {
      query = try clauses(try node.map("a query"))
    }
    do throws(InvalidArgument) {
      return ListedQuery(normalized: try QueryValidator.validate(query), written: query)
    } catch {
      throw node.error(error.message)
    }
  }

  private func collection(_ node: YAMLNode) throws(YAMLError) -> StructuredQuery {
    let text = try node.literal()
    let path: ResourcePath
    do {
      path = try ResourceNameParser.relativePath(text)
    } catch {
      throw node.error("'\(text)' is not the path of a collection: \(error.message)")
    }
    guard path.isCollection else {
      throw node.error("'\(text)' is a document, not a collection: a path has an odd number of segments")
    }
    return StructuredQuery(database: database, collection: path)
  }

  private func clauses(_ map: YAMLMap) throws(YAMLError) -> StructuredQuery {
    try map.refuseKeys(except: ["from", "group", "where", "order", "limit", "start", "end", "select"])
    var query = try origin(map)
    var filters: [StructuredQuery.Filter] = []
    for node in map["where"]?.oneOrMore ?? [] {
      filters.append(try ConditionReader.read(node, database: database, now: clock))
    }
    if !filters.isEmpty { query.filter = filters.count == 1 ? filters[0] : .all(filters) }
    for node in map["order"]?.oneOrMore ?? [] { query.orders.append(try order(node)) }
    if let limit = map["limit"] { query.limit = Int(try limit.integer(in: 0...Int64(Int32.max))) }
    if let start = map["start"] {
      query.start = try cursor(start, at: "at", beyond: "after", atIsBefore: true)
    }
    if let end = map["end"] { query.end = try cursor(end, at: "at", beyond: "before", atIsBefore: false) }
    if let select = map["select"] {
      var fields: [String] = []
      for node in select.oneOrMore { fields.append(try node.literal()) }
      query.projection = fields
    }
    return query
  }

  private func origin(_ map: YAMLMap) throws(YAMLError) -> StructuredQuery {
    switch (map.entry("from"), map.entry("group")) {
    case (.some(let from), .none): return try collection(from.value)
    case (.none, .some(let group)):
      let id = try group.value.literal()
      return StructuredQuery(
        database: database,
        from: [StructuredQuery.CollectionSelector(id, includesDescendants: true)])
    case (.some, .some(let group)):
      throw YAMLError("a query has 'from' or 'group', not both", at: group.key.mark)
    case (.none, .none): throw YAMLError("a query needs the key 'from' or 'group'", at: map.mark)
    }
  }

  /// `field`, `field asc`, `field desc`.
  private func order(_ node: YAMLNode) throws(YAMLError) -> StructuredQuery.Order {
    let words = try node.text().split(separator: " ").map(String.init)
    guard let field = words.first, words.count <= 2 else {
      throw node.error("an order is a field, and perhaps asc or desc")
    }
    switch words.dropFirst().first {
    case nil, "asc": return StructuredQuery.Order(field, .ascending)
    case "desc": return StructuredQuery.Order(field, .descending)
    case .some(let word): throw node.error("'\(word)' is neither asc nor desc")
    }
  }

  /// `[values]` or a value, which stand for `{at: ...}`; `{after: ...}` or `{before: ...}` leave the place
  /// itself out.
  private func cursor(
    _ node: YAMLNode, at inclusive: String, beyond: String, atIsBefore: Bool
  ) throws(YAMLError) -> StructuredQuery.Cursor {
    if case .mapping(let entries) = node.content, !node.isForm {
      let map = try node.map("a cursor")
      try map.refuseKeys(except: [inclusive, beyond])
      guard entries.count == 1 else { throw node.error("a cursor has '\(inclusive)' or '\(beyond)'") }
      let isInclusive = entries[0].key.text == inclusive
      return StructuredQuery.Cursor(
        try values(entries[0].value), isBefore: isInclusive == atIsBefore)
    }
    return StructuredQuery.Cursor(try values(node), isBefore: atIsBefore)
  }

  private func values(_ node: YAMLNode) throws(YAMLError) -> [Value] {
    var values: [Value] = []
    for node in node.oneOrMore {
      values.append(try ConstantReader(database: database, now: clock).value(node))
    }
    return values
  }
}
