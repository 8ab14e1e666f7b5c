/// The pages of a data folder, read from its file without the library.
///
/// The library trusts what it reads: a page that is damaged ends the process, or leads it astray. This reader follows
/// the same trees with every number checked, tells of each page that makes no sense, and goes on behind it. It is for
/// folders that nobody writes to, and writes nothing.
///
/// ```
/// page    number u64 | pad u16 | flags u16 | lower u16, upper u16 (or pages u32) | places of entries u16..
/// entry   low u16 | high u16 | flags u16 | key length u16 | key | value, or the number of the page that it begins on
/// tree    page size u32 | flags u16 | depth u16 | 3 counts of pages u64 | entries u64 | root u64
/// ```
///
/// Source: lmdb, mdb.c: MDB_page, MDB_node, MDB_db (format version 1, little-endian, 64 bits). The first two pages: PageHeader.

public import DocStore
internal import Platform

/// A page that makes no sense.
public struct PageFault: Hashable, Sendable, CustomStringConvertible {
  public let file: String
  public let page: Int
  public let byte: Int
  public let reason: String

  public var description: String { "page \(page) (byte \(byte)) of `\(file)` \(reason)" }
}

public final class StoredPages {
  private enum Flag {
    static let branch: UInt16 = 1
    static let leaf: UInt16 = 2
    static let overflow: UInt16 = 4
    static let kinds: UInt16 = 0x7F
    /// Of entries: the value lies on pages of its own; the value is a tree.
    static let isApart: UInt16 = 1
    static let isTree: UInt16 = 2
  }

  private static let headerBytes = 16
  private struct Tree {
    let root: UInt64
    let entries: UInt64
  }

  public let file: String
  private let descriptor: Int32
  private let byteCount: Int
  let head: PageHeader
  /// What is wrong with the first two pages. One of them suffices to read the file.
  public let headFaults: [PageFault]

  /// Opens `data.mdb` of a folder. Fails as `damaged` when neither of its first two pages says where data begins.
  public convenience init(folder: String) throws(LMDBOpenError) {
    try self.init(path: folder, folder: folder)
  }

  /// - Parameter folder: for messages.
  init(path: String, folder: String) throws(LMDBOpenError) {
    file = folder + "/data.mdb"
    let descriptor = open(path + "/data.mdb", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(folder, "open its data.mdb", code: errno) }
    var status = stat()
    _ = fstat(descriptor, &status)
    self.descriptor = descriptor
    byteCount = Int(status.st_size)
    let heads = Heads(descriptor, PageHeaderChecksums.slots(folder: path))
    let file = file
    headFaults = heads.complaints.map { page, reason in
      PageFault(file: file, page: page, byte: page * heads.pageBytes, reason: reason)
    }
    guard let newest = heads.newest else {
      close(descriptor)
      throw .damaged(folder: folder, reason: headFaults.map(\.description).joined(separator: "; "))
    }
    head = newest
  }

  deinit { close(descriptor) }

  /// The first two pages, and what is wrong with them.
  private struct Heads {
    var complaints: [(page: Int, reason: String)] = []
    /// That of the last commit; where a checksum speaks against both, that of the later one all the same.
    let newest: PageHeader?
    let pageBytes: Int

    init(_ descriptor: Int32, _ slots: [(transaction: UInt64, sum: UInt32)]) {
      var readable: [PageHeader] = []
      var sound: [PageHeader] = []
      for page in 0..<2 {
        let bytes = PageHeader.read(descriptor, at: page * (readable.first?.pageBytes ?? 4_096))
        guard let head = PageHeader(bytes, page: page) else {
          complaints.append((page, "does not say where the data begins"))
          continue
        }
        readable.append(head)
        if let error = PageHeaderChecksums.error(of: bytes, head.commit, slots[page]) {
          complaints.append((page, error))
        } else {
          sound.append(head)
        }
      }
      if sound.count == 2, !PageHeader.follow(sound[0], sound[1]) {
        let commits = "\(sound[0].commit) and \(sound[1].commit)"
        complaints.append((0, "and page 1 are of commits \(commits), which do not follow each other"))
      }
      newest = (sound.isEmpty ? readable : sound).max { $0.commit < $1.commit }
      pageBytes = readable.first?.pageBytes ?? 4_096
    }
  }

  // MARK: walking

  /// Visits the entries of a keyspace in the order of the file, as far as they can be read. `fault` is told of each page
  /// that cannot, and of whatever else does not fit.
  public func walk(
    _ keyspace: Keyspace, fault: (PageFault) -> Void,
    visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    guard let tree = tree(of: keyspace, fault) else { return }
    var walk = Walk(isSound: true)
    var count: UInt64 = 0
    try self.walk(tree.root, 0, &walk, fault) { key, value, _ in
      count += 1
      try visit(key, value)
    }
    if walk.isSound, count != tree.entries {
      fault(self.fault(tree.root, "is the root of \(count) entries; \(tree.entries) were written"))
    }
  }

  private struct Walk {
    var seen: Set<UInt64> = []
    var isSound: Bool
    var last: [UInt8] = []
  }

