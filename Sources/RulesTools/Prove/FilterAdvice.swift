/// Which filters would make a query pass.
///
/// Candidates are the questions that the rules asked about fields. A set of them is advice only after the
/// query with them was judged: the service allows it, and logic does.

internal import DocModel
internal import Rules

/// Searches for the smallest sets of filters.
struct FilterAdvice {
  /// LIMIT: filters that are needed together.
  private static let filtersMax = 3
  /// LIMIT: candidates of which sets are made, and alternatives that are offered.
  private static let candidatesMax = 10
  private static let offersMax = 4

  struct Candidate {
    let test: FieldTest
    let text: String
    /// Whether every result of the query satisfies it as it is.
    var isImplied = false
  }

  /// Whether a query is one that passes.
  let passes: (QueryShape) -> Bool
  let shape: QueryShape

  /// Of candidates in the order in which the rules ask, the sets that make the query pass, smallest first.
  func search(_ all: [Candidate], replaces: Bool) -> [ListAdvice] {
    let usable = replaces ? all : all.filter { !isFixed($0.test.path) }
    let candidates = Array(usable.prefix(Self.candidatesMax))
    var found: [Set<Int>] = []
    for count in 1...Self.filtersMax where count <= candidates.count {
      for chosen in Self.combinations(of: count, from: candidates.count) {
        guard found.count < Self.offersMax else { break }
        let set = Set(chosen)
        if found.contains(where: { $0.isSubset(of: set) }) { continue }
        if hasTwoEqualities(chosen.map { candidates[$0] }) { continue }
        if passes(query(with: chosen.map { candidates[$0].test }, replaces: replaces)) { found.append(set) }
      }
      if !found.isEmpty { break }
    }
    return found.map { set in
      ListAdvice(
        filters: set.sorted().map { candidates[$0].text }, replaces: replaces,
        narrows: !set.allSatisfy { candidates[$0].isImplied })
    }
  }

  /// A field that the query fixes can only be asked for something else instead.
  private func isFixed(_ field: FieldPath) -> Bool {
    shape.disjuncts.contains { disjunct in
      disjunct.tests.contains { $0.path == field && ($0.comparison == .equal || $0.comparison == .in) }
    }
  }

  private func hasTwoEqualities(_ chosen: [Candidate]) -> Bool {
    chosen.indices.contains { index in
      chosen[index].test.comparison == .equal
        && chosen[..<index].contains { $0.test.path == chosen[index].test.path }
    }
  }

  private func query(with tests: [FieldTest], replaces: Bool) -> QueryShape {
    let disjuncts = shape.disjuncts.map { disjunct -> QueryDisjunct in
      let kept =
        replaces ? disjunct.tests.filter { old in !tests.contains { $0.path == old.path } } : disjunct.tests
      return QueryDisjunct(kept + tests)
    }
    return QueryShape(
      parent: shape.parent, collectionID: shape.collectionID, allDescendants: shape.allDescendants,
      disjuncts: disjuncts, limit: shape.limit, offset: shape.offset, orderBy: shape.orderBy)
  }

  private static func combinations(of count: Int, from total: Int) -> [[Int]] {
    if count == 0 { return [[]] }
    return (0..<total).flatMap { last in
      combinations(of: count - 1, from: last).map { $0 + [last] }
    }
  }
}

// MARK: candidates

extension FilterAdvice {
  /// A question as a filter; nil when no filter asks it.
  static func candidate(
    _ question: FieldQuestions.Question, _ evaluator: SymbolicEvaluator, _ shape: QueryShape
  ) -> Candidate? {
    if question.symbol == SymbolTable.id { return name(question, evaluator, shape) }
    guard let field = evaluator.symbols.fieldPath(of: question.symbol),
      let value = OwnedValue.value(question.value, evaluator.e)
    else { return nil }
    let text = field.text
    switch (question.comparison, value) {
    case (.equal, .null): return Candidate(test: .init(field, .isNull), text: "\(text) == null")
    case (.notEqual, .null), (.isNotNull, _):
      return Candidate(test: .init(field, .isNotNull), text: "\(text) != null")
    case (.in, .array(let values)), (.arrayContainsAny, .array(let values)):
      guard !values.isEmpty, values.count <= 30 else { return nil }
    default: break
    }
    guard let symbol = symbol(of: question.comparison) else { return nil }
    return Candidate(
      test: .init(field, question.comparison, value), text: "\(text) \(symbol) \(ValueText.text(value))")
  }

  /// Whether every value that the facts allow gives the answer that the filter demands.
  static func isImplied(_ question: FieldQuestions.Question, _ facts: Facts, _ e: Evaluation) -> Bool {
    let value = question.value
    let comparable = KindSet.ordered(with: value).subtracting(.nan)
    let isOrdered = !comparable.isEmpty && facts.kinds.isSubset(of: comparable) && value.isExactNumber
    switch question.comparison {
    case .isNotNull: return facts.kinds.isDisjoint(with: [.null, .absent])
    case .equal: return facts.isPresent && facts.unequal(to: value, e) == nil
    case .notEqual:
      return facts.kinds.isDisjoint(with: [.null, .absent]) && facts.equal(to: value, e) == nil
    case .lessThan: return isOrdered && facts.bounded(.greaterOrEqual, value, e) == nil
    case .lessThanOrEqual: return isOrdered && facts.bounded(.greater, value, e) == nil
    case .greaterThan: return isOrdered && facts.bounded(.lessOrEqual, value, e) == nil
    case .greaterThanOrEqual: return isOrdered && facts.bounded(.less, value, e) == nil
    case .arrayContains: return facts.kinds == .list && facts.lacking(value, e) == nil
    case .in, .arrayContainsAny, .notIn, .isNull, .isNaN, .isNotNaN: return false
    }
  }

  private static func symbol(of comparison: FieldTest.Comparison) -> String? {
    switch comparison {
    case .equal: "=="
    case .notEqual: "!="
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    case .arrayContains: "array-contains"
    case .in: "in"
    case .arrayContainsAny: "array-contains-any"
    case .notIn: "not-in"
    case .isNull, .isNotNull, .isNaN, .isNotNaN: nil
    }
  }

  /// Only the name itself helps: ranges on it bind nothing.
  private static func name(
    _ question: FieldQuestions.Question, _ evaluator: SymbolicEvaluator, _ shape: QueryShape
  ) -> Candidate? {
    guard question.comparison == .equal, case .string(let id) = question.value, !shape.allDescendants,
      let collection = shape.collectionID, !id.text.isEmpty
    else { return nil }
    let path = shape.parent.appending(collection).appending(id.text)
    let database = evaluator.e.segments[1].text
    let reference = Value.reference("projects/demo/databases/\(database)/documents/\(path.text)")
    return Candidate(
      test: .init(.documentName, .equal, reference), text: "__name__ == \(OperandText.quoted(id.text))")
  }
}
