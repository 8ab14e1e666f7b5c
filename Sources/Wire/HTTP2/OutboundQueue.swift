/// What a stream has still to send.
///
/// Messages are kept as they were handed over; their five-byte gRPC prefix is made while they are
/// copied into a frame, so no answer is copied just to put five bytes before it. Bodies that are not
/// gRPC's have no prefixes.

internal import DocModel
internal import Platform

/// A first-in first-out queue of messages, read in pieces of any size.
///
/// INVARIANT: `current` is empty only when `waiting` is; `unsentBytes` counts prefixes too.
struct OutboundQueue {
  static let prefixBytes = 5

  /// Whether what is queued is gRPC's messages, or bytes as they are. Set before anything is queued.
  var hasPrefixes = true
  private var hasCurrent = false
  private var current: [UInt8] = []
  /// Bytes of `current` that are gone, its prefix counted.
  private var taken = 0
  private var waiting: [[UInt8]] = []
  private var waitingHead = 0
  private(set) var unsentBytes = 0

  var isEmpty: Bool { !hasCurrent }

  /// Bytes in front of each message.
  private var prefixBytes: Int { hasPrefixes ? Self.prefixBytes : 0 }

  mutating func append(_ message: [UInt8]) {
    unsentBytes += prefixBytes + message.count
    if hasCurrent {
      waiting.append(message)
    } else {
      current = message
      taken = 0
      hasCurrent = true
    }
    if Invariants.areDue(at: waiting.count) { checkInvariants() }
  }

  /// Moves as many bytes as fit into `buffer`; answers how many.
  mutating func move(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var written = 0
    while hasCurrent, written < buffer.count {
      written += moveCurrent(into: UnsafeMutableRawBufferPointer(rebasing: buffer[written...]))
      if taken == prefixBytes + current.count { advance() }
    }
    unsentBytes -= written
    if Invariants.areDue(at: waiting.count) { checkInvariants() }
    return written
  }

  private mutating func moveCurrent(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var written = 0
    while taken < prefixBytes, written < buffer.count {
      buffer[written] = prefixByte(taken)
      taken += 1
      written += 1
    }
    let start = taken - prefixBytes
    let count = min(buffer.count - written, current.count - start)
    if taken >= prefixBytes, count > 0, let target = buffer.baseAddress {
      current.withUnsafeBytes { source in
        if let base = source.baseAddress { memcpy(target + written, base + start, count) }
      }
      taken += count
      written += count
    }
    return written
  }

  /// Byte 0 says "not compressed", bytes 1 to 4 hold the length, highest first.
  private func prefixByte(_ index: Int) -> UInt8 {
    index == 0 ? 0 : UInt8(truncatingIfNeeded: current.count >> (8 * (4 - index)))
  }

  private mutating func advance() {
    guard waitingHead < waiting.count else {
      self.clearKeepingCount()
      return
    }
    current = waiting[waitingHead]
    waiting[waitingHead] = []
    waitingHead += 1
    taken = 0
    if waitingHead == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      waitingHead = 0
    }
  }

  private mutating func clearKeepingCount() {
    hasCurrent = false
    current = []
    taken = 0
  }

  func checkInvariants() {
    let left = waiting[waitingHead...]
    let size = prefixBytes + current.count
    assert(hasCurrent || left.isEmpty, "nothing waits behind nothing")
    assert(!hasCurrent || size == 0 || taken < size, "a message that is gone makes room for the next")
    let rest = hasCurrent ? size - taken : 0
    assert(
      unsentBytes == left.reduce(rest) { $0 + prefixBytes + $1.count }, "`unsentBytes` counts, prefixes too")
  }

  /// Drops everything: the peer is gone.
  mutating func clear() {
    clearKeepingCount()
    waiting = []
    waitingHead = 0
    unsentBytes = 0
  }
}
