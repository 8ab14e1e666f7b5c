/// What waits to be written, and who may write it.
///
/// The thread that writes takes what has gathered. While it has nothing to do it lends its place: to a caller that waits
/// for its own commit, or to an event loop, which writes what its connections have brought in one turn. Then nobody has
/// to be woken, neither for a commit nor for its answer.
///
/// State: behind one monitor.
/// INVARIANT: one writes at a time, the thread or whoever it has lent its place to. What comes meanwhile is written by
/// the same one or by the thread; only jobs whose caller has promised to come for them lie there with nobody told.

internal import DequeModule
internal import Platform

final class CommitQueue: Sendable {
  private struct State {
    var jobs: Deque<CommitJob> = []
    var byteCount = 0
    var isClosed = false
    var isRunning = false
    /// Somebody waits for locks: time is to be looked at.
    var isAsked = false
    /// The thread has nothing to do, and lends its place.
    var isIdle = false
    /// Somebody writes in the thread's place.
    var isLent = false
    /// The thread wants its place back.
    var isReclaimed = false
    /// Memory of those who write in the thread's place, between their commits.
    var spare: MutationBatch?
    /// The thread that has promised to come, since jobs were taken last.
    var promised: PlatformThread.ID?
    /// How many jobs the thread wants to be woken for: more than one while it lets commits come.
    var wantedCount = 1
    /// Batches for which the thread keeps its place, since commits of several threads have met.
    var crowdedCount = 0

    /// Whether the thread has, or waits for, something to do besides the jobs.
    var isPressed: Bool { isReclaimed || isAsked || isClosed }
    var isLendable: Bool { isIdle && !isLent && !isPressed && crowdedCount == 0 }
  }

  private let state = Monitor(State())

  /// What the thread does next.
  enum Next {
    case jobs([CommitJob])
    case look
    case end
  }

  var waitingCount: Int { state.withLock { $0.jobs.count } }

  func open() { state.change { $0.isRunning = true } }

  /// What is queued is still done.
  func close() { state.change { $0.isClosed = true } }

  /// The thread has ended. Returns what nobody will do.
  func end() -> Deque<CommitJob> {
    state.change { state in
      state.isRunning = false
      defer { state.jobs = [] }
      return state.jobs
    }
  }

  /// The thread is to look after those who wait for locks.
  func ask() { state.change { $0.isAsked = true } }

  /// Queues a job and wakes the thread, unless it waits for more of them.
  func submit(_ job: CommitJob) throws(StoreError) {
    let weight = job.weight
    let (refusal, isWanted) = state.withLock { state in
      (Self.add(job, weight, to: &state), state.jobs.count >= state.wantedCount)
    }
    if let refusal { throw refusal }
    if isWanted { wake() }
  }

  /// Queues a job that the calling thread will soon come for; or wakes the thread that writes, where commits of several
  /// threads meet: what one thread alone works with stays in its processor's caches.
  ///
  /// - Returns: whether the calling thread has to come. Not when it has already promised.
  func gather(_ job: CommitJob) throws(StoreError) -> Bool {
    let (weight, caller) = (job.weight, PlatformThread.current)
    var (isFirst, isCrowded) = (false, false)
    let refusal = state.withLock { state in
      isFirst = state.promised != caller
      if state.isLent || isFirst && !state.jobs.isEmpty {
        state.crowdedCount = CommitterLimits.crowdedBatches
      }
      isCrowded = state.crowdedCount > 0
      if !isCrowded { state.promised = caller }
      return Self.add(job, weight, to: &state)
    }
    if let refusal { throw refusal }
    if isCrowded { wake() }
    return isFirst && !isCrowded
  }

  private static func add(_ job: CommitJob, _ weight: Int, to state: inout State) -> StoreError? {
    if state.isClosed { return .storage(.unavailable) }
    if state.jobs.count >= CommitterLimits.queueCommitsMax
      || state.byteCount + weight > CommitterLimits.queueBytesMax && !state.jobs.isEmpty
    {
      return .resourceExhausted(message: "too many commits are waiting")
    }
    state.jobs.append(job)
    state.byteCount += weight
    return nil
  }

  /// Puts commits before all others, which were counted when they came. False when nobody does anything any more.
  func requeue(_ requests: [CommitRequest]) -> Bool {
    state.change { state in
      if !state.isRunning { return false }
      for request in requests.reversed() {
        state.jobs.prepend(.commit(request))
        state.byteCount += request.weight
      }
      return true
    }
  }

  // MARK: the thread

