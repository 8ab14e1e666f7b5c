/// What tests of packs share: all triggers behind a runner, events made by hand, and values that no app would write.

import DocModel
import DocStore
import Testing

@testable import Packs
@testable import Triggers

/// Runs a pack's triggers while `body` commits, then until all is quiet. Each event is delivered so many times, one after
/// the other or all at once. No event may be given up.
func running<Engine: StorageEngine>(
  _ pack: Pack = .fitcoach, on store: DocumentStore<Engine>, times: Int = 1, atOnce: Bool = false,
  _ body: () async throws -> Void
) async throws {
  let letters = try await deadLetters(pack, on: store, times: times, atOnce: atOnce, body)
  #expect(letters == [])
}

/// As `running`; returns why events were given up.
func deadLetters<Engine: StorageEngine>(
  _ pack: Pack, on store: DocumentStore<Engine>, times: Int = 1, atOnce: Bool = false,
  _ body: () async throws -> Void
) async throws -> [String] {
  let repeated = try pack.triggers(store).map { trigger throws(InvalidArgument) in
    try DocumentTrigger(trigger.name, on: trigger.event, trigger.pattern.text) { event in
      if !atOnce {
        for _ in 0..<times { try await trigger.action(event) }
        return
      }
      try await withThrowingTaskGroup { group in
        for _ in 0..<times { group.addTask { try await trigger.action(event) } }
        try await group.waitForAll()
      }
    }
  }
  let runner = try TriggerRunner(store, repeated, settings: .quick)
  try await runner.whileRunning {
    try await body()
    #expect(await runner.drain())
  }
  return runner.deadLetters.map(\.reason)
}

func event(
  _ id: String, _ name: String, _ before: Fields?, _ after: Fields?, author: CommitAuthor = .system,
  version: Int64 = 1_773_000_000_000_000
) -> DocumentEvent {
  DocumentEvent(
    id: id, database: database, path: path(name), parameters: [:],
    beforeImage: before.map { makeImage($0, version - 1) }, afterImage: after.map { makeImage($0, version) },
    version: version, cause: .none, author: author, attempt: 1)
}

/// Microseconds of a time that is written in full.
func micros(_ text: String) -> Int64 { Timestamp(rfc3339: text).map(\.microseconds) ?? 0 }

func time(_ text: String) -> Value { .timestamp(Timestamp(microseconds: micros(text))) }

extension DocumentStore {
  /// The paths of all documents below one, or of all, in the order of their texts.
  func names(below parent: String) throws -> [String] {
    let query = StructuredQuery(
      database: database, parent: parent.isEmpty ? .root : path(parent),
      from: [.init("", includesDescendants: true)])
    return try documents(query).map(\.path.text).sorted()
  }
}

enum Hostile {
  /// Of each kind, and at the edges.
  static let values: [Value] = [
    .null, .boolean(true), .integer(.max), .integer(.min), .double(.nan), .double(.infinity), .double(-0.0),
    .string(""), .string(".."), .string("a/b"), .string("__x__"), .string(String(repeating: "é", count: 800)),
    .bytes([0, 255]), .array([.null, .map([:])]), .map(["seconds": .integer(1)]),
    .timestamp(Timestamp(seconds: Timestamp.secondsMax, nanoseconds: 999_999_000)),
    .timestamp(Timestamp(seconds: Timestamp.secondsMin, nanoseconds: 0)),
    .reference("projects/demo-test/databases/(default)/documents/users/x"),
  ]
}
