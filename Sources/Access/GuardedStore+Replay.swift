/// Requests of the past, judged once more.

public import DocStore
public import Rules

/// Which documents a request of the past is judged on.
public enum ReplayState: Sendable {
  /// Those of its time.
  case ofThatTime
  /// Those of now: the store shows the past for an hour, and none of a database that was cleared.
  case ofNow
}

/// A request of the past, ready to be judged. Legal only inside the call that is given it.
public struct Replay {
  private let documents: KeptDocuments
  public let state: ReplayState

  init(_ documents: KeptDocuments, _ state: ReplayState) {
    self.documents = documents
    self.state = state
  }

  public var request: RuleRequest { documents.request }

  public func explain(by rules: Ruleset) -> Explanation {
    documents.beginRequest()
    return rules.explain(documents.request, documents: documents)
  }

  /// With the value of every expression.
  public func explainInDetail(by rules: Ruleset) -> DetailedExplanation {
    documents.beginRequest()
    return rules.explainInDetail(documents.request, documents: documents)
  }

  fileprivate func check() throws(StoreError) {
    if let failure = documents.failure { throw failure }
  }
}

extension GuardedStore {
  /// Lets `body` judge a kept request on the state that it was judged on; nil for calls of administrators. Not
  /// for the threads of the store.
  public func replay<R>(_ entry: FeedEntry, _ body: (Replay) -> R) throws(StoreError) -> R? {
    guard case .judged(let request, _, _) = entry.kind else { return nil }
    do throws(StoreError) {
      return try replay(request, entry, .ofThatTime, body)
    } catch {
      guard case .failedPrecondition(.readTimeTooOld) = error else { throw error }
      return try replay(request, entry, .ofNow, body)
    }
  }

  private func replay<R>(
    _ request: KeptRequest, _ entry: FeedEntry, _ state: ReplayState, _ body: (Replay) -> R
  ) throws(StoreError) -> R {
    var time = ReadTime.newest
    var point: ReadPoint?
    if state == .ofThatTime {
      switch request.state {
      case .shown(let shown): point = shown
      case .before(let version): time = .at(version - 1)
      }
    }
    return try store.read(entry.database, at: time, from: point) { (view) throws(StoreError) in
      let replay = Replay(try KeptDocuments(request, in: entry.database, on: view), state)
      let result = body(replay)
      try replay.check()
      return result
    }
  }
}
