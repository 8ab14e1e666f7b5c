/// What a commit means for the targets it touches.
///
/// Source: docs/spec/streams.md 1.4, 1.7.

internal import DequeModule
internal import DocModel

extension ListenHub {
  /// Applies one commit: finds the targets, asks them about the states before and after, and tells each
  /// stream once.
  func apply(_ changes: [DocumentChange], at version: Int64) {
    var commit = HubCommit(changes: changes, version: version)
    // Found first and told afterwards: a decision may change what the index watches.
    var met: [(ordinal: Int, reference: TargetReference, isMember: Bool)] = []
    for (ordinal, change) in changes.enumerated() {
      for reference in index.guarded(by: change.path) {
        commit.doubted[ObjectIdentifier(reference.target)] = reference
      }
      for reference in index.named(change.path) { met.append((ordinal, reference, change.after != nil)) }
      for query in index.candidates(change) {
        let isMember = query.membership.includes(change.path, change.after)
        guard isMember || query.membership.includes(change.path, change.before) else { continue }
        for reference in query.members.all { met.append((ordinal, reference, isMember)) }
      }
    }
    let weight = changes.reduce(0) { max($0, $1.after?.byteCount ?? 0) }
    for (ordinal, reference, isMember) in met where isShown(reference.stream, weight) {
      meet(changes[ordinal], ordinal, reference, isMember: isMember, &commit)
    }
    if generation == 0 { generation = version }
    position = version
    for reference in commit.windowed { finishWindow(reference, &commit) }
    for reference in commit.doubted.values where isShown(reference.stream) { judgeAgain(reference, &commit) }
    for stream in commit.streams { finish(stream, commit) }
    if weight > Self.reservedBytesMin { for (_, reference, _) in met { reference.stream.reservation = nil } }
  }

  /// LIMIT: bytes of a document that many listeners are told at once without asking for memory first.
  private static var reservedBytesMin: Int { 16 << 10 }

  /// Whether a stream is told of commits; one that stands still has missed this one.
  ///
  /// A large document is counted before it is made for the stream: thousands may be told of it at once.
  private func isShown(_ stream: HubStream, _ weight: Int = 0) -> Bool {
    if stream.standstill == nil {
      guard weight > Self.reservedBytesMin, stream.reservation == nil else { return true }
      if hasRoom(stream, for: weight) {
        stream.reservation = stream.sink.hold(weight)
        return true
      }
      stream.standstill = token
    }
    stream.hasMissed = true
    return false
  }

  /// - Parameter isMember: the new state belongs to the target's query; otherwise the old one did.
  private func meet(
    _ change: DocumentChange, _ ordinal: Int, _ reference: TargetReference, isMember: Bool,
    _ commit: inout HubCommit
  ) {
    let target = reference.target
    guard target.query != nil else { return meetName(change, reference, &commit) }
    if target.window != nil {
      if target.pending.isEmpty { commit.windowed.append(reference) }
      target.pending.append(ordinal)
      return
    }
    if let after = change.after, isMember {
      commit.touch(reference.stream).snapshot.change(change.path, after, in: target)
    } else {
      lose(change.path, change.after, reference, &commit)
    }
  }

  /// A document that a target names was written.
  private func meetName(_ change: DocumentChange, _ reference: TargetReference, _ commit: inout HubCommit) {
    let stream = commit.touch(reference.stream)
    if let judge = stream.judge, !mayGet(change.path, change.after, judge, reference, &commit) { return }
    if let after = change.after {
      stream.snapshot.change(change.path, after, in: reference.target)
    } else {
      stream.snapshot.delete(change.path, from: reference.target)
    }
  }

  /// A document that was written no longer belongs to a query.
  private func lose(
    _ path: ResourcePath, _ after: DocumentImage?, _ reference: TargetReference, _ commit: inout HubCommit
  ) {
    let stream = commit.touch(reference.stream)
    guard let after else { return stream.snapshot.delete(path, from: reference.target) }
    if let judge = stream.judge, verdict(path, after, judge).denial != nil {
      stream.snapshot.leave(path, reference.target)
    } else {
      stream.snapshot.unmatch(path, after, from: reference.target)
    }
  }

  private func finish(_ stream: HubStream, _ commit: HubCommit) {
    stream.isTouched = false
    let snapshot = stream.snapshot
    stream.snapshot = SnapshotBuilder()
    for end in snapshot.ended {
      if let target = stream.targets[end.id] { drop(target, of: stream) }
    }
    for target in snapshot.restarted {
      drop(target, of: stream)
      stream.requests.prepend(.reload(target))
    }
    var events = snapshot.events(at: commit.version)
    // With targets to be shown anew the stream is consistent when the last of them is.
    if events.count > snapshot.ended.count, snapshot.restarted.isEmpty { events.append(.consistent(token)) }
    send(events, to: stream)
    stream.reservation = nil
    if !snapshot.restarted.isEmpty { goOn(stream) }
  }

  // MARK: windows

