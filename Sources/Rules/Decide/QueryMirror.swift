/// Lists: the platform's own way of judging a query (the mirror).
///
/// The condition is evaluated once for each disjunct of the filter, against a stand-in document that holds
/// the filtered fields only. That admits some queries that could return what the rule refuses and
/// refuses some that could not; it is what production does. Source: docs/spec/production-differences.md
/// 1.10, docs/spec/list-query-authorization.md section 3.

package import DocModel

/// One disjunct of a query's filter as rules judge it: its tests of fields, and what it says of the document's name.
///
/// `not-in` is taken apart here, too, into `notEqual` tests that all hold.
package struct ListDisjunct {
  /// Tests of fields, each once: `f == 1` said twice still fixes the field.
  package var tests: [FieldTest] = []
  /// The document the disjunct names with `__name__ ==`, as a full resource name. Nil when anything else is
  /// said of the name, and in a group below a document: the service then takes it for unknown.
  package var documentName: [UInt8]? { isBinding && keys.count == 1 && nameTests.isEmpty ? keys.first : nil }
  /// Whether a name can bind the disjunct to its document.
  var isBinding: Bool { ancestor == nil }
  /// Of a group below a document: that document's path below the root.
  let ancestor: [UInt8]?
  /// The same for logic, which is not confused by what else is said.
  package var onlyName: [UInt8]? { keys.count == 1 ? keys.first : nil }
  /// Names that `__name__ ==` gives, each once. Two are a contradiction and bind nothing.
  package private(set) var keys: [[UInt8]] = []
  /// Other tests of the name. They bind nothing for the service.
  package private(set) var nameTests: [FieldTest] = []
  /// How often each test is said.
  package private(set) var said: [FieldTest: Int] = [:]

  /// - Parameter isOneOfSeveral: whether it is to be known what is said, also twice.
  package init(_ disjunct: QueryDisjunct = [], ancestor: [UInt8]? = nil, isOneOfSeveral: Bool = false) {
    self.ancestor = ancestor
    for test in disjunct.tests {
      guard test.comparison == .notIn else {
        add(test, isOneOfSeveral)
        continue
      }
      for operand in test.operands { add(FieldTest(test.path, .notEqual, [operand]), isOneOfSeveral) }
    }
  }

  private mutating func add(_ test: FieldTest, _ isOneOfSeveral: Bool) {
    if isOneOfSeveral { said[test, default: 0] += 1 }
    guard test.path.isDocumentName else {
      if !tests.contains(test) { tests.append(test) }
      return
    }
    guard test.comparison == .equal else {
      nameTests.append(test)
      return
    }
    let name = test.operand.withUnsafeBytes { Array(ValueView($0).reference) }
    if !keys.contains(name) { keys.append(name) }
  }

  /// Which documents the tests let through, and explicit orders, which find only what has their field. Names that
  /// `__name__ ==` gives are not among the tests.
  package func matcher(_ orders: [QueryShape.Order]) -> FilterMatcher {
    FilterMatcher(
      QueryDisjunct(tests + nameTests).filter,
      requiring: orders.map(\.field).filter { !$0.isDocumentName })
  }
}

extension QueryShape {
  /// LIMIT: disjuncts one query may have. Source: docs/spec/list-query-authorization.md 4.1 (the platform's own
  /// limit is 30 disjuncts).
  static let disjunctsMax = 100

  /// All disjuncts; nil when there are too many.
  package func expandedDisjuncts() -> [ListDisjunct]? {
    let ancestor = allDescendants && !parent.isRoot ? Array(parent.text.utf8) : nil
    if let only = disjuncts.first, disjuncts.count == 1,
      !only.tests.contains(where: { $0.comparison.isDisjunction })
    {
      return [ListDisjunct(only, ancestor: ancestor)]
    }
    let filter = QueryFilter.any(disjuncts.map(\.filter))
    guard QueryDisjunct.count(of: filter) <= Self.disjunctsMax else { return nil }
    return Self.distinct(
      QueryDisjunct.disjuncts(of: filter).map { ListDisjunct($0, ancestor: ancestor, isOneOfSeveral: true) })
  }

  /// Disjuncts that say the same, in whatever order, are one. Saying it twice in one disjunct is saying something else, as in the
  /// official engine.
  private static func distinct(_ disjuncts: [ListDisjunct]) -> [ListDisjunct] {
    var seen: Set<[FieldTest: Int]> = []
    return disjuncts.filter { seen.insert($0.said).inserted }
  }
}

extension Ruleset {
  /// - Parameter disjuncts: of the request's query; nil when there are too many, or no query.
  func decideList(_ request: borrowing RuleRequest, _ disjuncts: [ListDisjunct]?, _ e: Evaluation) -> Decision
  {
    guard let shape = request.query, let disjuncts else { return e.decision(.unprovable) }
    // Assumed: every disjunct has the whole budget; document accesses are counted over all of them.
    var spentMost = 0
    for (index, disjunct) in disjuncts.enumerated() {
      if index > 0, disjunct.documentName == nil, disjuncts[index - 1].documentName == nil {
        e.openNext(disjunct)
      } else {
        e.openDisjunct(disjunct, of: shape, self)
      }
      let decision = judge(e)
      spentMost = max(spentMost, decision.expressions)
      if !decision.isAllowed {
        let reason = refusalReason(decision.reason, request, e, disjunct: index)
        return Decision(reason: reason, expressions: spentMost, accesses: decision.accesses)
      }
    }
    return Decision(
      reason: .granted, expressions: spentMost, accesses: e.log.operationCount)
  }

