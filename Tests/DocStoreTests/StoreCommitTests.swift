/// Commits: preconditions, masks, results, sequence, atomicity.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@Suite("commits")
struct StoreCommitTests {
  let test: TestStore

  init() throws { test = try TestStore() }

  @Test("a set replaces the document and keeps its create time")
  func setReplaces() throws {
    let first = try test.set("c/a", ["x": .integer(1), "y": .integer(2)])
    let second = try test.set("c/a", ["y": .integer(3)])
    #expect(try test.fields("c/a") == ["y": .integer(3)])
    #expect(second.commitTime > first.commitTime)
    #expect(second.results == [WriteResult(updateTime: second.commitTime)])
    let times = try #require(try test.times("c/a"))
    #expect(times == (first.commitTime, second.commitTime))
  }

  @Test("versions follow the clock and rise when it stands still or steps back")
  func versionsRise() throws {
    test.clock.advance(seconds: 5)
    let first = try test.set("c/a", ["x": .integer(1)]).commitTime
    #expect(first == test.clock.now)
    let second = try test.set("c/a", ["x": .integer(2)]).commitTime
    test.clock.advance(seconds: -3)
    let third = try test.set("c/a", ["x": .integer(3)]).commitTime
    #expect(second == first + 1)
    #expect(third == first + 2)
  }

  @Test("a write that changes nothing keeps the update time, in value and type at every depth")
  func noOpKeepsUpdateTime() throws {
    let fields: Fields = ["m": .map(["a": .array([.integer(1), .double(.nan)])])]
    let first = try test.set("c/a", fields)
    let same = try test.set("c/a", fields)
    #expect(same.commitTime > first.commitTime)
    #expect(same.results[0].updateTime == first.commitTime)
    let merged = try test.commit(.merge("c/a", fields, "m.a", transforms: []))
    #expect(merged.results[0].updateTime == first.commitTime)
    let other = try test.set("c/a", ["m": .map(["a": .array([.double(1), .double(.nan)])])])
    #expect(other.results[0].updateTime == other.commitTime)
  }

  @Test("a transform that changes nothing keeps the update time")
  func noOpTransform() throws {
    let first = try test.set("c/a", ["n": .integer(4), "l": .array([.integer(1)])])
    let same = try test.commit(
      .transform(
        "c/a", .maximum(fieldPath("n"), .integer(3)), .appendMissing(fieldPath("l"), [.double(1)]),
        .increment(fieldPath("n"), by: .integer(0))))
    #expect(same.results[0].updateTime == first.commitTime)
    #expect(try test.times("c/a")?.updated == first.commitTime)
  }

