/// What is there after a loss of power: the log, and a data file with any mixture of what was written to it.

import DocStore
import Platform
import TestSupport
import Testing

@testable import EngineLMDB

private typealias Contents = [UInt8: [UInt8]]

/// A data folder, and what it held after each batch.
private struct Life {
  let folder = TemporaryFolder()
  var mapBytes = LMDBSettings().mapBytes
  var engine: LMDBEngine?
  /// What was stored, and what the data file was, by commits.
  private(set) var states: [UInt64: (contents: Contents, file: [UInt8])] = [:]
  private(set) var commit: UInt64 = 0
  private(set) var contents: Contents
  private static let pageBytes = LMDBEngine.pageBytes

  init(_ contents: Contents = [:]) { self.contents = contents }

  var settings: LMDBSettings {
    var settings = LMDBSettings()
    settings.mapBytes = mapBytes
    return settings
  }

  mutating func open() throws {
    engine = try LMDBEngine.durable(folder: folder.path, settings: settings)
    try note()
  }

  func read(_ name: String) -> [UInt8] {
    (try? FileContents.read("\(folder.path)/\(name)", bytesMax: 1 << 30)) ?? []
  }

  private mutating func note() throws {
    let file = read("data.mdb")
    let heads = (0..<2).compactMap { page in
      PageHeader(
        Array(file[page * Self.pageBytes..<page * Self.pageBytes + PageHeader.byteCount]), page: page)
    }
    commit = try #require(heads.map(\.commit).max())
    states[commit] = (contents, file)
  }

  /// - Parameter tells: whether the engine is told that callers were; nil for most of the time.
  mutating func write(_ draw: inout SeededRandom, tells: Bool? = nil) throws {
    let batch = MutationBatch()
    for _ in 0..<Int.random(in: 1...6, using: &draw) { change(batch, &draw) }
    try engine?.write(batch) { (_, _) throws(StorageError) in }
    try note()
    // Not every writer says that its callers have been told.
    if tells ?? (states.count % 3 > 0) { engine?.afterBatch() }
  }

