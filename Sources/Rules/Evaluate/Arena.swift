/// Memory for values that an evaluation computes.

internal import DocModel

/// A bump allocator for trivial values. Nothing is freed one by one; `reset` forgets everything and
/// keeps the first block, so a warm evaluation allocates nothing.
///
/// INVARIANT: what was allocated stays where it is until `reset`.
package final class Arena {
  /// LIMIT: the block that is kept. A condition that computes more pays for further blocks.
  private static let blockBytes = 8_192

  private let first: UnsafeMutableRawBufferPointer
  private var further: [UnsafeMutableRawBufferPointer] = []
  /// Whether `further` has any; asked in every evaluation.
  private var isGrown = false
  private var furtherBytes = 0
  /// LIMIT: all values of one evaluation together, in their form in memory. Each alone is bounded, but a
  /// thousand expressions may each make a large one.
  private static let furtherBytesMax = 128 << 20
  /// Whose evaluation ends when that is crossed; nil for memory that no condition asks for.
  unowned(unsafe) var owner: Evaluation?
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
    if isGrown { dropFurtherBlocks() }
    position = first.baseAddress.unsafelyUnwrapped
    end = position + Self.blockBytes
  }

  @inline(never)
  private func dropFurtherBlocks() {
    for block in further { block.deallocate() }
    further.removeAll(keepingCapacity: true)
    isGrown = false
    furtherBytes = 0
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

  /// Room for `byteCount` bytes that stay free until `take` is called for them.
  @inline(__always)
  func room(byteCount: Int) -> UnsafeMutableRawPointer {
    if (byteCount + 7) & ~7 > end - position { addBlock(atLeast: (byteCount + 7) & ~7) }
    return position
  }

  /// Keeps what was written to the `room` given last.
  @inline(__always)
  func take(byteCount: Int) { position += (byteCount + 7) & ~7 }

  @inline(never)
  private func addBlock(atLeast size: Int) {
    let count = max(size, Self.blockBytes * 4)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    further.append(block)
    isGrown = true
    furtherBytes += count
    if furtherBytes > Self.furtherBytesMax { owner?.markOvergrown() }
    owner?.takes(count / Evaluation.plainBytesPerStep)
    position = block.baseAddress.unsafelyUnwrapped
    end = position + count
  }

  @inline(__always)
  func allocate<T>(_ type: T.Type, count: Int) -> UnsafeMutablePointer<T> {
    allocate(byteCount: MemoryLayout<T>.stride * count).bindMemory(to: type, capacity: count)
  }

  /// A copy of some bytes.
  @inline(__always)
  package func copy(_ bytes: UnsafeRawBufferPointer) -> ByteView {
    let start = allocate(byteCount: bytes.count)
    if let source = bytes.baseAddress { start.copyShort(from: source, byteCount: bytes.count) }
    return ByteView(start: start, count: bytes.count)
  }

  package func copy(_ bytes: [UInt8]) -> ByteView { bytes.withUnsafeBytes { copy($0) } }

  package func copy(_ text: String) -> ByteView {
    // A native string lends its bytes without being copied, which would count references.
    if let copied = text.utf8.withContiguousStorageIfAvailable({ copy(UnsafeRawBufferPointer($0)) }) {
      return copied
    }
    var text = text
    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }

  package func copy<T>(_ elements: [T]) -> UnsafePointer<T> {
    let start = allocate(T.self, count: elements.count)
    for (index, element) in elements.enumerated() { (start + index).initialize(to: element) }
    return UnsafePointer(start)
  }
}

extension UnsafeMutableRawPointer {
  /// Copies what is short for the most part, without a call: two stores that may overlap.
  @inline(__always)
  func copyShort(from source: UnsafeRawPointer, byteCount count: Int) {
    if count > 16 {
      copyMemory(from: source, byteCount: count)
    } else if count >= 8 {
      copyEnds(UInt64.self, source, count)
    } else if count >= 4 {
      copyEnds(UInt32.self, source, count)
    } else {
      for index in 0..<max(0, count) {
        storeBytes(
          of: source.load(fromByteOffset: index, as: UInt8.self), toByteOffset: index, as: UInt8.self)
      }
    }
  }

  @inline(__always)
  private func copyEnds<Word: FixedWidthInteger & BitwiseCopyable>(
    _ word: Word.Type, _ source: UnsafeRawPointer, _ count: Int
  ) {
    let last = count &- MemoryLayout<Word>.size
    let head = source.loadUnaligned(as: Word.self)
    let tail = source.loadUnaligned(fromByteOffset: last, as: Word.self)
    storeBytes(of: head, as: Word.self)
    storeBytes(of: tail, toByteOffset: last, as: Word.self)
  }
}
