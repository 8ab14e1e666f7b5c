/// `:clock`, in a store of this process; a server's is told by Tests/DocshTests/ServedClockTests.swift.

import DocModel
import DocStore
import EngineLMDB
import Testing

@testable import Shell

@Suite(.timeLimit(.minutes(2))) struct ClockTests {
  private func talk(standing: Bool) throws -> Talk {
    let clock = StandingClock(1_772_323_200_000_000)  // 2026-03-01T00:00:00Z
    let environment = standing ? clock.environment(random: Environment.system.random) : .system
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral(), environment: environment)
    return try Talk(
      EmbeddedBackend(
        store, database: SessionKit.database, location: "here", rules: nil, isOpenWithoutRules: true,
        clock: standing ? clock : nil))
  }

  @Test("a clock that stands is shown and moved, and is the time of what is written and asked")
  func moves() throws {
    let talk = try talk(standing: true)
    #expect(talk.run(":mode jsonl", ":clock").results.joined().contains("2026-03-01T00:00:00Z"))
    #expect(talk.run("create a/x {t: @now}").status == 0)
    let moved = talk.run(":clock +12h").results.joined()
    #expect(moved.contains("2026-03-01T12:00:00Z") && moved.contains("stands"))
    let (status, results, messages) = talk.run("create a/y {t: @now}", "a where t > @now-1h | jsonl")
    #expect(status == 0, "\(messages)")
    #expect(results.count == 1 && results[0].contains("2026-03-01T12:00:00Z") && results[0].contains("a/y"))
  }

  @Test("a token of a persona is renewed when its day is over")
  func tokens() throws {
    let talk = try talk(standing: true)
    let (status, results, messages) = talk.run(":as {uid: \"bob\"}", ":clock +3d", "create a/z {n: 1}", "a/z")
    #expect(status == 0, "\(results) \(messages)")
    guard case .user(_, let claims) = talk.session.caller.identity else {
      Issue.record("not a user any more")
      return
    }
    #expect(claims["iat"] == .integer(1_772_323_200 + 3 * 86_400))
  }

  @Test("why rules deny is told at the store's time")
  func explains() throws {
    let talk = try talk(standing: true)
    let source = """
      service cloud.firestore {
        match /databases/{db}/documents/a/{id} { allow get: if request.time > timestamp.date(2026, 3, 2); }
      }
      """
    try talk.session.backend.replaceRules("clock.rules", Array(source.utf8))
    #expect(talk.run("create a/x {}").status == 0)
    let denied = talk.run(":as {uid: \"bob\"}", "a/x")
    #expect(denied.status == 3)
    #expect(denied.messages.joined().contains("2026-03-01T00:00:00Z"))
    #expect(talk.run(":clock +36h", "a/x").status == 0)
  }

  @Test(
    "what cannot be is told",
    arguments: [(true, "-1h"), (true, "2026-02-28"), (true, "tomorrow"), (false, "+1h")])
  func refusals(_ standing: Bool, _ text: String) throws {
    let (status, _, messages) = try talk(standing: standing).run(":clock \(text)")
    #expect(status != 0)
    #expect(!messages.isEmpty)
  }

  @Test("the machine's clock is told as such")
  func machine() throws {
    let (status, results, _) = try talk(standing: false).run(":mode jsonl", ":clock")
    #expect(status == 0)
    #expect(results.contains { $0.contains("machine's") })
  }
}
