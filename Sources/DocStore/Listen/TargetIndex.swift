/// Which targets a changed document may concern, without asking every target.
///
/// Targets of documents are found by name, those of queries as `StandingIndex` says. Targets whose permission was
/// decided with the help of a document are found by that document's name.

internal import DocModel

/// A target and the stream it belongs to.
struct TargetReference: Identified {
  let stream: HubStream
  let target: LiveTarget

  var identity: ObjectIdentifier { ObjectIdentifier(target) }
}

struct TargetIndex {
  private var names: [ResourcePath: MemberList<TargetReference>] = [:]
  private var guards: [ResourcePath: MemberList<TargetReference>] = [:]
  private var queries = StandingIndex<TargetReference>()

  mutating func add(_ reference: TargetReference) {
    switch reference.target.selection {
    case .documents(let paths): for path in paths { names.insert(reference, at: path) }
    case .query: if let membership = reference.target.membership { queries.add(reference, membership) }
    }
    addGuards(reference)
  }

  mutating func remove(_ reference: TargetReference) {
    switch reference.target.selection {
    case .documents(let paths): for path in paths { names.remove(reference.identity, at: path) }
    case .query: if let membership = reference.target.membership { queries.remove(reference, membership) }
    }
    removeGuards(reference)
  }

  mutating func addGuards(_ reference: TargetReference) {
    for path in reference.target.guards { guards.insert(reference, at: path) }
  }

  mutating func removeGuards(_ reference: TargetReference) {
    for path in reference.target.guards { guards.remove(reference.identity, at: path) }
  }

  // MARK: looking up

  /// The targets that name a document.
  func named(_ path: ResourcePath) -> [TargetReference] { names.isEmpty ? [] : names[path]?.all ?? [] }

  /// The targets whose permission a change of a document may alter.
  func guarded(by path: ResourcePath) -> [TargetReference] { guards.isEmpty ? [] : guards[path]?.all ?? [] }

  /// The queries that a change may concern.
  mutating func candidates(_ change: DocumentChange) -> [StandingQuery<TargetReference>] {
    if queries.isEmpty { return [] }
    return DocumentImage.withDocuments(change.before, change.after) {
      queries.candidates(change.path, $0, $1)
    }
  }
}
