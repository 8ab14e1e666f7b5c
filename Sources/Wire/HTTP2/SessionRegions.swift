/// Regions of addresses for the memory of sessions, and the memory of the system for what finds no room in them.

internal import Platform
internal import Synchronization

/// Addresses cost nothing until they are written to. They are reserved for 256 sessions at a time and never returned;
/// their pages are.
enum SessionRegions {
  /// LIMIT: what lies beyond is `malloc`'s. A session alone takes 27 KiB, 100 open streams more than is left.
  static let regionBytes = 64 << 10
  private static let regionsOfReserve = 256

  /// State and its owner: the mutex; event loops take and give regions. Addresses, so that it is `Sendable`.
  private static let free = Mutex<[UInt]>([])

  /// A region that holds only zeros; nil where the system gives none, or does not empty pages on demand.
  static func take() -> UnsafeMutableRawPointer? {
    free.withLock { free in
      if free.isEmpty { free = reserve() }
      return free.popLast()
    }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  /// - Parameter used: bytes at its beginning that may have been written to.
  static func give(back region: UnsafeMutableRawPointer, used: Int) {
    empty(region, used: used)
    free.withLock { $0.append(UInt(bitPattern: region)) }
  }

  /// Returns the pages to the system. They read as zeros from here on.
  static func empty(_ region: UnsafeMutableRawPointer, used: Int) {
    #if os(Linux)
      // It cannot fail for pages that are ours; if it did, zeros are what is promised.
      if madvise(region, used, MADV_DONTNEED) != 0 { memset(region, 0, used) }
    #else
      memset(region, 0, used)
    #endif
  }

  private static func reserve() -> [UInt] {
    #if os(Linux)
      let bytes = regionBytes * regionsOfReserve
      let start = mmap(
        nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
      guard let start, start != MAP_FAILED else { return [] }
      // A huge page would hold 32 sessions and be given back with the last of them.
      madvise(start, bytes, MADV_NOHUGEPAGE)
      return (0..<regionsOfReserve).map { UInt(bitPattern: start + $0 * regionBytes) }
    #else
      return []
    #endif
  }
}

/// `malloc` and its relatives, under names that a type with functions of the same names can call.
enum SystemMemory {
  static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? { malloc(bytes) }
  static func allocateZeros(_ bytes: Int) -> UnsafeMutableRawPointer? { calloc(1, bytes) }
  static func resize(_ content: UnsafeMutableRawPointer, _ bytes: Int) -> UnsafeMutableRawPointer? {
    realloc(content, bytes)
  }
  static func release(_ content: UnsafeMutableRawPointer) { free(content) }
}
