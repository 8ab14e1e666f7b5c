/// A data file as it lies on the disk, looked at before the library maps it: facts of LMDB's format only.
///
/// ```
/// page     number u64 | u16 | flags u16 | lower u16, upper u16 (or pages of a value u32) | places of nodes u16 ...
/// head     page of 0 or 1: magic u32 | version u32 | address u64 | map u64 | trees 2 x 48 | last page u64 | transaction u64
/// tree     page size u32 (of the first) | flags u16 | depth u16 | counts 4 x u64 | root u64
/// node     low u16 | high u16 | flags u16 | bytes of the key u16 | key | value (or the page of a large one u64)
/// ```
///
/// The library trusts the first two pages: what is wrong with them would lose commits, or more, without a word.
/// Source: LMDB 0.9, `mdb.c`, "Page header" and "Meta page content".

internal import DocModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

final class DataFile {
  /// What one of the first two pages says.
  private struct Head {
    let pageBytes: Int
    let freeRoot: UInt64
    let mainRoot: UInt64
    let lastPage: UInt64
    let transaction: UInt64
    let depths: [UInt16]
  }

  private let descriptor: Int32
  private let folder: String
  private let path: String
  private let size: Int

  static let headBytes = 16 + 24 + 2 * 48 + 16
  static let transactionOffset = headBytes - 8
  private static let none = UInt64.max
  private static let depthMax: UInt16 = 32

  /// Nil where there is no file yet. `folder` is for messages.
  init?(path: String, folder: String) throws(LMDBOpenError) {
    let descriptor = open(path + "/data.mdb", O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw .system(folder, "open its data.mdb", code: errno)
    }
    self.descriptor = descriptor
    self.folder = folder
    self.path = path
    var status = stat()
    size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  deinit { close(descriptor) }

  /// What somebody who finds a damaged folder can do.
  static func advice(_ folder: String) -> String {
    "Nothing was changed. `docsh check \(folder)` names what is damaged, "
      + "`docsh repair \(folder) --out NEW` saves what can be read"
  }

  /// Fails where the file cannot be what the library wrote.
  func check() throws(LMDBOpenError) {
    if size == 0 {
      throw .damaged(
        folder: folder,
        reason: "`data.mdb` is empty; if no data was ever kept there, remove that file and start again")
    }
    // Another process may be writing while this one opens the folder for reading.
    for _ in 0..<Self.triesMax - 1 {
      do throws(LMDBOpenError) { return try checkOnce() } catch { usleep(Self.pauseMicroseconds) }
    }
    try checkOnce()
  }

  private static let triesMax = 5
  private static let pauseMicroseconds: UInt32 = 2_000

  private func checkOnce() throws(LMDBOpenError) {
    let slots = HeadSums.slots(folder: path)
    let first = try head(0, at: 0, slots[0])
    let heads = [first, try head(1, at: first.pageBytes, slots[1])]
    // A commit writes the head of its own number; the other one is of the commit before it.
    let transactions = heads.map(\.transaction)
    let isFresh = transactions.allSatisfy { $0 <= 1 }
    guard
      isFresh || (transactions[0] % 2 == 0 && transactions[1] == transactions[0] + 1)
        || (transactions[0] % 2 == 0 && transactions[1] + 1 == transactions[0])
    else {
      throw damaged(
        0,
        "and page 1 are of commits \(transactions[0]) and \(transactions[1]), which do not follow each other")
    }
    try checkLength(heads[0].transaction > heads[1].transaction ? heads[0] : heads[1])
  }

  private func damaged(_ page: Int, _ what: String) -> LMDBOpenError {
    .damaged(folder: folder, reason: "page \(page) (byte \(page * 4_096)) of `data.mdb` \(what)")
  }

  /// The head that a commit wrote, for its checksum.
  static func head(ofCommit transaction: Int, _ descriptor: Int32, pageBytes: Int) -> (
    page: Int, bytes: [UInt8]
  ) {
    let page = transaction & 1
    let bytes = [UInt8](unsafeUninitializedCapacity: headBytes) { buffer, used in
      used = max(0, pread(descriptor, buffer.baseAddress, headBytes, off_t(page * pageBytes)))
    }
    return (page, bytes)
  }

  private func head(
    _ page: Int, at offset: Int, _ slot: (transaction: UInt64, sum: UInt32)
  ) throws(LMDBOpenError) -> Head {
    let bytes = read(offset, Self.headBytes)
    guard bytes.count == Self.headBytes else { throw damaged(page, "lies beyond the end of the file") }
    func number<N: FixedWidthInteger>(_ at: Int, _ type: N.Type) -> N {
      bytes.withUnsafeBytes { N(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: N.self)) }
    }
    let head = Head(
      pageBytes: Int(number(40, UInt32.self)), freeRoot: number(40 + 40, UInt64.self),
      mainRoot: number(88 + 40, UInt64.self), lastPage: number(136, UInt64.self),
      transaction: number(144, UInt64.self),
      depths: [number(46, UInt16.self), number(94, UInt16.self)])
    let isRight =
      number(0, UInt64.self) == UInt64(page) && number(10, UInt16.self) == 8
      && number(16, UInt32.self) == 0xBEEF_C0DE && number(20, UInt32.self) == 1
      && (256...32_768).contains(head.pageBytes) && head.pageBytes.nonzeroBitCount == 1
      && head.lastPage >= 1 && head.depths.allSatisfy { $0 <= Self.depthMax }
      && [head.freeRoot, head.mainRoot].allSatisfy { $0 == Self.none || (2...head.lastPage).contains($0) }
    guard isRight else { throw damaged(page, "does not say where the data begins") }
    if let complaint = HeadSums.complaint(of: bytes, head.transaction, slot) {
      throw damaged(page, complaint)
    }
    return head
  }

