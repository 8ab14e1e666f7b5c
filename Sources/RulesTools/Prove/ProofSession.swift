/// The proof of one query: both verdicts compared, and what to say when they differ.

internal import DocModel
internal import Rules

/// Proves one query and leaves the request's state as it was.
struct ProofSession {
  /// LIMIT: cases without grant that are looked at for a document that shows it.
  private static let refusalsMax = 48
  /// LIMIT: documents that are tried for one such case.
  private static let variantsMax = 4

  private let ruleset: Ruleset
  private let plan: ProofPlan
  private let documents: DocumentAccess
  private let e: Evaluation
  private let shape: QueryShape
  private let mirror: Decision
  private let accesses: AccessLog.Mark
  private let wasTracing: Bool
  private let isForClient: Bool

  init(
    _ ruleset: Ruleset, _ plan: ProofPlan, _ documents: DocumentAccess, _ shape: QueryShape,
    _ mirror: Decision,
    isForClient: Bool
  ) {
    self.plan = plan
    self.isForClient = isForClient
    self.ruleset = ruleset
    self.documents = documents
    self.shape = shape
    self.mirror = mirror
    e = documents.evaluation
    accesses = documents.log.mark
    wasTracing = e.isTracing
    e.isTracing = false
    e.work = 0
    e.reserveMemos(plan.memoCount)
  }

  func close() {
    documents.log.forget(after: accesses)
    e.isTracing = wasTracing
    e.spent = 0
  }

  /// - Parameter disjuncts: of the query; nil when there are too many.
  mutating func proof(_ disjuncts: [ListDisjunct]?) -> ListProof {
    guard let disjuncts else { return proof(.tooComplex, .agreed, branches: 0) }
    var prover = StrictProver(plan, e, shape)
    for (index, disjunct) in disjuncts.enumerated() {
      prover.expect(index + 1 < disjuncts.count ? disjuncts[index + 1] : nil, after: disjunct)
      let verdict = prove(disjunct, &prover)
      if verdict != .allowed { return refused(disjunct, verdict, prover.branches) }
    }
    if mirror.isAllowed { return proof(.allowed, .agreed, branches: prover.branches) }
    return provable(disjuncts, prover.branches)
  }

  /// One way: by logic, or, for a named document, by what is stored under the name.
  private func prove(_ disjunct: ListDisjunct, _ prover: inout StrictProver) -> StrictVerdict {
    let verdict = prover.prove(disjunct)
    guard verdict != .allowed, disjunct.documentName != nil else { return verdict }
    return isGrantedByService(disjunct) ? .allowed : verdict
  }

  private func isGrantedByService(_ disjunct: ListDisjunct) -> Bool {
    e.openDisjunct(disjunct, of: shape, ruleset)
    return ruleset.judge(e).isAllowed
  }

  private func proof(
    _ strict: StrictVerdict, _ finding: ListFinding, witness: ListWitness? = nil, advice: [ListAdvice] = [],
    rewriting: ListRewriting? = nil, line: Int = 0, branches: Int
  ) -> ListProof {
    ListProof(
      mirror: mirror, strict: strict, finding: finding, witness: witness, advice: advice,
      rewriting: rewriting, line: line, branches: branches)
  }

  // MARK: refused by logic

  private func refused(_ disjunct: ListDisjunct, _ verdict: StrictVerdict, _ branches: Int) -> ListProof {
    let found = witness(disjunct)
    let finding: ListFinding = mirror.isAllowed ? (found == nil ? .unproven : .leak) : .agreed
    let advice = finding == .unproven ? [] : advice(disjunct)
    return proof(
      verdict, finding, witness: found, advice: advice, line: mirror.isAllowed ? grantingLine(disjunct) : 0,
      branches: branches)
  }

  /// A result of the way that is refused.
  private func witness(_ disjunct: ListDisjunct) -> ListWitness? {
    guard disjunct.documentName == nil else { return nil }
    let matcher = disjunct.matcher(shape.orderBy)
    var prover = StrictProver(plan, e, shape)
    var found: ListWitness?
    var refusals = 0
    _ = prover.prove(disjunct) { evaluator in
      refusals += 1
      for variant in 0..<Self.variantsMax where found == nil {
        found = check(WitnessBuilder(evaluator, variant: variant), matcher)
      }
      return found == nil && refusals < Self.refusalsMax
    }
    return found
  }

