/// What listeners may see.

internal import DocModel
public import DocStore
internal import Rules

extension GuardedStore {
  /// Judges the targets of one stream, by rules and by indexes, and says which documents the rules read; nil
  /// for administrators of a store that asks for no indexes, since nothing is refused to them.
  public func listenJudge(_ credentials: Credentials) -> ListenJudge? {
    if credentials.isAdmin { return indexes.map { _ in indexJudge } }
    return ListenJudge(
      mayList: { [self] query, view in
        var verdict = verdict(view, credentials) { (guarding) throws(StoreError) in
          try guarding.allowList(query)
        }
        // Rules first, then indexes, as `admit` has it.
        if verdict.denial == nil { verdict.denial = refusal(of: query) }
        return verdict
      },
      mayGet: { [self] path, document, view in
        verdict(view, credentials) { (guarding) throws(StoreError) in
          try guarding.allowGet(path, document, in: view.database)
        }
      })
  }

  /// Administrators see every document, but the service answers no query of theirs without its index either.
  private var indexJudge: ListenJudge {
    ListenJudge(
      mayList: { [self] query, _ in ListenVerdict(denial: refusal(of: query)) },
      mayGet: { _, _, _ in ListenVerdict() })
  }

  private func refusal(of query: NormalizedQuery) -> StoreError? {
    do throws(StoreError) {
      try admitIndexed(query)
      return nil
    } catch {
      return error
    }
  }

  private func verdict(
    _ view: StoreView, _ credentials: Credentials, _ body: (borrowing AccessGuard) throws(StoreError) -> Void
  ) -> ListenVerdict {
    var verdict = ListenVerdict()
    do throws(StoreError) {
      try judging(view, credentials) { (guarding) throws(StoreError) in
        guarding.documents.notesReads = true
        defer { verdict.reads = guarding.documents.takeReads() }
        try body(guarding)
      }
    } catch {
      verdict.denial = error
    }
    return verdict
  }
}