  private func read(_ offset: Int, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      used = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }
  }

  // MARK: files that were cut

  /// The last pages may be missing, when they were never written: then all of them are free.
  private func checkLength(_ head: Head) throws(LMDBOpenError) {
    let present = UInt64(size / head.pageBytes)
    let needed = head.lastPage + 1
    guard present < needed else { return }
    var free: Set<UInt64> = []
    if head.freeRoot != Self.none { collectFree(head.freeRoot, head, depth: 0, above: present, &free) }
    for page in present..<needed where !free.contains(page) {
      throw .damaged(
        folder: folder,
        reason:
          "`data.mdb` was cut: it has \(size) bytes, and page \(page) (byte \(page * UInt64(head.pageBytes))) is missing"
      )
    }
  }

  /// The numbers of free pages from `above` on, from the tree that lists them. What makes no sense lists nothing.
  private func collectFree(
    _ page: UInt64, _ head: Head, depth: UInt16, above: UInt64, _ free: inout Set<UInt64>
  ) {
    let bytes = read(Int(page) * head.pageBytes, head.pageBytes)
    guard bytes.count == head.pageBytes, depth < Self.depthMax else { return }
    bytes.withUnsafeBytes { bytes in
      func number<N: FixedWidthInteger>(_ at: Int, _ type: N.Type) -> N? {
        at + MemoryLayout<N>.size <= bytes.count
          ? N(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: N.self)) : nil
      }
      let isBranch = (number(10, UInt16.self) ?? 0) & 1 != 0
      for place in stride(from: 16, to: Int(number(12, UInt16.self) ?? 0), by: 2) {
        guard let node = number(place, UInt16.self).map(Int.init), let low = number(node, UInt16.self),
          let high = number(node + 2, UInt16.self), let flags = number(node + 4, UInt16.self),
          let keyBytes = number(node + 6, UInt16.self)
        else { return }
        let number32 = UInt64(low) | UInt64(high) << 16
        if isBranch {
          collectFree(number32 | UInt64(flags) << 32, head, depth: depth + 1, above: above, &free)
        } else if flags & 1 == 0 {
          let start = node + 8 + Int(keyBytes)
          guard start + Int(number32) <= bytes.count else { return }
          insert(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(number32)]), above, &free)
        } else if let first = number(node + 8 + Int(keyBytes), UInt64.self) {
          let list = read(Int(first) * head.pageBytes + 16, Int(number32))
          list.withUnsafeBytes { insert($0, above, &free) }
        }
      }
    }
  }

  /// A list of free pages: how many, then their numbers.
  private func insert(_ list: UnsafeRawBufferPointer, _ above: UInt64, _ free: inout Set<UInt64>) {
    for offset in stride(from: 8, to: list.count - 7, by: 8) {
      let page = UInt64(littleEndian: list.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if page >= above { free.insert(page) }
    }
  }
}
