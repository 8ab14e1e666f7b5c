/// The last requests that rules judged, for people who watch a store: who asked for what, and what came of it.
///
/// Until somebody asks for them only refusals are kept, and an operation that is allowed costs the look at a flag.
/// From then on every operation of a user is kept, and every call of an administrator, until nobody has asked for
/// `askedSeconds`.
///
/// State and its guard: `state` behind its mutex, held to move an entry; watchers are called outside of it.

public import DocModel
public import DocStore
public import Rules
internal import Synchronization

/// One operation of a user as it was judged, one call of an administrator, or one document that was written.
public struct FeedEntry: Sendable {
  public enum Kind: Sendable {
    case judged(KeptRequest, Decision, by: Ruleset)
    case passed(AdministratorCall)
    case wrote(WriteEvent)
  }

  /// Counts from 1; a later entry has a higher one.
  public let number: Int
  public let database: DatabaseID
  /// When it came, in microseconds since the epoch.
  public let time: Int64
  public let kind: Kind

  /// The number as people name it: `8f21`.
  public var id: String { Self.id(number) }

  public static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }

  /// LIMIT: what an entry counts for beside the documents it holds.
  private static let ownBytes = 512

  /// Without what it shares with others: a commit's documents, rules.
  var byteCount: Int {
    switch kind {
    case .judged(let request, _, _): Self.ownBytes + request.byteCount
    case .passed(let call): Self.ownBytes + call.target.utf8.count
    case .wrote(let write): Self.ownBytes + write.path.text.utf8.count
    }
  }
}

/// A call that no rules judged.
public struct AdministratorCall: Sendable {
  /// `GetDocument`
  public let method: String
  /// What it was about, as far as its message tells: `users/bob`.
  public let target: String
  /// `OK`, `NOT_FOUND`
  public let status: String
  public let microseconds: Int

  public init(method: String, target: String, status: String, microseconds: Int) {
    self.method = method
    self.target = target
    self.status = status
    self.microseconds = microseconds
  }
}

/// Entries that follow one another.
public struct FeedPage: Sendable {
  public let entries: [FeedEntry]
  /// The number to go on after.
  public let next: Int
  /// How many entries that were asked for had already made room for newer ones, at most; 0 when there were none.
  public let lost: Int
}

/// What somebody asks for.
public enum FeedTopic: Sendable, Hashable {
  /// What rules judged, and calls of administrators.
  case requests
  /// Documents that were written.
  case writes

  public func covers(_ entry: FeedEntry) -> Bool {
    switch entry.kind {
    case .judged, .passed: self == .requests
    case .wrote: self == .writes
    }
  }
}

public final class RequestFeed: Sendable {
  /// LIMIT: entries that are kept, and the bytes of their documents.
  public static let entriesMax = 1_000
  public static let bytesMax = 16 << 20
  /// LIMIT: rulesets that entries were judged by. Compiled rules take thirty times their text.
  public static let rulesetsMax = 8
  /// LIMIT: databases whose writes are kept.
  package static let writtenDatabasesMax = 64
  /// LIMIT: who is called for each entry.
  public static let watchersMax = 64
  /// LIMIT: how long everything is kept after the last question for it.
  package static let askedSeconds: Int64 = 600
  private static let lookSeconds = 30

  private struct State {
    var ring = FeedRing()
    var watchers: [Int: @Sendable () -> Void] = [:]
    var lastWatcher = 0
    /// When somebody last asked, in microseconds.
    var lastAsked: Int64 = 0
    /// Everything is kept for good.
    var isForGood = false
    /// A task looks from time to time whether anybody still asks.
    var isExpiring = false
    var followed: [DatabaseID: (asked: Int64, end: @Sendable () -> Void)] = [:]

    /// Whether a task is to be started.
    mutating func beginExpiring() -> Bool {
      defer { isExpiring = true }
      return !isExpiring
    }
  }

  private let state = Mutex(State())
  private let full: Atomic<Bool>
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - isFull: whether everything is kept from the start and for good.
  ///   - now: microseconds since the epoch.
  public init(isFull: Bool = false, now: @escaping @Sendable () -> Int64 = { Environment.system.now() }) {
    full = Atomic(isFull)
    self.now = now
    if isFull { beginForGood() }
  }

