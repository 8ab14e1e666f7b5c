/// The strict decision: is every document that a query could return, in any database, granted?
///
/// Source: docs/spec/list-query-authorization.md section 4, with the argument why it lets nothing through.

internal import DocModel
internal import Rules

/// Proves the disjuncts of one query.
struct StrictProver {
  /// LIMIT: cases of one disjunct. Source: docs/spec/list-query-authorization.md 4.2.
  static let branchesMax = 4_096

  let e: Evaluation
  let shape: QueryShape
  var evaluator: SymbolicEvaluator
  private(set) var branches = 0
  private var statements: [ListStatement] = []
  /// Whether the disjunct before named a document, which `request.path` then was.
  private var isAfterName = false
  /// Whether the query is open for a disjunct that names no document, and `statements` are those of such a disjunct.
  private var isQueryOpen = false
  /// How many filters the next disjunct has in common with the disjunct at hand, from the first on.
  private var commonCount = 0
  /// What so many filters of the disjunct before say, all of which the disjunct at hand has, too.
  private var common: (count: Int, facts: DisjunctFacts)?

  init(_ plan: ProofPlan, _ e: Evaluation, _ shape: QueryShape) {
    self.e = e
    self.shape = shape
    evaluator = SymbolicEvaluator(e, plan)
  }

  /// - Parameter refused: is shown every case that no statement grants and says whether to go on.
  mutating func prove(
    _ disjunct: ListDisjunct, _ refused: (inout SymbolicEvaluator) -> Bool = { _ in false }
  ) -> StrictVerdict {
    evaluator.steps = 0
    evaluator.isVacuous = false
    guard open(disjunct) else { return .allowed }
    if grantedWithoutDocument() { return .allowed }
    return proveBranches(refused)
  }

  /// Says which disjunct comes after the next one, so that what they have in common is stated once.
  mutating func expect(_ next: ListDisjunct?, after disjunct: ListDisjunct) {
    commonCount = 0
    guard let next else { return }
    let most = min(disjunct.tests.count, next.tests.count)
    while commonCount < most, disjunct.tests[commonCount] == next.tests[commonCount] {
      commonCount += 1
    }
  }

  // MARK: one disjunct

  /// What the filters of the disjunct say.
  private mutating func stated(by disjunct: ListDisjunct) -> DisjunctFacts {
    var (done, facts) = common ?? (0, DisjunctFacts(e))
    common = nil
    if commonCount > 0, commonCount >= done {
      facts.add(disjunct.tests[done..<commonCount])
      common = (commonCount, facts)
      done = commonCount
    }
    facts.add(disjunct.tests[done...])
    facts.add(shape.orderBy)
    return facts
  }

  /// States what the disjunct says; false when it returns nothing.
  private mutating func open(_ disjunct: ListDisjunct) -> Bool {
    var facts = stated(by: disjunct)
    // The disjuncts of a collection differ in their facts only.
    if isQueryOpen, disjunct.keys.isEmpty, disjunct.nameTests.isEmpty {
      evaluator.symbols = facts.symbols
      return !facts.isEmpty
    }
    isQueryOpen = false
    e.openQuery(shape)
    var path = (0..<3).map { ResultSegment.known(e.segments[$0]) }
    if disjunct.keys.count > 1 { return false }
    if let name = disjunct.onlyName {
      guard let relative = e.relativePath(ofName: name), e.isInside(relative, shape) else { return false }
      e.openDocumentPath(relative)
      evaluator.reopen()
      path = (0..<e.segmentCount).map { .known(e.segments[$0]) }
      facts.fixID(e.segments[e.segmentCount - 1])
      evaluator.symbols = facts.symbols
    } else {
      if isAfterName { evaluator.reopen() }
      for part in shape.parent.segments { path.append(.known(e.arena.copy(Array(part)))) }
      if shape.allDescendants {
        path.append(.parents)
      } else if let collection = shape.collectionID, !disjunct.nameTests.isEmpty {
        facts.addNames(disjunct, inCollection: Array(shape.parent.appending(collection).text.utf8) + [0x2F])
      }
      evaluator.symbols = facts.symbols
      path.append(
        shape.collectionID.map { .known(e.arena.copy($0)) } ?? .collection(evaluator.symbols.segment()))
      path.append(.id)
    }
    isAfterName = disjunct.onlyName != nil
    if facts.isEmpty { return false }
    evaluator.documentName = ListStatements.path(path[...], e)
    var found = ListStatements(evaluator.plan, path, e)
    found.collect()
    statements = found.found
    isQueryOpen = disjunct.onlyName == nil && shape.collectionID != nil
    return true
  }

  /// Statements that say the same of every document: one grants all, the others are done with.
  private mutating func grantedWithoutDocument() -> Bool {
    var open: [ListStatement] = []
    for statement in statements {
      guard statement.id == nil, statement.allow.condition?.isClosed ?? true else {
        open.append(statement)
        continue
      }
      guard let condition = statement.allow.condition else { return true }
      if evaluator.value(condition, nil).isKnownTrue { return true }
    }
    statements = open
    return false
  }

  private mutating func proveBranches(_ refused: (inout SymbolicEvaluator) -> Bool) -> StrictVerdict {
    evaluator.trail = ChoiceTrail()
    evaluator.steps = 0
    var verdict = StrictVerdict.allowed
    var count = 0
    repeat {
      count += 1
      branches += 1
      evaluator.symbols.reset()
      evaluator.trail.rewind()
      evaluator.isVacuous = false
      if !isGranted(), !evaluator.isVacuous {
        if evaluator.isExhausted { return .tooComplex }
        verdict = .refused
        if !refused(&evaluator) { return .refused }
      }
      if count >= Self.branchesMax || evaluator.isExhausted {
        return verdict == .refused ? .refused : .tooComplex
      }
    } while evaluator.trail.advance()
    return verdict
  }

  /// Tries the statements in the case at hand.
  private mutating func isGranted() -> Bool {
    for statement in statements {
      if let id = statement.id {
        let own = evaluator.force(.symbol(SymbolTable.id))
        guard evaluator.equal(own, .known(.string(id))).isKnownTrue else { continue }
      }
      guard let condition = statement.allow.condition else { return true }
      evaluator.captures = statement.captures
      let value = evaluator.value(condition, nil)
      if evaluator.logical(value, condition).isTrue { return true }
      if evaluator.isVacuous || evaluator.isExhausted { return false }
    }
    return false
  }
}
