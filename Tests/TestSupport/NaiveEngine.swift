/// The oracle of engines: sorted arrays, copied whole.
///
/// As plain as can be: each keyspace is an array sorted by key, and a view is the arrays as they were. Whatever an engine
/// answers otherwise is wrong. Keys are found by halves and compared by the system: most of the tests' time was spent on
/// finding them from the front.

public import DocStore
internal import Platform
internal import Synchronization

/// Bytes that stay where they are.
private final class Blob: Sendable {
  // Written once, in init; freed when nobody can look any more.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  init(_ source: UnsafeRawBufferPointer) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, source.count), alignment: 8)
    copy.copyMemory(from: source)
    bytes = UnsafeRawBufferPointer(rebasing: copy[..<source.count])
  }

  deinit { bytes.deallocate() }
}

private struct Entry: Sendable {
  let key: Blob
  let value: Blob
}

private typealias Arrays = [[Entry]]

/// Below 0 when the left key comes first, 0 when both are the same.
private func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  let common = min(left.count, right.count)
  if common > 0, let a = left.baseAddress, let b = right.baseAddress {
    let order = memcmp(a, b, common)
    if order != 0 { return Int(order) }
  }
  return left.count - right.count
}

extension [Entry] {
  /// The first place whose key does not come before this one.
  fileprivate func place(of key: UnsafeRawBufferPointer) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if order(self[middle].key.bytes, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate func holds(_ key: UnsafeRawBufferPointer, at place: Int) -> Bool {
    place < count && order(self[place].key.bytes, key) == 0
  }

  /// The places of a range of keys; without an upper end it goes to the last.
  fileprivate func places(from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?) -> Range<Int>
  {
    let start = place(of: lower)
    return start..<(upper.map { Swift.max(start, place(of: $0)) } ?? count)
  }
}

private final class NaiveView: StorageView {
  private let arrays: Arrays

  init(_ arrays: Arrays) { self.arrays = arrays }

  override func get(
    _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    let entries = arrays[Int(keyspace.rawValue)]
    let place = entries.place(of: key)
    return entries.holds(key, at: place) ? entries[place].value.bytes : nil
  }

  override func size(of keyspace: Keyspace) throws(StorageError) -> KeyspaceSize {
    let entries = arrays[Int(keyspace.rawValue)]
    return KeyspaceSize(
      entries: entries.count, bytes: entries.reduce(0) { $0 + $1.key.bytes.count + $1.value.bytes.count })
  }

  override func scan(
    _ keyspace: Keyspace, _ range: KeyRange, _ direction: ScanDirection,
    _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ScanStep
  ) throws(StorageError) {
    let entries = arrays[Int(keyspace.rawValue)]
    let places = range.lower.withUnsafeBytes { lower in
      guard let upper = range.upper else { return entries.places(from: lower, to: nil) }
      return upper.withUnsafeBytes { entries.places(from: lower, to: $0) }
    }
    for step in 0..<places.count {
      let entry = entries[direction == .forward ? places.lowerBound + step : places.upperBound - 1 - step]
      if visit(entry.key.bytes, entry.value.bytes) == .stop { return }
    }
  }
}

/// An engine without any cleverness, for tests. Knows how to fail.
public final class NaiveEngine: StorageEngine {
  public let limits = EngineLimits(keyBytesMax: 511, valueBytesMax: .max)

  private let arrays = Mutex<Arrays>(Array(repeating: [], count: Keyspace.allCases.count))
  private let writing = Monitor(())
  private let failure = Mutex<StorageError?>(nil)

  public init() {}

  /// Every write fails so until it is set to nil again.
  public func failWrites(with error: StorageError?) { failure.withLock { $0 = error } }

  public func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    let view = NaiveView(arrays.withLock { $0 })
    let result: Result<R, E>
    do throws(E) { result = .success(try body(view)) } catch { result = .failure(error) }
    // Bytes stay valid until the body has returned.
    withExtendedLifetime(view) {}
    return try result.get()
  }

  public func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    let outcome = writing.withLock { _ -> Result<R, E> in
      do throws(E) {
        let result = try read { (view) throws(E) in try plan(view, batch) }
        if let failure = failure.withLock({ $0 }) { throw E(storage: failure) }
        arrays.withLock { arrays in
          for mutation in batch.mutations { Self.apply(mutation, &arrays[Int(mutation.keyspace.rawValue)]) }
        }
        return .success(result)
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private static func apply(_ mutation: Mutation, _ entries: inout [Entry]) {
    switch mutation.kind {
    case .put:
      let place = entries.place(of: mutation.key)
      let entry = Entry(key: Blob(mutation.key), value: Blob(mutation.value))
      if entries.holds(mutation.key, at: place) {
        entries[place] = entry
      } else {
        entries.insert(entry, at: place)
      }
    case .remove:
      let place = entries.place(of: mutation.key)
      if entries.holds(mutation.key, at: place) { entries.remove(at: place) }
    case .removeRange(let limit):
      let places = entries.places(from: mutation.key, to: mutation.value.isEmpty ? nil : mutation.value)
      entries.removeSubrange(places.prefix(limit))
    }
  }
}
