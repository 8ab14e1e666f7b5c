/// Memory that ends where it ends: the byte behind it is not mapped, so one read too far is a trap.

import Platform

final class GuardedBytes {
  private let start: UnsafeMutableRawPointer
  private let mappedBytes: Int
  private let usableBytes: Int

  /// Room for inputs of up to `capacity` bytes; nil when the system gives no memory.
  init?(capacity: Int) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    usableBytes = (capacity + page - 1) / page * page
    mappedBytes = usableBytes + page
    guard let mapped = mmap(nil, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
      mapped != MAP_FAILED, mprotect(mapped + usableBytes, page, PROT_NONE) == 0
    else { return nil }
    start = mapped
  }

  deinit { munmap(start, mappedBytes) }

  /// Runs `body` on a copy of `input` that lies directly before the unmapped page.
  func with<R, E: Error>(
    _ input: [UInt8], _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    precondition(input.count <= usableBytes)
    let place = UnsafeMutableRawBufferPointer(start: start + usableBytes - input.count, count: input.count)
    input.withUnsafeBytes { place.copyMemory(from: $0) }
    return try body(UnsafeRawBufferPointer(place))
  }
}
