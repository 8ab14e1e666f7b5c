/// Transactions of other servers that calls wait for, until they come or nobody answers.
///
/// A question is asked again: the one that has it may be reading in it, and what is told can be lost.
///
/// State: behind one monitor.

internal import Platform

final class WantedTransactions: Sendable {
  fileprivate struct Wanted {
    var waiting: [@Sendable () -> Void] = []
    var parts: [Int: [UInt8]] = [:]
    var count: Int?
    let question = UInt64.random(in: 0...UInt64.max)
    var askAt: Double
    var pause = WantedTransactions.firstPause
    /// Nil until it was asked for.
    var deadline: Double?

    var bytes: [UInt8]? {
      guard let count, parts.count == count else { return nil }
      return (0..<count).flatMap { parts[$0] ?? [] }
    }
  }

  fileprivate struct State {
    var wanted: [UInt64: Wanted] = [:]
    /// A thread asks for them.
    var hasThread = false
  }

  /// What is to be done next.
  struct Step {
    var asked: [(counter: UInt64, question: UInt64)] = []
    var arrived: [TransactionMove] = []
  }

  private let state = Monitor(State())

  /// Milliseconds after which nobody has it, and between the first two questions.
  fileprivate static let answerMilliseconds = 1_500.0
  fileprivate static let firstPause = 40.0
  /// LIMIT: transactions that are asked for at once; calls of others go on as if nobody had them.
  private static let countMax = 1_000

  /// True when the caller has to see to a thread that calls `next` until that is nil.
  func add(_ counter: UInt64, _ body: @escaping @Sendable () -> Void) -> Bool {
    let now = SystemClock.milliseconds
    let (isTaken, needsThread) = state.change { state in
      if state.wanted.count >= Self.countMax, state.wanted[counter] == nil { return (false, false) }
      let new = Wanted(askAt: now)
      state.wanted[counter, default: new].waiting.append(body)
      defer { state.hasThread = true }
      return (true, !state.hasThread)
    }
    if !isTaken { body() }
    return needsThread
  }

  /// Whether it was asked here.
  func has(_ question: UInt64, about counter: UInt64) -> Bool {
    state.withLock { $0.wanted[counter]?.question == question }
  }

  func note(_ counter: UInt64, question: UInt64, part: Int, of count: Int, _ bytes: [UInt8]) {
    state.change { state in
      guard state.wanted[counter]?.question == question else { return }
      state.wanted[counter]?.count = count
      state.wanted[counter]?.parts[part] = bytes
    }
  }

  /// It has come, or will not: those who wait go on.
  func end(_ counter: UInt64) {
    for body in state.withLock({ $0.wanted.removeValue(forKey: counter) })?.waiting ?? [] { body() }
  }

  func giveUp() {
    let all = state.change { state in
      state.hasThread = false
      return state.wanted.keys.sorted()
    }
    for counter in all { end(counter) }
  }

  /// Waits until there is something to do. Nil when nothing is wanted any more.
  func next() -> Step? {
    while true {
      let now = SystemClock.milliseconds
      let (step, over, isLast) = state.withLock { $0.look(now) }
      for counter in over { end(counter) }
      if isLast { return nil }
      if !step.asked.isEmpty || !step.arrived.isEmpty { return step }
      _ = state.wait(atMost: 20) { state in
        state.wanted.values.contains { $0.bytes != nil || $0.deadline == nil } ? () : nil
      }
    }
  }
}

extension WantedTransactions.State {
  fileprivate mutating func look(
    _ now: Double
  ) -> (step: WantedTransactions.Step, over: [UInt64], isLast: Bool) {
    var step = WantedTransactions.Step()
    var over: [UInt64] = []
    for (counter, one) in wanted {
      if let bytes = one.bytes {
        if let move = TransactionMove(bytes), move.counter == counter {
          step.arrived.append(move)
        } else {
          over.append(counter)
        }
        wanted[counter]?.parts = [:]
        wanted[counter]?.count = nil
      } else if let deadline = one.deadline, deadline <= now {
        over.append(counter)
      } else if one.askAt <= now {
        step.asked.append((counter, one.question))
        if one.deadline == nil { wanted[counter]?.deadline = now + WantedTransactions.answerMilliseconds }
        wanted[counter]?.askAt = now + one.pause
        wanted[counter]?.pause *= 2
      }
    }
    hasThread = !wanted.isEmpty
    return (step, over, wanted.isEmpty)
  }
}