  private mutating func change(_ batch: MutationBatch, _ draw: inout SeededRandom) {
    let key = UInt8.random(in: 0..<80, using: &draw)
    switch Int.random(in: 0..<12, using: &draw) {
    case 0, 1:
      batch.remove(.documents, [key])
      contents[key] = nil
    case 2:
      batch.removeRange(.documents, KeyRange(lower: [key], upper: [key + 3]), limit: 2)
      for key in (key..<key + 3).filter({ contents[$0] != nil }).prefix(2) { contents[key] = nil }
    default:
      // One in a hundred is more than is logged.
      let isLarge = Int.random(in: 0..<100, using: &draw) == 0
      let count =
        isLarge ? CommitLog.batchBytesMax : [10, 300, 1_900, 9_000].randomElement(using: &draw) ?? 10
      let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &draw), count: count)
      batch.put(.documents, [key], value)
      contents[key] = value
    }
  }

  /// The folder as a loss of power may leave it: each page of the data file as it was with the last checkpoint or at any time
  /// since.
  ///
  /// - Parameter isTorn: the last batch had not been answered yet, and half of its record is on the disk.
  func afterLossOfPower(isTorn: Bool, _ draw: inout SeededRandom) throws -> Life? {
    var life = Life(contents)
    for file in 0..<2 { try life.put("commits.\(file).log", read("commits.\(file).log")) }
    let remains = try #require(try CommitLogRemains(folder: life.folder.path))
    var newest = commit
    if isTorn {
      guard try life.tear() else { return nil }
      newest -= 1
      guard let state = states[newest] else { return nil }
      life.contents = state.contents
    }
    let files = (remains.checkpointCommit...newest).compactMap { states[$0]?.file }
    var data = [UInt8](repeating: 0, count: try #require(files.map(\.count).max()))
    for start in stride(from: 0, to: data.count, by: Self.pageBytes) {
      guard let file = files.filter({ $0.count > start }).randomElement(using: &draw) else { continue }
      let end = min(start + Self.pageBytes, file.count)
      data.replaceSubrange(start..<end, with: file[start..<end])
    }
    try life.put("data.mdb", data)
    return life
  }

  func checkAfterLossOfPower(_ draw: inout SeededRandom) throws {
    var next = try #require(try afterLossOfPower(isTorn: false, &draw))
    try next.open()
    try next.check("after a loss of power")
  }

  /// The folder as it is, as of a process that was killed.
  func killed() throws -> Life {
    let life = Life(contents)
    for name in folder.names { try life.put(name, read(name)) }
    return life
  }

  /// What opening says; nil when it can be opened.
  func refusal() -> String? {
    do throws(LMDBOpenError) {
      _ = try LMDBEngine.durable(folder: folder.path, settings: settings)
      return nil
    } catch { return error.description }
  }

  func put(_ name: String, _ bytes: [UInt8]) throws {
    let file = try FileReplacement(of: "\(folder.path)/\(name)")
    try file.write(bytes)
    try file.finish()
  }

  /// Spoils the end of the last record; false where there is none.
  private func tear() throws -> Bool {
    let records = try #require(try CommitLogRemains(folder: folder.path)).recordPlaces
    guard let (path, place) = records.last, let name = path.split(separator: "/").last else { return false }
    var bytes = read(String(name))
    for index in place.suffix(5) { bytes[index] ^= 0xFF }
    try put(String(name), bytes)
    return true
  }

  func check(_ what: Comment) throws {
    var found: Contents = [:]
    try engine?.read { (view) throws(StorageError) in
      try view.scan(.documents, .all, .forward) { key, value in
        found[key[0]] = Array(value)
        return .more
      }
    }
    #expect(found == contents, what)
  }
}

@Suite("the log of commits")
struct CommitLogTests {
  @Test("what was answered is there after a loss of power, again and again", arguments: 1...6)
  func lossOfPower(seed: Int) throws {
    var draw = SeededRandom(seed: UInt64(seed))
    var life = Life()
    try life.open()
    for round in 0..<8 {
      for _ in 0..<Int.random(in: 1...60, using: &draw) { try life.write(&draw) }
      // Its own engine stays open meanwhile: nothing is put in order by closing.
      let (before, isTorn) = (life, round % 2 == 1)
      guard var next = try before.afterLossOfPower(isTorn: isTorn, &draw) else { continue }
      let report = try FolderCheck.run(folder: next.folder.path)
      #expect(report.pages == [] && report.log == nil, "\(report.lines)")
      try next.open()
      try next.check("round \(round), torn \(isTorn)")
      life = next
    }
  }

  /// A folder with a log of six batches behind its checkpoint, in one file.
  private func written(_ draw: inout SeededRandom) throws -> Life {
    var life = Life()
    try life.open()
    while try CommitLogRemains(folder: life.folder.path)?.recordPlaces.count != 6 { try life.write(&draw) }
    return life
  }

