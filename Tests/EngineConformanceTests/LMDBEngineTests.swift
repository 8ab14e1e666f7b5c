/// What is LMDB's own: folders, locks, the map that grows, durability.

import DocStore
import Platform
import TestSupport
import Testing

@testable import EngineLMDB

@Suite("LMDB engine")
struct LMDBEngineTests {
  @Test("a durable folder is there again after closing")
  func durable() throws {
    let folder = TemporaryFolder()
    do {
      let engine = try LMDBEngine.durable(folder: folder.path)
      try engine.put([([1], [2])])
    }
    let engine = try LMDBEngine.durable(folder: folder.path)
    #expect(try engine.value([1]) == [2])
  }

  @Test("a folder that is open elsewhere is refused with its owner")
  func inUse() throws {
    let folder = TemporaryFolder()
    let engine = try LMDBEngine.durable(folder: folder.path)
    let error = #expect(throws: LMDBOpenError.self) { try LMDBEngine.durable(folder: folder.path) }
    guard case .inUse(folder.path, let process)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(process > 0)
    try engine.put([([1], [1])])
  }

  @Test("a closed folder is free although a child that begins has inherited its lock")
  func inherited() throws {
    let folder = TemporaryFolder()
    var lock: FolderLock? = try FolderLock(folder.path)
    let inherited = dup(try #require(lock).descriptor)
    defer { close(inherited) }
    lock = nil
    _ = try LMDBEngine.durable(folder: folder.path)
  }

  @Test("a folder that cannot be, and one that holds something else, are refused in words")
  func unusable() throws {
    let folder = TemporaryFolder()
    #expect(throws: LMDBOpenError.self) { try LMDBEngine.durable(folder: "/proc/none/here") }
    try writeFile(folder.path + "/file", "x")
    let error = #expect(throws: LMDBOpenError.self) { try LMDBEngine.durable(folder: folder.path + "/file") }
    #expect(error?.description == "data folder `\(folder.path)/file`: cannot use it: Not a directory")
    try writeFile(folder.path + "/data.mdb", String(repeating: "garbage", count: 5_000))
    let damaged = #expect(throws: LMDBOpenError.self) { try LMDBEngine.durable(folder: folder.path) }
    guard case .damaged? = damaged else {
      Issue.record("\(String(describing: damaged))")
      return
    }
  }

  @Test("an ephemeral store leaves no name behind")
  func ephemeral() throws {
    let folder = TemporaryFolder()
    let engine = try LMDBEngine.ephemeral(in: folder.path)
    try engine.put([([1], [1])])
    #expect(folder.names == [])
    #expect(try engine.value([1]) == [1])
  }

  @Test("what is prepared is seen once it is committed, and gone where it is not", arguments: [false, true])
  func prepares(isCommitted: Bool) throws {
    let engine = try LMDBEngine.ephemeral()
    try engine.put([([1], [1])])
    let batch = MutationBatch()
    batch.put(.documents, [1], [2])
    var prepared = engine.prepare(batch)
    #expect(prepared != nil)
    #expect(try engine.value([1]) == [1])
    if isCommitted { #expect(prepared?.commit() == true) }
    prepared = nil
    #expect(try engine.value([1]) == [isCommitted ? 2 : 1])
    // Others write again.
    try engine.put([([1], [3])])
    #expect(try engine.value([1]) == [3])
  }

  @Test("what has no room in the map is not prepared, and can be written")
  func preparesNothing() throws {
    let engine = try LMDBEngine.ephemeral(settings: LMDBSettings(mapBytes: 128 << 10))
    let batch = MutationBatch()
    batch.put(.documents, [1], [UInt8](repeating: 1, count: 1 << 20))
    #expect(engine.prepare(batch) == nil)
    try engine.write(batch) { (_, _) throws(StorageError) in }
    #expect(try engine.value([1])?.count == 1 << 20)
  }

  @Test(
    "changes leave no page half empty where they come in order, and are all there where they do not",
    arguments: [1, 2])
  func changesInOrder(generations: Int) throws {
    let engine = try LMDBEngine.ephemeral()
    let count = 20_000
    func key(_ number: Int) -> [UInt8] {
      [UInt8(number % generations)] + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }
    let row = [UInt8](repeating: 1, count: 43)
    for first in stride(from: 0, to: count, by: 500) {
      try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
        for number in first..<first + 500 { batch.put(.changes, key(number), row) }
      }
    }
    try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
      batch.put(.changes, key(count - 1), [2])
    }
    let (size, keys, last) = try engine.read { (view) throws(StorageError) in
      var keys: [[UInt8]] = []
      try view.scan(.changes, .all, .forward) { key, _ in
        keys.append(Array(key))
        return .more
      }
      return (try view.size(of: .changes), keys, try view.get(.changes, key(count - 1)).map { Array($0) })
    }
    #expect(keys == (0..<count).map(key).sorted { $0.lexicographicallyPrecedes($1) })
    #expect(last == [2], "a key that is there gets the new value")
    // 10 bytes of the library's for each, and 16 of each page.
    let net = count * (5 + row.count + 10)
    #expect(size.bytes < net * (generations == 1 ? 105 : 165) / 100, "\(size.bytes) for \(net)")
  }

  @Test("the map grows when it is full, and the batch is applied whole")
  func grows() throws {
    let engine = try LMDBEngine.ephemeral(settings: LMDBSettings(mapBytes: 128 << 10))
    for round in UInt8(0)..<20 {
      try engine.put((0..<100).map { ([round, UInt8($0)], [UInt8](repeating: round, count: 1_000)) })
    }
    #expect(try engine.keys().count == 2_000)
    #expect(try engine.value([19, 99])?.count == 1_000)
  }

  @Test("beyond its largest map, or under a view that stays open, a write is refused and nothing is lost")
  func full() throws {
    let settings = LMDBSettings(mapBytes: 256 << 10, mapBytesMax: 512 << 10, growWaitMilliseconds: 20)
    let engine = try LMDBEngine.ephemeral(settings: settings)
    try engine.put([([1], [7])])
    #expect(throws: StorageError.full) { try engine.put([([2], [UInt8](repeating: 1, count: 1 << 20))]) }
    #expect(try engine.value([1]) == [7])
    #expect(try engine.value([2]) == nil)
    try engine.put([([3], [3])])
    let error = try engine.read { (_) throws(StorageError) -> StorageError? in
      do throws(StorageError) {
        try engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
          batch.put(.documents, [4], [UInt8](repeating: 1, count: 700 << 10))
        }
        return nil
      } catch { return error }
    }
    #expect(error == .full)
    #expect(try engine.keys() == [[1], [3]])
  }

  @Test("more views than reader slots are refused, not trapped")
  func readersFull() throws {
    let engine = try LMDBEngine.ephemeral(settings: LMDBSettings(readersMax: 4))
    try engine.put([([1], [1])])
    func nest(_ depth: Int) throws(StorageError) -> Int {
      try engine.read { (_) throws(StorageError) in depth == 0 ? 0 : try nest(depth - 1) + 1 }
    }
    #expect(throws: StorageError.unavailable) { _ = try nest(10) }
    #expect(try nest(2) == 2)
  }
}
