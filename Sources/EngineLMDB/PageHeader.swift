/// One of the first two pages of a data file: where the trees of a commit begin.
///
/// ```
/// page     number u64 | u16 | flags u16 | u32
/// head     magic u32 | version u32 | address u64 | map u64 | trees 2 x 48 | last page u64 | commit u64
/// tree     page size u32 (of the first) | flags u16 | depth u16 | counts 4 x u64 | root u64
/// ```
///
/// The library trusts these pages: what is wrong with them would lose commits, or more, without a word.
/// Source: lmdb, mdb.c: MDB_meta, MDB_db (format version 1, little-endian, 64 bits).

internal import Platform

struct PageHeader {
  let pageBytes: Int
  let lastPage: UInt64
  let commit: UInt64
  let freeRoot: UInt64
  let mainRoot: UInt64

  static let byteCount = 16 + 24 + 2 * 48 + 16
  static let commitOffset = byteCount - 8
  /// The root of a tree that has no pages.
  static let noPage = UInt64.max
  /// LIMIT: pages from a root to a leaf. A tree of 32 levels would have more pages than there is disk.
  static let depthMax = 32

  /// Nil for what is no head of this page.
  init?(_ bytes: [UInt8], page: Int) {
    guard bytes.count == Self.byteCount else { return nil }
    func number<N: FixedWidthInteger>(_ at: Int, _ type: N.Type) -> N {
      bytes.withUnsafeBytes { N(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: N.self)) }
    }
    guard number(0, UInt64.self) == UInt64(page), number(10, UInt16.self) == 8,
      number(16, UInt32.self) == 0xBEEF_C0DE, number(20, UInt32.self) == 1
    else { return nil }
    pageBytes = Int(number(40, UInt32.self))
    freeRoot = number(80, UInt64.self)
    mainRoot = number(128, UInt64.self)
    lastPage = number(136, UInt64.self)
    commit = number(Self.commitOffset, UInt64.self)
    guard (256...65_536).contains(pageBytes), pageBytes.nonzeroBitCount == 1, lastPage >= 1,
      number(46, UInt16.self) <= Self.depthMax, number(94, UInt16.self) <= Self.depthMax,
      isNoneOrPage(freeRoot), isNoneOrPage(mainRoot)
    else { return nil }
  }

  private func isNoneOrPage(_ root: UInt64) -> Bool { root == Self.noPage || (2...lastPage).contains(root) }

  /// A commit writes the head of its own number.
  static func page(of commit: UInt64) -> Int { Int(commit & 1) }

  /// The bytes of a head as the other page would have them, or an earlier commit.
  static func moved(_ head: [UInt8], to page: Int, commit: UInt64) -> [UInt8] {
    var head = head
    withUnsafeBytes(of: UInt64(page).littleEndian) { head.replaceSubrange(0..<8, with: $0) }
    withUnsafeBytes(of: commit.littleEndian) {
      head.replaceSubrange(commitOffset..<commitOffset + 8, with: $0)
    }
    return head
  }

  static func read(_ descriptor: Int32, at offset: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, used in
      used = max(0, pread(descriptor, buffer.baseAddress, byteCount, off_t(offset)))
    }
  }

  /// Whether two commits in a row wrote these heads, each the one of its own number. The first commit leaves both alike.
  static func follow(_ first: PageHeader, _ second: PageHeader) -> Bool {
    if first.commit <= 1, second.commit <= 1 { return true }
    return first.commit % 2 == 0 && (second.commit == first.commit + 1 || second.commit + 1 == first.commit)
  }
}