  /// Whether more than refusals is kept.
  @inline(__always)
  public var isFull: Bool { full.load(ordering: .relaxed) }

  /// Somebody asks for everything: it is kept from now on. Whether that is new.
  @discardableResult
  public func begin() -> Bool {
    let now = now()
    let (isNew, starts) = state.withLock { state in
      state.lastAsked = now
      return (!full.exchange(true, ordering: .relaxed), !state.isForGood && state.beginExpiring())
    }
    if starts { expireLater() }
    return isNew
  }

  /// Keeps everything, whether anybody asks or not.
  public func beginForGood() {
    state.withLock { state in
      state.isForGood = true
      full.store(true, ordering: .relaxed)
    }
  }

  // MARK: writes

  /// Notes that writes of a database are asked for. False when they are not followed yet.
  func isFollowed(_ database: DatabaseID) -> Bool {
    let now = now()
    return state.withLock { state in
      guard state.followed[database] != nil else { return false }
      state.followed[database]?.asked = now
      return true
    }
  }

  /// A database's writes are followed from now on, until `end` is called. The database that was asked for longest ago
  /// makes room.
  func follows(_ database: DatabaseID, end: @escaping @Sendable () -> Void) {
    let now = now()
    let (ended, starts) = state.withLock { state -> ([@Sendable () -> Void], Bool) in
      var ended: [@Sendable () -> Void] = []
      // Another question was faster.
      if let other = state.followed.updateValue((now, end), forKey: database) { ended.append(other.end) }
      while state.followed.count > Self.writtenDatabasesMax,
        let oldest = state.followed.filter({ $0.key != database }).min(by: { $0.value.asked < $1.value.asked }
        )
      {
        state.followed[oldest.key] = nil
        ended.append(oldest.value.end)
      }
      return (ended, state.beginExpiring())
    }
    for end in ended { end() }
    if starts { expireLater() }
  }

  /// Ends what nobody has asked for in a while; whether there is more to end later.
  @discardableResult
  package func expire() -> Bool {
    let limit = now() - Self.askedSeconds * 1_000_000
    let (ended, isOpen) = state.withLock { state -> ([@Sendable () -> Void], Bool) in
      let old = state.followed.filter { $0.value.asked < limit }
      for database in old.keys { state.followed[database] = nil }
      if !state.isForGood, state.lastAsked < limit { full.store(false, ordering: .relaxed) }
      let isOpen = !state.followed.isEmpty || (isFull && !state.isForGood)
      if !isOpen { state.isExpiring = false }
      return (old.values.map(\.end), isOpen)
    }
    for end in ended { end() }
    return isOpen
  }

  private func expireLater() {
    Task.detached { [weak self] in
      while true {
        try? await Task.sleep(for: .seconds(Self.lookSeconds))
        guard let feed = self, feed.expire() else { return }
      }
    }
  }

  // MARK: entries

  public func add(_ database: DatabaseID, _ time: Int64, _ kind: FeedEntry.Kind) {
    let watchers = state.withLock { state -> [@Sendable () -> Void] in
      state.ring.add(database, time, kind)
      return state.watchers.isEmpty ? [] : Array(state.watchers.values)
    }
    for watcher in watchers { watcher() }
  }

  /// What came after a number, the oldest first.
  ///
  /// - Parameter database: nil for all of them.
  public func entries(
    after number: Int = 0, atMost count: Int = RequestFeed.entriesMax, of database: DatabaseID? = nil,
    _ topic: FeedTopic? = nil
  ) -> FeedPage {
    state.withLock { $0.ring.entries(after: number, atMost: count, of: database, topic) }
  }

  /// The entry that people call so; nil when it is unknown or gone.
  public func entry(_ id: String) -> FeedEntry? {
    guard let number = Int(id, radix: 16) else { return nil }
    return state.withLock { $0.ring.entry(number) }
  }

  // MARK: watchers

  /// Calls `body` after each entry, on the thread that judges, until `unwatch`; it must return at once. Nil when
  /// too many watch already.
  public func watch(_ body: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard state.watchers.count < Self.watchersMax else { return nil }
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = body
      return state.lastWatcher
    }
  }

  public func unwatch(_ watcher: Int) { _ = state.withLock { $0.watchers.removeValue(forKey: watcher) } }
}
