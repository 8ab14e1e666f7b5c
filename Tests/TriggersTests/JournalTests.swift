/// What outlives a process: positions, dead letters, registrations.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct JournalTests {
  private let folder = TemporaryFolder()
  private let other = TemporaryFolder()

  private func reopened() throws -> TriggerJournal { try TriggerJournal(folder: folder.path) }

  /// The file as it is at this moment, while somebody writes it.
  private func copied() throws -> TriggerJournal {
    let path = other.path + "/triggers.journal"
    try write(try bytes(of: folder.path + "/triggers.journal"), to: path)
    return try TriggerJournal(path: path)
  }

  @Test("a runner of a later process goes on where the last one was, and repeats nothing")
  func goesOn() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let seen = Journal<String>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { seen.note($0.path.text) }
    do {
      let runner = try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
      for number in 0..<5 { try await store.set("c/a\(number)", [:]) }
      try await runner.whileRunning { #expect(await runner.drain()) }
    }
    // Nobody runs.
    for number in 0..<5 { try await store.set("c/b\(number)", [:]) }
    let runner = try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
    try await runner.whileRunning { #expect(await runner.drain()) }
    #expect(seen.entries.sorted() == (0..<5).map { "c/a\($0)" } + (0..<5).map { "c/b\($0)" })
    store.close()
  }

  @Test("after a crash only what was under way, or not yet written down, comes again", arguments: [1, 16])
  func crash(acknowledgementsMax: Int) async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let seen = Journal<String>()
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    let stuck = try onDocumentCreated("c/{d}", name: "t") { event in
      if event.path.text == "c/0" { for await _ in gate { break } }
      seen.note(event.path.text)
    }
    var settings = TriggerSettings.quick
    settings.acknowledgementsMax = acknowledgementsMax
    // Only full groups are written down.
    settings.discoveryInterval = .seconds(3_600)
    let first = try TriggerRunner(
      store, [stuck], databases: [database], settings: settings, journal: try reopened())
    let running = Task { await first.run() }
    for number in 0..<100 { try await store.set("c/\(number)", [:]) }
    #expect(try await eventually { seen.entries.count == 99 })
    #expect(
      try await eventually {
        let marks = try copied().opened.triggers["t"]?.done[database]?.count ?? 0
        return marks > 99 - acknowledgementsMax
      })
    // What another process would find: the file as it is now.
    let copy = try copied()
    let again = Journal<String>()
    let trigger = try onDocumentCreated("c/{d}", name: "t") { again.note($0.path.text) }
    let second = try TriggerRunner(store, [trigger], settings: .quick, journal: copy)
    try await second.whileRunning { #expect(await second.drain()) }
    #expect(again.entries.contains("c/0"))
    #expect(again.entries.count <= acknowledgementsMax)
    opener.yield()
    running.cancel()
    await running.value
    store.close()
  }

  @Test("dead letters come back with their documents, and can be tried again and forgotten")
  func deadLetters() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let failing = try onDocumentWritten("c/{d}", name: "t") { _ in throw TestFailure() }
    do {
      let runner = try TriggerRunner(store, [failing], settings: .quick, journal: try reopened())
      try await store.set("c/a", ["n": .integer(1)])
      try await store.set("c/a", ["n": .integer(2)])
      try await store.set("c/b", ["n": .integer(3)])
      try await runner.whileRunning { #expect(await runner.drain()) }
    }
    let seen = Journal<DocumentEvent>()
    let trigger = try onDocumentWritten("c/{d}", name: "t") { seen.note($0) }
    do {
      let runner = try TriggerRunner(store, [trigger], settings: .quick, journal: try reopened())
      #expect(runner.deadLetters.map(\.reason) == Array(repeating: "TestFailure()", count: 3))
      let letter = try #require(runner.deadLetters.first { $0.event.after == ["n": .integer(2)] })
      #expect(letter.event.before == ["n": .integer(1)])
      #expect(letter.event.parameters == ["d": "a"] && letter.attempts == 4)
      #expect(throws: TriggerError.unknownDeadLetter("x")) { try runner.retry(["x"]) }
      #expect(try runner.retry([letter.id]) == 1)
      // Once is enough.
      #expect(try runner.retry([letter.id]) == 0)
      try await runner.whileRunning {
        #expect(await runner.drain())
        #expect(seen.entries.map(\.id) == [letter.id])
        let rest = runner.deadLetters
        #expect(rest.count == 2)
        let other = try #require(rest.first { $0.event.path.text == "c/a" })
        #expect(try runner.discard([other.id]) == 1)
        #expect(throws: TriggerError.unknownDeadLetter(other.id)) { try runner.discard([other.id]) }
      }
    }
    #expect(try reopened().opened.deadLetters.map(\.event.path.text) == ["c/b"])
    store.close()
  }

  @Test("a trigger that is ended leaves nothing behind; registrations come back")
  func registrations() async throws {
    let store = try naiveStore()
    do {
      let runner = try TriggerRunner(store, [], settings: .quick, journal: try reopened())
      for name in ["a", "b"] {
        let trigger = try onDocumentWritten("c/{d}", name: name) { _ in }
        try runner.register(trigger, registration: Array("how to make \(name)".utf8))
      }
      try runner.unregister("a")
      #expect(throws: TriggerError.unknownTrigger("a")) { try runner.unregister("a") }
      try await runner.whileRunning { #expect(await runner.drain()) }
    }
    let found = try reopened().registrations
    #expect(found.map(\.name) == ["b"])
    #expect(found.map(\.body) == [Array("how to make b".utf8)])
  }

  @Test("a dead letter of before authors were kept is read, of an unknown author")
  func oldLetter() throws {
    var writer = WireWriter(reserving: 64)
    writer.message(4) {
      $0.field(1, text: "t")
      $0.field(2, text: "demo-test")
      $0.field(3, text: "(default)")
      $0.field(4, text: "c/d")
      $0.field(5, varint: 9)
      $0.field(6, text: "9-a")
      $0.field(7, varint: 3)
      $0.field(8, text: "why")
      $0.field(9, varint: 10)
    }
    let record = try #require(writer.bytes.withUnsafeBytes { JournalRecord($0) })
    guard case .deadLetter(let letter) = record else {
      Issue.record("another record")
      return
    }
    #expect(
      letter.event.author == .unknown && letter.event.document.path.text == "c/d" && letter.attempts == 3)
  }

  // MARK: the file

  private func letter() -> DeadLetter {
    DeadLetter(
      trigger: "ünï",
      event: DocumentEvent("1-a", path("c/d"), before: nil, after: ["n": .integer(1)], version: 9),
      attempts: 3, reason: "no\nreason", time: -5)
  }

  @Test("records are read as they were written")
  func records() throws {
    let letter = letter()
    for record in [
      JournalRecord.checkpoint("t", since: 7, [database: 8, DatabaseID(project: "p", database: "d"): -1]),
      .done("t", database, [EventMark(version: 10, document: .max), EventMark(11, path("c/e"))]),
      .deadLetter(letter), .registration("t", [0, 255, 10]), .paused("t", since: 12),
      .paused("t", since: nil),
      .paused(nil, since: 13), .paused(nil, since: nil),
    ] {
      var image = JournalImage()
      image.apply(.checkpoint("t", since: 1, [:]))
      image.apply(.paused("t", since: 2))
      image.apply(.paused(nil, since: 3))
      var copied = image
      image.apply(record)
      copied.apply(try #require(record.encoded.withUnsafeBytes { JournalRecord($0) }))
      #expect(copied.triggers["t"]?.since == image.triggers["t"]?.since)
      #expect(copied.triggers["t"]?.positions == image.triggers["t"]?.positions)
      #expect(copied.triggers["t"]?.done == image.triggers["t"]?.done)
      #expect(copied.triggers["t"]?.registration == image.triggers["t"]?.registration)
      #expect(copied.triggers["t"]?.pausedSince == image.triggers["t"]?.pausedSince)
      #expect(copied.pausedSince == image.pausedSince)
      #expect(copied.deadLetters.map(\.event.author) == image.deadLetters.map(\.event.author))
      #expect(copied.deadLetters.map(\.event.after) == image.deadLetters.map(\.event.after))
      #expect(copied.deadLetters.map(\.reason) == image.deadLetters.map(\.reason))
      #expect(copied.deadLetters.map(\.time) == image.deadLetters.map(\.time))
    }
  }

  /// The file after two records, and where the first ends.
  private func twoRecords() throws -> (whole: [UInt8], firstEnd: Int) {
    let journal = try reopened()
    try journal.append([.checkpoint("a", since: 1, [:])], isSynced: true)
    let firstEnd = try bytes(of: journal.path).count
    try journal.append([.checkpoint("b", since: 2, [:])], isSynced: true)
    return (try bytes(of: journal.path), firstEnd)
  }

  @Test("a torn end is cut off wherever it is torn, and the file goes on from there")
  func tornEnd() throws {
    let journalPath = folder.path + "/triggers.journal"
    let (whole, firstEnd) = try twoRecords()
    for length in 0..<whole.count {
      try write(Array(whole[..<length]), to: journalPath)
      let names = length < firstEnd ? [] : ["a"]
      #expect(try reopened().opened.triggers.keys.sorted() == names, "\(length) bytes")
      let journal = try reopened()
      try journal.append([.checkpoint("c", since: 3, [:])], isSynced: false)
      #expect(try reopened().opened.triggers.keys.sorted() == names + ["c"], "\(length) bytes")
    }
    // A bit of the last record that turned over ends the file there; so do zeros, which a power failure leaves.
    for index in firstEnd..<whole.count {
      var damaged = whole
      damaged[index] ^= 1
      try write(damaged, to: journalPath)
      #expect(try reopened().opened.triggers.keys.sorted() == ["a"], "byte \(index)")
      #expect(try bytes(of: journalPath).count == firstEnd)
    }
    try write(whole + [UInt8](repeating: 0, count: 100), to: journalPath)
    #expect(try reopened().opened.triggers.keys.sorted() == ["a", "b"])
    #expect(try bytes(of: journalPath) == whole)
  }

  @Test("a journal that is damaged before its end is refused and left alone, wherever it is damaged")
  func damage() throws {
    let journalPath = folder.path + "/triggers.journal"
    let (whole, firstEnd) = try twoRecords()
    for index in 0..<firstEnd {
      for bit in 0..<8 {
        var damaged = whole
        damaged[index] ^= 1 << bit
        try write(damaged, to: journalPath)
        #expect(throws: JournalError.self, "byte \(index)") { try reopened() }
        #expect(throws: JournalError.self) { try TriggerJournal.historyNeeded(folder: folder.path) }
        #expect(try bytes(of: journalPath) == damaged)
        guard index >= 8 else { continue }
        do { _ = try reopened() } catch {
          #expect("\(error)".contains("it is damaged at byte 8, and more follows"), "\(error)")
        }
      }
    }
  }

  @Test("what a newer version has written is refused, not cut off")
  func newerVersion() throws {
    let (whole, _) = try twoRecords()
    var writer = WireWriter(reserving: 16)
    writer.message(31) { $0.field(1, text: "new") }
    let content = writer.bytes
    var newer = whole
    withUnsafeBytes(of: UInt32(content.count).littleEndian) { newer.append(contentsOf: $0) }
    let checksum = content.withUnsafeBytes { CRC32C.checksum($0) }
    withUnsafeBytes(of: checksum.littleEndian) { newer.append(contentsOf: $0) }
    try write(newer + content, to: folder.path + "/triggers.journal")
    do {
      _ = try reopened()
      Issue.record("opened")
    } catch {
      #expect("\(error)".contains("byte \(whole.count) begins what only a newer version"), "\(error)")
    }
    #expect(try bytes(of: folder.path + "/triggers.journal") == newer + content)
  }

  @Test("a record that could not be read again is not written")
  func longRecord() throws {
    let journal = try reopened()
    try journal.append([.checkpoint("a", since: 1, [:])], isSynced: true)
    let before = try bytes(of: journal.path)
    let long = JournalRecord.registration("a", [UInt8](repeating: 1, count: TriggerJournal.recordBytesMax))
    #expect(throws: JournalError.self) { try journal.append([long], isSynced: true) }
    #expect(try bytes(of: journal.path) == before)
    let runner = try TriggerRunner(try naiveStore(), [], settings: .quick, journal: journal)
    let trigger = try onDocumentWritten("c/{d}", name: "t") { _ in }
    let count = TriggerSettings.registrationBytesMax
    #expect(throws: TriggerError.tooLong(bytes: count + 1)) {
      try runner.register(trigger, registration: [UInt8](repeating: 1, count: count))
    }
    #expect(runner.statuses.isEmpty)
  }

  @Test("what is no journal is refused and left alone")
  func foreignFile() throws {
    let path = folder.path + "/triggers.journal"
    try write(Array("something else".utf8), to: path)
    #expect(throws: JournalError.self) { try reopened() }
    #expect(try bytes(of: path) == Array("something else".utf8))
  }

  @Test("writing the file anew keeps what it says")
  func rewriting() throws {
    do {
      let journal = try reopened()
      var image = JournalImage()
      for number in 0..<100 {
        let record = JournalRecord.checkpoint("t", since: Int64(number), [database: Int64(number * 2)])
        image.apply(record)
        try journal.append([record], isSynced: false)
      }
      image.apply(.done("t", database, [EventMark(version: 500, document: 5)]))
      image.apply(.deadLetter(letter()))
      let long = try bytes(of: journal.path).count
      try journal.rewrite(image)
      #expect(try bytes(of: journal.path).count < long)
      try journal.append([.checkpoint("u", since: 4, [:])], isSynced: true)
    }
    let image = try reopened().opened
    #expect(image.triggers["t"]?.since == 99 && image.triggers["t"]?.positions == [database: 198])
    #expect(image.triggers["t"]?.isDone(database, 500, path("x")) == false)
    #expect(image.triggers["t"]?.done[database] == [EventMark(version: 500, document: 5)])
    #expect(image.triggers["u"]?.since == 4 && image.deadLetters.count == 1)
    #expect(try TriggerJournal.historyNeeded(folder: folder.path) == 4)
    #expect(try TriggerJournal.historyNeeded(folder: folder.path + "/none") == nil)
  }
}
