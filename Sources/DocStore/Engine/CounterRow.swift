/// Numbers that many threads count and one reads now and then.
///
/// A count is one relaxed atomic addition and nothing else: no lock, no allocation. Each thread counts in a stripe of
/// its own, which lies on cache lines of its own: a line that two processors write moves between them at every count,
/// and that costs more than all the counting.

internal import Platform
internal import Synchronization

/// A row of counters that lie next to each other.
///
/// `@unchecked Sendable`: the memory is allocated once, and everything in it is atomic.
public final class CounterRow: @unchecked Sendable {
  public let count: Int
  /// Counters from one stripe to the next.
  private let stride: Int
  private let counters: UnsafeMutablePointer<Atomic<Int>>

  /// LIMIT: stripes; with more threads than that some share one. A power of two.
  private static let stripes = 8
  private static let lineBytes = 64

  public init(count: Int) {
    self.count = count
    let perLine = Self.lineBytes / MemoryLayout<Atomic<Int>>.stride
    stride = (count + perLine - 1) / perLine * perLine
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: max(1, stride) * Self.stripes * MemoryLayout<Atomic<Int>>.stride, alignment: Self.lineBytes)
    counters = memory.assumingMemoryBound(to: Atomic<Int>.self)
    for index in 0..<stride * Self.stripes { (counters + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counters.deinitialize(count: stride * Self.stripes)
    UnsafeMutableRawPointer(counters).deallocate()
  }

  /// Under this key a thread keeps the number of its stripe, plus one.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
  private static let threads = Atomic(0)

  /// The stripe of this thread. Threads get theirs in turn, the first time they count.
  private static var stripe: Int {
    let known = Int(bitPattern: pthread_getspecific(key))
    if known != 0 { return known - 1 }
    let stripe = threads.add(1, ordering: .relaxed).oldValue & (stripes - 1)
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: stripe + 1))
    return stripe
  }

  /// Adds to a counter; an index outside is a mistake of the caller and counts nothing.
  public func add(_ amount: Int = 1, at index: Int) {
    guard index >= 0, index < count else { return }
    counters[Self.stripe * stride + index].add(amount, ordering: .relaxed)
  }

  public subscript(index: Int) -> Int {
    guard index >= 0, index < count else { return 0 }
    var sum = 0
    for stripe in 0..<Self.stripes { sum &+= counters[stripe * stride + index].load(ordering: .relaxed) }
    return sum
  }
}
