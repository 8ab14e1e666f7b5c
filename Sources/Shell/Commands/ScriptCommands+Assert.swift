/// `:assert`: what a read gives is as a script claims.

import Client
import Conditions
import DocModel
import DocStore

extension ScriptCommands {
  static func assert(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    var parser = StatementParser(arguments.text, session.language)
    let claim = try parser.located { (parser) throws(ConditionError) in try parser.claim() }
    let result = try session.evaluate(claim.read)
    guard let comparison = claim.comparison else {
      if result.isEmpty { throw ShellError(.assertion, "assertion failed: \(arguments.text)") }
      return
    }
    let found = try value(result, claim.field)
    guard comparison.holds(found, claim.value) else {
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
    case .nothing: return nil
    }
  }
}

/// What is claimed of a read.
struct Claim {
  enum Comparison: CaseIterable {
    case equal, notEqual, atMost, below, atLeast, above

    var symbol: String {
      switch self {
      case .equal: "=="
      case .notEqual: "!="
      case .atMost: "<="
      case .below: "<"
      case .atLeast: ">="
      case .above: ">"
      }
    }

    /// Equal and ordered as the service has it: 1 and 1.0 are equal, and only values of one kind compare.
    func holds(_ left: Value?, _ right: Value) -> Bool {
      guard let left else { return self == .notEqual }
      let isNumber = { (value: Value) in value.kind == .integer || value.kind == .double }
      let areComparable = left.kind == right.kind || (isNumber(left) && isNumber(right))
      let order = Self.order(left, right)
      switch self {
      case .equal: return areComparable && order == 0
      case .notEqual: return !areComparable || order != 0
      case .atMost: return areComparable && order <= 0
      case .below: return areComparable && order < 0
      case .atLeast: return areComparable && order >= 0
      case .above: return areComparable && order > 0
      }
    }

    private static func order(_ left: Value, _ right: Value) -> Int {
      left.encoded.withUnsafeBytes { left in
        right.encoded.withUnsafeBytes { right in ValueOrder.compare(ValueView(left), ValueView(right)) }
      }
    }
  }

  let read: ReadStatement
  let field: FieldPath?
  let comparison: Comparison?
  let value: Value
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

  private mutating func eatComparison() -> Claim.Comparison? {
    Claim.Comparison.allCases.first { values.eat($0.symbol) }
  }
}
