/// Versions: strictly increasing microseconds, and read times that no later commit falls below.
///
/// INVARIANT: once a read time R was given out, every commit that the reader did not see has a version
/// above R. (Clients cache "no document at R" and would ignore a commit at or below it for ever.)
/// Source: docs/spec/streams.md section 0, I1, I2, I4.

internal import Platform

struct CommitClock: Sendable {
  private struct State {
    /// The greatest version or read time given out.
    var issued: Int64
    /// The last version that is durable.
    var committed: Int64
    /// The first version of the batch that is being written.
    var firstInFlight: Int64?

    func checkInvariants() {
      assert(committed <= issued, "what is durable was given out")
      assert(
        firstInFlight.map { committed < $0 && $0 <= issued } ?? true,
        "a batch that is being written lies above all that is durable")
    }
  }

  private let state: Monitor<State>
  /// Whether others commit, too: then no time may be given out that none of their commits so far has reached, since one with
  /// a clock that is behind could still fall below it.
  private let isShared: Bool
  private let now: @Sendable () -> Int64
  /// What a commit of a version writes as server time.
  let serverTime: @Sendable (_ version: Int64) -> Int64

  init(committed: Int64, environment: Environment, isShared: Bool = false) {
    self.isShared = isShared
    state = Monitor(State(issued: committed, committed: committed, firstInFlight: nil))
    now = environment.now
    serverTime = environment.serverTime
  }

  /// The next commit's version: the time, or one more than the last when the clock stands or steps back.
  func nextVersion() -> Int64 {
    let now = now()
    return state.withLock { state in
      state.issued = max(state.issued + 1, now)
      if state.firstInFlight == nil { state.firstInFlight = state.issued }
      state.checkInvariants()
      return state.issued
    }
  }

  /// Ends a batch. `committed` is its last durable version; nil when it wrote nothing.
  func endBatch(committed: Int64?) {
    state.change { state in
      state.firstInFlight = nil
      if let committed { state.committed = max(state.committed, committed) }
      state.checkInvariants()
    }
  }

  /// The read time of a view whose newest commit is `seen`: now, unless commits are on their way.
  func readTime(seen: Int64) -> Int64 {
    if isShared { return seen }
    let now = now()
    return state.withLock { state in
      guard state.committed == seen else { return seen }
      if let first = state.firstInFlight { return max(seen, first - 1) }
      state.issued = max(state.issued, now)
      return state.issued
    }
  }

  /// A version above every commit given out so far, and below every later one.
  func issue() -> Int64 {
    if isShared { return committed }
    let now = now()
    return state.withLock { state in
      state.issued = max(state.issued, now)
      return state.issued
    }
  }

  /// The last version that is durable.
  var committed: Int64 { state.withLock { $0.committed } }

  /// The latest time that may be asked for.
  var present: Int64 { isShared ? max(committed, now()) : issue() }

  /// Others have committed up to `last`; what they did is about to be seen here. `endBatch` says that it was told.
  func beginOfOthers(upTo last: Int64) {
    state.withLock { state in
      guard last > state.committed else { return }
      state.issued = max(state.issued, last)
      state.firstInFlight = state.committed + 1
      state.checkInvariants()
    }
  }

  /// The next version lies above `time`.
  func raise(to time: Int64) {
    state.withLock { state in
      if state.firstInFlight == nil { state.firstInFlight = state.committed + 1 }
      state.issued = max(state.issued, time)
    }
  }

  /// Returns when every commit at or below `time` is durable and no later one can fall below it.
  /// Must not be called by the thread that commits.
  func settle(_ time: Int64) {
    state.wait { state -> Void? in
      if let first = state.firstInFlight, first <= time { return nil }
      state.issued = max(state.issued, time)
      return ()
    }
  }
}