  /// What the thread has to do next; nil when nothing came in `pause` milliseconds.
  func next(atMost pause: Int, lends: Bool) -> Next? {
    state.withLock { $0.isIdle = lends }
    let next = state.wait(atMost: pause) { state -> Next? in
      guard !state.isLent, let next = Self.next(&state) else { return nil }
      state.isIdle = false
      return next
    }
    if next == nil, lends { reclaim() }
    return next
  }

  /// Waits for something to do, and then lets more commits come, as the pace says.
  func linger(atMost pause: Int, _ pace: inout CommitPace) {
    _ = state.wait(atMost: pause) { state in state.isPressed || !state.jobs.isEmpty ? () : nil }
    let before = waitingCount
    let wait = pace.wait(having: before)
    if wait == 0 { return }
    let wanted = pace.wanted
    // Who is woken for each commit spends on it what batches are to save.
    state.withLock { $0.wantedCount = wanted }
    _ = state.wait(atMostNanoseconds: wait) { state in
      state.isPressed || state.jobs.count >= wanted ? () : nil
    }
    let after = state.withLock { state in
      state.wantedCount = 1
      return state.jobs.count
    }
    pace.noteWait(from: before, to: after)
  }

  private static func next(_ state: inout State) -> Next? {
    if !state.jobs.isEmpty {
      if state.crowdedCount > 0 { state.crowdedCount -= 1 }
      return .jobs(takeBatch(&state, atMost: CommitterLimits.batchCommitsMax) { _ in true })
    }
    if state.isClosed { return .end }
    if !state.isAsked { return nil }
    state.isAsked = false
    return .look
  }

  /// Returns when nobody writes in the thread's place, nor will.
  private func reclaim() {
    state.wait { state -> Void? in
      state.isIdle = false
      state.isReclaimed = state.isLent
      return state.isLent ? nil : ()
    }
  }

  private static func takeBatch(
    _ state: inout State, atMost limit: Int, _ isTaken: (CommitJob) -> Bool
  ) -> [CommitJob] {
    var jobs: [CommitJob] = []
    var byteCount = 0
    while let job = state.jobs.first, jobs.count < limit, isTaken(job) {
      let weight = job.weight
      if byteCount + weight > CommitterLimits.batchBytesMax, !jobs.isEmpty { break }
      state.jobs.removeFirst()
      state.byteCount -= weight
      byteCount += weight
      jobs.append(job)
    }
    state.promised = nil
    return jobs
  }

  // MARK: those who write in its place

  /// The thread's place, if it has nothing to do and nothing waits; to be given back.
  func lend() -> MutationBatch? {
    state.withLock { state in
      guard state.isLendable, state.jobs.isEmpty else { return nil }
      return Self.lend(&state)
    }
  }

  /// The thread's place and light commits that wait, as far as they come first; nil when somebody else does or will
  /// write them.
  func lendForGathered() -> (jobs: [CommitJob], batch: MutationBatch)? {
    var isForThread = false
    let lent = state.withLock { state -> (jobs: [CommitJob], batch: MutationBatch)? in
      if state.promised == PlatformThread.current { state.promised = nil }
      if state.isLent || state.jobs.isEmpty { return nil }
      let jobs =
        state.isLendable
        ? Self.takeBatch(&state, atMost: CommitterLimits.turnCommitsMax, \.isLight) : []
      isForThread = jobs.isEmpty
      return isForThread ? nil : (jobs, Self.lend(&state))
    }
    if isForThread { wake() }
    return lent
  }

  private static func lend(_ state: inout State) -> MutationBatch {
    state.isLent = true
    defer { state.spare = nil }
    return state.spare ?? MutationBatch()
  }

  /// What came for the same writer meanwhile; nil, and the place is given back, when nothing did or others wait for it.
  func takeMore(atMost limit: Int) -> [CommitJob]? {
    state.withLock { state in
      if state.isPressed || state.crowdedCount > 0 || limit <= 0 { return nil }
      let jobs = Self.takeBatch(&state, atMost: limit, \.isLight)
      return jobs.isEmpty ? nil : jobs
    }
  }

  /// - Parameter isWaitedFor: some wait for locks, and the thread is to look after them.
  func giveBack(_ batch: MutationBatch, isWaitedFor: Bool) {
    let isPressing = state.withLock { state -> Bool in
      state.isLent = false
      if isWaitedFor { state.isAsked = true }
      state.spare = batch
      return state.isPressed || !state.jobs.isEmpty && state.promised == nil
    }
    if isPressing { wake() }
  }

  private func wake() { state.wake() }
}
