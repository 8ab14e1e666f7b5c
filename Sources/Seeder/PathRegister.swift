/// Which paths a seed has so far, in eight bytes each.

internal import DocModel
internal import Fixtures

/// A set of path hashes. It never misses a path that it has, and may rarely claim one that it has not:
/// the caller then compares the paths themselves.
///
/// LIMIT: 8 bytes a slot, at most three quarters of the slots taken: 70 MiB for five million documents.
struct PathRegister {
  private var slots: [UInt64] = Array(repeating: 0, count: 1_024)
  private(set) var count = 0

  /// A hash that is the same in every pass; never 0.
  static func hash(_ path: ResourcePath) -> UInt64 {
    max(1, DrawPlace(seed: 0).child(path.text).hash)
  }

  /// Whether the hash is new.
  mutating func insert(_ hash: UInt64) -> Bool {
    if count * 4 >= slots.count * 3 { grow() }
    guard Self.place(hash, in: &slots) else { return false }
    count += 1
    return true
  }

  private static func place(_ hash: UInt64, in slots: inout [UInt64]) -> Bool {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index] != 0 {
      if slots[index] == hash { return false }
      index = (index + 1) & mask
    }
    slots[index] = hash
    return true
  }

  private mutating func grow() {
    var larger = [UInt64](repeating: 0, count: slots.count * 2)
    for hash in slots where hash != 0 { _ = Self.place(hash, in: &larger) }
    slots = larger
  }
}
