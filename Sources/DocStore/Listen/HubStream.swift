/// One client's stream, as its hub keeps it.

internal import DequeModule
internal import DocModel
internal import Synchronization

/// A request, or work that the hub gave itself, in the order in which the stream is to see it.
enum HubRequest {
  case client(ListenRequest)
  /// A live target was reset and is shown anew.
  case reload(LiveTarget)
}

/// State and its owner: the hub; nothing here is touched outside its jobs.
final class HubStream {
  let sink: ListenSink
  /// Nil sees everything.
  let judge: ListenJudge?
  /// Live targets: answered, and told of every commit.
  var targets: [Int32: LiveTarget] = [:]
  /// What waits for the target that is being loaded.
  var requests: Deque<HubRequest> = []
  var load: TargetLoad?
  /// What the commit at hand means for this stream.
  var snapshot = SnapshotBuilder()
  /// The stream is listed among those that the commit at hand touches.
  var isTouched = false
  /// The state that the client was last shown, while it is too slow to be shown more.
  var standstill: ResumeToken?
  /// Something concerned the stream while it stood still.
  var hasMissed = false
  /// When something was last sent, in microseconds.
  var lastSent: Int64
  var isOver = false
  /// Counts what the commit at hand will take, where that is much.
  var reservation: (any Sendable)?
  /// Which of the `beatShares` its heartbeats belong to.
  var beatShare = 0

  /// Into how many parts the streams of a database are dealt, by when they are told that nothing has happened.
  static let beatShares = 16

  init(_ sink: ListenSink, judge: ListenJudge?, now: Int64) {
    self.sink = sink
    self.judge = judge
    lastSent = now
  }

  /// The silence after which the stream is told that nothing has happened: between half of the limit and all of it.
  func heartbeat(_ limits: ListenLimits) -> Int64 {
    limits.heartbeatMicroseconds - limits.heartbeatMicroseconds / 2 * Int64(beatShare)
      / Int64(Self.beatShares)
  }

  /// The smallest id that is not in use.
  var freeID: Int32 {
    var id: Int32 = 1
    while targets[id] != nil { id += 1 }
    return id
  }
}

/// A target on its way to being live: its result is read in pieces, on worker threads.
///
/// `@unchecked Sendable`: it belongs to the worker that runs a piece, then to the hub, never to both; only
/// `isCancelled` is asked by one while the other has it.
final class TargetLoad: @unchecked Sendable {
  let target: LiveTarget
  let judge: ListenJudge?
  let resumption: TargetResumption
  let expectedCount: Int?
  let cancelled = Atomic(false)

  /// Events that were made and not yet sent.
  var events: [ListenEvent] = []
  var eventBytes = 0
  /// Counts them.
  var held: (any Sendable)?
  /// The state that the pieces show; nil before the first.
  var point: ReadPoint?
  /// The generation that the pieces show.
  var generation: Int64 = 0
  /// What is still to be read of a query.
  var rest: NormalizedQuery?
  /// How many of the documents that a target names were read.
  var documentsRead = 0
  /// Only documents written after this are told: the client knows the others.
  var knownUpTo: Int64 = 0
  /// The client may have lost count, and is told which documents there are.
  var needsFilter = false
  /// All pieces are read; what is left is to join the live targets.
  var isComplete = false
  /// The client must forget what it was told before.
  var mustReset: Bool
  /// The target is over when its result has been shown.
  let isOnce: Bool

  init(
    _ target: LiveTarget, judge: ListenJudge?, resumption: TargetResumption, expectedCount: Int?,
    mustReset: Bool, isOnce: Bool = false
  ) {
    self.target = target
    self.judge = judge
    self.resumption = resumption
    self.expectedCount = expectedCount
    self.mustReset = mustReset
    self.isOnce = isOnce
  }

  func add(_ event: ListenEvent) {
    events.append(event)
    eventBytes += event.weight
  }

  func takeEvents() -> [ListenEvent] {
    defer {
      events = []
      eventBytes = 0
      held = nil
    }
    return events
  }

  /// Forgets what was read, to read the newest state instead.
  func restart() {
    _ = takeEvents()
    point = nil
    rest = nil
    documentsRead = 0
    knownUpTo = 0
    needsFilter = false
    isComplete = false
    mustReset = true
    target.clearWindow()
  }
}
