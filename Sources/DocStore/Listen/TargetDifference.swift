/// What has happened to a target between two states of its database, from history alone.
///
/// Serves listeners that come back with a token, clients that were too slow for a while, and new targets
/// between the reading of their result and the moment they go live.
/// Source: docs/spec/streams.md 1.4 (the table), 1.5.

internal import DocModel

/// What is told one by one; above, somebody has to read anew.
struct DifferenceLimits {
  let changes: Int
  /// Of the documents' new states.
  let bytes: Int

  init(_ changes: Int, _ limits: ListenLimits) {
    self.changes = changes
    bytes = limits.catchUpBytesMax
  }
}

struct TargetDifference {
  let target: LiveTarget
  let judge: ListenJudge?
  let old: StoreView
  let new: StoreView
  private let limits: DifferenceLimits
  private var snapshot = SnapshotBuilder()
  private var bytes = 0

  /// The messages that lead from the state at `since` to that of `view`, without a closing one; nil when
  /// more than `limits` has changed. A window must hold the documents of the earlier state, and
  /// holds those of the later one afterwards.
  static func events(
    _ target: LiveTarget, since: Int64, to view: StoreView, atMost limits: DifferenceLimits,
    judge: ListenJudge?
  ) throws(StoreError) -> [ListenEvent]? {
    guard since < view.readTime, try view.hasChanged(after: since) else { return [] }
    var difference = TargetDifference(
      target: target, judge: judge, old: view.past(since), new: view, limits: limits)
    let isDone =
      switch target.selection {
      case .documents(let paths): try difference.compareDocuments(paths)
      case .query:
        try target.window == nil ? difference.compareChanged() : difference.compareWindow()
      }
    return isDone && difference.bytes <= limits.bytes ? difference.snapshot.events(at: view.readTime) : nil
  }

  private init(
    target: LiveTarget, judge: ListenJudge?, old: StoreView, new: StoreView, limits: DifferenceLimits
  ) {
    self.limits = limits
    self.target = target
    self.judge = judge
    self.old = old
    self.new = new
  }

  private mutating func compareDocuments(_ paths: [ResourcePath]) throws(StoreError) -> Bool {
    for path in paths {
      let before = try old.document(path)
      if let after = try new.document(path) {
        if after.updateTime != before?.updateTime { change(path, DocumentImage(after)) }
        if bytes > limits.bytes { return false }
      } else if before != nil {
        snapshot.delete(path, from: target)
      }
    }
    return true
  }

  /// A query without limit: only what was written can have entered or left.
  private mutating func compareChanged() throws(StoreError) -> Bool {
    guard let query = target.query else { return true }
    let changed = try new.changedDocuments(after: old.readTime, limit: limits.changes) {
      query.scope.contains($0)
    }
    guard let changed else { return false }
    for path in changed {
      let before = try old.document(path)
      let wasMember = before.map { target.matches(path, $0) } ?? false
      guard let after = try new.document(path) else {
        if wasMember { snapshot.delete(path, from: target) }
        continue
      }
      if after.updateTime == before?.updateTime { continue }
      if target.matches(path, after) {
        change(path, DocumentImage(after))
      } else if wasMember {
        lose(path, after)
      }
      if bytes > limits.bytes { return false }
    }
    return true
  }

  private mutating func compareWindow() throws(StoreError) -> Bool {
    let shownBefore = target.window?.shown.map(\.path) ?? []
    let wasShown = Set(shownBefore)
    var shown: Set<ResourcePath> = []
    var entering: [(ResourcePath, DocumentImage)] = []
    try target.fillWindow(from: new) { path, document in
      shown.insert(path)
      if document.updateTime > old.readTime || !wasShown.contains(path) {
        entering.append((path, DocumentImage(document)))
      }
    }
    for (path, image) in entering { change(path, image) }
    for path in shownBefore where !shown.contains(path) {
      guard let after = try new.document(path) else {
        snapshot.delete(path, from: target)
        continue
      }
      if after.updateTime > old.readTime { lose(path, after) } else { snapshot.leave(path, target) }
    }
    return true
  }

  private mutating func change(_ path: ResourcePath, _ image: DocumentImage) {
    bytes += image.byteCount
    snapshot.change(path, image, in: target)
  }

  /// A document that was written and no longer belongs to the target.
  private mutating func lose(_ path: ResourcePath, _ after: StoredDocument) {
    if let judge, judge.mayGet(path, after, new).denial != nil {
      snapshot.leave(path, target)
    } else {
      let image = DocumentImage(after)
      bytes += image.byteCount
      snapshot.unmatch(path, image, from: target)
    }
  }
}
