/// A data folder of format 1, whose change records say nothing of who wrote.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct OldStoreTests {
  private let folder = TemporaryFolder()
  /// Where the numbers of the store are; the first of them is the format, 8 bytes with the lowest first.
  private static let stateKey: [UInt8] = [2]

  private func opened() throws -> DocumentStore<LMDBEngine> {
    try DocumentStore(engine: try LMDBEngine.durable(folder: folder.path))
  }

  /// Makes of the folder what a program of before sources were kept would have written.
  private func makeOld(format: UInt8 = 1) throws {
    let engine = try LMDBEngine.durable(folder: folder.path)
    try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
      try view.scan(.changes, .all, .forward) { key, value in
        batch.put(.changes, Array(key), Array(value.prefix { $0 != 0xFF }))
        return .more
      }
      guard let state = try view.get(.catalog, Self.stateKey) else { throw .corrupt }
      batch.put(.catalog, Self.stateKey, [format] + Array(state.dropFirst()))
    }
  }

  private func format() throws -> [UInt8]? {
    let engine = try LMDBEngine.durable(folder: folder.path)
    return try engine.read { (view) throws(StorageError) in
      try view.get(.catalog, Self.stateKey).map { Array($0.prefix(8)) }
    }
  }

  @Test("it opens, delivers what waits there, of an unknown author, and goes on with authors")
  func opens() async throws {
    func runner(
      _ store: DocumentStore<LMDBEngine>, _ body: @escaping DocumentTrigger.Action
    ) throws -> TriggerRunner<LMDBEngine> {
      try TriggerRunner(
        store, [try onDocumentWritten("c/{d}", name: "t", body)], settings: .quick,
        journal: try TriggerJournal(folder: folder.path))
    }
    do {
      let store = try opened()
      // It begins here, and nobody runs.
      _ = try runner(store) { _ in }
      for number in 0..<3 {
        _ = try await store.commit(
          database,
          ["c/a", "c/b"].map { text in
            let fields: Fields = ["n": .integer(Int64(number))]
            return Write(path(text), .update(fields: fields.encoded, mask: nil))
          }, author: .user("ann"))
      }
      store.close()
    }
    try makeOld()
    #expect(try format() == [1, 0, 0, 0, 0, 0, 0, 0])
    do {
      let store = try opened()
      #expect(try store.integer("c/a", "n") == 2)
      let seen = Journal<DocumentEvent>()
      let runner = try runner(store) { seen.note($0) }
      try await runner.whileRunning {
        #expect(await runner.drain())
        let numbers = seen.entries.filter { $0.path.text == "c/a" }.map { $0.after?["n"] }
        #expect(numbers == [.integer(0), .integer(1), .integer(2)])
        #expect(seen.entries.count == 6 && seen.entries.allSatisfy { $0.author == .unknown })
        _ = try await store.commit(database, [Write(path("c/a"), .delete)], author: .user("bob"))
        #expect(await runner.drain())
        #expect(seen.entries.last?.author == .user("bob") && seen.entries.count == 7)
      }
      // Old and new records side by side.
      var sources: [CommitSource?] = []
      var paths: [String] = []
      try store.changes(database, after: 0, isHeld: true) { _, path, source in
        paths.append(path.text)
        sources.append(source)
        return .more
      }
      #expect(paths == ["c/a", "c/b", "c/a", "c/b", "c/a", "c/b", "c/a"])
      #expect(sources.map { $0?.author } == Array(repeating: nil, count: 6) + [.user("bob")])
      store.close()
    }
    #expect(try format() == [4, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("one of a later format is refused, not misread")
  func later() async throws {
    do {
      let store = try opened()
      try await store.set("c/a", [:])
      store.close()
    }
    try makeOld(format: 5)
    #expect(throws: StoreError.self) { _ = try opened() }
    try makeOld(format: 4)
    try opened().close()
  }
}
