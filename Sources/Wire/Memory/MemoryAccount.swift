/// What one connection, or one session of a browser, holds of the memory budget.

internal import DequeModule
internal import NIOCore
internal import Synchronization

/// State and what guards it: numbers are atomic, lists are behind the mutex. Any thread may call.
///
/// INVARIANT: who makes an account closes it; the budget lists it until then.
package final class MemoryAccount: Sendable {
  /// Work that waits until so many bytes are free.
  private struct Waiter {
    let bytes: Int
    let goOn: @Sendable () -> Void
  }

  private struct State {
    /// Requests and parts of answers.
    var makers: Deque<Waiter> = []
    /// Reading of the connection.
    var readers: Deque<Waiter> = []
    var isClosed = false
  }

  private let budget: MemoryBudget
  private let usedBytes = Atomic(0)
  /// When the account began to hold more than the floor.
  private let greedySince = Atomic<UInt64>(0)
  /// When the first of those that wait began to wait; 0 for none.
  private let firstWait = Atomic<UInt64>(0)
  private let lastShed = Atomic<UInt64>(0)
  private let state = Mutex(State())
  private let onShed: @Sendable () -> Void

  /// - Parameter onShed: takes from the owner what it holds. Called on any thread; nothing is to happen in the call.
  package init(_ budget: MemoryBudget, onShed: @escaping @Sendable () -> Void) {
    self.budget = budget
    self.onShed = onShed
  }

  private static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }

  package var used: Int { usedBytes.load(ordering: .relaxed) }

  /// The owner holds more than anybody may.
  var isGreedy: Bool { used > MemoryBudget.floorBytes }

  /// Counts bytes that are held from now on; below zero: no more.
  func add(_ change: Int) {
    guard change != 0 else { return }
    let (before, now, isClosed) = state.withLock { state in
      let (before, now) = usedBytes.add(change, ordering: .relaxed)
      if state.isClosed { budget.leave(change) }
      return (before, now, state.isClosed)
    }
    budget.add(change)
    guard before <= MemoryBudget.floorBytes, now > MemoryBudget.floorBytes else { return }
    greedySince.store(Self.now, ordering: .relaxed)
    if !isClosed { budget.list(self) }
  }

  /// The owner is gone; what it still holds elsewhere is counted until it is given back.
  package func close() {
    let dropped = state.withLock { state in
      if !state.isClosed { budget.leave(used) }
      defer { state = State(isClosed: true) }
      return (state.makers, state.readers)
    }
    firstWait.store(0, ordering: .relaxed)
    budget.forget(self)
    // What waited ends behind the lock: it may hold the last reference to something that locks.
    withExtendedLifetime(dropped) {}
  }

  /// Counts bytes for as long as the answer lives; nil for so few that they are not worth an object.
  func hold(_ bytes: Int) -> HeldMemory? {
    bytes < MemoryTally.chunkBytes ? nil : HeldMemory(self, bytes)
  }
}

// MARK: - Back-pressure

extension MemoryAccount {
  /// Whether the owner may hold so many bytes more.
  package func mayTake(_ bytes: Int = 0) -> Bool {
    let free = budget.free
    return free > bytes && (!isGreedy || used <= free)
  }

  /// Whether a small thing may still be said. It goes on where the room is full, as others make it full.
  func mayTell(_ bytes: Int) -> Bool {
    bytes > MemoryBudget.floorBytes ? mayTake(bytes) : !isGreedy || used <= budget.free
  }

  /// Whether the owner should read no more of what its client sends.
  var mustNotRead: Bool { budget.free <= 0 && isGreedy }

  /// Runs `goOn` once there may be room again; who is run asks again, and waits again.
  func wait(for bytes: Int = 0, _ goOn: @escaping @Sendable () -> Void) {
    enqueue(Waiter(bytes: bytes, goOn: goOn), \.makers)
  }

