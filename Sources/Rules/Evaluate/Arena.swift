/// Memory for values that an evaluation computes.

internal import DocModel

/// A bump allocator for trivial values. Nothing is freed one by one; `reset` forgets everything and
/// keeps the first block, so a warm evaluation allocates nothing.
///
/// INVARIANT: what was allocated stays where it is until `reset`.
final class Arena {
  /// LIMIT: the block that is kept. A condition that computes more pays for further blocks.
  private static let blockBytes = 8_192

  private let first: UnsafeMutableRawBufferPointer
  private var further: [UnsafeMutableRawBufferPointer] = []
  private var position: UnsafeMutableRawPointer
  private var end: UnsafeMutableRawPointer

  init() {
    first = .allocate(byteCount: Self.blockBytes, alignment: 16)
    position = first.baseAddress.unsafelyUnwrapped
    end = position + Self.blockBytes
  }

  deinit {
    first.deallocate()
    for block in further { block.deallocate() }
  }

  @inline(__always)
  func reset() {
    if !further.isEmpty { dropFurtherBlocks() }
    position = first.baseAddress.unsafelyUnwrapped
    end = position + Self.blockBytes
  }

  @inline(never)
  private func dropFurtherBlocks() {
    for block in further { block.deallocate() }
    further.removeAll(keepingCapacity: true)
  }

  /// Room for `byteCount` bytes, aligned to eight.
  @inline(__always)
  func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let size = (byteCount + 7) & ~7
    if size > end - position { addBlock(atLeast: size) }
    let start = position
    position += size
    return start
  }

  @inline(never)
  private func addBlock(atLeast size: Int) {
    let count = max(size, Self.blockBytes * 4)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    further.append(block)
    position = block.baseAddress.unsafelyUnwrapped
    end = position + count
  }

  @inline(__always)
  func allocate<T>(_ type: T.Type, count: Int) -> UnsafeMutablePointer<T> {
    allocate(byteCount: MemoryLayout<T>.stride * count).bindMemory(to: type, capacity: count)
  }

  /// A copy of some bytes.
  @inline(__always)
  func copy(_ bytes: UnsafeRawBufferPointer) -> ByteView {
    let start = allocate(byteCount: bytes.count)
    if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
    return ByteView(start: start, count: bytes.count)
  }

  func copy(_ bytes: [UInt8]) -> ByteView { bytes.withUnsafeBytes { copy($0) } }

  func copy(_ text: String) -> ByteView {
    var text = text
    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }

  func copy<T>(_ elements: [T]) -> UnsafePointer<T> {
    let start = allocate(T.self, count: elements.count)
    for (index, element) in elements.enumerated() { (start + index).initialize(to: element) }
    return UnsafePointer(start)
  }
}