  /// The document that a builder makes, if it is a result and refused.
  private func check(_ builder: WitnessBuilder, _ matcher: FilterMatcher) -> ListWitness? {
    guard let fields = builder.document(), let id = builder.id(), let path = path(id) else { return nil }
    let bytes = e.arena.copy(fields.encoded)
    let view = FieldsView(document: bytes.buffer)
    let saved = (e.captures, e.frame)
    defer { e.frame = saved.1 }
    var name = path.text
    let isResult = name.withUTF8 { matcher.matches(path: UnsafeRawBufferPointer($0), fields: view) }
    guard isResult else { return nil }
    let isGranted = ruleset.grants(view, at: path, asResultOf: shape, e)
    // The proof goes on in the state of the query.
    e.openQuery(shape)
    return isGranted
      ? nil : ListWitness(path: path, fields: fields, absentFields: builder.absentFields())
  }

  private func path(_ id: String) -> ResourcePath? {
    shape.parent.appending(shape.collectionID ?? "anything").appending(id)
  }

  /// The line of the `allow` by which the service grants a way.
  private func grantingLine(_ disjunct: ListDisjunct) -> Int {
    e.openDisjunct(disjunct, of: shape, ruleset)
    var tracer = Tracer(ruleset, e)
    tracer.traceMatches(disjunct: 0)
    return tracer.allows.last?.position.line ?? 0
  }

  // MARK: refused by the service only

  private func provable(_ disjuncts: [ListDisjunct], _ branches: Int) -> ListProof {
    guard let disjunct = disjuncts.first(where: { !isGrantedByService($0) }) else {
      return proof(.allowed, .agreed, branches: branches)
    }
    e.hidesDocuments = isForClient
    let rewriting = ProofRewriting(ruleset, e).find { e.openDisjunct(disjunct, of: shape, ruleset) }
    e.hidesDocuments = false
    return proof(
      .allowed, .provable, advice: harmlessAdvice(disjunct), rewriting: rewriting, line: rewriting?.line ?? 0,
      branches: branches)
  }

  // MARK: advice

  private func advice(_ disjunct: ListDisjunct) -> [ListAdvice] {
    let search = FilterAdvice(passes: passes, shape: shape)
    let found = search.search(candidates(disjunct), replaces: false)
    if !found.isEmpty { return found }
    // The query fixes the fields that the rules ask for to something else.
    var open = disjunct
    open.tests.removeAll { $0.comparison == .equal || $0.comparison == .isNull }
    guard open.tests.count < disjunct.tests.count else { return [] }
    return search.search(candidates(open), replaces: true)
  }

  /// Filters that take no result away, or, when there are none, any that help.
  private func harmlessAdvice(_ disjunct: ListDisjunct) -> [ListAdvice] {
    let search = FilterAdvice(passes: passes, shape: shape)
    let all = candidates(disjunct)
    let harmless = search.search(all.filter(\.isImplied), replaces: false)
    return harmless.isEmpty ? search.search(all, replaces: false) : harmless
  }

  /// What the rules ask about the results of a way.
  private func candidates(_ disjunct: ListDisjunct) -> [FilterAdvice.Candidate] {
    e.hidesDocuments = isForClient
    defer { e.hidesDocuments = false }
    var prover = StrictProver(plan, e, shape)
    prover.evaluator.questions = FieldQuestions()
    var refusals = 0
    _ = prover.prove(disjunct) { _ in
      refusals += 1
      return refusals < Self.refusalsMax
    }
    let evaluator = prover.evaluator
    return (evaluator.questions?.asked ?? []).compactMap { question in
      var candidate = FilterAdvice.candidate(question, evaluator, shape)
      candidate?.isImplied = FilterAdvice.isImplied(question, evaluator.symbols.initial[question.symbol], e)
      return candidate
    }
  }

  /// Whether the service allows a query and logic does.
  private func passes(_ changed: QueryShape) -> Bool {
    guard let disjuncts = changed.expandedDisjuncts() else { return false }
    for disjunct in disjuncts {
      e.openDisjunct(disjunct, of: changed, ruleset)
      if !ruleset.judge(e).isAllowed { return false }
    }
    var prover = StrictProver(plan, e, changed)
    for disjunct in disjuncts where disjunct.documentName == nil {
      if prover.prove(disjunct) != .allowed { return false }
    }
    return true
  }
}

extension Ruleset {
  /// Whether the statements for lists grant one given result of a query: `resource` is the document, all
  /// else is as for the query.
  func grants(
    _ fields: FieldsView, at path: ResourcePath, asResultOf shape: QueryShape, _ e: Evaluation
  ) -> Bool {
    e.openResult(e.arena.copy(path.text), .document(ByteView(fields.bytes)), of: shape, self)
    return judge(e).isAllowed
  }
}
