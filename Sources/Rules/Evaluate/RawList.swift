/// A growing list of trivial values without the checks that arrays in classes cost.

/// Elements in memory of its own. Copies nothing out, counts no references, and every access is a load
/// or a store: an array stored in a class is checked for overlapping accesses each time it is changed,
/// which was a fifth of a decision.
///
/// A value of it is a pointer: copies are the same list, handing one on counts no references, and whoever
/// made it calls `free`.
///
/// INVARIANT: `0 <= count <= capacity`, elements below `count` are initialised; `T` is trivial.
struct RawList<T> {
  private struct State {
    var start: UnsafeMutablePointer<T>
    var count = 0
    var capacity: Int
  }

  private let state: UnsafeMutablePointer<State>

  init(capacity: Int) {
    assert(capacity > 0, "a list grows by doubling")
    state = .allocate(capacity: 1)
    state.initialize(to: State(start: .allocate(capacity: capacity), capacity: capacity))
  }

  /// Gives the memory back; the list must not be used any more.
  func free() {
    state.pointee.start.deallocate()
    state.deallocate()
  }

  @inline(__always) var start: UnsafeMutablePointer<T> { state.pointee.start }
  @inline(__always) var count: Int { state.pointee.count }

  @inline(__always)
  subscript(index: Int) -> T {
    assert(index >= 0 && index < count, "elements below `count` are initialised, and no others")
    return state.pointee.start[index]
  }

  @inline(__always)
  func append(_ element: T) {
    let count = state.pointee.count
    if count == state.pointee.capacity { grow(to: count &* 2) }
    (state.pointee.start + count).initialize(to: element)
    state.pointee.count = count &+ 1
    assert(count >= 0 && self.count <= state.pointee.capacity, "what is in the list has room in it")
  }

  /// Forgets the elements from `count` on.
  @inline(__always)
  func cut(to count: Int) {
    assert(count >= 0, "no list is shorter than empty")
    state.pointee.count = min(count, state.pointee.count)
  }

  @inline(__always)
  func removeAll() { state.pointee.count = 0 }

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
    state.pointee.start = larger
    state.pointee.capacity = size
  }
}
