/// The requests that a store keeps, as JSON: what watchers of a server ask for over HTTP, and what a shell shows.

package import Access
package import DocModel
package import DocStore
internal import JSON
package import Rules

/// What watchers ask for.
package enum RequestKind: String {
  /// What users asked and rules judged, and the calls of administrators.
  case requests
  /// Documents that were written, by whomever.
  case writes

  fileprivate var topic: FeedTopic {
    switch self {
    case .requests: .requests
    case .writes: .writes
    }
  }
}

package enum RequestReport {
  /// Entries of one database, the oldest first, and how to go on. Keeps every one of the kind from now on, as
  /// long as somebody asks.
  ///
  /// - Parameters:
  ///   - after: the number of the last entry that is known.
  ///   - last: how many of them are wanted at most, the newest ones; nil for all.
  package static func list<Engine: StorageEngine>(
    _ store: GuardedStore<Engine>, _ feed: RequestFeed, _ database: DatabaseID, _ kind: RequestKind,
    after: Int, last: Int?
  ) -> [UInt8] {
    let isNew = kind == .writes ? store.followWrites(of: database) : feed.begin()
    let page = feed.entries(after: after, of: database, kind.topic)
    let entries = last.map { page.entries.suffix(max(0, $0)) } ?? page.entries[...]
    var writer = JSONWriter()
    writer.object { object in
      object.member("requests") { $0.array(entries) { write($1, store, to: &$0) } }
      object.member("next") { $0.integer(page.next) }
      object.member("lost") { $0.integer(page.lost) }
      object.member("began") { $0.boolean(isNew) }
    }
    return writer.bytes
  }

  private static func write<Engine: StorageEngine>(
    _ entry: FeedEntry, _ store: GuardedStore<Engine>, to writer: inout JSONWriter
  ) {
    writer.object { object in
      object.member("id") { $0.string(entry.id) }
      object.member("time") { $0.string(Timestamp(microseconds: entry.time).rfc3339) }
      switch entry.kind {
      case .wrote(let write):
        object.member("method") { $0.string(write.change.rawValue) }
        object.member("target") { $0.string(write.path.text) }
      case .passed(let call):
        object.member("user") { $0.string("admin") }
        object.member("method") { $0.string(call.method) }
        object.member("target") { $0.string(call.target) }
        object.member("outcome") { $0.string("admin") }
        object.member("status") { $0.string(call.status) }
        object.member("microseconds") { $0.integer(call.microseconds) }
      case .judged(let request, let decision, _):
        object.member("user") { $0.string(user(request)) }
        object.member("method") { $0.string("\(request.method.name)") }
        object.member("target") { $0.string(target(request)) }
        object.member("outcome") { $0.string(outcome(decision)) }
        if let rule = rule(entry, store) { object.member("rule") { write(rule, to: &$0) } }
      }
    }
  }

  // MARK: one request

  /// Why a request was decided so, or would be under other rules; nil when it is not kept or no rules judged it.
  /// - Parameter text: a decision for people.
  package static func explanation<Engine: StorageEngine>(
    _ store: GuardedStore<Engine>, _ feed: RequestFeed, _ database: DatabaseID, id: String,
    by rules: Ruleset?,
    text: (DetailedExplanation) -> String
  ) throws(StoreError) -> [UInt8]? {
    guard let entry = feed.entry(id), entry.database == database,
      case .judged(_, let decision, let ownRules) = entry.kind
    else { return nil }
    return try store.replay(entry) { replay in
      let explained = replay.explainInDetail(by: rules ?? ownRules)
      return JSONWriter.bytes(of: [
        "id": .text(entry.id), "was": .text(outcome(decision)),
        "is": .text(outcome(explained.explanation.decision)),
        "isOfThatTime": .boolean(replay.state == .ofThatTime),
        "text": .text(text(explained)),
      ])
    }
  }

  // MARK: candidate rules

  /// The requests after a number that other rules would decide otherwise. Keeps every request from now on.
  package static func shadow<Engine: StorageEngine>(
    _ store: GuardedStore<Engine>, _ feed: RequestFeed, _ database: DatabaseID, after: Int, by rules: Ruleset
  ) -> [UInt8] {
    let isNew = feed.begin()
    let page = feed.entries(after: after, of: database, .requests)
    var judged = 0
    var changes: [(entry: FeedEntry, was: Explanation, becomes: Explanation)] = []
    for entry in page.entries {
      guard case .judged(_, _, let ownRules) = entry.kind else { continue }
      let pair = try? store.replay(entry) { replay in
        (replay.explain(by: ownRules), replay.explain(by: rules))
      }
      guard let pair else { continue }
      judged += 1
      if pair.0.isAllowed != pair.1.isAllowed { changes.append((entry, pair.0, pair.1)) }
    }
    var writer = JSONWriter()
    writer.object { object in
      object.member("judged") { $0.integer(judged) }
      object.member("next") { $0.integer(page.next) }
      object.member("lost") { $0.integer(page.lost) }
      object.member("began") { $0.boolean(isNew) }
      object.member("changes") { writer in
        writer.array(changes) { writer, change in
          guard case .judged(let request, _, let ownRules) = change.entry.kind else { return writer.null() }
          writer.object { object in
            object.member("id") { $0.string(change.entry.id) }
            object.member("time") { $0.string(Timestamp(microseconds: change.entry.time).rfc3339) }
            object.member("user") { $0.string(user(request)) }
            object.member("method") { $0.string("\(request.method.name)") }
            object.member("target") { $0.string(target(request)) }
            object.member("was") { $0.string(outcome(change.was.decision)) }
            object.member("becomes") { $0.string(outcome(change.becomes.decision)) }
            if let rule = rule(change.was, ownRules) { object.member("rule") { write(rule, to: &$0) } }
            if let rule = rule(change.becomes, rules) { object.member("newRule") { write(rule, to: &$0) } }
          }
        }
      }
    }
    return writer.bytes
  }

  // MARK: words

  private struct Rule {
    let id: String
    let file: String
    let line: Int
  }

  /// The rule that granted, or the first one that was tried.
  private static func rule(_ explanation: Explanation, _ rules: Ruleset) -> Rule? {
    (explanation.granting ?? explanation.allows.first).map {
      Rule(id: $0.id, file: rules.source.name, line: $0.position.line)
    }
  }

  private static func rule<Engine: StorageEngine>(_ entry: FeedEntry, _ store: GuardedStore<Engine>) -> Rule?
  {
    guard case .judged(_, let decision, let rules) = entry.kind else { return nil }
    let explanation = (try? store.replay(entry) { $0.explain(by: rules) }).flatMap { $0 }
    // Documents of now may lead elsewhere.
    guard let explanation, explanation.isAllowed == decision.isAllowed else { return nil }
    return rule(explanation, rules)
  }

  private static func write(_ rule: Rule, to writer: inout JSONWriter) {
    writer.value(["id": .text(rule.id), "file": .text(rule.file), "line": .int(rule.line)])
  }

  private static func user(_ request: KeptRequest) -> String {
    request.auth.map { $0.uidText ?? "without-uid" } ?? "anonymous"
  }

  /// `users/bob`, `users`, `**/posts` for a group.
  private static func target(_ request: KeptRequest) -> String {
    guard let query = request.query else { return request.path.text }
    var names = query.parent.isRoot ? [] : [query.parent.text]
    if query.allDescendants { names.append("**") }
    names.append(query.collectionID ?? "*")
    return names.joined(separator: "/")
  }

  /// Source: the official emulator: an operation that no rule grants is in error when one of them was.
  static func outcome(_ decision: Decision) -> String {
    switch decision.reason {
    case .granted: "allow"
    case .unmatched, .condition, .unprovable: "deny"
    case .fault, .budget: "error"
    }
  }
}
