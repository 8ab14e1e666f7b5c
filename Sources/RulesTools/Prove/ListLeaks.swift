/// Rules that leak to whoever asks for everything: found without knowing any query.
///
/// Every pattern with `allow list` is asked for its whole collection by somebody who is signed in. Where the
/// service grants that although a document can be refused, the rule decides about fields that the service
/// does not look at: `!('f' in resource.data)`, `keys().hasOnly(…)`, `get(f, default)`, `size()`.

internal import DocModel
public import Rules

extension Ruleset {
  /// A warning for each such rule, in the order of the source.
  public func listLeaks() -> [Diagnostic] {
    listLeaks(((prover as? StrictProof) ?? StrictProof()).plan(of: self))
  }

  func listLeaks(_ plan: ProofPlan) -> [Diagnostic] {
    let documents = DocumentAccess()
    var found: [Diagnostic] = []
    for block in plan.blocks {
      guard let shape = SampleQuery(block.pattern).shape else { continue }
      documents.beginRequest()
      let request = RuleRequest(list: shape, auth: SampleQuery.caller, time: SampleQuery.time)
      guard let proof = prove(request, documents: documents), proof.finding == .leak,
        let witness = proof.witness
      else { continue }
      let span = refusingSpan(witness, shape, documents.evaluation)
      if found.contains(where: { $0.span == span }) { continue }
      found.append(ProofMessages.listLeak(witness, shape, at: span))
    }
    return found.sortedBySource()
  }

  /// The expression by which the rules refuse the witness.
  private func refusingSpan(_ witness: ListWitness, _ shape: QueryShape, _ e: Evaluation) -> Span? {
    let granting = grantingAllow(shape, e)
    let bytes = e.arena.copy(witness.fields.encoded)
    e.openResult(e.arena.copy(witness.path.text), .document(bytes), of: shape, self)
    var tracer = Tracer(self, e)
    tracer.traceMatches(disjunct: 0)
    guard let last = tracer.allows.first(where: { $0.allow == granting }) ?? tracer.allows.last else {
      return nil
    }
    return last.deciding.last?.span ?? allowPlaces[last.allow].span
  }

  /// The `allow` by which the service grants the query; others refuse the witness, too, and leak nothing.
  private func grantingAllow(_ shape: QueryShape, _ e: Evaluation) -> Int? {
    e.openDisjunct(ListDisjunct(), of: shape, self)
    var tracer = Tracer(self, e)
    tracer.traceMatches(disjunct: 0)
    return tracer.allows.last { $0.outcome == .granted }?.allow
  }
}

/// The query for everything under a pattern.
struct SampleQuery {
  private static let id = "someone"

  static let caller = AuthFacts(
    uid: id,
    claims: Fields([
      ("sub", .string(id)), ("user_id", .string(id)), ("email", .string("someone@example.com")),
      ("email_verified", .boolean(true)),
      ("firebase", .map(["sign_in_provider": .string("password"), "identities": .map([:])])),
    ]))

  static let time = Timestamp(seconds: 1_735_689_600, nanoseconds: 0)  // 2025-01-01

  /// Nil for patterns that cover no whole collection.
  let shape: QueryShape?

  init(_ pattern: [ListStep]) { shape = Self.shape(pattern) }

  private static func shape(_ pattern: [ListStep]) -> QueryShape? {
    // The root that every pattern has.
    guard pattern.count > 3, case .literal(let root) = pattern[0], root.buffer.elementsEqual("databases".utf8)
    else { return nil }
    let steps = pattern[3...]
    var names: [String] = []
    for (index, step) in steps.enumerated() {
      switch step {
      case .literal(let text):
        if index == steps.count - 1 { return nil }
        names.append(text.text)
      case .capture: names.append(id)
      case .glob: return glob(names, after: steps.count - index - 1, steps)
      }
    }
    guard names.count % 2 == 0 else { return nil }
    return collection(names.dropLast())
  }

  private static func collection(_ names: ArraySlice<String>) -> QueryShape? {
    guard let last = names.last else { return nil }
    return QueryShape(
      parent: ResourcePath(unchecked: names.dropLast().joined(separator: "/")), collectionID: last)
  }

  /// A glob at the end covers all collections below; one at the beginning is for groups.
  private static func glob(_ names: [String], after rest: Int, _ steps: ArraySlice<ListStep>) -> QueryShape? {
    if rest == 0 { return collection((names.count % 2 == 0 ? names + ["items"] : names)[...]) }
    guard names.isEmpty, rest == 2, case .literal(let group) = steps[steps.endIndex - 2] else { return nil }
    return QueryShape(parent: .root, collectionID: group.text, allDescendants: true)
  }
}

/// Messages about proofs.
enum ProofMessages {
  static func listLeak(_ witness: ListWitness, _ shape: QueryShape, at span: Span?) -> Diagnostic {
    let collection = shape.collectionID ?? ""
    return Diagnostic(
      id: .listLeak, severity: .warning, span: span,
      message: "a query for all of `\(collection)` is granted although it can return `\(witness.text)`, "
        + "which this refuses",
      label: "the service sees no field that the query does not filter",
      notes: [
        Diagnostic.Note(
          "in `allow list`, test fields that every document has, with `==`, so that queries must filter them")
      ])
  }
}
