/// A growing list of trivial values without the checks that arrays in classes cost.

/// Elements in memory of its own. Copies nothing out, counts no references, and every access is a load
/// or a store: an array stored in a class is checked for overlapping accesses each time it is changed,
/// which was a fifth of a decision.
///
/// INVARIANT: `0 <= count <= capacity`, elements below `count` are initialised; `T` is trivial.
final class RawList<T> {
  private(set) var start: UnsafeMutablePointer<T>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  @inline(__always)
  subscript(index: Int) -> T { start[index] }

  @inline(__always)
  func append(_ element: T) {
    if count == capacity { grow(to: capacity * 2) }
    (start + count).initialize(to: element)
    count += 1
  }

  @inline(__always)
  func append(contentsOf other: RawList<T>) {
    if count + other.count > capacity { grow(to: max(capacity * 2, count + other.count)) }
    (start + count).initialize(from: other.start, count: other.count)
    count += other.count
  }

  @inline(__always)
  func removeLast() { count -= 1 }

  @inline(__always)
  func removeAll() { count = 0 }

  var elements: UnsafeBufferPointer<T> { UnsafeBufferPointer(start: start, count: count) }

  /// Sorts in place. Few elements: insertion.
  func sort(by precedes: (T, T) -> Bool) {
    for index in 1..<max(1, count) {
      let element = start[index]
      var place = index
      while place > 0, precedes(element, start[place - 1]) {
        start[place] = start[place - 1]
        place -= 1
      }
      start[place] = element
    }
  }

  @inline(never)
  private func grow(to size: Int) {
    let larger = UnsafeMutablePointer<T>.allocate(capacity: size)
    larger.moveInitialize(from: start, count: count)
    start.deallocate()
    start = larger
    capacity = size
  }
}
