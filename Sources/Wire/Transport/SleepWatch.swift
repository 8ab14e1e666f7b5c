/// Puts connections to sleep that nobody uses, so that thousands of idle listeners cost little.
///
/// One for each event loop. It knows the connections that are awake, and beats only while there are any. Waking needs
/// no help: a connection that is used is awake.
///
/// State and its owner: the event loop. `@unchecked Sendable`: other threads only pass it on.

internal import NIOCore
internal import Synchronization

final class SleepWatch: @unchecked Sendable {
  /// LIMIT: connections put to sleep at once; packing one takes some microseconds, and others wait for their answers.
  private static let sleepersOfBeatMax = 64
  /// Between two such pieces of work.
  private static let pause = TimeAmount.milliseconds(10)

  private let eventLoop: any EventLoop
  /// A connection sleeps that was not used for one to two of these.
  private let beat: TimeAmount
  private let longSleep: TimeAmount
  /// Connections that sleep, of all event loops.
  private let sleeping: SleepingCount
  private var awake: [HTTP2ChannelHandler] = []
  /// Counts beats.
  private(set) var time = 0
  private var isBeating = false

  init(_ eventLoop: any EventLoop, _ options: ServerOptions, _ sleeping: SleepingCount) {
    self.eventLoop = eventLoop
    beat = .milliseconds(max(options.sleepMilliseconds, 1))
    longSleep = .milliseconds(options.longSleepMilliseconds)
    self.sleeping = sleeping
  }

  /// The connection is used, and was asleep or is new.
  func add(_ handler: HTTP2ChannelHandler, isNew: Bool) {
    assertOnLoop()
    handler.watchSlot = awake.count
    awake.append(handler)
    if !isNew { sleeping.count.subtract(1, ordering: .relaxed) }
    if !isBeating { goOn(after: beat) }
  }

  @inline(__always)
  private func assertOnLoop() { Optional(eventLoop).assertInside() }

  func isLong(since start: NIODeadline) -> Bool { .now() - start >= longSleep }

  /// The connection is gone.
  func remove(_ handler: HTTP2ChannelHandler) {
    eventLoop.preconditionInEventLoop()
    if let slot = handler.watchSlot {
      take(at: slot)
    } else {
      sleeping.count.subtract(1, ordering: .relaxed)
    }
  }

  private func take(at slot: Int) {
    awake[slot].watchSlot = nil
    let last = awake.removeLast()
    guard slot < awake.count else { return }
    awake[slot] = last
    last.watchSlot = slot
  }

  private func goOn(after pause: TimeAmount, at slot: Int? = nil) {
    isBeating = true
    eventLoop.scheduleTask(in: pause) { [self] in
      if slot == nil { time += 1 }
      look(from: slot ?? 0)
    }
  }

  /// Looks at who is awake, from a place on, since the one before it have been looked at in this beat.
  private func look(from start: Int) {
    assertOnLoop()
    var slot = start
    var sleepers = 0
    while slot < awake.count {
      guard sleepers < Self.sleepersOfBeatMax else { return goOn(after: Self.pause, at: slot) }
      let handler = awake[slot]
      if time - handler.lastUse >= 2, handler.sleep() {
        take(at: slot)
        sleepers += 1
        sleeping.count.add(1, ordering: .relaxed)
      } else {
        slot += 1
      }
    }
    isBeating = false
    if awake.isEmpty { awake = [] } else { goOn(after: beat) }
  }
}

/// How many connections of a server sleep.
final class SleepingCount: Sendable {
  let count = Atomic(0)
}
