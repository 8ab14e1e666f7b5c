/// A store, a runner beside it, and what triggers were given.

import DocModel
import DocStore
import Glibc
import Synchronization
import TestSupport

@testable import Triggers

/// What was noted, in order.
final class Journal<Entry: Sendable>: Sendable {
  private let noted = Mutex<[Entry]>([])

  var entries: [Entry] { noted.withLock { $0 } }

  /// Returns how many entries there are now.
  @discardableResult
  func note(_ entry: Entry) -> Int {
    noted.withLock { noted in
      noted.append(entry)
      return noted.count
    }
  }
}

struct TestFailure: Error {}

extension TriggerSettings {
  static var quick: TriggerSettings {
    var settings = TriggerSettings()
    settings.retry = RetryPolicy(attemptsMax: 4, firstPause: .milliseconds(1))
    settings.discoveryInterval = .milliseconds(20)
    return settings
  }
}

extension TriggerRunner {
  /// Runs while `body` does.
  func whileRunning(_ body: () async throws -> Void) async throws {
    let running = Task { await run() }
    do {
      try await body()
    } catch {
      running.cancel()
      await running.value
      throw error
    }
    running.cancel()
    await running.value
  }
}

extension DocumentEvent {
  /// An event made by hand.
  init(_ id: String, _ path: ResourcePath, before: Fields?, after: Fields?, version: Int64) {
    self.init(
      id: id, database: DatabaseID(project: "demo-test"), path: path, parameters: [:],
      beforeImage: before.map { makeImage($0, version - 1) },
      afterImage: after.map { makeImage($0, version) }, version: version, cause: .none, author: .system,
      attempt: 1)
  }
}

func makeImage(_ fields: Fields, _ version: Int64) -> DocumentImage {
  fields.encoded.withUnsafeBytes {
    DocumentImage(
      StoredDocument(createTime: version, updateTime: version, fields: FieldsView(document: $0)))
  }
}

let database = DatabaseID(project: "demo-test")

func path(_ text: String) -> ResourcePath { ResourcePath(unchecked: text) }

extension DocumentStore {
  func fields(_ text: String) throws -> Fields? {
    try read(database) { (view) throws(StoreError) in
      try view.document(path(text)).map { Fields($0.fields) }
    }
  }

  func integer(_ text: String, _ field: String) throws -> Int64? {
    guard case .integer(let number) = try fields(text)?[field] else { return nil }
    return number
  }

  @discardableResult
  func set(_ text: String, _ fields: Fields) async throws -> CommitResult {
    try await commit(database, [Write(path(text), .update(fields: fields.encoded, mask: nil))])
  }

  @discardableResult
  func delete(_ text: String) async throws -> CommitResult {
    try await commit(database, [Write(path(text), .delete)])
  }
}

func naiveStore() throws -> DocumentStore<NaiveEngine> { try DocumentStore(engine: NaiveEngine()) }

func bytes(of path: String) throws -> [UInt8] {
  guard let file = fopen(path, "r") else { throw TestFailure() }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { return bytes }
    bytes += chunk[..<count]
  }
}

func write(_ bytes: [UInt8], to path: String) throws {
  guard let file = fopen(path, "w") else { throw TestFailure() }
  defer { fclose(file) }
  guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw TestFailure() }
}
