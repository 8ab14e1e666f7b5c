/// The last requests that rules judged, for people who watch a store: who asked for what, and what came of it.
///
/// Until somebody asks for them only refusals are kept, and an operation that is allowed costs the look at a flag.
/// From then on every operation of a user is kept, and every call of an administrator.
///
/// State and its guard: `state` behind its mutex, held to move an entry; watchers are called outside of it.

public import DocModel
public import Rules
internal import Synchronization

/// One operation of a user as it was judged, one call of an administrator, or one document that was written.
public struct FeedEntry: Sendable {
  public enum Kind: Sendable {
    case judged(KeptRequest, Decision, by: Ruleset)
    case passed(AdministratorCall)
    case wrote(FedWrite)
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

  fileprivate var byteCount: Int {
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
  /// How many entries that were asked for had already made room for newer ones.
  public let lost: Int
}

public final class RequestFeed: Sendable {
  /// LIMIT: entries that are kept, and the bytes of their documents.
  public static let entriesMax = 1_000
  public static let bytesMax = 16 << 20
  /// LIMIT: databases whose writes are kept.
  static let writtenDatabasesMax = 64
  /// LIMIT: who is called for each entry.
  public static let watchersMax = 64

  private struct State {
    var ring: [FeedEntry?] = Array(repeating: nil, count: RequestFeed.entriesMax)
    /// The number of the oldest entry; `next` when there is none.
    var first = 1
    var next = 1
    var bytes = 0
    var watchers: [Int: @Sendable () -> Void] = [:]
    var lastWatcher = 0
    var writtenDatabases: Set<DatabaseID> = []

    mutating func removeOldest() {
      let place = first % RequestFeed.entriesMax
      if let oldest = ring[place] { bytes -= oldest.byteCount }
      ring[place] = nil
      first += 1
    }
  }

  private let state = Mutex(State())
  private let full: Atomic<Bool>

  /// - Parameter isFull: whether everything is kept from the start.
  public init(isFull: Bool = false) { full = Atomic(isFull) }

  /// Whether more than refusals is kept.
  @inline(__always)
  public var isFull: Bool { full.load(ordering: .relaxed) }

  /// Keeps everything from now on; whether that is new.
  @discardableResult
  public func begin() -> Bool { !full.exchange(true, ordering: .relaxed) }

  /// Whether writes of a database are to be kept and were not yet.
  func beginWrites(of database: DatabaseID) -> Bool {
    state.withLock { state in
      state.writtenDatabases.count < Self.writtenDatabasesMax
        && state.writtenDatabases.insert(database).inserted
    }
  }

  public func add(_ database: DatabaseID, _ time: Int64, _ kind: FeedEntry.Kind) {
    let watchers = state.withLock { state -> [@Sendable () -> Void] in
      let entry = FeedEntry(number: state.next, database: database, time: time, kind: kind)
      state.bytes += entry.byteCount
      while state.first < state.next,
        state.next - state.first >= Self.entriesMax || state.bytes > Self.bytesMax
      {
        state.removeOldest()
      }
      state.ring[state.next % Self.entriesMax] = entry
      state.next += 1
      return state.watchers.isEmpty ? [] : Array(state.watchers.values)
    }
    for watcher in watchers { watcher() }
  }

  /// What came after a number, the oldest first.
  public func entries(
    after number: Int = 0, atMost count: Int = RequestFeed.entriesMax,
    where isWanted: (FeedEntry) -> Bool = { _ in true }
  ) -> FeedPage {
    state.withLock { state in
      // A number of another server, or of one that began anew, is none of ours.
      let after = number >= 0 && number < state.next ? number : 0
      var entries: [FeedEntry] = []
      var next = max(after, state.first - 1)
      while next + 1 < state.next, entries.count < count {
        next += 1
        if let entry = state.ring[next % Self.entriesMax], isWanted(entry) { entries.append(entry) }
      }
      return FeedPage(entries: entries, next: next, lost: after == 0 ? 0 : max(0, state.first - 1 - after))
    }
  }

  /// The entry that people call so; nil when it is unknown or gone.
  public func entry(_ id: String) -> FeedEntry? {
    guard let number = Int(id, radix: 16) else { return nil }
    return state.withLock { state in
      number >= state.first && number < state.next ? state.ring[number % Self.entriesMax] : nil
    }
  }

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