  @Test("a checkpoint that is due begins when callers have been told, and without that with the next batch")
  func due() throws {
    for tells in [true, false] {
      var life = Life()
      try life.open()
      let (folder, engine) = (life.folder.path, try #require(life.engine))
      func write() throws {
        let batch = MutationBatch()
        batch.put(.documents, [1], [2])
        try engine.write(batch) { (_, _) throws(StorageError) in }
      }
      func checkpoint() throws -> UInt64? { try CommitLogRemains(folder: folder)?.checkpointCommit }
      try write()
      let first = try #require(try checkpoint())
      for _ in 0..<7 { try write() }
      #expect(try checkpoint() == first)
      if tells { engine.afterBatch() } else { try write() }
      let end = ContinuousClock.now + .seconds(20)
      while try checkpoint() == first, ContinuousClock.now < end { usleep(1_000) }
      #expect(try checkpoint() == first + 8)
    }
  }

  @Test("a log file that is removed before it is the next one is made again")
  func removedNext() throws {
    var draw = SeededRandom(seed: 12)
    var life = Life()
    try life.open()
    let folder = life.folder.path
    func records() throws -> [String] { try CommitLogRemains(folder: folder)?.recordPlaces.map(\.path) ?? [] }
    while try records().count != 8 { try life.write(&draw, tells: false) }
    let active = try records().last
    for path in CommitLogFile.paths(folder) where path != active { unlink(path) }
    try life.write(&draw, tells: false)
    var killed = try life.killed()
    try killed.open()
    try killed.check("after a kill")
  }

  @Test("a process that was killed lost nothing, and a folder that was closed has no log")
  func killedAndClosed() throws {
    var draw = SeededRandom(seed: 7)
    var life = try written(&draw)
    var killed = try life.killed()
    try killed.open()
    try killed.check("after a kill")
    life.engine?.settle()
    #expect(life.folder.names.filter { $0.hasSuffix(".log") } == [])
    try life.write(&draw)
    #expect(life.folder.names.filter { $0.hasSuffix(".log") }.count == 2)
    life.engine = nil
    #expect(life.folder.names.filter { $0.hasSuffix(".log") } == [])
    try life.open()
    try life.check("after closing")
  }

  @Test("the map grows while the view of a checkpoint is held, and a loss of power undoes nothing")
  func growing() throws {
    var draw = SeededRandom(seed: 10)
    var life = Life()
    life.mapBytes = 128 << 10
    try life.open()
    for _ in 0..<60 { try life.write(&draw) }
    #expect(life.read("data.mdb").count > 4 * life.mapBytes)
    try life.checkAfterLossOfPower(&draw)
  }

  @Test("a log that is removed under a process is made again")
  func removed() throws {
    var draw = SeededRandom(seed: 8)
    var life = try written(&draw)
    for path in CommitLogFile.paths(life.folder.path) { unlink(path) }
    for _ in 0..<3 { try life.write(&draw) }
    try life.checkAfterLossOfPower(&draw)
  }

  @Test("a log that is damaged, or is not this file's, is refused in words, and nothing is changed")
  func refused() throws {
    var draw = SeededRandom(seed: 9)
    let life = try written(&draw)
    let places = try #require(try CommitLogRemains(folder: life.folder.path)).recordPlaces
    let log = String(places[0].path.split(separator: "/").last ?? "")
    var bytes = life.read(log)
    bytes[places[4].place.lowerBound + 3] ^= 1
    var zeros = life.read(log)
    for index in places[4].place.lowerBound - 8..<places[4].place.upperBound { zeros[index] = 0 }
    let first = try #require(life.states.keys.min().flatMap { life.states[$0]?.file })
    let rows: [(change: (Life) throws -> Void, says: String)] = [
      (
        { try $0.put(log, bytes) },
        "is damaged at byte \(places[4].place.lowerBound - 8), and records of commits follow"
      ),
      (
        { try $0.put(log, zeros) },
        "is damaged at byte \(places[4].place.lowerBound - 8), and records of commits follow"
      ),
      ({ unlink($0.folder.path + "/data.mdb") }, "`data.mdb` is missing, and its log is there"),
      ({ try $0.put("data.mdb", first) }, "its log begins with commit"),
      ({ try $0.put("data.mdb", [UInt8](repeating: 7, count: 9_000)) }, "does not say where the data begins"),
    ]
    for row in rows {
      let changed = try life.killed()
      try row.change(changed)
      let before = changed.folder.names.filter { $0 != "owner.lock" }.map { changed.read($0) }
      let said = changed.refusal() ?? "nothing"
      #expect(said.contains(row.says), "\(said)")
      #expect(changed.folder.names.filter { $0 != "owner.lock" }.map { changed.read($0) } == before)
    }
  }
}
