/// Operations on files, judged by `service firebase.storage`.

internal import DocModel

extension Ruleset {
  /// Whether the ruleset has rules of files.
  public var hasStorageRules: Bool { storage != nil }

  /// Judges one operation on a file.
  ///
  /// A ruleset without `service firebase.storage` grants nothing, and one of version 1 no lists.
  /// - Parameter documents: what `firestore.get` and `firestore.exists` read, by `document(named:)`.
  public func decide(_ request: StorageRequest, documents: DocumentAccess) -> Decision {
    decide(request, documents, isRepeat: false)
  }

  private func decide(_ request: StorageRequest, _ documents: DocumentAccess, isRepeat: Bool) -> Decision {
    let e = documents.evaluation
    e.isTracing = false
    e.isStorage = true
    defer { e.isStorage = false }
    let isNameMatchable = e.open(request, documents, self, isRepeat: isRepeat)
    guard let storage, isNameMatchable, grantsLists || request.method != .list else {
      e.matches.reset()
      return e.decision(.unmatched)
    }
    storage.matcher.match(e)
    return judge(e, storage.allows)
  }

  /// Judges one operation on a file and tells why.
  public func explain(_ request: StorageRequest, documents: DocumentAccess) -> Explanation {
    let e = documents.evaluation
    let decision = decide(request, documents, isRepeat: e.isRepeat(request, documents))
    e.messages.removeAll(keepingCapacity: true)
    e.isTracing = true
    e.isStorage = true
    defer {
      e.isTracing = false
      e.isStorage = false
    }
    var tracer = Tracer(self, e, blocks: storage?.blocks ?? [])
    e.spent = 0
    e.work = 0
    tracer.traceMatches(disjunct: 0)
    return Explanation(
      decision: decision, allows: tracer.allows, missingFilters: [], accessedPaths: documents.log.paths,
      limits: decision.isAllowed ? [] : tracer.limits,
      message: decision.isAllowed ? "" : officialMessage(tracer.allows), proof: nil)
  }

  /// Source: the official emulator of files.
  private var grantsLists: Bool { syntax.languageVersion == 2 }
}