  /// Runs `goOn` once the room is not full any more.
  func waitToRead(_ goOn: @escaping @Sendable () -> Void) {
    enqueue(Waiter(bytes: 0, goOn: goOn), \.readers)
  }

  private func enqueue(_ waiter: Waiter, _ list: WritableKeyPath<State, Deque<Waiter>>) {
    let waits = state.withLock { state in
      guard !state.isClosed else { return false }
      state[keyPath: list].append(waiter)
      return true
    }
    guard waits else { return }
    _ = firstWait.compareExchange(expected: 0, desired: Self.now, ordering: .relaxed)
    budget.noteWait(self)
  }

  /// When the first of those that wait began to; 0 when none does.
  var waitingSince: UInt64 { firstWait.load(ordering: .relaxed) }

  /// LIMIT: parts of answers that go on at once when a client has read.
  private static let wakesMax = 8

  /// The client has read: those go on that waited for that.
  func wakeWhereRead() {
    guard waitingSince != 0 else { return }
    var left = Self.wakesMax
    var promised = 0
    wake(atMost: &left, promised: &promised)
  }

  /// - Parameter promised: bytes that those may take which were woken before and have not taken yet.
  func wake(atMost left: inout Int, promised: inout Int) {
    var woken: [Waiter] = []
    let free = budget.free
    let mayMake = mayTake()
    state.withLock { state in
      while left > 0, free > promised, let reader = state.readers.popFirst() {
        woken.append(reader)
        left -= 1
      }
      while left > 0, mayMake, let first = state.makers.first, free > promised + first.bytes {
        woken.append(state.makers.removeFirst())
        promised += max(first.bytes, MemoryTally.chunkBytes)
        left -= 1
      }
      if state.makers.isEmpty, state.readers.isEmpty {
        firstWait.store(0, ordering: .relaxed)
      } else if !woken.isEmpty {
        firstWait.store(Self.now, ordering: .relaxed)
      }
    }
    for waiter in woken { waiter.goOn() }
  }
}

// MARK: - Shedding

extension MemoryAccount {
  /// LIMIT: nanoseconds that the owner has to give back what it holds, before it is asked again.
  private static let shedPause: UInt64 = 100_000_000
  /// LIMIT: nanoseconds beyond which holding on does not make greedier.
  private static let ageMax: UInt64 = 10_000_000_000

  /// Whether the owner was asked just now to give back what it holds.
  func wasShed(_ now: UInt64) -> Bool {
    let last = lastShed.load(ordering: .relaxed)
    return last != 0 && now < last &+ Self.shedPause
  }

  /// Bytes times how long they are held: who sends or reads at once takes much for moments.
  func greed(_ now: UInt64) -> Double {
    let since = greedySince.load(ordering: .relaxed)
    let age = min(now > since ? now - since : 0, Self.ageMax)
    return Double(used) * Double(age + 1_000_000)
  }

  func shed(_ now: UInt64) {
    lastShed.store(now, ordering: .relaxed)
    onShed()
  }
}

// MARK: - Counting

/// Bytes on their way from one thread to another, counted while the object lives.
final class HeldMemory: Sendable {
  private let account: MemoryAccount
  private let bytes: Int

  fileprivate init(_ account: MemoryAccount, _ bytes: Int) {
    self.account = account
    self.bytes = bytes
    account.add(bytes)
  }

  deinit { account.add(-bytes) }
}

/// What an event loop's side of a connection holds, told to the account in chunks: most requests never get that far.
struct MemoryTally {
  /// LIMIT: bytes by which the account may be wrong.
  static let chunkBytes = 16 << 10

  private var told = 0

  @inline(__always)
  mutating func set(_ bytes: Int, in account: MemoryAccount?) {
    let change = bytes - told
    guard change >= Self.chunkBytes || change <= -Self.chunkBytes || (bytes == 0 && change != 0) else {
      return
    }
    tell(change, account)
  }

  private mutating func tell(_ change: Int, _ account: MemoryAccount?) {
    guard let account else { return }
    told += change
    account.add(change)
  }
}
