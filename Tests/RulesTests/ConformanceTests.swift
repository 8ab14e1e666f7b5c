/// Every case of docs/spec/rules-language.md section 10.

import DocModel
import Testing

@testable import Rules

/// One row of the tables.
struct ConformanceRow: CustomTestStringConvertible, Sendable {
  let id: String
  let expression: String
  let result: Verdict
  var method = RuleMethod.get
  var isAlice = false
  var isMissing = false
  var data: Fields = [:]
  var new: Fields?
  var documents: [String: Fields] = [:]
  var limit: Int64?
  var orderBy: [String] = []
  var functions = ""
  var path = "t/x"
  var pattern = "/t/{id}"

  init(
    _ id: String, _ expression: String, _ result: Verdict, method: RuleMethod = .get, isAlice: Bool = false,
    isMissing: Bool = false, data: Fields = [:], new: Fields? = nil, documents: [String: Fields] = [:],
    limit: Int64? = nil, orderBy: [String] = [], functions: String = "", path: String = "t/x",
    pattern: String = "/t/{id}"
  ) {
    self.id = id
    self.expression = expression
    self.result = result
    self.method = method
    self.isAlice = isAlice
    self.isMissing = isMissing
    self.data = data
    self.new = new
    self.documents = documents
    self.limit = limit
    self.orderBy = orderBy
    self.functions = functions
    self.path = path
    self.pattern = pattern
  }

  var testDescription: String { "\(id) \(expression)" }

  var circumstances: Circumstances {
    let isAbsent = isMissing || method == .create
    return Circumstances(
      method: method, auth: isAlice ? alice : nil, data: isAbsent ? nil : data, new: new,
      documents: documents, functions: functions, path: path, pattern: pattern,
      query: method == .list
        ? QueryShape(
          parent: .root, collectionID: "t", limit: limit,
          orderBy: orderBy.compactMap { FieldPath.field($0) }.map { QueryShape.Order($0) }) : nil)
  }
}

@Suite("Conformance: docs/spec/rules-language.md section 10")
struct ConformanceTests {
  @Test("literals, logic, equality, order", arguments: conformanceRows1)
  func literals(row: ConformanceRow) { #expect(row.circumstances.verdict(row.expression) == row.result) }

  @Test("arithmetic, membership, types", arguments: conformanceRows2)
  func arithmetic(row: ConformanceRow) { #expect(row.circumstances.verdict(row.expression) == row.result) }

  @Test("strings, lists, sets, maps, bytes", arguments: conformanceRows3)
  func collections(row: ConformanceRow) { #expect(row.circumstances.verdict(row.expression) == row.result) }

  @Test("numbers, times, paths", arguments: conformanceRows4)
  func numbers(row: ConformanceRow) { #expect(row.circumstances.verdict(row.expression) == row.result) }

  @Test("requests, documents, functions, queries", arguments: conformanceRows5)
  func requests(row: ConformanceRow) { #expect(row.circumstances.verdict(row.expression) == row.result) }

  @Test("no row is lost: there are 317")
  func count() {
    let all = conformanceRows1 + conformanceRows2 + conformanceRows3 + conformanceRows4 + conformanceRows5
    #expect(Set(all.map(\.id)).count == 317)
  }
}
