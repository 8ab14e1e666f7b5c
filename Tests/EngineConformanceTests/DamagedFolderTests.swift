/// Folders whose files are not as they were written: refused in words, and left as they are.

import DocStore
import EngineLMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

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
    #expect(engine.health.trouble == nil)
  }
}