  private func finishWindow(_ reference: TargetReference, _ commit: inout HubCommit) {
    let target = reference.target
    let written = target.pending
    target.pending = []
    guard let query = target.query, let membership = target.membership, var window = target.window else {
      return
    }
    let before = window.shown
    var isMoved = false
    for ordinal in written {
      let change = commit.changes[ordinal]
      if let key = membership.key(change.path, change.before), window.remove(key) { isMoved = true }
      if let key = membership.key(change.path, change.after),
        window.insert(WindowEntry(key: key, path: change.path))
      {
        isMoved = true
      }
    }
    target.window = window
    guard isMoved else { return }
    var move = WindowMove(before: before, changes: commit.changes, written: written)
    do throws(StoreError) {
      if window.shortage != nil { target.window = try refilled(window, query, at: commit.version) }
      move.compare(target.window?.shown ?? [])
      try readEntering(&move, at: commit.version)
    } catch .failedPrecondition(.readTimeTooOld) {
      // The hub is so late that the history of this commit is gone.
      return commit.touch(reference.stream).snapshot.restart(target)
    } catch {
      return commit.touch(reference.stream).snapshot.end(target, cause: error)
    }
    for (path, image) in move.entering {
      commit.touch(reference.stream).snapshot.change(path, image, in: target)
    }
    for (path, image) in move.losing { lose(path, image, reference, &commit) }
    for path in move.leaving { commit.touch(reference.stream).snapshot.leave(path, target) }
  }

  /// Reads on behind the last document that the window holds.
  private func refilled(
    _ window: LimitWindow, _ query: NormalizedQuery, at version: Int64
  ) throws(StoreError) -> LimitWindow {
    var window = window
    let filling = query.filling(window)
    let orders = OrderKeyMaker(query, checksCursors: false)
    var writer = KeyWriter()
    var more: [WindowEntry] = []
    try store.read(database, at: .at(version)) { view throws(StoreError) in
      _ = try QueryExecutor.run(filling, on: view) { row in
        if orders.write(row.path, row.document.fields, to: &writer) {
          let path = ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self))
          more.append(WindowEntry(key: writer.bytes, path: path))
        }
        return .more
      }
    }
    window.append(more, isEnd: filling.limit.map { more.count < $0 } ?? true)
    return window
  }

  /// The documents that became visible without having been written.
  private func readEntering(_ move: inout WindowMove, at version: Int64) throws(StoreError) {
    let paths = move.unread
    if paths.isEmpty { return }
    let images = try store.read(database, at: .at(version)) { view throws(StoreError) in
      var images: [(ResourcePath, DocumentImage)] = []
      for path in paths {
        if let document = try view.document(path) { images.append((path, DocumentImage(document))) }
      }
      return images
    }
    move.entering.append(contentsOf: images)
  }

  // MARK: clearing

  /// Every document is gone: a commit that deletes them all. When they are too many to be named, targets that
  /// know what they held still say so document by document; the client of any other forgets what it was
  /// told.
  func applyClearing(_ deletions: [DocumentChange]?, at version: Int64) {
    position = version
    generation = version
    if let deletions { return apply(deletions, at: version) }
    for stream in Array(streams.values) where isShown(stream) {
      var events: [ListenEvent] = []
      for target in Array(stream.targets.values) {
        events.append(contentsOf: clearing(of: target, stream, at: version))
      }
      if !events.isEmpty { send(events + [.consistent(token)], to: stream) }
    }
  }

  private func clearing(of target: LiveTarget, _ stream: HubStream, at version: Int64) -> [ListenEvent] {
    switch target.selection {
    case .documents(let paths):
      if let judge = stream.judge {
        for path in paths {
          guard let denial = verdict(path, nil, judge).denial else { continue }
          drop(target, of: stream)
          return [.removed(target.id, cause: denial)]
        }
      }
      return paths.map { .deleted($0, removedTargets: [target.id], readTime: version) }
    case .query:
      guard var window = target.window else { return [.reset(target.id), .current(target.id, token)] }
      let shown = window.shown.map(\.path)
      window.clear()
      target.window = window
      return shown.map { .deleted($0, removedTargets: [target.id], readTime: version) }
    }
  }
}

/// One commit on its way through a hub.
struct HubCommit {
  let changes: [DocumentChange]
  let version: Int64
  /// Streams that are told something.
  private(set) var streams: [HubStream] = []
  /// Limited targets with a change that may move their window.
  var windowed: [TargetReference] = []
  /// Targets whose permission was decided with a document that was written.
  var doubted: [ObjectIdentifier: TargetReference] = [:]

  mutating func touch(_ stream: HubStream) -> HubStream {
    if !stream.isTouched {
      stream.isTouched = true
      streams.append(stream)
    }
    return stream
  }
}

/// How a window moved in one commit.
private struct WindowMove {
  private let before: ArraySlice<WindowEntry>
  private let changes: [DocumentChange]
  private var ordinals: [ResourcePath: Int] = [:]
  /// Documents shown now, with their states.
  var entering: [(ResourcePath, DocumentImage)] = []
  /// Documents shown now whose states are still to be read.
  private(set) var unread: [ResourcePath] = []
  /// Documents that were written and are no longer shown.
  private(set) var losing: [(ResourcePath, DocumentImage?)] = []
  /// Documents that others pushed out.
  private(set) var leaving: [ResourcePath] = []

  init(before: ArraySlice<WindowEntry>, changes: [DocumentChange], written: [Int]) {
    self.before = before
    self.changes = changes
    for ordinal in written { ordinals[changes[ordinal].path] = ordinal }
  }

  mutating func compare(_ now: ArraySlice<WindowEntry>) {
    let wasShown = Set(before.map(\.path))
    let isShown = Set(now.map(\.path))
    for entry in now {
      if let ordinal = ordinals[entry.path], let image = changes[ordinal].after {
        entering.append((entry.path, image))
      } else if !wasShown.contains(entry.path) {
        unread.append(entry.path)
      }
    }
    for entry in before where !isShown.contains(entry.path) {
      if let ordinal = ordinals[entry.path] {
        losing.append((entry.path, changes[ordinal].after))
      } else {
        leaving.append(entry.path)
      }
    }
  }
}
