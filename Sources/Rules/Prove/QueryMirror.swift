/// Lists: the platform's own way of judging a query (the mirror).
///
/// The condition is evaluated once for each way of the filter, against a stand-in document that holds
/// the filtered fields only. That admits some queries that could return what the rule refuses and
/// refuses some that could not; it is what production does. Source: docs/spec/production-differences.md
/// 1.10, docs/spec/list-query-authorization.md section 3.

internal import DocModel

/// One way after `in` and `array-contains-any` were split: filters that all hold.
package struct QueryWay {
  package var filters: [QueryShape.Filter] = []
  /// The document the way names with `__name__ ==`, as a full resource name. Nil when anything else is
  /// said of the name, and in a group below a document: the service then takes it for unknown.
  package var documentName: [UInt8]? {
    isBinding && keys.count == 1 && nameFilters.isEmpty ? keys.first : nil
  }
  /// Whether a name can bind the way to its document.
  var isBinding: Bool { ancestor == nil }
  /// Of a group below a document: that document's path below the root.
  var ancestor: [UInt8]?
  /// The same for logic, which is not confused by what else is said.
  package var onlyName: [UInt8]? { keys.count == 1 ? keys.first : nil }
  /// Names that `__name__ ==` gives, each once. Two are a contradiction and bind nothing.
  package var keys: [[UInt8]] = []
  /// Other filters on the name. They bind nothing for the service.
  package var nameFilters: [QueryShape.Filter] = []
  /// All that is said, also twice; nil for the only way of a query.
  var said: [[UInt8]]?

  package init(ancestor: [UInt8]? = nil) { self.ancestor = ancestor }
}

extension QueryShape {
  /// LIMIT: ways one query may have. Source: docs/spec/list-query-authorization.md 4.1 (the platform's own
  /// limit is 30 disjuncts).
  static let waysMax = 100

  /// All ways; nil when there are too many.
  package func expandedWays() -> [QueryWay]? {
    var result: [QueryWay] = []
    let areSeveral =
      ways.count > 1
      || ways.first?.contains { $0.comparison == .isIn || $0.comparison == .containsAny } == true
    for way in ways {
      var partial = [QueryWay(ancestor: allDescendants && !parent.isRoot ? Array(parent.text.utf8) : nil)]
      if areSeveral { partial[0].said = [] }
      for filter in way {
        partial = partial.flatMap { Self.split(filter, onto: $0) }
        if result.count + partial.count > Self.waysMax { return nil }
      }
      result += partial
    }
    return areSeveral ? Self.distinct(result) : result
  }

  /// Ways that say the same, in whatever order, are one. Saying it twice in one way is saying something else, as in the
  /// official engine.
  private static func distinct(_ ways: [QueryWay]) -> [QueryWay] {
    var seen: Set<[[UInt8]]> = []
    return ways.filter { way in
      seen.insert((way.said ?? []).sorted { $0.lexicographicallyPrecedes($1) }).inserted
    }
  }

  private static func split(_ filter: Filter, onto way: QueryWay) -> [QueryWay] {
    switch filter.comparison {
    case .isIn, .containsAny:
      let single: Operator = filter.comparison == .isIn ? .equal : .contains
      return elements(of: filter.operand).map { add(Filter(filter.field, single, $0), to: way) }
    case .notIn:
      return [
        elements(of: filter.operand).reduce(way) { add(Filter(filter.field, .notEqual, $1), to: $0) }
      ]
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .isNull, .isNotNull,
      .isNaN, .isNotNaN:
      return [add(filter, to: way)]
    }
  }

  private static func add(_ filter: Filter, to way: QueryWay) -> QueryWay {
    var way = way
    way.said?.append(filter.bytes)
    guard filter.field.isDocumentName else {
      // The same filter twice is one filter: `f == 1` still fixes the field.
      if !way.filters.contains(where: { $0.isSame(as: filter) }) { way.filters.append(filter) }
      return way
    }
    guard filter.comparison == .equal else {
      way.nameFilters.append(filter)
      return way
    }
    let name = filter.operand.withUnsafeBytes { Array(ValueView($0).reference) }
    if !way.keys.contains(name) { way.keys.append(name) }
    return way
  }

  private static func elements(of operand: [UInt8]) -> [[UInt8]] {
    operand.withUnsafeBytes { ValueView($0).array.map { Array($0.bytes) } }
  }
}

extension Ruleset {
  /// - Parameter ways: of the request's query; nil when there are too many, or no query.
  func decideList(_ request: borrowing RuleRequest, _ ways: [QueryWay]?, _ e: Evaluation) -> Decision {
    guard let shape = request.query, let ways else { return e.decision(.unprovable) }
    // Assumed: every way has the whole budget; document accesses are counted over all of them.
    var spentMost = 0
    for (index, way) in ways.enumerated() {
      if index > 0, way.documentName == nil, ways[index - 1].documentName == nil {
        e.openNext(way)
      } else {
        e.openWay(way, of: shape, self)
      }
      let decision = judge(e)
      spentMost = max(spentMost, decision.expressions)
      if !decision.isAllowed {
        let reason = refusalReason(decision.reason, request, e, way: index)
        return Decision(reason: reason, expressions: spentMost, accesses: decision.accesses)
      }
    }
    return Decision(
      reason: .granted, expressions: spentMost, accesses: e.log.operationCount)
  }

  /// Tells a query that lacks a filter from one that no filter could help.
  private func refusalReason(
    _ reason: Decision.Reason, _ request: borrowing RuleRequest, _ e: Evaluation, way: Int
  ) -> Decision.Reason {
    guard reason == .condition || reason == .fault else { return reason }
    e.isTracing = true
    defer { e.isTracing = false }
    var tracer = Tracer(self, e)
    tracer.traceMatches(way: way)
    return tracer.missing.isEmpty ? reason : .unprovable
  }
}

extension Evaluation {
  /// Makes one way of a query the thing to be judged: its document or its stand-in, and its matches.
  package func openWay(_ way: QueryWay, of shape: QueryShape, _ ruleset: Ruleset) {
    openQuery(shape)
    // Also a document outside the collection, which the query cannot return. Source: the official emulator.
    if let name = way.documentName, let relative = relativePath(ofName: name) {
      openNamedDocument(relative)
      ruleset.matcher.match(self)
      return
    }
    openStandIn(way)
    matchAll(shape, ruleset.matcher)
  }

  /// The same for a way after another one of the same query, when neither names a document: all but the stand-in
  /// is as it was.
  func openNext(_ way: QueryWay) {
    spent = 0
    openStandIn(way)
  }

  private func openStandIn(_ way: QueryWay) {
    resourceData = standIn(way.filters)
    nameConstraint = nameConstraint(way)
  }

  /// What all ways of a query share.
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
