/// The listeners of all databases of a store.
///
/// ```
/// let listening = Listening(store) { work in threads.submit(work) }
/// let stream = listening.open(database, judge: nil, sink)
/// stream.take(.add(TargetRequest(id: 2, selection: .success(.documents([path])))))
/// stream.close()
/// ```

public import DocModel
internal import Platform

public final class Listening<Engine: StorageEngine>: Sendable {
  private struct Place {
    let hub: ListenHub<Engine>
    var streamCount = 0
  }

  private struct Hubs {
    var places: [DatabaseID: Place] = [:]
    var hasClock = false
    var isClosed = false
  }

  private let store: DocumentStore<Engine>
  private let limits: ListenLimits
  private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let keepsTime: Bool
  private let threads = HubThreads()
  private let hubs = Monitor(Hubs())

  /// - Parameters:
  ///   - deliver: runs what tells listeners of commits, in order; nil for threads that do nothing else.
  ///   - execute: reads the results of new targets, on a thread that may block for a moment, in any order.
  ///     Nobody but those targets waits for it.
  ///   - keepsTime: whether a thread looks after silent streams. Without it somebody has to call `beat()`: tests that hold `deliver` in
  ///     their hands, and to whom work must not come by itself.
  public init(
    _ store: DocumentStore<Engine>, limits: ListenLimits = ListenLimits(),
    deliver: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil,
    execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, keepsTime: Bool = true
  ) {
    self.store = store
    self.keepsTime = keepsTime
    self.limits = limits
    self.deliver = deliver ?? { [threads] in threads.submit($0) }
    self.execute = execute
  }

  deinit { close() }

  /// Ends the thread that keeps the time, and those that deliver. Streams that are still open are told nothing
  /// more.
  public func close() {
    hubs.change { $0.isClosed = true }
    threads.close()
  }

  /// How many streams are open.
  public var streamCount: Int { hubs.withLock { $0.places.values.reduce(0) { $0 + $1.streamCount } } }

  /// Opens a stream. Close it when its client is gone; until then it holds what its targets need.
  public func open(
    _ database: DatabaseID, judge: ListenJudge?, _ sink: ListenSink
  ) -> ListenStream<Engine> {
    let (hub, needsClock) = hubs.change { hubs in
      var place =
        hubs.places[database]
        ?? Place(hub: ListenHub(database, store, limits, deliver: deliver, execute: execute))
      place.streamCount += 1
      hubs.places[database] = place
      defer { hubs.hasClock = true }
      return (place.hub, !hubs.hasClock)
    }
    if needsClock, keepsTime { startClock() }
    return ListenStream(
      hub, HubStream(sink, judge: judge, now: store.environment.elapsed()), owner: self)
  }

  fileprivate func close(_ hub: ListenHub<Engine>) {
    hubs.change { hubs in
      guard var place = hubs.places[hub.database], place.hub === hub else { return }
      place.streamCount -= 1
      hubs.places[hub.database] = place.streamCount > 0 ? place : nil
      // Inside the lock: a hub that was left is never found again, so nothing comes after this job.
      if place.streamCount == 0 { hub.enqueue { $0.end() } }
    }
  }

  /// The rules of a database were replaced; nil for those of every database.
  public func rulesChanged(of database: DatabaseID?) {
    let affected = hubs.withLock { hubs in
      hubs.places.values.map(\.hub).filter { database == nil || $0.database == database }
    }
    for hub in affected { hub.enqueue { $0.judgeAll() } }
  }

  /// One thread beats for all hubs.
  private func startClock() {
    let hubs = hubs
    let milliseconds = Int(max(limits.heartbeatMicroseconds / 1_000 / Int64(2 * HubStream.beatShares), 10))
    // Without a thread to be had silent streams are looked after when the next one is opened.
    do throws(PlatformThread.Exhausted) {
      try PlatformThread.start {
        while hubs.wait(atMost: milliseconds, { $0.isClosed ? () : nil }) == nil { Self.beat(hubs) }
      }
    } catch {
      hubs.change { $0.hasClock = false }
    }
  }

  /// Looks for silent streams, as the clock does from time to time.
  func beat() { Self.beat(hubs) }

  private static func beat(_ hubs: Monitor<Hubs>) {
    let all = hubs.withLock { $0.places.values.map(\.hub) }
    for hub in all { hub.enqueue { $0.beat() } }
  }
}

/// One client's stream of targets in one database. Any thread may call it; calls are seen in order.
public final class ListenStream<Engine: StorageEngine>: Sendable {
  private let hub: ListenHub<Engine>
  private let stream: StreamReference
  private let owner: Listening<Engine>

  fileprivate init(_ hub: ListenHub<Engine>, _ stream: HubStream, owner: Listening<Engine>) {
    self.hub = hub
    self.stream = StreamReference(stream: stream)
    self.owner = owner
    hub.enqueue { [reference = self.stream] in $0.open(reference.stream) }
  }

  public var database: DatabaseID { hub.database }

  public func take(_ request: ListenRequest) {
    hub.enqueue { [stream] in $0.take(request, from: stream.stream) }
  }

  /// The client has read what waited for it.
  public func clientHasRead() {
    hub.enqueue { [stream] in $0.catchUp(stream.stream) }
  }

  /// The client is gone. Call it once.
  public func close() {
    hub.enqueue { [stream] in $0.close(stream.stream) }
    owner.close(hub)
  }
}
