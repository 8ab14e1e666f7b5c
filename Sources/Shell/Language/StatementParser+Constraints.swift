/// What the calls of the client SDKs ask of a query: conditions, orders, cursors, totals.

import Client
import Conditions
import DocModel
import DocStore

extension StatementParser {
  private static let operators: [String: StructuredQuery.FieldOperator] = [
    "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "array-contains": .arrayContains, "array-contains-any": .arrayContainsAny,
    "in": .in, "not-in": .notIn,
  ]

  /// What a constraint adds to a query; false, and nothing taken, for none.
  mutating func constrain(_ read: inout ReadStatement, _ name: String) throws(ConditionError) -> Bool {
    guard case .query(var query) = read.target else { return false }
    switch name {
    case "where", "or", "and":
      let filter = try condition(name, of: query)
      query.filter = query.filter.map { StructuredQuery.Filter.all([$0, filter]) } ?? filter
    case "orderBy":
      let field = try field()
      let isDescending = values.eat(",") ? try text() == "desc" : false
      query.orders.append(StructuredQuery.Order(field, isDescending ? .descending : .ascending))
    case "limit": query.limit = try count()
    case "limitToLast":
      read.isFromEnd = true
      query.limit = try count()
    case "offset": query.offset = try count()
    case "startAt", "startAfter": query.start = try position(isBefore: name == "startAt")
    case "endAt", "endBefore": query.end = try position(isBefore: name == "endBefore")
    case "select":
      var fields: [String] = []
      repeat { fields.append(try field()) } while values.eat(",")
      query.projection = fields
    default: return false
    }
    read.target = .query(query)
    return true
  }

  /// `where(…)`, `or(where(…), …)`, behind the bracket; `Filter.where` and `Filter.or` are the same.
  private mutating func condition(
    _ name: String, of query: StructuredQuery
  ) throws(ConditionError) -> StructuredQuery.Filter {
    if name == "where" {
      if let inner = filterName() { return try ended(inner, of: query) }
      let field = try field()
      try comma()
      let place = values.index
      guard let comparison = Self.operators[try text()] else {
        throw values.error(
          "expected an operator: \(Self.operators.keys.sorted().joined(separator: ", "))", at: place)
      }
      try comma()
      return try named(ConditionReader.filter(field, comparison, try values.value()), in: query, at: place)
    }
    var filters: [StructuredQuery.Filter] = []
    repeat {
      guard let inner = filterName() else { throw values.error("expected where(…), or(…) or and(…)") }
      filters.append(try ended(inner, of: query))
    } while values.eat(",")
    return name == "or" ? .any(filters) : .all(filters)
  }

  private mutating func ended(
    _ name: String, of query: StructuredQuery
  ) throws(ConditionError) -> StructuredQuery.Filter {
    let filter = try condition(name, of: query)
    try close()
    return filter
  }

  private mutating func filterName() -> String? {
    let start = values.index
    _ = values.eat("Filter.")
    values.skipBlanks()
    let name = values.take(while: \.isWordByte)
    if ["where", "or", "and"].contains(name), values.eat("(") { return name }
    values.index = start
    return nil
  }

  /// `{n: count()}`: one total a read.
  /// - Parameters:
  ///   - end: where the query that is totalled ends.
  ///   - start: where the call begins.
  mutating func total(of end: Int, _ start: Int) throws(ConditionError) -> Stage {
    var totals: [(text: String, stage: Stage)] = []
    try values.members { (reader, name) throws(ConditionError) in
      let place = reader.index
      guard let function = reader.callee(among: ["count", "sum", "average"]) else {
        throw reader.error("expected count(), sum(\"field\") or average(\"field\")", at: place)
      }
      var stage = Stage.count
      if function != "count" {
        guard case .string(let text) = try reader.value(), let field = try? FieldPath.parse(text) else {
          throw reader.error("expected a field in quotes", at: place)
        }
        stage = function == "sum" ? .sum(field) : .average(field)
      }
      try reader.endCall()
      totals.append(
        ("{\(name):\(String(decoding: reader.text[place..<reader.index], as: UTF8.self))}", stage))
    }
    let call = String(decoding: values.text[start..<end], as: UTF8.self)
    guard totals.count == 1 else {
      throw values.error(
        "a read has one total; write  "
          + totals.map { "\(call), \($0.text))" }.joined(separator: "  and  "), at: start)
    }
    return totals[0].stage
  }

  /// A field's path in quotes, or what stands for the document's name.
  private mutating func field() throws(ConditionError) -> String {
    for name in ["documentId", "FieldPath.documentId"] {
      let start = values.index
      if values.eat(name), values.eat("("), values.eat(")") { return "__name__" }
      values.index = start
    }
    let place = values.index
    let text = try text()
    do throws(InvalidArgument) { return try FieldPath.parse(text).text } catch {
      throw values.error("'\(text)' is no field path", at: place)
    }
  }
}