  @Test("deleting answers no update time, also where nothing was")
  func deletes() throws {
    try test.set("c/a", ["x": .integer(1)])
    #expect(
      try test.commit(.delete("c/a"), .delete("c/b")).results == [
        .init(updateTime: nil), .init(updateTime: nil),
      ])
    #expect(try test.fields("c/a") == nil)
  }

  @Test("later writes of a commit see the earlier ones")
  func sequence() throws {
    let result = try test.commit(
      .set("c/a", ["n": .integer(1)]), .transform("c/a", .increment(fieldPath("n"), by: .integer(2))),
      .merge("c/a", ["b": .boolean(true)], "b"), .delete("c/z"),
      .set("c/z", ["n": .integer(9)], precondition: .exists(false)),
      .delete("c/z", precondition: .exists(true)))
    #expect(try test.fields("c/a") == ["n": .integer(3), "b": .boolean(true)])
    #expect(try test.fields("c/z") == nil)
    #expect(value(result.results[1].transformResults[0]) == .integer(3))
  }

  @Test("a commit that fails in its last write leaves nothing")
  func atomic() throws {
    try test.set("c/a", ["x": .integer(1)])
    let error = storeError {
      try test.commit(
        .set("c/a", ["x": .integer(2)]), .set("c/new", [:]), .delete("c/none", precondition: .exists(true)))
    }
    let none = DocumentName(database: test.database, path: ResourcePath(unchecked: "c/none"))
    #expect(error == .notFound(none))
    #expect(
      error?.message == "No document to update: projects/demo-test/databases/(default)/documents/c/none")
    #expect(try test.fields("c/a") == ["x": .integer(1)])
    #expect(try test.fields("c/new") == nil)
  }

  @Test("an empty commit has a time and changes nothing")
  func emptyCommit() throws {
    let first = try test.set("c/a", [:])
    #expect(try test.commit().commitTime > first.commitTime)
  }

  struct PreconditionCase: Sendable, CustomTestStringConvertible {
    let isPresent: Bool
    let precondition: Precondition
    let message: String?
    var testDescription: String { "\(precondition), present: \(isPresent)" }
  }

  static let name = "projects/demo-test/databases/(default)/documents/c/a"

  @Test(
    "preconditions answer as the table says",
    arguments: [
      PreconditionCase(isPresent: false, precondition: .none, message: nil),
      PreconditionCase(isPresent: true, precondition: .none, message: nil),
      PreconditionCase(
        isPresent: false, precondition: .exists(true), message: "No document to update: \(name)"),
      PreconditionCase(isPresent: true, precondition: .exists(true), message: nil),
      PreconditionCase(isPresent: false, precondition: .exists(false), message: nil),
      PreconditionCase(
        isPresent: true, precondition: .exists(false), message: "Document already exists: \(name)"),
      PreconditionCase(isPresent: false, precondition: .updateTime(0), message: nil),
      PreconditionCase(
        isPresent: false, precondition: .updateTime(7),
        message: "the stored version (0) does not match the required base version (7)"),
      PreconditionCase(
        isPresent: true, precondition: .updateTime(7),
        message: "the stored version (1704067200000001) does not match the required base version (7)"),
      PreconditionCase(isPresent: true, precondition: .updateTime(1_704_067_200_000_001), message: nil),
      PreconditionCase(
        isPresent: false, precondition: .updateTime(1_704_067_200_000_002),
        message:
          "the stored version (0) does not match the required base version (1704067200000002)"),
      PreconditionCase(
        isPresent: true, precondition: .updateTime(1_704_067_200_000_002),
        message: "Invalid base version, it is greater than the stored version: \(name)"),
    ])
  func preconditions(_ row: PreconditionCase) throws {
    if row.isPresent { try test.set("c/a", ["x": .integer(1)]) }
    for write in [
      Write.set("c/a", ["x": .integer(2)], precondition: row.precondition),
      .delete("c/a", precondition: row.precondition),
    ] {
      let fresh = try TestStore()
      if row.isPresent { try fresh.set("c/a", ["x": .integer(1)]) }
      #expect(storeError { try fresh.commit(write) }?.message == row.message)
    }
  }

  @Test("a verify answers the stored update time and writes nothing")
  func verify() throws {
    let stored = try test.set("c/a", ["x": .integer(1)]).commitTime
    let result = try test.commit(.verify("c/a", .updateTime(stored)), .verify("c/b", .exists(false)))
    #expect(result.results == [.init(updateTime: stored), .init(updateTime: nil)])
    #expect(try test.fields("c/b") == nil)
    #expect(storeError { try test.commit(.set("c/x", [:]), .verify("c/a", .updateTime(1))) } != nil)
    #expect(try test.fields("c/x") == nil)
  }

  @Test(
    "writes that may not be asked are refused before anything is written",
    arguments: [
      ([Write.verify("c/a", .none)], "a verify must contain a precondition"),
      (
        [Write.verify("c/a", .exists(false)), .set("c/a", [:])],
        "the same document cannot be verified and then written in a single request"
      ),
      (
        [Write.set("c/a", [:]), .verify("c/a", .exists(false))],
        "the same document cannot be written and then verified in a single request"
      ),
      (
        [Write.verify("c/a", .exists(false)), .verify("c/a", .exists(false))],
        "the same document cannot be verified more than once in a single request"
      ),
      (
        [
          Write(
            ResourcePath(unchecked: "c/a"), .delete, transforms: [FieldTransform(fieldPath("t"), .serverTime)]
          )
        ],
        "a delete must not specify a update transform."
      ),
      (
        [Write.transform("c/a", .increment(fieldPath("n"), by: .string("1")))],
        "Input must be int64 or double."
      ),
      (
        [Write.transform("c/a", .appendMissing(fieldPath("n"), [.array([])]))],
        "Cannot convert an array value in an array value."
      ),
      (
        [
          Write.transform(
            "c/a", .increment(fieldPath("m"), by: .integer(1)), .increment(fieldPath("m.n"), by: .integer(1)))
        ],
        "Cannot transform property m and its nested property at the same time."
      ),
      (
        [Write.transform("c/a", .increment(fieldPath("__x__"), by: .integer(1)))],
        "field name __x__ is reserved"
      ),
      (
        [Write.transform("c/a", .increment(fieldPath("a.__x__"), by: .integer(1)))],
        "field name '__x__' is reserved."
      ),
    ])
  func refusedWrites(_ writes: [Write], _ message: String) throws {
    let all = [Write.set("c/first", [:])] + writes
    #expect(
      storeError { try test.store.commitAndWait(test.database, all) } == .invalid(InvalidArgument(message)))
    #expect(try test.fields("c/first") == nil)
  }

  @Test("500 transforms of a document pass, 501 do not")
  func transformCount() throws {
    let one = FieldTransform.increment(fieldPath("n"), by: .integer(1))
    try test.commit(.transform(ResourcePath(unchecked: "c/a"), Array(repeating: one, count: 500)))
    #expect(try test.fields("c/a") == ["n": .integer(500)])
    let half = Write.transform(ResourcePath(unchecked: "c/a"), Array(repeating: one, count: 251))
    #expect(storeError { try test.commit(half, half) } != nil)
  }

  @Test("a document over 1 MiB is refused by its storage size, one byte less is not")
  func documentLimit() throws {
    // name 16 + "c" 2 + "a" 2, field "s" 2, string + 1, document 32: 55 bytes beside the text.
    let room = Limits.documentBytesMax - 55
    let halves = [room / 2, room - room / 2 - 3]
    func fields(_ extra: Int) -> Fields {
      [
        "s": .string(String(repeating: "x", count: halves[0])),
        "t": .string(String(repeating: "y", count: halves[1] + extra)),
      ]
    }
    try test.set("c/a", fields(0))
    let error = storeError { try test.set("c/a", fields(1)) }
    #expect(
      error?.message
        == "Document 'projects/demo-test/databases/(default)/documents/c/a' cannot be written because "
        + "its size (1,048,577 bytes) exceeds the maximum allowed size of 1,048,576 bytes.")
  }

  @Test("databases are apart, and each springs into being")
  func databasesAreApart() throws {
    let other = DatabaseID(project: "demo-test", database: "second")
    try test.set("c/a", ["x": .integer(1)])
    try test.store.commitAndWait(other, [.set("c/b", [:])])
    #expect(try test.fields("c/b") == nil)
    let seen = try test.store.read(other) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: "c/a")) == nil
    }
    #expect(seen)
    #expect(try test.store.databases() == [test.database, other])
  }

  @Test("a batch of writes commits each on its own")
  func batchWrite() async throws {
    try test.set("c/a", ["x": .integer(1)])
    let results = try await test.store.batchWrite(
      test.database,
      [.set("c/b", [:]), .set("c/a", [:], precondition: .exists(false)), .delete("c/q")])
    #expect(results.count == 3)
    #expect(try results[0].get().updateTime != nil)
    #expect(throws: StoreError.self) { try results[1].get() }
    #expect(try results[2].get().updateTime == nil)
    #expect(try test.fields("c/b") == [:])
    let twice = await #expect(throws: StoreError.self) {
      try await test.store.batchWrite(test.database, [.set("c/z", [:]), .delete("c/z")])
    }
    #expect(twice?.message == "the same document cannot be written more than once in a single request")
  }

  @Test("many commits at once all get their own version, and a failing one harms no other")
  func groupCommit() async throws {
    let store = test.store
    let database = test.database
    let versions = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for index in 0..<400 {
        group.addTask {
          let precondition: Precondition = index % 10 == 0 ? .exists(true) : .none
          do {
            return try await store.commit(
              database,
              [
                .transform("c/n", .increment(fieldPath("n"), by: .integer(1))),
                .set("c/d\(index)", [:], precondition: precondition),
              ]
            ).commitTime
          } catch { return nil }
        }
      }
      var versions: [Int64] = []
      for try await version in group { if let version { versions.append(version) } }
      return versions
    }
    #expect(versions.count == 360)
    #expect(Set(versions).count == 360)
    #expect(try test.fields("c/n") == ["n": .integer(360)])
    #expect(try test.collection("c").count == 361)
  }

  @Test("a damaged record is an error, not a trap")
  func damage() throws {
    try test.set("c/a", ["x": .string("hello")])
    let engine = test.store.engine
    let (key, value) = try engine.read { (view) throws(StorageError) in
      var found: ([UInt8], [UInt8]) = ([], [])
      try view.scan(.documents, .all, .forward) { key, value in
        found = (Array(key), Array(value))
        return .stop
      }
      return found
    }
    for index in value.indices {
      var damaged = value
      damaged[index] ^= 0x10
      try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
        batch.put(.documents, key, damaged)
      }
      #expect(storeError { _ = try test.fields("c/a") } == .storage(.corrupt))
      #expect(storeError { try test.commit(.merge("c/a", [:], "a")) } == .storage(.corrupt))
    }
    try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in batch.put(.documents, key, [1, 2])
    }
    #expect(storeError { _ = try test.fields("c/a") } == .storage(.corrupt))
  }

  @Test("a full engine refuses the commit and loses nothing")
  func fullEngine() throws {
    let engine = NaiveEngine()
    let store = try DocumentStore(engine: engine, environment: TestClock().environment())
    try store.commitAndWait(test.database, [.set("c/a", ["x": .integer(1)])])
    engine.failWrites(with: .full)
    #expect(storeError { try store.commitAndWait(test.database, [.set("c/a", [:])]) } == .storage(.full))
    engine.failWrites(with: nil)
    try store.commitAndWait(test.database, [.set("c/b", [:])])
    let fields = try store.read(test.database) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: "c/a")).map { Fields($0.fields) }
    }
    #expect(fields == ["x": .integer(1)])
  }

  @Test("a folder is free as soon as its store is closed and released")
  func freed() throws {
    let folder = TemporaryFolder()
    // The thread that writes used to hold the engine for some microseconds longer; one try in two met it.
    for _ in 0..<20 {
      do {
        let store = try DocumentStore(engine: try LMDBEngine.durable(folder: folder.path))
        defer { store.close() }
        try store.commitAndWait(QueryTestSource.database, [.set("c/a", ["x": .integer(1)])])
      }
      try LMDBEngine.checkUnused(folder: folder.path)
    }
  }
}
