/// What the aggregations of a query come to, document by document.
///
/// Numbers are read where they lie. Source: docs/spec/protocol.md 1.14.

public import DocModel

/// The running results of one aggregation query; used on one thread.
public struct AggregationTotals {
  private let functions: [(alias: String, function: AggregationQuery.Function)]
  private let memory = OperandMemory()
  /// Nil for counts.
  private let lookups: [FieldLookup?]
  private var sums: [NumberSum]
  private var documentCount: Int64 = 0
  /// Documents after which no result changes any more: counts alone, all of them bounded.
  let enough: Int64?

  public init(_ query: AggregationQuery) {
    functions = query.functions
    let memory = memory
    lookups = query.functions.map { named in
      switch named.function {
      case .count: nil
      case .sum(let field), .average(let field): FieldLookup(field, memory)
      }
    }
    sums = Array(repeating: NumberSum(), count: query.functions.count)
    var bound: Int64? = 0
    for named in query.functions {
      guard case .count(let upTo?) = named.function, let known = bound else {
        bound = nil
        break
      }
      bound = max(known, upTo)
    }
    enough = bound
  }

  /// Whether reading on would change nothing.
  public var isComplete: Bool { enough.map { documentCount >= $0 } ?? false }

  /// Whether the results need no look at documents.
  var isCountOnly: Bool { lookups.allSatisfy { $0 == nil } }

  /// Documents that were counted elsewhere.
  mutating func add(documents count: Int) { documentCount += Int64(count) }

  public mutating func add(_ fields: FieldsView) {
    documentCount += 1
    for (index, lookup) in lookups.enumerated() {
      guard let value = lookup?.value(in: fields) else { continue }
      sums[index].add(value)
    }
  }

  /// The results by alias, in the order they were asked for.
  public var results: [(alias: String, value: Value)] {
    zip(functions, sums).map { named, sum in
      switch named.function {
      case .count(let upTo): (named.alias, .integer(min(documentCount, upTo ?? documentCount)))
      case .sum: (named.alias, sum.sum)
      case .average: (named.alias, sum.average)
      }
    }
  }
}

/// A sum of the numbers among values.
///
/// INVARIANT: `integers` is exact: 2^64 summands of 63 bits fit.
struct NumberSum {
  private var integers: Int128 = 0
  private var hasDoubles = false
  private var doubleSum = 0.0
  private var hasNaN = false
  private var hasPositiveInfinity = false
  private var hasNegativeInfinity = false
  private var count = 0

  mutating func add(_ value: ValueView) {
    switch value.kind {
    case .integer:
      integers += Int128(value.integer)
      count += 1
    case .double: add(value.double)
    case .null, .boolean, .timestamp, .string, .bytes, .reference, .geoPoint, .array, .vector, .map: break
    }
  }

  private mutating func add(_ number: Double) {
    hasDoubles = true
    count += 1
    if number.isNaN {
      hasNaN = true
    } else if number == .infinity {
      hasPositiveInfinity = true
    } else if number == -.infinity {
      hasNegativeInfinity = true
    } else {
      doubleSum += number
    }
  }

  /// Assumed: doubles are added up in the order of the result, the exact integers' sum once.
  private var asDouble: Double {
    if hasNaN || (hasPositiveInfinity && hasNegativeInfinity) { return .nan }
    if hasPositiveInfinity { return .infinity }
    if hasNegativeInfinity { return -.infinity }
    return Double(integers) + doubleSum
  }

  /// An integer while it can be one.
  var sum: Value {
    if !hasDoubles, let exact = Int64(exactly: integers) { return .integer(exact) }
    return .double(asDouble)
  }

  /// Null without numbers.
  var average: Value { count == 0 ? .null : .double(asDouble / Double(count)) }
}
