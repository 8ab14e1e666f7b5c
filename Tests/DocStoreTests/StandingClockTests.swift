/// A clock that stands until it is moved.

import DocModel
import DocStore
import EngineLMDB
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct StandingClockTests {
  private static let start: Int64 = 1_772_323_200_000_000  // 2026-03-01T00:00:00Z

  @Test(
    "what people write is a time, or a step from the present",
    arguments: [
      ("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z"), ("2026-03-02", "2026-03-02T00:00:00Z"),
      ("2026-03-01T01:30:00+01:00", "2026-03-01T00:30:00Z"), ("+12h", "2026-03-01T12:00:00Z"),
      ("+1d12h30m", "2026-03-02T12:30:00Z"), ("+90m", "2026-03-01T01:30:00Z"),
      ("+1w", "2026-03-08T00:00:00Z"), ("+0s", "2026-03-01T00:00:00Z"), ("+36500d", "2126-02-05T00:00:00Z"),
    ])
  func reads(_ text: String, _ expected: String) throws {
    let time = try StandingClock.time(text, after: Self.start)
    #expect(Timestamp(microseconds: time).rfc3339 == expected)
  }

  @Test(
    "what is no time is refused",
    arguments: [
      "", "+", "12h", "+12", "+h", "+1y", "+1h-1m", "+ 1h", "-12h", "now", "1969-12-31T23:59:59Z",
      "2026-13-01",
      "+99999999999999999999h", "+36601d", "+9223372036854775807s", "+36500d36500d", "+１h", "+1h ",
    ])
  func refuses(_ text: String) {
    #expect(throws: InvalidArgument.self) { try StandingClock.time(text, after: Self.start) }
  }

  @Test("it goes forward only")
  func forward() throws {
    let clock = StandingClock(Self.start)
    try clock.move(to: Self.start)
    try clock.move(to: Self.start + 1)
    #expect(throws: InvalidArgument.self) { try clock.move(to: Self.start) }
    #expect(clock.now == Self.start + 1)
  }

  /// A field that a commit sets to the server's time.
  private func stamp(_ store: DocumentStore<LMDBEngine>, _ path: String) async throws -> (Value?, Int64) {
    let database = DatabaseID(project: "demo")
    let name = ResourcePath(unchecked: path)
    let field = try #require(FieldPath.field("t"))
    let result = try await store.commit(
      database, [.transform(name, [FieldTransform(field, .serverTime)])])
    let fields = try store.read(database) { (view) throws(StoreError) in
      try view.document(name).map { Fields($0.fields) }
    }
    return (fields?["t"], result.commitTime)
  }

  @Test("versions go on while server times stand, and both follow a move")
  func serverTimes() async throws {
    let clock = StandingClock(Self.start)
    let store = try DocumentStore(
      engine: try LMDBEngine.ephemeral(), environment: clock.environment(random: Environment.system.random))
    defer { store.close() }
    let moment = Value.timestamp(Timestamp(microseconds: Self.start))
    var last = Self.start
    for number in 0..<3_000 {
      let (time, version) = try await stamp(store, "a/d\(number)")
      #expect(time == moment)
      #expect(version > last)
      last = version
    }
    // Less far than the versions have come.
    try clock.move(to: Self.start + 1_000)
    #expect(try await stamp(store, "a/x").0 == .timestamp(Timestamp(microseconds: Self.start + 1_000)))
    try clock.move(to: Self.start + 3_600_000_000)
    let (time, version) = try await stamp(store, "a/y")
    #expect(time == .timestamp(Timestamp(microseconds: Self.start + 3_600_000_000)))
    #expect(version >= Self.start + 3_600_000_000)
  }

  @Test("waits end although the clock stands")
  func waits() async throws {
    let clock = StandingClock(Self.start)
    let environment = clock.environment(random: Environment.system.random)
    let before = environment.elapsed()
    try await Task.sleep(for: .milliseconds(5))
    #expect(environment.elapsed() > before)
    #expect(environment.now() == Self.start)
  }
}
