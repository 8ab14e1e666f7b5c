/// Who has the turn at a contended document, who follows, and how long it counts as contended.
///
/// A queue outlives its last transaction for some seconds, so that first attempts that come meanwhile stand in
/// line too: many that read at once would all lose but one.

internal import DequeModule

struct ContentionQueue {
  /// What becomes of a transaction that asks for its turn.
  enum Place {
    case turn, line
    /// Too many wait.
    case none
  }

  private(set) var holder: UInt64?
  private(set) var waiting = Deque<UInt64>()
  /// When somebody got the turn last.
  private(set) var moved: Int64 = 0
  /// When a transaction wrote the document in its turn, or was given up over it.
  private var fought = Int64.min / 2
  private var isWritten = false
  /// Turns in a row that ended without a write.
  private var unwritten = 0

  /// Whether nothing is left that a newcomer had to wait for.
  func isOver(_ now: Int64) -> Bool {
    holder == nil && waiting.isEmpty && now - fought >= Int64(LockLimits.contendedMilliseconds) * 1_000
  }

  /// Whether somebody waits behind a transaction.
  func isFollowed(_ id: UInt64) -> Bool {
    if holder == id { return !waiting.isEmpty }
    return waiting.last != id && waiting.contains(id)
  }

  /// Whom a transaction waits for here; that one waits for those before it.
  func predecessor(of id: UInt64) -> UInt64? {
    guard let place = waiting.firstIndex(of: id) else { return nil }
    return place > 0 ? waiting[place - 1] : holder
  }

  mutating func join(_ id: UInt64, _ now: Int64) -> Place {
    if holder == nil {
      hand(to: id, now)
      return .turn
    }
    if waiting.count >= LockLimits.turnWaitersMax { return .none }
    waiting.append(id)
    return .line
  }

  mutating func noteLoss(_ now: Int64) { fought = now }

  /// Only writes in turn count: without them there is nothing that turns would save.
  mutating func noteWrite(by id: UInt64, _ now: Int64) {
    guard holder == id else { return }
    fought = now
    isWritten = true
  }

  mutating func stopWaiting(_ id: UInt64) { waiting.removeAll { $0 == id } }

  /// A transaction is over. Returns whose turn it is now: of one, or of all when turns save nothing.
  mutating func leave(_ id: UInt64, _ now: Int64) -> [UInt64] {
    guard holder == id else {
      stopWaiting(id)
      return []
    }
    unwritten = isWritten ? 0 : unwritten + 1
    isWritten = false
    if unwritten >= LockLimits.unwrittenTurnsMax {
      let all = Array(waiting)
      self = ContentionQueue()
      return all
    }
    return passOn(now).map { [$0] } ?? []
  }

  /// Takes the turn from whoever has it. Returns the next one.
  mutating func passOn(_ now: Int64) -> UInt64? {
    hand(to: waiting.popFirst(), now)
    return holder
  }

  private mutating func hand(to id: UInt64?, _ now: Int64) {
    holder = id
    moved = now
  }
}
