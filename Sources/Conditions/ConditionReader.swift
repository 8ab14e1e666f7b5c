/// Conditions of queries as people write them: `rating >= 4.5 && tags has "yoga"`.
///
/// cond  = cond "&&" cond | cond "||" cond | "(" cond ")" | field op value
/// op    = == != < <= > >= in  not in  has  has any
/// value = JSON5's | @2026-03-01T09:00:00Z | @now-1d | /users/bob | geo(51.5, -0.2) | bytes("aGk=")
///         | vector[1, 2]
///
/// `has` is array-contains. As the client SDKs do, `== null` and `== NaN` become the unary filters. What SQL calls these
/// things is in ConditionReader+SQL.swift.

package import DocModel
package import DocStore
package import YAML

/// A condition that cannot be read: what is wrong, and how many characters into the text.
package struct ConditionError: Error {
  package let message: String
  package let offset: Int

  package init(message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }
}

package struct ConditionReader {
  /// LIMIT: parentheses and lists inside each other.
  private static let depthMax = 32

  var values: ValueTextReader
  private var depth = 0

  /// Reads one condition; `now` is what `@now` means.
  package static func read(
    _ node: YAMLNode, database: DatabaseID, now: Int64
  ) throws(YAMLError) -> StructuredQuery.Filter {
    let text = try node.text()
    do throws(ConditionError) {
      var reader = ConditionReader(values: ValueTextReader(text, database: database, now: now))
      let filter = try reader.disjunction()
      try reader.values.expectEnd()
      return filter
    } catch {
      throw YAMLError(error.message, at: node.mark(ofCharacter: error.offset))
    }
  }

  private init(values: ValueTextReader) { self.values = values }

  /// Reads a condition that stands inside a longer text; `values` goes on behind it.
  package static func read(
    _ values: inout ValueTextReader
  ) throws(ConditionError) -> StructuredQuery.Filter {
    var reader = ConditionReader(values: values)
    defer { values = reader.values }
    return try reader.disjunction()
  }

  private mutating func disjunction() throws(ConditionError) -> StructuredQuery.Filter {
    var sides = [try conjunction()]
    while values.eat("||") || eatSQL("or") { sides.append(try conjunction()) }
    return sides.count == 1 ? sides[0] : .any(sides)
  }

  private mutating func conjunction() throws(ConditionError) -> StructuredQuery.Filter {
    var sides = [try comparison()]
    while values.eat("&&") || eatSQL("and") { sides.append(try comparison()) }
    return sides.count == 1 ? sides[0] : .all(sides)
  }

  private mutating func comparison() throws(ConditionError) -> StructuredQuery.Filter {
    guard values.eat("(") else { return try test() }
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else { throw values.error("parentheses nest too deep") }
    let inner = try disjunction()
    guard values.eat(")") else { throw values.error("expected ')'") }
    return inner
  }

  private mutating func test() throws(ConditionError) -> StructuredQuery.Filter {
    if let filter = try sqlNegation() { return filter }
    if let filter = try sqlTurned() { return filter }
    values.skipBlanks()
    let start = values.index
    let path = try sqlCalled(try values.fieldPath(), from: start)
    if let filter = try sqlTest(path, from: start) { return filter }
    let comparison = try comparisonOperator()
    if let list = try sqlList(comparison) { return Self.filter(path, comparison, list) }
    return Self.filter(path, comparison, try values.value())
  }

  /// A comparison as the client SDKs send it: of null and NaN it is a filter of one side.
  package static func filter(
    _ path: String, _ comparison: StructuredQuery.FieldOperator, _ value: Value
  ) -> StructuredQuery.Filter {
    switch (comparison, value) {
    case (.equal, .null): .unary(path, .isNull)
    case (.notEqual, .null): .unary(path, .isNotNull)
    case (.equal, .double(let number)) where number.isNaN: .unary(path, .isNaN)
    case (.notEqual, .double(let number)) where number.isNaN: .unary(path, .isNotNaN)
    default: .field(path, comparison, value)
    }
  }

  private static let symbols: [(String, StructuredQuery.FieldOperator)] = [
    ("==", .equal), ("!=", .notEqual), ("<=", .lessThanOrEqual), ("<", .lessThan),
    (">=", .greaterThanOrEqual), (">", .greaterThan),
  ]

  mutating func comparisonOperator() throws(ConditionError) -> StructuredQuery.FieldOperator {
    if let comparison = sqlOperator() { return comparison }
    for (symbol, comparison) in Self.symbols where values.eat(symbol) { return comparison }
    if values.eatWord("in") { return .in }
    if values.eatWord("has") { return values.eatWord("any") ? .arrayContainsAny : .arrayContains }
    if values.eatWord("not") {
      guard values.eatWord("in") else { throw values.error("expected 'in' after 'not'") }
      return .notIn
    }
    throw values.error("expected a comparison: ==, !=, <, <=, >, >=, in, not in, has or has any")
  }
}

extension YAMLNode {
  /// The place of a character of a scalar: exact on one line, otherwise the scalar's start.
  func mark(ofCharacter offset: Int) -> YAMLMark {
    guard case .scalar(let scalar) = content, start.line == end.line else { return start }
    let quote: Int
    switch scalar.style {
    case .plain: quote = 0
    case .singleQuoted, .doubleQuoted: quote = 1
    case .literal, .folded: return start
    }
    return YAMLMark(line: Int(start.line), column: Int(start.column) + quote + offset)
  }
}
