/// Calls of MongoDB, answered with the line to write.

import Conditions
import DocModel

extension ForeignInput {
  /// `db.users.find({age: {$gt: 3}})`. Not run: there `{tags: "x"}` also finds lists with an "x" in them.
  func mongo() -> String? {
    var parser = parser()
    guard parser.values.eat("db.") else { return nil }
    let names = parser.values.take { $0.isWordByte || $0 == UInt8(ascii: ".") }.split(separator: ".").map(
      String.init)
    guard names.count == 2, parser.values.eat("(") else { return nil }
    let collection = names[0]
    guard let arguments = try? Self.arguments(&parser) else { return nil }
    guard let line = Self.line(names[1], collection, arguments) else { return nil }
    var words = line
    while parser.values.eat(".") {
      let method = parser.values.take(while: \.isWordByte)
      guard parser.values.eat("("), let arguments = try? Self.arguments(&parser),
        let clause = Self.clause(method, arguments)
      else { return nil }
      words += clause
    }
    return "this is written  \(words)"
  }

  /// Up to the closing bracket. A dollar sign begins the names of operators there.
  private static func arguments(_ parser: inout StatementParser) throws(ConditionError) -> [Value] {
    var arguments: [Value] = []
    parser.values.allowsDollarNames = true
    while !parser.values.eat(")") {
      arguments.append(try parser.values.value())
      if parser.values.eat(")") { break }
      guard parser.values.eat(",") else { throw parser.values.error("expected ',' or ')'") }
    }
    return arguments
  }

  private static func line(_ method: String, _ collection: String, _ arguments: [Value]) -> String? {
    var filter = Fields()
    if case .map(let fields)? = arguments.first { filter = fields }
    guard let read = read(collection, filter) else { return nil }
    switch method {
    case "find": return read
    case "findOne": return read + (filter["_id"] == nil ? " limit 1" : "")
    case "count", "countDocuments": return read + " | count"
    case "insertOne", "insert": return insert(collection, filter)
    case "deleteOne", "deleteMany", "remove":
      return filter["_id"] == nil ? read + " | each delete $id" : "delete " + read
    case "updateOne", "updateMany", "update":
      guard arguments.count > 1, let assigns = assigns(arguments[1]) else { return nil }
      return filter["_id"] == nil ? "\(read) | each update $id \(assigns)" : "update \(read) \(assigns)"
    default: return nil
    }
  }

  private static func insert(_ collection: String, _ document: Fields) -> String {
    guard case .string(let id)? = document["_id"] else {
      return "add \(collection) \(ValueText.literal(.map(document)))"
    }
    var rest = document
    rest["_id"] = nil
    return "create \(collection)/\(id) \(ValueText.literal(.map(rest)))"
  }

  private static let operators = [
    "$eq": "==", "$ne": "!=", "$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<=", "$in": "in",
    "$nin": "not in",
  ]

  private static func read(_ collection: String, _ filter: Fields) -> String? {
    if filter.count == 1, case .string(let id)? = filter["_id"] { return "\(collection)/\(id)" }
    var tests: [String] = []
    for entry in filter.entries {
      let field = entry.name == "_id" ? "__name__" : entry.name
      guard case .map(let inner) = entry.value, inner.entries.contains(where: { $0.name.hasPrefix("$") })
      else {
        tests.append("\(field) == \(ValueText.literal(entry.value))")
        continue
      }
      for test in inner.entries {
        guard let symbol = operators[test.name] else { return nil }
        tests.append("\(field) \(symbol) \(ValueText.literal(test.value))")
      }
    }
    return collection + (tests.isEmpty ? "" : " where " + tests.joined(separator: " && "))
  }

  private static func assigns(_ change: Value) -> String? {
    guard case .map(let changes) = change else { return nil }
    var parts: [String] = []
    for change in changes.entries {
      guard case .map(let fields) = change.value else { return nil }
      for field in fields.entries {
        switch change.name {
        case "$set": parts.append("\(field.name) = \(ValueText.literal(field.value))")
        case "$inc": parts.append("\(field.name) += \(ValueText.literal(field.value))")
        case "$unset": parts.append("unset \(field.name)")
        case "$addToSet", "$push": parts.append("\(field.name) union [\(ValueText.literal(field.value))]")
        default: return nil
        }
      }
    }
    return parts.joined(separator: ", ")
  }

  private static func clause(_ method: String, _ arguments: [Value]) -> String? {
    switch (method, arguments.first) {
    case ("sort", .map(let fields)?):
      return " order by "
        + fields.entries.map { $0.name + ($0.value == .integer(-1) ? " desc" : "") }.joined(separator: ", ")
    case ("limit", .integer(let count)?): return " limit \(count)"
    case ("skip", .integer(let count)?): return " offset \(count)"
    case ("count", _): return " | count"
    case ("toArray", _), ("pretty", _): return ""
    default: return nil
    }
  }
}
