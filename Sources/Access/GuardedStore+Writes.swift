/// What commits did, whoever made them, among the requests that are kept.

public import DocModel
internal import DocStore
internal import Synchronization

/// One document that a commit changed.
public struct WriteEvent: Sendable {
  /// What became of it.
  public enum Change: String, Sendable {
    case create, update, delete
    /// Every document of the database was removed at once.
    case clear
  }

  public let change: Change
  /// The root when everything was removed.
  public let path: ResourcePath

  package init(_ change: Change, _ path: ResourcePath) {
    self.change = change
    self.path = path
  }
}

/// A subscription that its wake-up, which may come first, can find.
private final class Follower: Sendable {
  private let subscription = Mutex<FeedSubscription?>(nil)

  func set(_ made: FeedSubscription) { subscription.withLock { $0 = made } }

  /// Moves what has come into the feed. One thread at a time, so that writes stay in order.
  func move(to feed: RequestFeed) {
    subscription.withLock { subscription in
      guard let subscription else { return }
      for event in subscription.take() { Self.add(event, subscription.database, to: feed) }
    }
  }

  private static func add(_ event: FeedEvent, _ database: DatabaseID, to feed: RequestFeed) {
    switch event {
    case .commit(let version, let changes):
      for change in changes {
        let kind: WriteEvent.Change =
          change.after == nil ? .delete : change.before == nil ? .create : .update
        feed.add(database, version, .wrote(WriteEvent(kind, change.path)))
      }
    case .cleared(let version, _): feed.add(database, version, .wrote(WriteEvent(.clear, .root)))
    // Taken at each wake-up, so no more than a commit ever waits.
    case .lagged: return
    }
  }
}

extension GuardedStore {
  /// Keeps what commits of a database change from now on, if the store keeps requests at all, as long as somebody asks
  /// from time to time; whether that is new.
  @discardableResult
  public func followWrites(of database: DatabaseID) -> Bool {
    guard let feed, !feed.isFollowed(database) else { return false }
    let follower = Follower()
    let subscription = store.subscribe(database) { follower.move(to: feed) }
    follower.set(subscription)
    feed.follows(database) { [store] in store.unsubscribe(subscription) }
    follower.move(to: feed)
    return true
  }
}
