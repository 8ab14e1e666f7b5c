/// Aggregations over a query: what may be asked, checked in the service's order.
///
/// Source: docs/spec/protocol.md 1.14; docs/spec/production-differences.md 1.6.

public import DocModel

/// One aggregation as a client sends it.
public struct Aggregation: Sendable {
  public enum Operator: Sendable {
    case unset
    /// `upTo` nil counts all.
    case count(upTo: Int64?)
    case sum(field: String)
    case average(field: String)
  }

  /// Empty: the service makes one up.
  public var alias: String
  public var operation: Operator

  public init(alias: String = "", _ operation: Operator) {
    self.alias = alias
    self.operation = operation
  }
}

/// Aggregations that have passed validation.
///
/// INVARIANT: aliases are all there and differ from each other; `query` takes only documents that have every
/// field that is summed. Made by `validate` only.
public struct AggregationQuery: Sendable {
  public enum Function: Sendable {
    case count(upTo: Int64?)
    case sum(FieldPath)
    case average(FieldPath)
  }

  public let query: NormalizedQuery
  public let functions: [(alias: String, function: Function)]

  /// The service's order: the list, aliases, each operator, then the query.
  /// - Parameter query: validates the query, given the fields that are added up.
  public static func validate(
    _ aggregations: [Aggregation], over query: ([FieldPath]) throws(InvalidArgument) -> NormalizedQuery
  ) throws(InvalidArgument) -> AggregationQuery {
    if aggregations.isEmpty { throw AggregationErrors.empty }
    guard aggregations.count <= QueryLimits.aggregationsMax else {
      throw AggregationErrors.tooMany(aggregations.count)
    }
    let aliases = try aliases(of: aggregations)
    var functions: [(alias: String, function: Function)] = []
    for (alias, aggregation) in zip(aliases, aggregations) {
      functions.append((alias, try function(aggregation.operation)))
    }
    let added: [FieldPath] = functions.compactMap { named in
      switch named.function {
      case .count: nil
      case .sum(let field), .average(let field): field
      }
    }
    var query = try query(added)
    query.requiredFields = added
    query.orderByRequiredFields()
    query.checkInvariants()
    let validated = AggregationQuery(query: query, functions: functions)
    validated.checkInvariants()
    return validated
  }

  func checkInvariants() {
    assert(functions.allSatisfy { !$0.alias.isEmpty }, "every result has a name")
    assert(Set(functions.map { Array($0.alias.utf8) }).count == functions.count, "names differ")
    assert(
      functions.allSatisfy { named in
        switch named.function {
        case .count: true
        case .sum(let field), .average(let field): query.requiredFields.contains(field)
        }
      }, "documents without a field that is added up are no results")
  }

  /// Missing aliases are numbered over the unnamed ones only.
  private static func aliases(of aggregations: [Aggregation]) throws(InvalidArgument) -> [String] {
    var unnamed = 0
    var seen: Set<[UInt8]> = []
    var aliases: [String] = []
    for aggregation in aggregations {
      var alias = aggregation.alias
      if alias.isEmpty {
        unnamed += 1
        alias = "field_\(unnamed)"
      }
      if ResourceNameParser.isReserved(alias) { throw AggregationErrors.reserved(alias) }
      guard seen.insert(Array(alias.utf8)).inserted else { throw AggregationErrors.duplicate(alias) }
      aliases.append(alias)
    }
    return aliases
  }

  private static func function(_ operation: Aggregation.Operator) throws(InvalidArgument) -> Function {
    switch operation {
    case .unset: throw AggregationErrors.operatorUnset
    case .count(let upTo):
      if let upTo, upTo < 0 { throw AggregationErrors.negativeUpTo }
      return .count(upTo: upTo)
    case .sum(let field): return .sum(try path(field))
    case .average(let field): return .average(try path(field))
    }
  }

  private static func path(_ text: String) throws(InvalidArgument) -> FieldPath {
    let path = try FieldPath.parseUnreserved(text)
    if path.isDocumentName { throw AggregationErrors.ofName }
    return path
  }
}

extension NormalizedQuery {
  /// What is added up is what an index over the added fields gives first: they are ordered by, in byte order,
  /// before the name. It shows only where not all of the result is taken.
  /// Source: docs/spec/production-differences.md 3.3; the official emulator.
  fileprivate mutating func orderByRequiredFields() {
    guard limit != nil || offset > 0, orders.count > explicitOrderCount else { return }
    let fixed = (filter?.tests ?? []).filter { $0.comparison.fixesValue }.map(\.path)
    let added = Set(requiredFields)
      .filter { field in !fixed.contains(field) && !orders.contains { $0.path == field } }
      .sorted { $0.text.precedesInBytes($1.text) }
    orders.insert(contentsOf: added.map { QueryOrder($0, .ascending) }, at: orders.count - 1)
  }
}

extension FieldTest.Comparison {
  /// Whether the test leaves one value.
  fileprivate var fixesValue: Bool {
    switch self {
    case .equal, .isNull, .isNaN: true
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .arrayContains,
      .arrayContainsAny, .in, .notIn, .isNotNull, .isNotNaN:
      false
    }
  }
}

/// The texts in which aggregations are refused. Source: docs/spec/protocol.md 1.14.
public enum AggregationErrors {
  static let empty = InvalidArgument("Aggregations can not be empty.")
  static let operatorUnset = InvalidArgument("Operator field in Aggregation is not set.")
  static let negativeUpTo = InvalidArgument(
    "The `up_to` value in a COUNT aggregation must be greater than or equal to zero.")
  static let ofName = InvalidArgument("Aggregations are not supported for the property: __key__")

  public static func tooMany(_ count: Int) -> InvalidArgument {
    InvalidArgument(
      "The maximum number of aggregations allowed in an aggregation query is "
        + "\(QueryLimits.aggregationsMax). Received: \(count)")
  }

  static func duplicate(_ alias: String) -> InvalidArgument {
    InvalidArgument("Aggregation aliases contain duplicate alias: \(alias).")
  }

  static func reserved(_ alias: String) -> InvalidArgument {
    InvalidArgument("The property.name \"\(alias)\" is reserved.")
  }
}
