/// Folders whose files are not as they were written: refused in words, and left as they are.

import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@Suite("damaged folders")
struct DamagedFolderTests {
  private let folder = TemporaryFolder()
  private static let pageBytes = 4_096

  private func make() throws {
    let engine = try LMDBEngine.durable(folder: folder.path)
    for number in 0..<40 {
      try engine.put([([UInt8(number)], [UInt8](repeating: UInt8(number), count: 2_000))])
    }
  }

  /// Why the folder is refused; nil when it is opened.
  private func refusal() throws -> String? {
    do throws(LMDBOpenError) {
      _ = try LMDBEngine.durable(folder: folder.path)
      return nil
    } catch {
      guard case .damaged = error else {
        Issue.record("\(error)")
        return nil
      }
      return error.description
    }
  }

  private func changeByte(_ offset: Int, of file: String = "data.mdb", by bits: UInt8) throws {
    let descriptor = open(folder.path + "/" + file, O_RDWR)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var byte: UInt8 = 0
    try #require(pread(descriptor, &byte, 1, off_t(offset)) == 1)
    byte ^= bits
    try #require(pwrite(descriptor, &byte, 1, off_t(offset)) == 1)
  }

  @Test("every bit of the first two pages' heads counts, and a changed one is refused by its page")
  func heads() throws {
    try make()
    #expect(try refusal() == nil)
    for page in 0..<2 {
      // From the magic number to the number of the commit.
      for offset in 16..<152 {
        let place = page * Self.pageBytes + offset
        try changeByte(place, by: 1 << (offset % 8))
        let text = try refusal()
        #expect(text?.contains("page ") == true && text?.contains(folder.path) == true, "byte \(place)")
        let report = try? FolderCheck.run(folder: folder.path)
        #expect(report?.isClean != true, "a check finds byte \(place), too")
        try changeByte(place, by: 1 << (offset % 8))
      }
    }
    #expect(try refusal() == nil)
  }

  @Test("a folder without the sums of its heads is opened, and has them then")
  func withoutSums() throws {
    try make()
    unlink(folder.path + "/head.sum")
    #expect(try refusal() == nil)
    try changeByte(Self.pageBytes + 40 + 8, by: 1)
    #expect(try refusal()?.contains("head.sum") == true)
  }

  @Test(
    "an empty file is no new store, and one that was cut says where",
    arguments: [0, 100, 4_096, 8_192, 40_000])
  func cut(length: Int) throws {
    try make()
    try #require(truncate(folder.path + "/data.mdb", off_t(length)) == 0)
    let text = try refusal()
    #expect(text?.contains(length == 0 ? "is empty" : "page ") == true, "\(text ?? "opened")")
    var status = stat()
    #expect(stat(folder.path + "/data.mdb", &status) == 0 && status.st_size == length)
  }

  @Test("a folder that is gone refuses writes within the commit, and takes them when it is back")
  func gone() throws {
    let engine = try LMDBEngine.durable(folder: folder.path)
    try engine.put([([1], [1])])
    try #require(rename(folder.path, folder.path + ".away") == 0)
    #expect(throws: StorageError.unavailable) { try engine.put([([2], [2])]) }
    #expect(engine.explanation(of: .unavailable)?.contains(folder.path) == true)
    #expect(try engine.value([1]) == [1])
    try #require(rename(folder.path + ".away", folder.path) == 0)
    try engine.put([([2], [2])])
    #expect(engine.health.outage == nil)
  }

  private static func key(_ number: Int) -> [UInt8] {
    Array("documents/c/".utf8) + [UInt8(number >> 8), UInt8(number & 255), 0x80]
  }

  /// Places in the file of the keys of its branch pages, which only lead to others.
  private func branchKeys() throws -> [Range<Int>] {
    let descriptor = open(folder.path + "/data.mdb", O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
    try #require(pread(descriptor, &bytes, bytes.count, 0) == bytes.count)
    func number(_ at: Int) -> Int { Int(bytes[at]) | Int(bytes[at + 1]) << 8 }
    return stride(from: 2 * Self.pageBytes, to: bytes.count, by: Self.pageBytes).flatMap {
      page -> [Range<Int>] in
      guard number(page + 10) == 1 else { return [] }
      return stride(from: 16, to: number(page + 12), by: 2).map { pointer in
        let node = page + number(page + pointer)
        return node + 8..<node + 8 + number(node + 6)
      }
    }
  }

  @Test("a search that a damaged branch page sends elsewhere is an error, never a key that is missing")
  func branches() throws {
    let count = 4_000
    do {
      let engine = try LMDBEngine.durable(folder: folder.path)
      try engine.put((0..<count).map { (Self.key($0), [UInt8](repeating: 7, count: 60)) })
    }
    let places = try branchKeys().flatMap { Array($0.suffix(3)) }
    #expect(places.count > 60)
    var failures = 0
    for (number, place) in places.enumerated() where number % 7 == 0 {
      let bit: UInt8 = 1 << (number % 8)
      try changeByte(place, by: bit)
      do {
        let engine = try LMDBEngine.durable(folder: folder.path)
        for number in 0..<count {
          let key = Self.key(number)
          do {
            #expect(try engine.value(key) != nil, "byte \(place): key \(number) is missing")
            let range = KeyRange(lower: key, upper: key + [0])
            #expect(try engine.keys(range) == [key], "byte \(place): a scan from key \(number)")
            #expect(try engine.keys(range, .reverse) == [key], "byte \(place): a scan back to key \(number)")
          } catch StorageError.corrupt { failures += 1 }
        }
      }
      try changeByte(place, by: bit)
    }
    #expect(failures > 0)
  }
}