  /// Where a keyspace begins; nil for one that is empty or cannot be found, which is told.
  private func tree(of keyspace: Keyspace, _ fault: (PageFault) -> Void) -> Tree? {
    var found: Tree?
    var walk = Walk(isSound: true)
    self.walk(head.mainRoot, 0, &walk, fault) { key, value, flags in
      guard key.elementsEqual(keyspace.storedName.utf8), flags & Flag.isTree != 0, value.count >= 48 else {
        return
      }
      let page = Page(Array(value))
      found = Tree(root: page.number(8, at: 40), entries: page.number(8, at: 32))
    }
    if found == nil, walk.isSound {
      fault(self.fault(head.mainRoot, "does not say where the \(keyspace.storedName) begin"))
    }
    return found?.root == PageHeader.noPage ? nil : found
  }

  /// How many pages the file has.
  var presentPages: UInt64 { UInt64(byteCount / head.pageBytes) }

  /// The numbers of free pages from `first` on. What cannot be read lists nothing.
  func freePages(from first: UInt64) -> Set<UInt64> {
    var free: Set<UInt64> = []
    var walk = Walk(isSound: true)
    // A list: how many, then their numbers.
    func collect(_: UnsafeRawBufferPointer, list: UnsafeRawBufferPointer, _: UInt16) {
      for offset in stride(from: 8, to: list.count - 7, by: 8) {
        let page = UInt64(littleEndian: list.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        if page >= first { free.insert(page) }
      }
    }
    self.walk(head.freeRoot, 0, &walk, { _ in }, collect)
    return free
  }

  func fault(_ page: UInt64, _ reason: String) -> PageFault {
    let number = Int(clamping: page)
    return PageFault(
      file: file, page: number, byte: number.multipliedReportingOverflow(by: head.pageBytes).partialValue,
      reason: reason)
  }

  private func walk(
    _ number: UInt64, _ depth: Int, _ walk: inout Walk, _ fault: (PageFault) -> Void,
    _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, _ flags: UInt16) throws -> Void
  ) rethrows {
    func fail(_ reason: String) {
      walk.isSound = false
      fault(self.fault(number, reason))
    }
    if number == PageHeader.noPage { return }
    guard depth < PageHeader.depthMax, walk.seen.insert(number).inserted else { return fail("is used twice") }
    guard let page = page(number) else { return fail("lies beyond the end of the file") }
    guard page.number(8, at: 0) == number else { return fail("bears another number, or none") }
    let kind = UInt16(page.number(2, at: 10)) & Flag.kinds
    guard kind == Flag.branch || kind == Flag.leaf else { return fail("is no page of a tree") }
    let lower = Int(page.number(2, at: 12))
    let upper = Int(page.number(2, at: 14))
    guard lower >= Self.headerBytes, lower <= upper, upper <= head.pageBytes else {
      return fail("does not say where its entries are")
    }
    for index in 0..<(lower - Self.headerBytes) / 2 {
      let place = Int(page.number(2, at: Self.headerBytes + 2 * index))
      guard place >= upper, let entry = page.entry(at: place) else {
        fail("has an entry (\(index)) that is outside of it")
        continue
      }
      if kind == Flag.branch {
        try self.walk(entry.child, depth + 1, &walk, fault, visit)
        continue
      }
      let key = Array(page.bytes[entry.key])
      if !walk.last.isEmpty, !walk.last.lexicographicallyPrecedes(key) {
        fail("has keys that are out of order")
      }
      walk.last = key
      guard let value = value(of: entry, on: page) else {
        fail("has an entry (\(index)) whose value cannot be read")
        continue
      }
      try key.withUnsafeBytes { key in try value.withUnsafeBytes { try visit(key, $0, entry.flags) } }
    }
  }

  private func page(_ number: UInt64) -> Page? {
    guard number <= head.lastPage, number < presentPages else { return nil }
    return read(Int(number) * head.pageBytes, head.pageBytes).map(Page.init)
  }

  private func read(_ offset: Int, _ count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, offset <= byteCount - count else { return nil }
    var done = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
        if got <= 0 { break }
        done += got
      }
      filled = done
    }
    return done == count ? bytes : nil
  }

  private func value(of entry: Page.Entry, on page: Page) -> [UInt8]? {
    let start = entry.key.upperBound
    if entry.flags & Flag.isApart == 0 {
      return start + entry.valueBytes <= page.bytes.count
        ? Array(page.bytes[start..<start + entry.valueBytes]) : nil
    }
    guard start + 8 <= page.bytes.count else { return nil }
    let first = page.number(8, at: start)
    guard let header = self.page(first), header.number(8, at: 0) == first,
      UInt16(header.number(2, at: 10)) & Flag.kinds == Flag.overflow,
      Int(header.number(4, at: 12)) * head.pageBytes >= entry.valueBytes + Self.headerBytes
    else { return nil }
    return read(Int(first) * head.pageBytes + Self.headerBytes, entry.valueBytes)
  }

  /// The bytes of a page, and numbers in them.
  private struct Page {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func number(_ count: Int, at offset: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in (0..<count).reversed() { value = value << 8 | UInt64(bytes[offset + index]) }
      return value
    }

    struct Entry {
      let flags: UInt16
      let key: Range<Int>
      let valueBytes: Int
      /// Of a branch.
      let child: UInt64
    }

    /// Nil when it is not whole.
    func entry(at place: Int) -> Entry? {
      guard place + 8 <= bytes.count else { return nil }
      let key = place + 8..<place + 8 + Int(number(2, at: place + 6))
      guard key.upperBound <= bytes.count else { return nil }
      return Entry(
        flags: UInt16(number(2, at: place + 4)), key: key, valueBytes: Int(number(4, at: place)),
        child: number(4, at: place) | number(2, at: place + 4) << 32)
    }
  }
}
