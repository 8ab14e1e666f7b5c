/// Hands each commit's changes to those who follow its database.
///
/// Published once, in commit order, after the commit is durable and before its caller learns of it. A
/// subscriber has a bounded buffer; when it is full its events are dropped and replaced by one `lagged`.

public import DocModel
internal import Synchronization

/// One follower of one database.
///
/// State: `buffer` behind its own lock, filled by the thread that commits and emptied by the follower.
public final class FeedSubscription: Sendable {
  public let database: DatabaseID
  /// Events begin after this version: a read at it, then the events, miss nothing and repeat nothing.
  public let startVersion: Int64

  private struct Buffer {
    var events: [FeedEvent] = []
    var hasLagged = false
  }

  private let buffer = Mutex(Buffer())
  private let eventsMax: Int
  /// Clearings name the documents that they removed.
  let namesCleared: Bool
  private let wake: @Sendable () -> Void

  init(
    database: DatabaseID, startVersion: Int64, eventsMax: Int, namesCleared: Bool,
    wake: @escaping @Sendable () -> Void
  ) {
    self.database = database
    self.startVersion = startVersion
    self.eventsMax = eventsMax
    self.namesCleared = namesCleared
    self.wake = wake
  }

  /// Everything that has come since the last call; never waits.
  public func take() -> [FeedEvent] {
    buffer.withLock { buffer in
      let events = buffer.events
      buffer.events.removeAll()
      buffer.hasLagged = false
      return events
    }
  }

  func lag() {
    let wasEmpty = buffer.withLock { buffer in
      defer {
        buffer.events = [.lagged]
        buffer.hasLagged = true
      }
      return buffer.events.isEmpty
    }
    if wasEmpty { wake() }
  }

  func deliver(_ event: FeedEvent) {
    let wasEmpty = buffer.withLock { buffer in
      let wasEmpty = buffer.events.isEmpty
      if buffer.hasLagged { return false }
      if buffer.events.count >= eventsMax {
        buffer.events = [.lagged]
        buffer.hasLagged = true
      } else {
        buffer.events.append(event)
      }
      return wasEmpty
    }
    // Outside the lock: the wake-up belongs to somebody else.
    if wasEmpty { wake() }
  }
}

final class ChangeFeed: Sendable {
  private let subscriptions = Mutex<[DatabaseID: [FeedSubscription]]>([:])
  private let count = Atomic<Int>(0)
  /// Whether a commit keeps its images though nobody follows when it is planned: where others commit too, who begins to follow
  /// does not wait for what is under way.
  private let keepsAll: Bool

  init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

  /// `version` is asked for once the subscription counts, so every later commit keeps its images.
  func subscribe(
    _ database: DatabaseID, eventsMax: Int, namesCleared: Bool, wake: @escaping @Sendable () -> Void,
    version: () -> Int64
  ) -> FeedSubscription {
    count.add(1, ordering: .sequentiallyConsistent)
    return subscriptions.withLock { table in
      // Inside the lock: a commit above this version is published only after the subscription stands.
      let subscription = FeedSubscription(
        database: database, startVersion: version(), eventsMax: max(1, eventsMax),
        namesCleared: namesCleared, wake: wake)
      table[database, default: []].append(subscription)
      return subscription
    }
  }

  func cancel(_ subscription: FeedSubscription) {
    let wasThere = subscriptions.withLock { table in
      let before = table[subscription.database]?.count ?? 0
      table[subscription.database]?.removeAll { $0 === subscription }
      let after = table[subscription.database]?.count ?? 0
      if after == 0 { table[subscription.database] = nil }
      return after < before
    }
    if wasThere { count.subtract(1, ordering: .sequentiallyConsistent) }
  }

  /// Whether anybody follows anything: only then are images kept. Asked after a commit has its version.
  var isFollowed: Bool { keepsAll || count.load(ordering: .sequentiallyConsistent) > 0 }

  /// Whether a clearing of the database is to name what it removes.
  func namesCleared(of database: DatabaseID) -> Bool {
    isFollowed && subscriptions.withLock { $0[database]?.contains(where: \.namesCleared) ?? false }
  }

  /// Whoever follows has missed something, and reads again.
  func publishLag() {
    let followers = subscriptions.withLock { table in table.values.flatMap { $0 } }
    for follower in followers { follower.lag() }
  }

  func publish(_ event: FeedEvent, version: Int64, to database: DatabaseID) {
    let followers = subscriptions.withLock { $0[database] ?? [] }
    for follower in followers where version > follower.startVersion { follower.deliver(event) }
  }
}
