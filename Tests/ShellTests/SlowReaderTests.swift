/// Readers of results that take their time.

import Client
import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@testable import Shell

@Suite("Readers that take their time", .serialized, .ownInterruption, .timeLimit(.minutes(5)))
struct SlowReaderTests {
  private static let documentCount = 3_000
  private static let text = String(repeating: "x", count: 1_000)

  private struct Place {
    let engine: LMDBEngine
    let store: DocumentStore<LMDBEngine>
    let clock = TestClock()
    let backend: EmbeddedBackend

    init() throws {
      engine = try LMDBEngine.ephemeral()
      store = try DocumentStore(engine: engine, environment: clock.environment())
      for first in stride(from: 0, to: SlowReaderTests.documentCount, by: 500) {
        try store.commitAndWait(
          SessionKit.database,
          try (first..<first + 500).map { number in
            let fields: Fields = ["n": .integer(Int64(number)), "t": .string(SlowReaderTests.text)]
            return Write(
              ResourcePath(unchecked: "big/d\(number)"),
              .update(fields: try Canonicalizer.fields(fields), mask: nil))
          })
      }
      backend = EmbeddedBackend(store, database: SessionKit.database, location: "here", rules: nil)
    }

    var query: StructuredQuery {
      StructuredQuery(database: SessionKit.database, collection: ResourcePath(unchecked: "big"))
    }

    /// Nobody holds one for long: housekeeping does for moments.
    func noViewIsHeld() throws { try eventually("no view is held") { engine.heldViewCount == 0 } }
  }

  @Test("A program that does not read holds no view, and what it reads is one state")
  func program() throws {
    let place = try Place()
    defer { place.store.close() }
    let folder = TemporaryFolder()
    let (gate, begun, all) = (folder.path + "/gate", folder.path + "/begun", folder.path + "/all")
    try #require(mkfifo(gate, 0o600) == 0)
    let outcome = Monitor<(status: Int32, messages: [String])?>(nil)
    nonisolated(unsafe) let talk = try Talk(place.backend)
    try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes) {
      let answer = talk.run(
        "big | jsonl | ! head -c 1 > \(all); echo > \(begun); read x < \(gate); cat >> \(all)")
      outcome.change { $0 = (answer.status, answer.messages) }
    }
    try eventually("the program has begun") { access(begun, F_OK) == 0 }
    try place.noViewIsHeld()
    #expect(outcome.withLock { $0 } == nil)
    // The program would see neither of them, wherever the shell is.
    try place.store.commitAndWait(
      SessionKit.database,
      ["big/a", "big/z"].map { Write(ResourcePath(unchecked: $0), .update(fields: [], mask: nil)) }
        + [Write(ResourcePath(unchecked: "big/d999"), .delete)])
    let end = open(gate, O_WRONLY)
    close(end)
    let answer = outcome.wait { $0 }
    #expect(answer.status == 0, "\(answer.messages)")
    // `head` may have taken more than it gave on.
    let lines = String(decoding: try ScriptFile.contents(all), as: UTF8.self).split(separator: "\n")
    #expect(lines.last?.contains("big/d999\"") == true)
    #expect(!lines.contains { $0.contains("big/a\"") || $0.contains("big/z\"") })
    #expect(lines.count > Self.documentCount - 100)
  }

  @Test("Every row comes once and in order, and whoever shows one holds no view", arguments: [false, true])
  func pages(isSorted: Bool) throws {
    let place = try Place()
    defer { place.store.close() }
    var query = place.query
    if isSorted { query.orders = [.init("n", .descending)] }
    var numbers: [Int64] = []
    let metrics = try place.backend.run(query, as: .administrator, in: nil) { document in
      guard case .integer(let number) = document.fields["n"] else { return false }
      if numbers.count % 100 == 0 { #expect(throws: Never.self) { try place.noViewIsHeld() } }
      numbers.append(number)
      return true
    }
    let expected = (0..<Int64(Self.documentCount))
    #expect(
      numbers == (isSorted ? expected.reversed() : expected.sorted { "\($0)".precedesInBytes("\($1)") }))
    #expect(metrics.documentsRead == Self.documentCount)
    // Nobody reads on for who has enough.
    numbers = []
    let few = try place.backend.run(query, as: .administrator, in: nil) { _ in
      numbers.append(0)
      return numbers.count < 3
    }
    #expect(numbers.count == 3)
    #expect(isSorted || few.documentsRead < 100)
  }

  @Test("A transaction's read is one state, too, in pages", arguments: [true, false])
  func transaction(isReadOnly: Bool) throws {
    let place = try Place()
    defer { place.store.close() }
    let token = try place.backend.begin(readOnly: isReadOnly, as: .administrator)
    var count = 0
    _ = try place.backend.run(place.query, as: .administrator, in: token) { _ in
      count += 1
      return true
    }
    #expect(count == Self.documentCount)
    try place.backend.rollBack(token, as: .administrator)
  }

  @Test("An answer goes on after hours, as long as its state is there")
  func hours() throws {
    let place = try Place()
    defer { place.store.close() }
    var count = 0
    _ = try place.backend.run(place.query, as: .administrator, in: nil) { _ in
      if count == 10 { place.clock.advance(seconds: 10 * 3_600) }
      count += 1
      return true
    }
    #expect(count == Self.documentCount)
  }

  @Test("Rows that were found before Ctrl-C are shown")
  func interrupted() throws {
    let place = try Place()
    defer { place.store.close() }
    defer { Interruption.clear() }
    var count = 0
    #expect(throws: ShellError.self) {
      try place.backend.run(place.query, as: .administrator, in: nil) { _ in
        Interruption.raise()
        count += 1
        return true
      }
    }
    #expect(count > 1 && count < Self.documentCount)
  }
}
