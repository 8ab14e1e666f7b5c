/// The memory of one libnghttp2 session, which is packed while the connection has nothing to do.
///
/// A session takes about 27 KiB, nearly all of it empty tables and a buffer that is used for the length of a frame. A
/// server with 10,000 idle listeners cannot afford that. The library asks for all its memory through an allocator that
/// its user may give, so a session gets a region of addresses of its own. When the connection sleeps, the bytes of the
/// region that are not zero are copied out and the pages given back to the system; when it wakes they are put back in
/// the same places. Nothing inside the region is understood or moved, so every pointer stays right.
///
/// Shape of a region: heads of the lists of free blocks, one for each size; then blocks. A block is 8 bytes that hold
/// its size, then its content, which begins at a multiple of 16. What finds no room lies outside, in `malloc`'s
/// memory, and stays there while the session sleeps.
///
/// State and its owner: the event loop of the connection.
/// INVARIANT: nobody calls the library for this session while it sleeps (`HTTP2Connection.session` wakes it).
/// INVARIANT: bytes of the region that were never part of a block are zero.

internal import CNGHTTP2
internal import Platform

final class SessionMemory {
  static let headerBytes = 8
  /// LIMIT: blocks above this are not used again, and after the session was made they are not put into the region.
  private static let blockBytesMax = 2_048
  /// One list for each multiple of 16, and so that blocks begin at 8 beyond one.
  private static let headsBytes = (blockBytesMax / 16 + 1) * 4 + 4
  /// Frames are made in a block larger than the largest frame (RFC 9113 4.2) that the library sends.
  private static let frameBytes = 16_384

  private let region: UnsafeMutableRawPointer?
  /// Where the region has never been used.
  private var used = SessionMemory.headsBytes
  /// The session is being made: the large blocks that it keeps come now.
  private var isFounding = true
  /// Where frames are made. It holds nothing between frames.
  private var frame = 0..<0
  /// The content of the region while it sleeps. For each group of 64 words: a mask of those that are not zero, and
  /// for each of these a mask of its bytes that are not zero, and these bytes.
  private var packed: [UInt8] = []

  init() { region = SessionRegions.take() }

  deinit {
    if let region { SessionRegions.give(back: region, used: used) }
  }

  var isAsleep: Bool { !packed.isEmpty }

  /// Bytes that a session takes while it sleeps, those outside the region aside.
  var packedBytes: Int { packed.count }

  /// The allocator for the library. Its user keeps the memory alive for as long as the session.
  var allocator: nghttp2_mem {
    nghttp2_mem(
      mem_user_data: Unmanaged.passUnretained(self).toOpaque(), malloc: Self.malloc, free: Self.free,
      calloc: Self.calloc, realloc: Self.realloc)
  }

  /// The session was made.
  func found() { isFounding = false }
}

// MARK: - Sleeping

extension SessionMemory {
  private static let wordsOfGroup = 64
  private static let groupBytes = wordsOfGroup * 8

  /// Packs the content. Only while the library has nothing to send: the frame buffer is forgotten.
  /// False where there is no region.
  func sleep() -> Bool {
    guard let region, !isAsleep else { return region != nil }
    checkInvariants()
    wipeFreeBlocks(region)
    let groups = (used + Self.groupBytes - 1) / Self.groupBytes
    var count = groups * MemoryLayout<UInt64>.size
    for group in 0..<groups {
      forEachWord(of: group, in: region) { _, word in count += Self.packedBytes(of: word) }
    }
    packed = Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      for group in 0..<groups {
        var mask: UInt64 = 0
        var next = initialized + MemoryLayout<UInt64>.size
        forEachWord(of: group, in: region) { bit, word in
          mask |= 1 << UInt64(bit)
          next = Self.pack(word, into: bytes, at: next)
        }
        bytes.storeBytes(of: mask, toByteOffset: initialized, as: UInt64.self)
        initialized = next
      }
    }
    SessionRegions.empty(region, used: used)
    return true
  }

  func checkInvariants() {
    assert(used <= SessionRegions.regionBytes && frame.upperBound <= used, "blocks lie in the region")
    guard let region else { return }
    let rest = SessionRegions.regionBytes - used
    assert(
      rest == 0
        || (region.load(fromByteOffset: used, as: UInt8.self) == 0
          && memcmp(region + used, region + used + 1, rest - 1) == 0),
      "what was never a block is zero")
  }

  private static func packedBytes(of word: UInt64) -> Int {
    (0..<8).reduce(1) { $0 + ((word >> UInt64($1 * 8)) & 0xFF == 0 ? 0 : 1) }
  }

  /// Writes a byte that says which of the word's bytes are not zero, and those. Answers the place behind them.
  private static func pack(_ word: UInt64, into bytes: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
    var marks: UInt8 = 0
    var next = start + 1
    for index in 0..<8 {
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(index * 8))
      guard byte != 0 else { continue }
      marks |= 1 << index
      bytes[next] = byte
      next += 1
    }
    bytes[start] = marks
    return next
  }

  /// Visits the words of a group that are not zero, those of the frame buffer aside.
  @inline(__always)
  private func forEachWord(
    of group: Int, in region: UnsafeMutableRawPointer, _ visit: (_ bit: Int, _ word: UInt64) -> Void
  ) {
    let start = group * Self.groupBytes
    if frame.lowerBound <= start, start + Self.groupBytes <= frame.upperBound { return }
    for bit in 0..<Self.wordsOfGroup {
      let offset = start + bit * 8
      if frame.contains(offset) { continue }
      let word = region.load(fromByteOffset: offset, as: UInt64.self)
      if word != 0 { visit(bit, word) }
    }
  }

  /// Puts the content back.
  func wake() {
    guard let region else { return }
    packed.withUnsafeBytes { bytes in
      var next = 0
      var start = 0
      while next < bytes.count {
        var mask = bytes.loadUnaligned(fromByteOffset: next, as: UInt64.self)
        next += MemoryLayout<UInt64>.size
        while mask != 0 {
          let word = Self.unpack(bytes, &next)
          region.storeBytes(of: word, toByteOffset: start + mask.trailingZeroBitCount * 8, as: UInt64.self)
          mask &= mask - 1
        }
        start += Self.groupBytes
      }
    }
    packed = []
  }

  private static func unpack(_ bytes: UnsafeRawBufferPointer, _ next: inout Int) -> UInt64 {
    let marks = bytes[next]
    next += 1
    var word: UInt64 = 0
    for index in 0..<8 where marks & (1 << index) != 0 {
      word |= UInt64(bytes[next]) << UInt64(index * 8)
      next += 1
    }
    return word
  }

  /// What blocks held before they were freed need not be kept.
  private func wipeFreeBlocks(_ region: UnsafeMutableRawPointer) {
    for block in stride(from: 16, through: Self.blockBytesMax, by: 16) {
      var offset = Int(region.load(fromByteOffset: block / 4, as: UInt32.self))
      while offset != 0 {
        memset(region + offset + 4, 0, block - Self.headerBytes - 4)
        offset = Int(region.load(fromByteOffset: offset, as: UInt32.self))
      }
    }
  }
}

