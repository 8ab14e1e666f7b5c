/// One ruleset, some documents and some requests, for us and for the official emulator.

import Access
import DocModel
import DocStore
import Foundation
import Rules
import TestSupport
import Testing

struct CoverageCase: CustomTestStringConvertible, Sendable {
  enum Ask: Sendable {
    case get(String)
    case create(String, Fields)
    case update(String, Fields)
    case delete(String)
    case list(String, [Filter])
  }

  struct Filter: Sendable {
    let field: String
    let comparison: StructuredQuery.FieldOperator
    let value: Value
  }

  let name: String
  /// Inside `match /databases/{db}/documents`.
  let rules: String
  var documents: [String: Fields] = [:]
  /// Each with the uid of who asks, nil for nobody.
  let asks: [(uid: String?, ask: Ask)]

  init(
    _ name: String, _ rules: String, documents: [String: Fields] = [:], asks: [(uid: String?, ask: Ask)]
  ) {
    self.name = name
    self.rules = rules
    self.documents = documents
    self.asks = asks
  }

  var testDescription: String { name }

  var source: String {
    "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{db}/documents {\n\(rules)\n  }\n}\n"
  }

  // MARK: ours

  func ours() throws -> CoverageReport {
    let compilation = Ruleset.compile(source: source, name: "case.rules")
    let ruleset = try #require(compilation.ruleset)
    let registry = RulesetRegistry()
    registry.setStandard(ruleset)
    let collector = CoverageCollector(isCollecting: true)
    let store = GuardedStore(
      try DocumentStore(engine: NaiveEngine()), rulesets: registry, coverage: collector)
    let database = DatabaseID(project: "coverage")
    for (path, fields) in documents {
      try store.store.commitAndWait(
        database, [Write(ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil))])
    }
    for (uid, ask) in asks {
      let credentials = Credentials.user(
        uid.map { AuthFacts(uid: $0, claims: ["sub": .string($0), "uid": .string($0)]) })
      try? perform(ask, on: store, database, as: credentials)
    }
    return collector.coverage(of: database, ruleset).report()
  }

  private func perform(
    _ ask: Ask, on store: GuardedStore<NaiveEngine>, _ database: DatabaseID, as credentials: Credentials
  ) throws {
    switch ask {
    case .get(let path):
      try store.get(DocumentName(database: database, path: ResourcePath(unchecked: path)), as: credentials) {
        _, _ in
      }
    case .create(let path, let fields):
      try store.commitAndWait(
        database,
        [
          Write(
            ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil),
            precondition: .exists(false))
        ], as: credentials)
    case .update(let path, let fields):
      try store.commitAndWait(
        database,
        [
          Write(
            ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil),
            precondition: .exists(true))
        ], as: credentials)
    case .delete(let path):
      try store.commitAndWait(
        database, [Write(ResourcePath(unchecked: path), .delete)], as: credentials)
    case .list(let collection, let filters):
      var query = StructuredQuery(database: database, collection: ResourcePath(unchecked: collection))
      if !filters.isEmpty {
        query.filter = .all(filters.map { .field($0.field, $0.comparison, $0.value) })
      }
      _ = try store.run(try QueryValidator.validate(query), as: credentials) { _ in .more }
    }
  }

  // MARK: theirs

  func theirs(_ emulator: OfficialEmulator) throws -> [String: Any] {
    let project = "c" + UUID().uuidString.prefix(8).lowercased()
    let root = "/v1/projects/\(project)/databases/(default)/documents"
    for (path, fields) in documents {
      let answer = emulator.send("PATCH", "\(root)/\(path)", ["fields": rest(fields)], as: "owner")
      #expect(answer.status == 200)
    }
    let loaded = emulator.send(
      "PUT", "/emulator/v1/projects/\(project):securityRules",
      ["rules": ["files": [["name": "case.rules", "content": source]]]])
    #expect(loaded.status == 200, "\(String(describing: loaded.json))")
    for (uid, ask) in asks { perform(ask, on: emulator, root, uid.map(Self.token)) }
    let report = emulator.send("GET", "/emulator/v1/projects/\(project):ruleCoverage")
    return try #require(report.json as? [String: Any])
  }

  private func perform(_ ask: Ask, on emulator: OfficialEmulator, _ root: String, _ bearer: String?) {
    switch ask {
    case .get(let path): emulator.send("GET", "\(root)/\(path)", as: bearer)
    case .create(let path, let fields):
      let parts = path.split(separator: "/")
      let parent = parts.dropLast().joined(separator: "/")
      emulator.send(
        "POST", "\(root)/\(parent)?documentId=\(parts.last ?? "")", ["fields": rest(fields)], as: bearer)
    case .update(let path, let fields):
      emulator.send(
        "PATCH", "\(root)/\(path)?currentDocument.exists=true", ["fields": rest(fields)], as: bearer)
    case .delete(let path): emulator.send("DELETE", "\(root)/\(path)", as: bearer)
    case .list(let collection, let filters):
      var query: [String: Any] = ["from": [["collectionId": collection]]]
      if !filters.isEmpty {
        let all = filters.map { filter in
          [
            "fieldFilter": [
              "field": ["fieldPath": filter.field], "op": Self.name(filter.comparison),
              "value": rest(filter.value),
            ]
          ]
        }
        query["where"] = ["compositeFilter": ["op": "AND", "filters": all]]
      }
      emulator.send("POST", "\(root):runQuery", ["structuredQuery": query], as: bearer)
    }
  }

  private static func name(_ comparison: StructuredQuery.FieldOperator) -> String {
    switch comparison {
    case .equal: "EQUAL"
    case .notEqual: "NOT_EQUAL"
    case .lessThan: "LESS_THAN"
    case .lessThanOrEqual: "LESS_THAN_OR_EQUAL"
    case .greaterThan: "GREATER_THAN"
    case .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL"
    case .arrayContains: "ARRAY_CONTAINS"
    case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
    case .in: "IN"
    case .notIn: "NOT_IN"
    }
  }

  /// A token that the emulator takes for a user's; it is not signed.
  private static func token(_ uid: String) -> String {
    func part(_ json: String) -> String {
      Data(json.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
        .replacing("/", with: "_")
    }
    return part(#"{"alg":"none","typ":"JWT"}"#) + "." + part(#"{"sub":"\#(uid)","uid":"\#(uid)"}"#) + "."
  }

  private func rest(_ fields: Fields) -> [String: Any] {
    var json: [String: Any] = [:]
    for entry in fields.entries { json[entry.name] = rest(entry.value) }
    return json
  }

  private func rest(_ value: Value) -> Any {
    switch value {
    case .null: ["nullValue": NSNull()]
    case .boolean(let flag): ["booleanValue": flag]
    case .integer(let number): ["integerValue": String(number)]
    case .double(let number): ["doubleValue": number]
    case .string(let text): ["stringValue": text]
    case .array(let elements):
      ["arrayValue": elements.isEmpty ? [:] : ["values": elements.map { rest($0) }] as [String: Any]]
    case .map(let fields): ["mapValue": ["fields": rest(fields)]]
    case .timestamp(let time): ["timestampValue": time.rfc3339]
    default: ["nullValue": NSNull()]
    }
  }
}

// Literals keep the tables readable.
extension Value: ExpressibleByIntegerLiteral {
  init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByBooleanLiteral {
  init(booleanLiteral value: Bool) { self = .boolean(value) }
}
