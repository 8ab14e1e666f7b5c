/// What Ctrl-C ends, and stores that another process writes to.

import Access
import DocModel
import DocStore
import EngineLMDB
import Platform
import Testing

@testable import Shell

@Suite("Interrupted statements and stores that can only be read", .serialized, .ownInterruption)
struct UnfinishedTests {
  private static func folder<R>(_ body: (String) throws -> R) throws -> R {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/read-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["data.mdb", "lock.mdb", "owner.lock", "s.rules-test.yaml"] { unlink(path + "/" + name) }
      rmdir(path)
    }
    return try body(path)
  }

  @Test("A scan ends when its user no longer waits, whatever it finds")
  func scans() throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    let total = ScanInterruption.interval * 3
    try store.commitAndWait(
      SessionKit.database,
      try (0..<total).map { number in
        Write(
          ResourcePath(unchecked: "numbers/n\(number)"),
          .update(fields: try Canonicalizer.fields(["n": .integer(Int64(number))]), mask: nil))
      })
    let backend = EmbeddedBackend(store, database: SessionKit.database, location: "here", rules: nil)
    var query = StructuredQuery(
      database: SessionKit.database, collection: ResourcePath(unchecked: "numbers"))
    func documentsRead() throws -> Int {
      try backend.guarded.runPiece(try QueryValidator.validate(query), as: .admin, at: .newest) { _ in .more }
        .run.documentsRead
    }
    #expect(try documentsRead() == total)
    query.filter = .field("n", .equal, .integer(-1))
    Interruption.raise()
    defer { Interruption.clear() }
    // Nothing is delivered, so nobody but the scan itself can end it.
    #expect(try documentsRead() <= ScanInterruption.interval)
    query.filter = nil
    #expect(try documentsRead() == ScanInterruption.interval)
    let sum = Aggregation(.sum(field: "n"))
    #expect(throws: ShellError.self) { try backend.aggregate(query, [sum], as: .administrator, in: nil) }
    #expect(throws: ShellError.self) { try backend.run(query, as: .administrator, in: nil) { _ in true } }
  }

  @Test("Tests end before their next case")
  func suites() async throws {
    try await SessionKit.talk(.embedded) { talk in
      try Self.folder { folder in
        let file = folder + "/s.rules-test.yaml"
        #expect(talk.run(":record \(file)", ":as alice", "users/bob", ":record off").status == 0)
        #expect(talk.run(":test \(file)").status == 0)
        Interruption.raise()
        defer { Interruption.clear() }
        for command in [":test \(file)", ":coverage \(file)"] {
          #expect {
            try talk.session.execute(command)
          } throws: { error in
            (error as? ShellError)?.status == ShellStatus.interrupted
          }
        }
      }
    }
  }

  private static let refused = [
    "create users/x {}", "users/bob := {}", "delete users/bob", "delete users/bob recursive", ":clear",
    ":begin",
    ":watch users", ":seed x.yaml",
  ]

  @Test("A store that another process writes to can be read, and says who has it")
  func readOnly() throws {
    try Self.folder { folder in
      do {
        let store = try DocumentStore(engine: try LMDBEngine.durable(folder: folder))
        defer { store.close() }
        try store.commitAndWait(
          SessionKit.database,
          [
            Write(
              ResourcePath(unchecked: "users/bob"),
              .update(fields: try Canonicalizer.fields(["age": .integer(40)]), mask: nil))
          ])
      }
      try LMDBEngine.checkUnused(folder: folder)
      let lock = open(folder + "/owner.lock", O_RDWR)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
      #expect(throws: LMDBOpenError.inUse(folder: folder, process: getpid())) {
        try LMDBEngine.checkUnused(folder: folder)
      }
      var options = StoreOptions()
      options.isReadOnly = true
      let store = try DocumentStore(engine: try LMDBEngine.readOnly(folder: folder), options: options)
      defer { store.close() }
      let talk = try Talk(
        EmbeddedBackend(
          store, database: SessionKit.database, location: "there", rules: nil,
          readOnlyReason: "process 7 has it"))
      talk.session.settings.assumesYes = true
      #expect(talk.session.prompt == "demo (admin, read-only)> ")
      #expect(talk.run("users where age > 30 | ids").results == ["bob"])
      #expect(talk.run("users | count").results == ["1"])
      #expect(talk.run(":begin readonly", "users/bob | ids", ":commit").status == 0)
      for statement in Self.refused {
        let answer = talk.run(statement)
        #expect(answer.status == 1, "\(statement)")
        #expect(
          answer.messages.contains { $0.range(ofBytes: "process 7 has it") != nil }, "\(answer.messages)")
      }
      #expect(throws: StoreError.self) {
        try store.commitAndWait(SessionKit.database, [Write(ResourcePath(unchecked: "users/bob"), .delete)])
      }
      #expect(talk.run("users | count").results == ["1"])
    }
  }
}
