/// Data folders that are damaged on purpose, copied, repaired.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@Suite("check, repair, backup, restore")
struct FolderKeepingTests {
  private static let database = DatabaseID(project: "demo-test")
  private static let count = 400

  /// A folder of documents of every size, some changed and some deleted, one with a name that keys cannot hold.
  private static func fill(_ folder: String) throws {
    let store = try DocumentStore(engine: LMDBEngine.durable(folder: folder))
    defer { store.close() }
    try store.commitAndWait(
      database,
      (0..<count).map { number in
        .set(
          "c\(number % 7)/d\(number)",
          ["n": .integer(Int64(number)), "t": .string(String(repeating: "x", count: number % 40 * 300))])
      })
    try store.commitAndWait(database, [.set("c1/d1", ["n": .integer(-1)]), .delete("c2/d2")])
    try store.commitAndWait(database, [.set("c3/" + String(repeating: "k", count: 400), ["n": .integer(0)])])
  }

  private static func documents(_ folder: String, of database: DatabaseID = database) throws -> [String:
    Fields]
  {
    let store = try DocumentStore(engine: LMDBEngine.durable(folder: folder))
    defer { store.close() }
    return try store.read(database) { (view) throws(StoreError) in
      var found: [String: Fields] = [:]
      try view.scanDescendants(of: .root) { path, document in
        found[String(decoding: path, as: UTF8.self)] = Fields(document.fields)
        return .more
      }
      return found
    }
  }

  private static func contents(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    #expect(fread(&bytes, 1, bytes.count, file) == bytes.count)
    return bytes
  }

  private static func write(_ bytes: [UInt8], _ path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  @Test("a sound folder has no damage, and all of it is saved")
  func sound() throws {
    let folder = TemporaryFolder()
    try Self.fill(folder.path + "/data")
    let report = try FolderCheck.run(folder: folder.path + "/data")
    #expect(report.lines == [])
    #expect(report.documentCount == Self.count && report.historyCount == 2 && report.databaseCount == 1)
    let repair = try FolderCheck.repair(folder: folder.path + "/data", to: folder.path + "/new")
    #expect(repair.savedDocuments == Self.count && repair.keepsHistory)
    #expect(try Self.documents(folder.path + "/new") == Self.documents(folder.path + "/data"))
    #expect(try FolderCheck.run(folder: folder.path + "/new").lines == [])
  }

  @Test("a backup holds what the folder does, and so does what is restored from it")
  func backup() throws {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    try Self.fill(data)
    let expected = try Self.documents(data)
    // The library allows a process one opening of a folder at a time; that a server may have it is tried with processes.
    try FolderCopy.backUp(folder: data, to: folder.path + "/backups/monday")
    try FolderCopy.backUp(folder: data, to: folder.path + "/backup")
    #expect(throws: LMDBOpenError.self) {
      try FolderCopy.backUp(folder: data, to: folder.path + "/backup")
    }
    #expect(try FolderCheck.run(folder: folder.path + "/backup").lines == [])
    try FolderCopy.copy(folder: folder.path + "/backup", to: folder.path + "/restored")
    #expect(try Self.documents(folder.path + "/restored") == expected)
    #expect(throws: LMDBOpenError.self) {
      try FolderCopy.copy(folder: folder.path + "/backup", to: folder.path + "/restored")
    }
  }

  /// Every page of the file in turn: zeros, or some of its bytes changed.
  @Test("whatever is damaged is told, and what is saved is right", arguments: [0, 1, 2, 3])
  func damage(_ way: Int) throws {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    try Self.fill(data)
    let expected = try Self.documents(data)
    let sound = try Self.contents(data + "/data.mdb")
    var told = 0
    var random = SeededRandom(seed: UInt64(way))
    let count = sound.count / 4_096
    for page in stride(from: 2, to: count, by: max(1, count / 7)) {
      var bytes = sound
      let start = page * 4_096
      switch way {
      case 0: for byte in start..<start + 4_096 { bytes[byte] = 0 }
      case 1: bytes[start + Int.random(in: 0..<16, using: &random)] ^= 0x41
      case 2: for _ in 0..<8 { bytes[start + Int.random(in: 0..<4_096, using: &random)] ^= 0x10 }
      default: bytes.removeLast(bytes.count - start)
      }
      try Self.write(bytes, data + "/data.mdb")
      guard let report = try? FolderCheck.run(folder: data) else {
        told += 1
        continue
      }
      let new = folder.path + "/new\(page)"
      let repair = try FolderCheck.repair(folder: data, to: new)
      var saved = try Self.documents(new)
      for renamed in repair.renamed {
        let database = try #require(renamed.split(separator: "/").last.map(String.init))
        saved.merge(
          try Self.documents(new, of: DatabaseID(project: "recovered", database: database))
        ) { $1 }
      }
      if !report.isClean { told += 1 }
      // A page that is free, or one that only indexes use, may be wrong without loss.
      if report.isClean { #expect(saved == expected, "page \(page)") }
      for (path, fields) in saved where expected[path] != fields {
        // Without the newest head, an older commit is read: its documents are right, too.
        Issue.record("page \(page), way \(way): \(path) is not what was written")
      }
      removeFolder(new)
    }
    #expect(told > 2)
  }

  private func removeFolder(_ path: String) {
    for name in ["data.mdb", "lock.mdb", "owner.lock", "head.sum"] { unlink(path + "/" + name) }
    rmdir(path)
  }
}