  /// Tells a query that lacks a filter from one that no filter could help.
  private func refusalReason(
    _ reason: Decision.Reason, _ request: borrowing RuleRequest, _ e: Evaluation, disjunct: Int
  ) -> Decision.Reason {
    guard reason == .condition || reason == .fault else { return reason }
    e.isTracing = true
    defer { e.isTracing = false }
    var tracer = Tracer(self, e)
    tracer.traceMatches(disjunct: disjunct)
    return tracer.missing.isEmpty ? reason : .unprovable
  }
}

extension Evaluation {
  /// Makes one disjunct of a query the thing to be judged: its document or its stand-in, and its matches.
  package func openDisjunct(_ disjunct: ListDisjunct, of shape: QueryShape, _ ruleset: Ruleset) {
    openQuery(shape)
    // Also a document outside the collection, which the query cannot return. Source: the official emulator.
    if let name = disjunct.documentName, let relative = relativePath(ofName: name) {
      openNamedDocument(relative)
      ruleset.matcher.match(self)
      return
    }
    openStandIn(disjunct)
    matchAll(shape, ruleset.matcher)
  }

  /// The same for a disjunct after another one of the same query, when neither names a document: all but the stand-in
  /// is as it was.
  func openNext(_ disjunct: ListDisjunct) {
    spent = 0
    openStandIn(disjunct)
  }

  private func openStandIn(_ disjunct: ListDisjunct) {
    resourceData = standIn(disjunct.tests)
    nameConstraint = nameConstraint(disjunct)
  }

  /// What all disjuncts of a query share.
  package func openQuery(_ shape: QueryShape) {
    spent = 0
    newResourceData = .null
    resourceData = .null
    isIDKnown = false
    nameConstraint = nil
    isPathKnown = !shape.allDescendants
    isResourceReadable = true
    segmentCount = 3
    appendSegments(of: arena.copy(shape.requestPath.text))
    requestSegmentCount = segmentCount
    query = QueryFacts(map: queryObject(shape))
  }

  /// Makes one document the thing that `request.path` names.
  package func openDocumentPath(_ relative: ByteView) {
    isIDKnown = true
    isPathKnown = true
    segmentCount = 3
    appendSegments(of: relative)
    requestSegmentCount = segmentCount
  }

  /// Makes one result of a query, with given fields, the thing to be judged: under `list`, with all that
  /// the query says, and everything known.
  package func openResult(_ relative: ByteView, _ fields: Operand, of shape: QueryShape, _ ruleset: Ruleset) {
    openQuery(shape)
    let requested = requestSegmentCount
    segmentCount = 3
    appendSegments(of: relative)
    requestSegmentCount = requested
    isIDKnown = true
    resourceData = fields
    ruleset.matcher.match(self)
  }

  /// `__name__ == …`: the stored document is judged under `list`, whatever else the filter says, and
  /// `request.path` is its name.
  private func openNamedDocument(_ relative: ByteView) {
    openDocumentPath(relative)
    if hidesDocuments { return hideResource() }
    let found = document(at: relative, afterCommit: false)
    resourceData = found.map { .document(ByteView($0.bytes)) } ?? .null
    isResourceReadable = found != nil
  }

  /// The path below the database's root of `projects/P/databases/D/documents/…`.
  package func relativePath(ofName name: [UInt8]) -> ByteView? {
    let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count >= 7, parts.count % 2 == 1 else { return nil }
    let start = parts[5].startIndex
    return arena.copy(Array(name[start...]))
  }

  /// Whether a document is one of the collection, or of the group.
  package func isInside(_ relative: ByteView, _ shape: QueryShape) -> Bool {
    let parts = relative.buffer.split(separator: UInt8(ascii: "/"))
    guard parts.count >= 2 else { return false }
    let parent = shape.parent.segments
    guard parts.count > parent.count, zip(parts, parent).allSatisfy({ $0.elementsEqual($1) }) else {
      return false
    }
    if let id = shape.collectionID, !parts[parts.count - 2].elementsEqual(id.utf8) { return false }
    return shape.allDescendants || parts.count == parent.count + 2
  }

  /// The segments of every path of the query, then the blocks that cover them all.
  private func matchAll(_ shape: QueryShape, _ matcher: PathMatcher) {
    segmentCount = 3
    appendSegments(of: arena.copy(shape.parent.text))
    var elements = Array(repeating: PathElement.known, count: segmentCount)
    if shape.allDescendants {
      elements.append(.unknownParents)
      addSegment(ByteView(WireCursor.empty))
    }
    if let id = shape.collectionID {
      elements.append(.known)
      addSegment(arena.copy(id))
    } else {
      elements.append(.unknown)
      addSegment(ByteView(WireCursor.empty))
    }
    elements.append(.unknown)
    addSegment(ByteView(WireCursor.empty))
    matcher.matchAll(elements, self)
    // `request.path` ends with the collection.
    requestSegmentCount = segmentCount - 1
  }

  private func addSegment(_ segment: ByteView) {
    guard segmentCount < Self.segmentsMax else { return }
    segments[segmentCount] = segment
    segmentCount += 1
  }
}
