/// All listeners of one database.
///
/// A hub takes the commits of the change feed in order, finds the targets that each of them touches, and
/// tells every stream at once what the commit means for all its targets. New targets are read on worker
/// threads and join when they show the state that the hub has reached.
///
/// INVARIANT: every live target of a stream that does not stand still shows the state at `position`.
/// INVARIANT: a consistent state at R is told to a stream only after every commit at or below R was applied
/// to its targets; the commit clock never goes below R afterwards.
/// Source: docs/design/storage-and-scale.md 9, docs/spec/streams.md section 0 and 1.

internal import DequeModule
internal import DocModel
internal import Synchronization

/// State and its owner: jobs, which run one after the other on the threads of `deliver`. Who commits, and
/// who reads from clients, only adds jobs. Results are read on the threads of `execute`.
///
/// `@unchecked Sendable`: everything but `inbox` is touched by jobs alone.
final class ListenHub<Engine: StorageEngine>: @unchecked Sendable {
  typealias Execute = @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct Inbox {
    var jobs: [@Sendable () -> Void] = []
    var isScheduled = false
  }

  let database: DatabaseID
  let store: DocumentStore<Engine>
  let limits: ListenLimits
  let execute: Execute
  private let deliver: Execute
  private let inbox = Mutex(Inbox())

  var streams: [ObjectIdentifier: HubStream] = [:]
  /// Streams so far.
  private var openedCount = 0
  var index = TargetIndex()
  /// The version up to which commits were applied.
  var position: Int64 = 0
  /// The version that made the documents' generation; 0 while nobody has written.
  var generation: Int64 = 0
  private var subscription: FeedSubscription?
  private var waiting: Deque<FeedEvent> = []

  init(
    _ database: DatabaseID, _ store: DocumentStore<Engine>, _ limits: ListenLimits,
    deliver: @escaping Execute, execute: @escaping Execute
  ) {
    self.database = database
    self.store = store
    self.limits = limits
    self.deliver = deliver
    self.execute = execute
    enqueue { hub in hub.begin() }
  }

  // MARK: jobs

  func enqueue(_ job: @escaping @Sendable (ListenHub) -> Void) {
    let isNew = inbox.withLock { inbox in
      inbox.jobs.append { [self] in job(self) }
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if isNew { deliver { [self] in work() } }
  }

  /// Does what has come. When more and more comes it goes to the end of the line now and then: other hubs
  /// share the threads.
  private func work() {
    for _ in 0..<8 {
      let jobs = inbox.withLock { inbox in
        let jobs = inbox.jobs
        inbox.jobs = []
        if jobs.isEmpty { inbox.isScheduled = false }
        return jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job() }
    }
    deliver { [self] in work() }
  }

  // MARK: the feed

  private func begin() {
    let subscription = store.subscribe(
      database, eventsMax: limits.waitingEventsMax, namesCleared: true
    ) { [weak self] in
      self?.enqueue { hub in hub.applyFeed(upTo: .max) }
    }
    self.subscription = subscription
    // Whatever the subscription leaves out is visible to every view from here on.
    store.clock.settle(subscription.startVersion)
    position = subscription.startVersion
    _ = try? present { view throws(StoreError) in view.readTime }
  }

  /// Lets go of the feed: nobody listens any more.
  func end() {
    if let subscription { store.unsubscribe(subscription) }
    subscription = nil
    waiting.removeAll()
  }

  /// Applies the commits that have come, up to a version.
  func applyFeed(upTo limit: Int64) {
    guard let subscription else { return }
    waiting.append(contentsOf: subscription.take())
    while let event = waiting.first {
      switch event {
      case .commit(let version, let changes):
        if version > limit { return }
        waiting.removeFirst()
        if version > position { apply(changes, at: version) }
      case .cleared(let version, let deletions):
        if version > limit { return }
        waiting.removeFirst()
        if version > position { applyClearing(deletions, at: version) }
      case .lagged:
        waiting.removeFirst()
        standStill()
      }
    }
  }

  /// Runs `body` on the newest state and brings all live targets to it.
  func present<R>(_ body: (StoreView) throws(StoreError) -> R) throws(StoreError) -> R {
    let (result, time, generation) = try store.read(database) { view throws(StoreError) in
      (try body(view), view.readTime, try view.generationVersion())
    }
    // Who has settled a time has every event up to it.
    try store.settle(shown: time)
    applyFeed(upTo: time)
    position = max(position, time)
    self.generation = generation
    return result
  }

  var token: ResumeToken { ResumeToken(readTime: position, generation: generation) }

  // MARK: streams

  func open(_ stream: HubStream) {
    stream.beatShare = openedCount % HubStream.beatShares
    openedCount &+= 1
    streams[ObjectIdentifier(stream)] = stream
  }

  func close(_ stream: HubStream) {
    guard !stream.isOver else { return }
    stream.isOver = true
    stream.load?.cancelled.store(true, ordering: .relaxed)
    stream.load = nil
    stream.requests.removeAll()
    for target in stream.targets.values { index.remove(TargetReference(stream: stream, target: target)) }
    stream.targets.removeAll()
    streams[ObjectIdentifier(stream)] = nil
  }

  func send(_ events: [ListenEvent], to stream: HubStream) {
    if events.isEmpty || stream.isOver { return }
    stream.lastSent = store.environment.elapsed()
    stream.sink.send(events)
    if stream.standstill == nil, !hasRoom(stream) { stream.standstill = token }
  }

  /// Whether a stream may be shown more, about so much.
  func hasRoom(_ stream: HubStream, for bytes: Int = 0) -> Bool {
    stream.sink.unsentBytes() <= limits.unsentBytesMax && stream.sink.hasMemory(bytes)
  }

  /// Ends a live target.
  func drop(_ target: LiveTarget, of stream: HubStream) {
    index.remove(TargetReference(stream: stream, target: target))
    stream.targets[target.id] = nil
  }

  // MARK: time

  /// Tells streams without traffic that nothing has happened, each after its own share of the time: ten thousand that
  /// were told together would all hold their connection's memory together.
  func beat() {
    let now = store.environment.elapsed()
    let silent = streams.values.filter {
      $0.standstill == nil && $0.load == nil && now - $0.lastSent >= $0.heartbeat(limits)
    }
    if silent.isEmpty { return }
    guard (try? present({ view throws(StoreError) in view.readTime })) != nil else { return }
    for stream in silent where stream.standstill == nil { send([.consistent(token)], to: stream) }
  }
}
