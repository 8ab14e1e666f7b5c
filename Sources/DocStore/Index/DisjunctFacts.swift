/// One disjunct of a filter as indexes see it.

internal import DocModel

struct DisjunctFacts {
  /// Tests of fields that indexes can answer, without those of the name.
  let tests: [FieldTest]
  let nameTests: [FieldTest]
  /// The document that the disjunct names.
  let name: ResourcePath?
  /// Whether no document passes: something is to be equal to null or NaN, or to two names.
  let isImpossible: Bool
  /// One value a field: what prefixes fix.
  private let fixed: [(test: FieldTest, value: [UInt8])]
  private let contained: (test: FieldTest, value: [UInt8])?
  /// Whether indexes can say all that the tests say.
  let isExact: Bool

  init(_ disjunct: QueryDisjunct) {
    tests = disjunct.tests.filter { !$0.path.isDocumentName }
    let names = disjunct.tests.filter { $0.path.isDocumentName }
    name = names.first { $0.comparison == .equal }?.operands.first.map(NameOperand.path)
    nameTests = names.filter { $0.comparison != .equal }
    var fixed: [(test: FieldTest, value: [UInt8])] = []
    var contained: (test: FieldTest, value: [UInt8])?
    var isImpossible = false
    var isExact = true
    for test in tests {
      switch test.comparison {
      case .equal, .arrayContains:
        guard let value = test.operands.first, !ValueRanges.matchesNothing(value) else {
          isImpossible = true
          continue
        }
        if test.comparison == .equal {
          if fixed.contains(where: { $0.test.path == test.path }) {
            isExact = false
          } else {
            fixed.append((test, value))
          }
        } else if contained == nil {
          contained = (test, value)
        } else {
          isExact = false
        }
      case .isNull: Self.fix(test, .null, &fixed, &isExact)
      case .isNaN: Self.fix(test, .double(.nan), &fixed, &isExact)
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
        isImpossible = isImpossible || test.operands.first.map(ValueRanges.matchesNothing) ?? true
      case .notEqual, .notIn, .isNotNull, .isNotNaN, .arrayContainsAny, .in: break
      }
    }
    self.fixed = fixed
    self.contained = contained
    self.isImpossible = isImpossible
    self.isExact = isExact
  }

  private static func fix(
    _ test: FieldTest, _ value: Value, _ fixed: inout [(test: FieldTest, value: [UInt8])],
    _ isExact: inout Bool
  ) {
    if fixed.contains(where: { $0.test.path == test.path }) {
      isExact = false
    } else {
      fixed.append((test, value.encoded))
    }
  }

  /// The value that a prefix holds at a part of an index.
  func value(_ part: IndexShape.Part) -> [UInt8]? {
    if part.mode == .contains { return contained?.test.path == part.path ? contained?.value : nil }
    return fixed.first { $0.test.path == part.path }?.value
  }

  func fixes(_ path: FieldPath) -> Bool { fixed.contains { $0.test.path == path } }

  /// Whether a prefix answers the test.
  func isFixed(_ test: FieldTest) -> Bool {
    contained?.test == test || fixed.contains { $0.test == test }
  }

  /// What prefixes are to fix beside the fields of the suffix.
  func needs(beside target: [QueryOrder]) -> [IndexShape.Part] {
    var parts: [IndexShape.Part] = []
    for (test, _) in fixed where !target.contains(where: { $0.path == test.path }) {
      parts.append(IndexShape.Part(test.path, .ascending))
    }
    if let contained { parts.append(IndexShape.Part(contained.test.path, .contains)) }
    return parts
  }
}

/// Which indexes serve a disjunct together.
struct IndexMembers {
  let indexes: [StoredIndex]
  /// Whether they fix everything that is to be fixed.
  let isCovered: Bool

  /// Greedily, the index first that fixes most of what is not fixed yet.
  ///
  /// - Parameter target: what must follow the prefixes; with a budget when it has fields.
  static func choose(
    _ disjunct: DisjunctFacts, _ target: [QueryOrder], _ indexes: [StoredIndex], budget: Int?
  ) -> IndexMembers {
    let candidates = indexes.filter { serves($0.shape, disjunct, target, budget) }
    var missing = disjunct.needs(beside: target).map { Need($0) }
    var chosen: [StoredIndex] = []
    while !missing.isEmpty {
      let ranked = candidates.map { index in
        (index, missing.count { need in Self.prefix(index.shape, target).contains { Need($0) == need } })
      }
      guard let best = ranked.max(by: { $0.1 < $1.1 }), best.1 > 0 else { break }
      chosen.append(best.0)
      let fixed = Self.prefix(best.0.shape, target).map { Need($0) }
      missing.removeAll { fixed.contains($0) }
    }
    if chosen.isEmpty, let plain = candidates.first(where: { $0.shape.parts.count == target.count }) {
      chosen = [plain]
    }
    return IndexMembers(indexes: chosen, isCovered: missing.isEmpty)
  }

  /// A field that is to be fixed, as a value or as an element.
  private struct Need: Equatable {
    let path: FieldPath
    let isElement: Bool

    init(_ part: IndexShape.Part) {
      path = part.path
      isElement = part.mode == .contains
    }
  }

  private static func prefix(_ shape: IndexShape, _ target: [QueryOrder]) -> ArraySlice<IndexShape.Part> {
    shape.parts.prefix(shape.parts.count - target.count)
  }

  private static func serves(
    _ shape: IndexShape, _ disjunct: DisjunctFacts, _ target: [QueryOrder], _ budget: Int?
  ) -> Bool {
    guard shape.parts.count >= target.count else { return false }
    if let budget, IndexLayout.valueBudget(parts: shape.parts.count) != budget { return false }
    for (part, order) in zip(shape.parts.suffix(target.count), target) {
      let mode: IndexDefinition.Mode = order.direction == .ascending ? .ascending : .descending
      guard part.path == order.path, part.mode == mode else { return false }
    }
    return prefix(shape, target).allSatisfy { disjunct.value($0) != nil }
  }
}
