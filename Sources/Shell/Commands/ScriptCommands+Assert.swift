/// `:assert`: what a read gives is as a script claims.

import Client
import Conditions
import DocModel
import DocStore
import Rules

extension ScriptCommands {
  static func assert(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let claim = try StatementParser.read(arguments.text, session.language) {
      (parser) throws(ConditionError) in try parser.claim()
    }
    let result = try session.evaluate(claim.read)
    guard let comparison = claim.comparison else {
      if result.isEmpty { throw ShellError(.assertion, "assertion failed: \(arguments.text)") }
      return
    }
    let found = try value(result, claim.field)
    guard Claim.holds(comparison, found, claim.value) else {
      throw ShellError(
        .assertion,
        "assertion failed: \(arguments.text): it is \(found.map { ValueText.literal($0) } ?? "missing")")
    }
  }

  private static func value(_ result: ShellResult, _ field: FieldPath?) throws(ShellError) -> Value? {
    switch result {
    case .scalar(let value): return value
    case .documents(let documents):
      guard let field else { return .integer(Int64(documents.count)) }
      guard documents.count <= 1 else { throw .usage("a field of several documents; use '| first'") }
      return documents.first.flatMap { $0.fields.value(at: field) }
    case .ids(let ids): return .array(ids.map { .string($0) })
    case .rows(_, let rows): return .integer(Int64(rows.count))
    case .shown(let count): return .integer(Int64(count))
    case .nothing: return nil
    }
  }
}

/// What is claimed of a read.
struct Claim {
  let read: ReadStatement
  let field: FieldPath?
  let comparison: Comparison?
  let value: Value

  /// Whether what was found is as claimed. Equal and ordered as the service has it: 1 and 1.0 are equal, and only values
  /// of one kind compare.
  static func holds(_ comparison: Comparison, _ found: Value?, _ wanted: Value) -> Bool {
    guard let found else { return comparison == .notEqual }
    let isNumber = { (value: Value) in value.kind == .integer || value.kind == .double }
    guard found.kind == wanted.kind || (isNumber(found) && isNumber(wanted)) else {
      return comparison == .notEqual
    }
    let order = found.encoded.withUnsafeBytes { found in
      wanted.encoded.withUnsafeBytes { ValueOrder.compare(ValueView(found), ValueView($0)) }
    }
    return comparison.holds(order)
  }
}

extension StatementParser {
  /// `READ`, `READ == 8`, `users/bob username == "bob"`
  mutating func claim() throws(ConditionError) -> Claim {
    let read = try openRead()
    if isAtEnd() { return Claim(read: read, field: nil, comparison: nil, value: .null) }
    var field: FieldPath?
    var comparison = eatComparison()
    if comparison == nil {
      field = try fieldPath()
      comparison = eatComparison()
    }
    guard let comparison else { throw values.error("expected ==, !=, <, <=, > or >=") }
    let value = try values.value()
    try expectEnd()
    return Claim(read: read, field: field, comparison: comparison, value: value)
  }

  private mutating func eatComparison() -> Comparison? {
    // The longer ones first.
    Comparison.allCases.reversed().first { values.eat($0.symbol) }
  }
}
