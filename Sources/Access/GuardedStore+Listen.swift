/// What listeners may see.

internal import DocModel
public import DocStore
internal import Rules

extension GuardedStore {
  /// Judges the targets of one stream, and says which documents the rules read; nil for administrators,
  /// who are not judged.
  public func listenJudge(_ credentials: Credentials) -> ListenJudge? {
    if credentials.isAdmin { return nil }
    return ListenJudge(
      mayList: { [self] query, view in
        verdict(view, credentials) { (guarding) throws(StoreError) in
          try guarding.allowList(QueryShape(query), in: query.database)
        }
      },
      mayGet: { [self] path, document, view in
        verdict(view, credentials) { (guarding) throws(StoreError) in
          try guarding.allowGet(path, document, in: view.database)
        }
      })
  }

  private func verdict(
    _ view: StoreView, _ credentials: Credentials, _ body: (AccessGuard) throws(StoreError) -> Void
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
