/// How much memory the connections of a server may hold together.
///
/// What clients sent and is not yet carried out, and what was made for them and they have not read, is *held*. Every
/// connection (and every session of a browser) counts what it holds in a `MemoryAccount`; the sum is held against the
/// room that is left of the budget beside what the process takes otherwise, which a `MemoryWatch` measures.
///
/// 1. **Back-pressure.** A connection may hold no more than is still free. So one greedy connection gets half of the
///    room, two get a third each, and so on: something is always left for who comes next, without a list of who is
///    there. Who holds more begins no request and makes no more of an answer until its client has read.
/// 2. **RESOURCE_EXHAUSTED.** What is sent cannot always be put off: a message that is half there has to be read to its
///    end before anything can be given back. When the room is full all the same, the greediest connections lose what
///    they hold.
///
/// State and what guards it: numbers are atomic, so the way of a small request costs some loads; the list of accounts
/// has a mutex, which is taken when a connection begins to hold much, and when it closes.

internal import DocStore
internal import Synchronization

package final class MemoryBudget: Sendable {
  /// LIMIT: what a connection may hold whatever the others do, while anything is free: small requests never wait for
  /// large ones of others.
  static let floorBytes = 64 << 10
  package let bytes: Int
  private let heldBytes = Atomic(0)
  /// Of these, bytes of accounts that are closed: they come back by themselves.
  private let leavingBytes = Atomic(0)
  private let roomBytes: Atomic<Int>
  private let accounts = Mutex<[ObjectIdentifier: MemoryAccount]>([:])
  private let watch: MemoryWatch?
  /// When room was last made for who had waited for long.
  private let lastMercy = Atomic<UInt64>(0)
  /// Connections that lost what they held.
  private let shedCount = Atomic(0)
  /// Requests, and parts of answers, that waited for room.
  private let waitCount = Atomic(0)

  /// - Parameter watch: nil where the caller measures and relieves, as tests do.
  package init(bytes: Int, watch: MemoryWatch? = MemoryWatch()) {
    self.bytes = max(bytes, 1)
    roomBytes = Atomic(self.bytes)
    self.watch = watch
  }

  /// Ends the thread that watches.
  package func close() { watch?.close() }

  /// Bytes that all connections hold.
  package var held: Int { heldBytes.load(ordering: .relaxed) }
  /// Bytes that they may hold.
  package var room: Int { roomBytes.load(ordering: .relaxed) }
  /// What is left of the room; below zero when more is held.
  var free: Int { room - held }
  package var sheds: Int { shedCount.load(ordering: .relaxed) }
  package var waits: Int { waitCount.load(ordering: .relaxed) }

  /// From here on the memory of the process is measured.
  var watchedBytes: Int { bytes / 8 }

  func add(_ change: Int) {
    let sum = heldBytes.add(change, ordering: .relaxed).newValue
    if change > 0, sum >= watchedBytes { watch?.wake(self) }
  }

  /// An account was closed that held so many bytes; below zero: they are given back.
  func leave(_ change: Int) { leavingBytes.add(change, ordering: .relaxed) }

  /// Somebody waits for room.
  func noteWait(_ account: MemoryAccount) {
    waitCount.add(1, ordering: .relaxed)
    list(account)
    watch?.wake(self)
  }

  func list(_ account: MemoryAccount) { accounts.withLock { $0[ObjectIdentifier(account)] = account } }
  func forget(_ account: MemoryAccount) { accounts.withLock { $0[ObjectIdentifier(account)] = nil } }
  private var listed: [MemoryAccount] { accounts.withLock { Array($0.values) } }
}

// MARK: - What the watch does

extension MemoryBudget {
  /// LIMIT: waiting work that goes on at once.
  private static let wakesMax = 64
  /// LIMIT: nanoseconds that who holds little waits, before who holds most makes room for it.
  private static let patience: UInt64 = 200_000_000
  /// LIMIT: nanoseconds between two that make room so: those who wait may be no better than those who hold.
  private static let mercyPause: UInt64 = 20_000_000

  /// Takes note of the memory of the process: what of it nobody holds is not room.
  ///
  /// A quarter of the budget is room whatever else the process takes, so that it always serves somebody.
  func measured(privateBytes: Int) {
    let rest = max(0, privateBytes - held)
    roomBytes.store(max(bytes / 4, bytes - rest), ordering: .relaxed)
  }

  /// Frees memory where there is too little, and lets those go on that waited for it. Whether nothing is left to do.
  func relieve(now: UInt64) -> Bool {
    let listed = listed
    let waiting = listed.filter { $0.waitingSince != 0 }.sorted { $0.waitingSince < $1.waitingSince }
    var excess = held >= room ? held - room / 8 * 7 : 0
    if excess == 0, let first = waiting.first(where: { !$0.isGreedy }),
      now > first.waitingSince + Self.patience,
      now >= lastMercy.load(ordering: .relaxed) + Self.mercyPause
    {
      lastMercy.store(now, ordering: .relaxed)
      excess = 1
    }
    if excess > 0 { shed(excess, of: listed, now: now) }
    wake(waiting)
    return waiting.isEmpty && held < watchedBytes
  }

  /// Takes from the greediest: who holds much for long.
  ///
  /// What was asked for just now, or is of a closed connection, counts as given: giving takes a moment, in which those
  /// who hold little would lose what they hold.
  private func shed(_ excess: Int, of listed: [MemoryAccount], now: UInt64) {
    let greedy = listed.filter(\.isGreedy)
    let ranked = greedy.filter { !$0.wasShed(now) }
      .map { (account: $0, greed: $0.greed(now)) }
      .sorted { $0.greed > $1.greed }
    let asked = greedy.lazy.filter { $0.wasShed(now) }.reduce(0) { $0 + $1.used }
    var left = excess - asked - leavingBytes.load(ordering: .relaxed)
    for (account, _) in ranked where left > 0 {
      left -= account.used
      shedCount.add(1, ordering: .relaxed)
      account.shed(now)
    }
  }

  /// Who has waited longest goes first.
  private func wake(_ waiting: [MemoryAccount]) {
    var left = Self.wakesMax
    var promised = 0
    for account in waiting {
      guard left > 0 else { return }
      account.wake(atMost: &left, promised: &promised)
    }
  }
}
