/// Who has the turn at a contended document, who follows, and how long it counts as contended.
///
/// A queue outlives its last transaction for some seconds, so that first attempts that come meanwhile stand in
/// line too: many that read at once would all lose but one. A crowd of readers is only suspected to fight: a few
/// turns without a write, or an idle one, show that it does not, and then it is left alone for some minutes.

internal import DequeModule

struct ContentionQueue {
  /// What becomes of a transaction that asks for its turn.
  enum Place {
    case turn, line
    /// Too many wait.
    case none
  }

  private(set) var holder: UInt64?
  /// Those who wait to write what they have read: whoever has the turn, they are next. They wait for locks, not for it.
  private(set) var writers: [UInt64] = []
  private(set) var waiting = Deque<UInt64>()
  /// When somebody got the turn last.
  private(set) var moved: Int64 = 0
  /// When a transaction wrote the document in its turn, or was given up over it; nil when that is only suspected.
  private var fought: Int64?
  /// Until when a crowd of readers is no reason to suspect that.
  private var calmUntil = Int64.min
  private var isWritten = false
  /// Turns in a row that ended without a write.
  private var unwritten = 0

  var isEmpty: Bool { holder == nil && writers.isEmpty && waiting.isEmpty }

  /// Whether newcomers stand in line, when so many open transactions have read the document.
  func isContended(_ now: Int64, readers: Int) -> Bool {
    !isEmpty || isFought(now) || (readers >= LockLimits.crowdMin && now >= calmUntil)
  }

  /// Whether nothing is left that is worth remembering.
  func isOver(_ now: Int64) -> Bool { isEmpty && !isFought(now) && now >= calmUntil }

  private func isFought(_ now: Int64) -> Bool {
    fought.map { now - $0 < Int64(LockLimits.contendedMilliseconds) * 1_000 } ?? false
  }

  /// Whether somebody waits behind a transaction.
  func isFollowed(_ id: UInt64) -> Bool {
    if holder == id || writers.contains(id) { return !waiting.isEmpty }
    return waiting.last != id && waiting.contains(id)
  }

  /// Whom a transaction waits for here; in the line the one before it, which waits for the others.
  func predecessors(of id: UInt64) -> [UInt64] {
    guard let place = waiting.firstIndex(of: id) else { return [] }
    return place > 0 ? [waiting[place - 1]] : writers + (holder.map { [$0] } ?? [])
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

  mutating func join(writing id: UInt64, _ now: Int64) {
    if holder == nil { hand(to: id, now) } else { writers.append(id) }
  }

  mutating func noteLoss(_ now: Int64) {
    fought = now
    calmUntil = .min
  }

  mutating func noteWrite(_ now: Int64) {
    fought = now
    isWritten = true
  }

  mutating func stopWaiting(_ id: UInt64) {
    writers.removeAll { $0 == id }
    waiting.removeAll { $0 == id }
  }

  /// A transaction is over. Returns whose turn it is now: of one, or of all when turns save nothing.
  mutating func leave(_ id: UInt64, _ now: Int64) -> [UInt64] {
    if holder == id { return endTurn(now) }
    stopWaiting(id)
    return []
  }

  /// Whoever has the turn is idle. Returns whose turn it is now.
  mutating func passOn(_ now: Int64) -> [UInt64] { fought == nil ? dissolve(now) : endTurn(now) }

  private mutating func endTurn(_ now: Int64) -> [UInt64] {
    unwritten = isWritten ? 0 : unwritten + 1
    isWritten = false
    if unwritten >= (fought == nil ? LockLimits.suspectedTurnsMax : LockLimits.unwrittenTurnsMax) {
      return dissolve(now)
    }
    hand(to: writers.isEmpty ? waiting.popFirst() : writers.removeFirst(), now)
    return holder.map { [$0] } ?? []
  }

  private mutating func dissolve(_ now: Int64) -> [UInt64] {
    let all = Array(waiting)
    self = ContentionQueue()
    calmUntil = now + Int64(LockLimits.calmMilliseconds) * 1_000
    return all
  }

  private mutating func hand(to id: UInt64?, _ now: Int64) {
    holder = id
    moved = now
  }
}
