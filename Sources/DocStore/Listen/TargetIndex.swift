/// Which targets a changed document may concern, without asking every target.
///
/// Documents targets are found by name. Query targets are found by the collection, the collection id or the
/// ancestor of their scope, and there, if each way of their filter demands that a field equal a value or an
/// array contain one, by that value. What is found is then tested with the target's whole filter.
///
/// Cost of a change: a few look-ups, and the targets that share its place and one of its values.
/// Source: docs/design/storage-and-scale.md 9.

internal import DocModel

/// A target and the stream it belongs to.
struct TargetReference {
  let stream: HubStream
  let target: LiveTarget
}

struct TargetIndex {
  private var names: [ResourcePath: [TargetReference]] = [:]
  /// Targets whose permission was decided with the help of a document.
  private var guards: [ResourcePath: [TargetReference]] = [:]
  private var collections: [ResourcePath: TargetBucket] = [:]
  /// By collection id, which is a path of one segment here.
  private var groups: [ResourcePath: TargetBucket] = [:]
  private var children: [ResourcePath: TargetBucket] = [:]
  private var descendants: [ResourcePath: TargetBucket] = [:]

  mutating func add(_ reference: TargetReference) {
    switch reference.target.selection {
    case .documents(let paths):
      for path in paths { names[path, default: []].append(reference) }
    case .query(let query):
      change(query.scope) { $0.add(reference, query) }
    }
    addGuards(reference)
  }

  mutating func remove(_ reference: TargetReference) {
    switch reference.target.selection {
    case .documents(let paths):
      for path in paths { Self.remove(reference.target, at: path, of: &names) }
    case .query(let query):
      change(query.scope) { $0.remove(reference.target, query) }
    }
    removeGuards(reference)
  }

  mutating func addGuards(_ reference: TargetReference) {
    for path in reference.target.guards { guards[path, default: []].append(reference) }
  }

  mutating func removeGuards(_ reference: TargetReference) {
    for path in reference.target.guards { Self.remove(reference.target, at: path, of: &guards) }
  }

  private static func remove(
    _ target: LiveTarget, at path: ResourcePath, of table: inout [ResourcePath: [TargetReference]]
  ) {
    table[path]?.removeAll { $0.target === target }
    if table[path]?.isEmpty == true { table[path] = nil }
  }

  private mutating func change(_ scope: QueryScope, _ body: (inout TargetBucket) -> Void) {
    switch scope {
    case .collection(let path): Self.change(&collections, path, body)
    case .group(let id, _): Self.change(&groups, ResourcePath(unchecked: id), body)
    case .children(let parent): Self.change(&children, parent, body)
    case .descendants(let ancestor): Self.change(&descendants, ancestor, body)
    }
  }

  private static func change(
    _ table: inout [ResourcePath: TargetBucket], _ path: ResourcePath, _ body: (inout TargetBucket) -> Void
  ) {
    body(&table[path, default: TargetBucket()])
    if table[path]?.isEmpty == true { table[path] = nil }
  }

  // MARK: looking up

  /// The targets that a change may concern; one may be named twice.
  func forEachCandidate(_ change: DocumentChange, _ body: (TargetReference) -> Void) {
    if !names.isEmpty, let found = names[change.path] { found.forEach(body) }
    if collections.isEmpty, groups.isEmpty, children.isEmpty, descendants.isEmpty { return }
    let collection = change.path.parent
    collections[collection]?.forEachCandidate(change, body)
    if !groups.isEmpty {
      groups[ResourcePath(unchecked: collection.lastSegment)]?.forEachCandidate(change, body)
    }
    if !children.isEmpty { children[collection.parent]?.forEachCandidate(change, body) }
    if !descendants.isEmpty {
      var ancestor = change.path
      while !ancestor.isRoot {
        ancestor = ancestor.parent
        descendants[ancestor]?.forEachCandidate(change, body)
      }
    }
  }

  /// The targets whose permission a change may alter.
  func forEachGuarded(by path: ResourcePath, _ body: (TargetReference) -> Void) {
    if guards.isEmpty { return }
    guards[path]?.forEach(body)
  }
}
