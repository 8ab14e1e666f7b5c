/// What was asked of indexes, as the administration tells it.

package import Access
internal import DocModel
package import DocStore
internal import Indexes
package import JSON

/// One shape of queries as JSON, and back.
package enum IndexAnswer {
  package static func write(_ asked: ObservedIndexNeeds, to writer: inout JSONWriter) {
    let needs = asked.needs
    writer.object { object in
      object.member("database") { $0.string(asked.database.resourceName) }
      object.member("count") { $0.integer(asked.count) }
      object.member("collectionGroup") { $0.string(needs.collectionID) }
      object.member("queryScope") { $0.string(needs.scope.name) }
      object.member("ways") { $0.array(needs.disjuncts) { write($1, to: &$0) } }
      object.member("orders") { $0.array(needs.orders) { write($1, to: &$0) } }
      object.member("nameOrder") { $0.string(needs.nameDirection == .ascending ? "ASCENDING" : "DESCENDING") }
      if let vector = needs.vector {
        object.member("vector") {
          $0.value(["fieldPath": .text(vector.path.text), "dimension": .int(vector.dimension)])
        }
      }
      guard let missing = asked.missing else { return }
      object.member("missing") { $0.string(missing.summary) }
      if let link = missing.link(in: asked.database) { object.member("link") { $0.string(link) } }
    }
  }

  private static func write(_ disjunct: QueryNeeds.Disjunct, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("equalities") { $0.array(disjunct.equalities) { $0.string($1.text) } }
      if let contains = disjunct.contains { object.member("contains") { $0.string(contains.text) } }
    }
  }

  private static func write(_ order: IndexDefinition.Field, to writer: inout JSONWriter) {
    let word: JSONValue = order.mode == .descending ? "DESCENDING" : "ASCENDING"
    writer.value(["fieldPath": .text(order.path.text), "order": word])
  }

  /// The shapes of an answer; nil when it is none.
  package static func read(_ body: [UInt8]) -> (asked: [(needs: QueryNeeds, count: Int)], isComplete: Bool)? {
    guard let json = try? JSONReader.read(body), let entries = json["asked"]?.elements else { return nil }
    var asked: [(needs: QueryNeeds, count: Int)] = []
    for entry in entries {
      guard let needs = needs(entry), let count = entry["count"]?.int else { return nil }
      asked.append((needs, count))
    }
    return (asked, json["isComplete"]?.boolean == true)
  }

  private static func needs(_ entry: JSONValue) -> QueryNeeds? {
    guard let id = entry["collectionGroup"]?.text, let disjuncts = entry["ways"]?.elements,
      let orders = entry["orders"]?.elements
    else { return nil }
    var readOrders: [IndexDefinition.Field] = []
    for order in orders {
      guard let path = path(order["fieldPath"]) else { return nil }
      readOrders.append(
        IndexDefinition.Field(path, order["order"]?.text == "DESCENDING" ? .descending : .ascending))
    }
    var readDisjuncts: [QueryNeeds.Disjunct] = []
    for disjunct in disjuncts {
      guard let equalities = disjunct["equalities"]?.elements else { return nil }
      let paths = equalities.compactMap { path($0) }
      guard paths.count == equalities.count else { return nil }
      readDisjuncts.append(QueryNeeds.Disjunct(equalities: paths, contains: path(disjunct["contains"])))
    }
    return QueryNeeds(
      collectionID: id,
      scope: entry["queryScope"]?.text == "COLLECTION_GROUP" ? .collectionGroup : .collection,
      orders: readOrders, nameDirection: entry["nameOrder"]?.text == "DESCENDING" ? .descending : .ascending,
      disjuncts: readDisjuncts, vector: entry["vector"].flatMap(vector))
  }

  private static func vector(_ json: JSONValue) -> VectorField? {
    guard let path = path(json["fieldPath"]), let dimension = json["dimension"]?.int else { return nil }
    return VectorField(path, dimension: dimension)
  }

  private static func path(_ json: JSONValue?) -> FieldPath? {
    json?.text.flatMap { try? FieldPath.parse($0) }
  }
}
