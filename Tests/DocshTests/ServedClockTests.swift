/// The clock of a server, moved over HTTP.

import Access
import DocModel
import DocStore
import EngineLMDB
import Synchronization
import Testing
import Triggers

@testable import docsh

/// Is due each hour, and notes at which times it was done.
private final class Hourly: TimedWork {
  private let clock: StandingClock
  private let state: Mutex<(next: Int64, done: [Int64])>
  /// Whether it stays due, as work does that fails.
  private let staysDue: Bool

  init(_ clock: StandingClock, staysDue: Bool = false) {
    self.clock = clock
    self.staysDue = staysDue
    state = Mutex((clock.now + 3_600_000_000, []))
  }

  var done: [Int64] { state.withLock { $0.done } }
  var nextTime: Int64? { state.withLock { $0.next } }

  func runDue() async {
    let now = clock.now
    state.withLock { state in
      guard state.next <= now else { return }
      state.done.append(now)
      if !staysDue { state.next += 3_600_000_000 }
    }
  }

  func run() async {}
}

@Suite(.timeLimit(.minutes(2))) struct ServedClockTests {
  private static let start: Int64 = 1_772_323_200_000_000  // 2026-03-01T00:00:00Z

  private func request(_ method: String, _ body: String = "") -> EmulatorRequest {
    EmulatorRequest(method: method, path: ["clock"], query: [], body: Array(body.utf8))
  }

  private func ask(_ served: ServedClock, _ request: EmulatorRequest) async -> (Int, String) {
    await withCheckedContinuation { continuation in
      let isOurs = served.respond(request) {
        continuation.resume(returning: ($0.status, String(decoding: $0.body, as: UTF8.self)))
      }
      if !isOurs { continuation.resume(returning: (0, "")) }
    }
  }

  private func served(
    _ clock: StandingClock?, _ works: [any TimedWork] = []
  ) throws -> (ServedClock, DocumentStore<ServedEngine>) {
    let environment = clock?.environment(random: Environment.system.random) ?? .system
    let store = try DocumentStore(
      engine: ServedEngine.folder(try LMDBEngine.ephemeral()), environment: environment)
    return (ServedClock(store, clock, works), store)
  }

  @Test("a step stops at each time at which something is due, and answers when it is done")
  func stops() async throws {
    let clock = StandingClock(Self.start)
    let hourly = Hourly(clock)
    let (served, store) = try served(clock, [hourly])
    defer { store.close() }
    let (status, body) = await ask(served, request("PUT", #"{"time": "+150m"}"#))
    #expect(status == 200)
    #expect(body.contains("2026-03-01T02:30:00Z") && body.contains("\"standing\":true"))
    #expect(hourly.done == [1, 2].map { Self.start + $0 * 3_600_000_000 })
    #expect(await ask(served, request("GET")).1 == body)
  }

  @Test("steps that are asked for at once all count")
  func together() async throws {
    let clock = StandingClock(Self.start)
    let hourly = Hourly(clock)
    let (served, store) = try served(clock, [hourly])
    defer { store.close() }
    await withTaskGroup { group in
      for _ in 0..<10 { group.addTask { _ = await ask(served, request("PUT", #"{"time": "+30m"}"#)) } }
    }
    #expect(clock.now == Self.start + 5 * 3_600_000_000)
    #expect(hourly.done.count == 5)
  }

  @Test("work that stays due does not hold the clock up")
  func staysDue() async throws {
    let clock = StandingClock(Self.start)
    let (served, store) = try served(clock, [Hourly(clock, staysDue: true)])
    defer { store.close() }
    #expect(await ask(served, request("PUT", #"{"time": "+5h"}"#)).0 == 200)
    #expect(clock.now == Self.start + 5 * 3_600_000_000)
  }

  @Test(
    "what cannot be is refused, and the clock stays",
    arguments: [
      "", "{}", #"{"time": 5}"#, #"{"time": "soon"}"#, #"{"time": "2026-02-28T23:59:59Z"}"#, "not JSON",
    ])
  func refusals(_ body: String) async throws {
    let clock = StandingClock(Self.start)
    let (served, store) = try served(clock)
    defer { store.close() }
    let (status, answer) = await ask(served, request("PUT", body))
    #expect(status == 400)
    #expect(answer.contains("INVALID_ARGUMENT"))
    #expect(clock.now == Self.start)
  }

  @Test("the machine's clock is shown and not moved")
  func machine() async throws {
    let (served, store) = try served(nil)
    defer { store.close() }
    #expect(await ask(served, request("GET")).1.contains("\"standing\":false"))
    let (status, answer) = await ask(served, request("PUT", #"{"time": "+1h"}"#))
    #expect(status == 400)
    #expect(answer.contains("--clock"))
    #expect(await ask(served, request("DELETE")).0 == 0)
  }
}
