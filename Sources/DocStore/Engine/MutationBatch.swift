/// What one engine transaction is to write.

internal import DocModel

/// One change of one keyspace. Its bytes live in the batch that holds it.
public struct Mutation {
  public enum Kind: Sendable {
    case put
    case remove
    /// Removes keys from `key` on up to but without `value`, at most `limit` of them.
    case removeRange(limit: Int)
  }

  public let kind: Kind
  public let keyspace: Keyspace
  public let key: UnsafeRawBufferPointer
  /// The value of a put; the upper bound of a range (empty: to the end of the keyspace).
  public let value: UnsafeRawBufferPointer
}

/// The mutations of one engine transaction in the order in which they apply, and the memory they use.
///
/// Bytes are bump-allocated in blocks and stay where they are until the batch dies, so a planned record
/// can be looked at in place before it is written. A mark and `rollback` take back what a refused commit
/// had planned.
///
/// INVARIANT: pointers handed out are valid as long as the batch lives and is not `reset`.
public final class MutationBatch {
  public private(set) var mutations: [Mutation] = []
  /// Bytes of all keys and values planned so far.
  public private(set) var byteCount = 0

  /// Bytes of memory handed out, whatever became of them.
  private(set) var memoryBytes = 0

  private var blocks: [UnsafeMutableRawBufferPointer] = []
  private var blockIndex = 0
  private var used = 0

  private static let blockBytes = 1 << 20

  public init() {}

  deinit {
    for block in blocks { block.deallocate() }
  }

  public struct Mark {
    fileprivate let mutations: Int
    fileprivate let bytes: Int
  }

  public var mark: Mark { Mark(mutations: mutations.count, bytes: byteCount) }

  /// Forgets every mutation since `mark`. Their bytes stay readable.
  public func rollback(to mark: Mark) {
    mutations.removeLast(mutations.count - mark.mutations)
    byteCount = mark.bytes
  }

  /// Forgets everything and keeps one block of memory for the next use.
  public func reset() {
    mutations.removeAll(keepingCapacity: true)
    byteCount = 0
    memoryBytes = 0
    while blocks.count > 1 || (blocks.last?.count ?? 0) > Self.blockBytes { blocks.removeLast().deallocate() }
    blockIndex = 0
    used = 0
  }

  /// Fresh memory of the batch, uninitialised.
  public func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    while blockIndex < blocks.count, used + count > blocks[blockIndex].count {
      blockIndex += 1
      used = 0
    }
    if blockIndex == blocks.count {
      blocks.append(.allocate(byteCount: max(count, Self.blockBytes), alignment: 16))
      used = 0
    }
    let bytes = UnsafeMutableRawBufferPointer(rebasing: blocks[blockIndex][used..<used + count])
    used += count
    memoryBytes += count
    return bytes
  }

  /// A copy of `bytes` in the batch's memory.
  public func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let target = allocate(bytes.count)
    target.copyMemory(from: bytes)
    return UnsafeRawBufferPointer(target)
  }

  public func copy(_ bytes: [UInt8]) -> UnsafeRawBufferPointer { bytes.withUnsafeBytes { copy($0) } }

  /// `value` must be memory of the batch: the plan's view may end before the batch is written.
  public func put(_ keyspace: Keyspace, _ key: [UInt8], inPlace value: UnsafeRawBufferPointer) {
    append(.put, keyspace, copy(key), value)
  }

  /// As above, with a key that is memory of the batch, too.
  public func put(
    _ keyspace: Keyspace, keyInPlace key: UnsafeRawBufferPointer, inPlace value: UnsafeRawBufferPointer
  ) {
    append(.put, keyspace, key, value)
  }

  public func put(_ keyspace: Keyspace, _ key: [UInt8], _ value: [UInt8]) {
    append(.put, keyspace, copy(key), copy(value))
  }

  public func remove(_ keyspace: Keyspace, _ key: [UInt8]) {
    append(.remove, keyspace, copy(key), UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// - Parameter key: memory of the batch.
  public func remove(_ keyspace: Keyspace, keyInPlace key: UnsafeRawBufferPointer) {
    append(.remove, keyspace, key, UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Removes at most `limit` keys of `range`, lowest first.
  public func removeRange(_ keyspace: Keyspace, _ range: KeyRange, limit: Int) {
    guard !range.isEmpty else { return }
    append(.removeRange(limit: limit), keyspace, copy(range.lower), copy(range.upper ?? []))
  }

  private func append(
    _ kind: Mutation.Kind, _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer
  ) {
    assert(owns(key) && owns(value), "what is to be written lies in the batch's memory")
    byteCount += key.count + value.count
    mutations.append(Mutation(kind: kind, keyspace: keyspace, key: key, value: value))
    if Invariants.areDue(at: mutations.count) { checkInvariants() }
  }

  /// Whether bytes lie in the batch's memory; nothing lies anywhere.
  private func owns(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
    return blocks.contains { block in
      UnsafeRawBufferPointer(block).baseAddress.map { $0 <= start && start + bytes.count <= $0 + block.count }
        ?? false
    }
  }

  func checkInvariants() {
    assert(mutations.allSatisfy { owns($0.key) && owns($0.value) }, "all of it lies in the batch's memory")
    assert(byteCount == mutations.reduce(0) { $0 + $1.key.count + $1.value.count }, "`byteCount` counts")
    assert(blockIndex == blocks.count || used <= blocks[blockIndex].count, "a block holds what it was given")
  }
}