// MARK: - Blocks

extension SessionMemory {
  /// Where a block's content begins, and whether it holds only zeros; nil where it has to lie outside.
  private func take(_ bytes: Int) -> (content: UnsafeMutableRawPointer, isZero: Bool)? {
    guard let region, bytes <= SessionRegions.regionBytes else { return nil }
    let block = (bytes + Self.headerBytes + 15) & ~15
    if block <= Self.blockBytesMax {
      let offset = region.load(fromByteOffset: block / 4, as: UInt32.self)
      if offset != 0 {
        let following = region.load(fromByteOffset: Int(offset), as: UInt32.self)
        region.storeBytes(of: following, toByteOffset: block / 4, as: UInt32.self)
        return (region + Int(offset), false)
      }
    } else if !isFounding {
      return nil
    }
    guard used + block <= SessionRegions.regionBytes else { return nil }
    region.storeBytes(of: UInt32(block), toByteOffset: used, as: UInt32.self)
    let content = used + Self.headerBytes
    used += block
    if isFounding, bytes > Self.frameBytes { frame = content..<(content + bytes) }
    return (region + content, true)
  }

  /// The block's offset in the region; nil for one that lies outside.
  private func offset(_ content: UnsafeMutableRawPointer) -> Int? {
    guard let region else { return nil }
    let offset = content - region
    return offset > 0 && offset < SessionRegions.regionBytes ? offset : nil
  }

  private func blockBytes(_ region: UnsafeMutableRawPointer, _ offset: Int) -> Int {
    Int(region.load(fromByteOffset: offset - Self.headerBytes, as: UInt32.self))
  }

  func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? {
    take(bytes)?.content ?? SystemMemory.allocate(bytes)
  }

  func allocateZeros(_ bytes: Int) -> UnsafeMutableRawPointer? {
    guard let (content, isZero) = take(bytes) else { return SystemMemory.allocateZeros(bytes) }
    if !isZero { memset(content, 0, bytes) }
    return content
  }

  func release(_ content: UnsafeMutableRawPointer?) {
    guard let content else { return }
    guard let region, let offset = offset(content) else { return SystemMemory.release(content) }
    let block = blockBytes(region, offset)
    guard block <= Self.blockBytesMax else { return }
    let first = region.load(fromByteOffset: block / 4, as: UInt32.self)
    content.storeBytes(of: first, as: UInt32.self)
    region.storeBytes(of: UInt32(offset), toByteOffset: block / 4, as: UInt32.self)
  }

  func resize(_ content: UnsafeMutableRawPointer?, _ bytes: Int) -> UnsafeMutableRawPointer? {
    guard let content else { return allocate(bytes) }
    guard let region, let offset = offset(content) else { return SystemMemory.resize(content, bytes) }
    let held = blockBytes(region, offset) - Self.headerBytes
    if bytes <= held { return content }
    guard let larger = allocate(bytes) else { return nil }
    memcpy(larger, content, held)
    release(content)
    return larger
  }
}

// MARK: - What the library calls

extension SessionMemory {
  /// Without a reference of its own: the library asks for memory forty times a request, and its user keeps this object alive.
  @inline(__always)
  private static func with<Result>(
    _ user: UnsafeMutableRawPointer?, _ body: (SessionMemory) -> Result
  ) -> Result? {
    guard let user else { return nil }
    return Unmanaged<SessionMemory>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
  }

  private static let malloc: nghttp2_malloc = { bytes, user in
    SessionMemory.with(user) { $0.allocate(bytes) } ?? nil
  }

  private static let calloc: nghttp2_calloc = { count, bytes, user in
    let (product, overflow) = count.multipliedReportingOverflow(by: bytes)
    return overflow ? nil : SessionMemory.with(user) { $0.allocateZeros(product) } ?? nil
  }

  private static let realloc: nghttp2_realloc = { content, bytes, user in
    SessionMemory.with(user) { $0.resize(content, bytes) } ?? nil
  }

  private static let free: nghttp2_free = { content, user in
    SessionMemory.with(user) { $0.release(content) }
  }
}
