/// A query and the condition it is judged by.

public import DocModel
public import Rules

public struct QueryTrial: SceneTrial {
  /// How the queried documents are matched.
  enum Pattern: CaseIterable, Sendable {
    case document, glob, group, below, allBelow

    func text(_ inside: String) -> String {
      switch self {
      case .document: "match /§/{id} { \(inside) }"
      case .glob: "match /§/{id=**} { \(inside) }"
      case .group: "match /{path=**}/§/{id} { \(inside) }"
      case .below: "match /p/{q}/§/{id} { \(inside) }"
      case .allBelow: "match /p/{q}/{path=**}/§/{id} { \(inside) }"
      }
    }
  }

  var functions: [FunctionPhrase]
  var condition: Phrase
  var scene: Scene
  var pattern: Pattern
  var isGroup = false
  /// Whether the collection lies below `p/q`.
  var isBelow = false
  var filter: FilterTree?
  var limit: Int64?
  var offset: Int64 = 0
  var orders: [(field: FieldPath, isDescending: Bool)] = []
  /// Documents of the collection, for filters by name.
  var members: [(path: String, fields: Fields)] = []

  private var parent: String { isBelow ? "p/q" : "" }

  public var rules: String {
    pattern.text(functions.map { $0.text + " " }.joined() + "allow list: if \(condition.text);")
  }

  public var documents: [(path: String, fields: Fields)] { members }

  public func request(at place: Place) -> RESTRequest {
    var parts = [
      #""from":[{"collectionId":"\#(place.collection)"\#(isGroup ? #","allDescendants":true"# : "")}]"#
    ]
    if let filter { parts.append(#""where":\#(filter.json(place))"#) }
    if let limit { parts.append(#""limit":\#(limit)"#) }
    if offset != 0 { parts.append(#""offset":\#(offset)"#) }
    if !orders.isEmpty {
      let list = orders.map {
        #"{"field":{"fieldPath":\#(JSONText.string($0.field.text))},"direction":"\#($0.isDescending ? "DESCENDING" : "ASCENDING")"}"#
      }
      parts.append(#""orderBy":[\#(list.joined(separator: ","))]"#)
    }
    return RESTRequest(
      "POST", place.url + (isBelow ? "/p/q" : "") + ":runQuery",
      body: #"{"structuredQuery":{\#(parts.joined(separator: ","))}}"#,
      authorization: scene.uid == nil ? nil : JSONText.token(scene.token))
  }

  public func judge(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> Answer {
    judge(ruleset, place, disjuncts: filter?.disjuncts ?? [[]], witness)
  }

  /// The official emulator tries all disjuncts without documents first, so it may name the reason of a later disjunct.
  public func alternatives(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> [Answer] {
    let disjuncts = filter?.disjuncts ?? [[]]
    let split = disjuncts.flatMap { disjunct in
      disjunct.reduce([[]]) { partial, leaf in
        partial.flatMap { done in Self.split(leaf).map { done + [$0] } }
      }
    }
    return split.count > 1 ? split.map { judge(ruleset, place, disjuncts: [$0], witness) } : []
  }

  /// An "evaluation error" is also what an open constraint comes to, so only with documents to be fetched.
  public func decisive(_ entries: [String], _ own: [String]) -> [String] {
    let fetching = ["get(", "getAfter(", "exists(", "existsAfter("]
    return Reasons.decisive(
      entries, own,
      fetches: filter?.leaves.contains { $0.0.isDocumentName } == true
        || fetching.contains { rules.contains($0) })
  }

  public var asksAfterByName: Bool {
    filter?.leaves.contains { $0.0.isDocumentName && ($0.1 == .equal || $0.1 == .in) } == true
      && ["getAfter(", "existsAfter("].contains { rules.contains($0) }
  }

  typealias Leaf = (FieldPath, FieldTest.Comparison, Value)

  private static func split(_ leaf: Leaf) -> [Leaf] {
    guard case .array(let elements) = leaf.2, leaf.1.isDisjunction else { return [leaf] }
    return elements.map { (leaf.0, leaf.1 == .in ? .equal : .arrayContains, $0) }
  }

  private func judge(_ ruleset: Ruleset, _ place: Place, disjuncts: [[Leaf]], _ witness: Witness) -> Answer {
    let disjuncts = disjuncts.map { disjunct in
      QueryDisjunct(
        disjunct.map { path, comparison, value in FieldTest(path, comparison, place.fill(value)) })
    }
    let shape = QueryShape(
      parent: ResourcePath(unchecked: parent), collectionID: place.collection, allDescendants: isGroup,
      disjuncts: disjuncts,
      limit: limit, offset: offset,
      orderBy: orders.map { QueryShape.Order($0.field, isDescending: $0.isDescending) })
    let documents = TrialDocuments(members.map { (place.fill($0.path), place.fill($0.fields)) }, witness)
    return ruleset.answer(RuleRequest(list: shape, auth: scene.auth, time: witness.time), documents, witness)
  }

  public var size: Int {
    functions.reduce(condition.text.utf8.count) { $0 + $1.text.utf8.count } + 4 * scene.size
      + (filter?.text.utf8.count ?? 0) + 5 * (orders.count + (limit == nil ? 0 : 1) + (offset == 0 ? 0 : 1))
      + 8 * members.count + (isGroup ? 5 : 0) + (isBelow ? 5 : 0) + (pattern == .document ? 0 : 4)
  }

  public func reductions(isThorough: Bool) -> [QueryTrial] {
    var found = reductionsOfCondition(isThorough: isThorough)
    func add(_ change: (inout QueryTrial) -> Void) {
      var copy = self
      change(&copy)
      found.append(copy)
    }
    if let filter {
      add { $0.filter = nil }
      for reduced in filter.reductions { add { $0.filter = reduced } }
    }
    if limit != nil { add { $0.limit = nil } }
    if offset != 0 { add { $0.offset = 0 } }
    for index in orders.indices { add { $0.orders.remove(at: index) } }
    for index in members.indices { add { $0.members.remove(at: index) } }
    if isGroup { add { $0.isGroup = false } }
    if isBelow {
      add {
        $0.isBelow = false
        $0.pattern = .document
      }
    }
    if pattern != .document { add { $0.pattern = .document } }
    return found
  }

  public var key: String { functions.map(\.text).joined() + condition.text }

  public var account: String {
    var lines = functions.map { "  " + $0.text }
    lines.append("  " + pattern.text("allow list: if \(condition.text)"))
    var query = "  query: \(parent)/§" + (isGroup ? " group" : "")
    if let filter { query += " where \(filter.text)" }
    if let limit { query += " limit \(limit)" }
    if offset != 0 { query += " offset \(offset)" }
    for order in orders { query += " order \(order.field.text) \(order.isDescending ? "DESC" : "ASC")" }
    lines.append(query)
    if let uid = scene.uid { lines.append("  auth: \(uid) \(JSONText.plain(scene.claims))") }
    for member in members { lines.append("  \(member.path): \(JSONText.fields(member.fields))") }
    return lines.joined(separator: "\n")
  }
}

extension QueryTrial {
  /// Case `number` of a seed.
  public static func generate(seed: UInt64, number: Int) -> QueryTrial {
    var author = QueryAuthor(Author(Seeded(seed: seed ^ 0x51, number: number)))
    return author.trial()
  }
}
