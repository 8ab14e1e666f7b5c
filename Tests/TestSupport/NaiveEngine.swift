/// The oracle of engines: sorted arrays, copied whole.
///
/// As plain as can be: each keyspace is an array sorted by key, a view is the arrays as they were, a write
/// is a linear search. Whatever an engine answers otherwise is wrong.

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

private func precedes(_ left: UnsafeRawBufferPointer, _ right: some Sequence<UInt8>) -> Bool {
  left.lexicographicallyPrecedes(right)
}

private final class NaiveView: StorageView {
  private let arrays: Arrays

  init(_ arrays: Arrays) { self.arrays = arrays }

  override func get(
    _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    arrays[Int(keyspace.rawValue)].first { $0.key.bytes.elementsEqual(key) }?.value.bytes
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
    let inside = arrays[Int(keyspace.rawValue)].filter { entry in
      if precedes(entry.key.bytes, range.lower) { return false }
      guard let upper = range.upper else { return true }
      return precedes(entry.key.bytes, upper)
    }
    for entry in direction == .forward ? inside : inside.reversed() {
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
      entries.removeAll { $0.key.bytes.elementsEqual(mutation.key) }
      let index = entries.firstIndex { precedes(mutation.key, $0.key.bytes) } ?? entries.count
      entries.insert(Entry(key: Blob(mutation.key), value: Blob(mutation.value)), at: index)
    case .remove:
      entries.removeAll { $0.key.bytes.elementsEqual(mutation.key) }
    case .removeRange(let limit):
      var removed = 0
      entries.removeAll { entry in
        let isInside =
          !precedes(entry.key.bytes, mutation.key)
          && (mutation.value.isEmpty || precedes(entry.key.bytes, mutation.value))
        guard isInside, removed < limit else { return false }
        removed += 1
        return true
      }
    }
  }
}
