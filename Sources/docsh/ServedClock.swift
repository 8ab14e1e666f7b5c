/// What time brings to a server: scheduled functions, documents that end. Where the clock stands, it moves when somebody
/// asks over HTTP.
///
/// ```
/// GET /emulator/v1/clock
/// PUT /emulator/v1/clock   {"time": "+12h"}   {"time": "2026-03-02T00:00:00Z"}
/// ```
///
/// A clock that is moved stops at each time at which something is due, lets that be done, and goes on. The answer comes when
/// all is done. Moves come one after the other.

import Access
import DocModel
import DocStore
import JSON
import Synchronization
import Triggers

final class ServedClock: Sendable {
  private let store: DocumentStore<ServedEngine>
  /// Nil where the store goes by the machine's clock.
  private let standing: StandingClock?
  /// In the order in which they are done when they are due at the same time.
  private let works: [any TimedWork]
  /// The last of the moves that were asked for; the next one waits for it.
  private let lastMove = Mutex<Task<Void, Never>?>(nil)

  init(_ store: DocumentStore<ServedEngine>, _ standing: StandingClock?, _ works: [any TimedWork]) {
    self.store = store
    self.standing = standing
    self.works = works
  }

  /// Does what is due, until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for work in works { group.addTask { await work.run() } }
    }
  }

  /// Answers what is about the clock; false for everything else.
  func respond(_ request: EmulatorRequest, _ answer: @escaping @Sendable (EmulatorAnswer) -> Void) -> Bool {
    guard request.path == ["clock"] else { return false }
    switch request.method {
    case "GET": answer(present)
    case "PUT":
      do throws(InvalidArgument) { try move(Self.time(request.body), answer) } catch {
        answer(Self.refusal("INVALID_ARGUMENT", error.message))
      }
    default: return false
    }
    return true
  }

  private var present: EmulatorAnswer {
    let time = StoreTime(time: store.environment.now(), isStanding: standing != nil)
    return EmulatorAnswer(status: 200, body: JSONWriter.bytes(of: time.json))
  }

  private static func refusal(_ status: String, _ message: String) -> EmulatorAnswer {
    let body: JSONValue = [
      "error": ["code": .integer(400), "message": .text(message), "status": .text(status)]
    ]
    return EmulatorAnswer(status: 400, body: JSONWriter.bytes(of: body))
  }

  private static func time(_ body: [UInt8]) throws(InvalidArgument) -> String {
    guard let text = (try? JSONReader.read(body))?["time"]?.text else {
      throw InvalidArgument(
        "The body says to when: {\"time\": \"+12h\"} or {\"time\": \"2026-03-02T00:00:00Z\"}.")
    }
    return text
  }

  private func move(
    _ text: String, _ answer: @escaping @Sendable (EmulatorAnswer) -> Void
  ) throws(InvalidArgument) {
    guard let standing else {
      answer(
        Self.refusal(
          "FAILED_PRECONDITION",
          "The clock is the machine's and cannot be moved; start with --clock 2026-03-01T00:00:00Z."))
      return
    }
    // A text that is none is told at once; from when a step counts is known when its turn comes.
    _ = try StandingClock.time(text, after: standing.now)
    lastMove.withLock { last in
      last = Task { [self, last] in
        await last?.value
        do throws(InvalidArgument) {
          try await pass(to: try StandingClock.time(text, after: standing.now), on: standing)
          answer(present)
        } catch {
          answer(Self.refusal("INVALID_ARGUMENT", error.message))
        }
      }
    }
  }

  private func pass(to end: Int64, on clock: StandingClock) async throws(InvalidArgument) {
    while let due = works.compactMap(\.nextTime).min(), due <= end {
      try clock.move(to: max(due, clock.now))
      for work in works { await work.runDue() }
      // What stays due now is not done by waiting here.
      if let next = works.compactMap(\.nextTime).min(), next <= due { break }
    }
    try clock.move(to: end)
    for work in works { await work.runDue() }
  }
}
