/// Operands and field names where they can be compared in place.

/// Bytes that stay where they are as long as their owner lives.
package final class OperandMemory {
  private var blocks: [UnsafeMutableRawBufferPointer] = []

  package init() {}

  deinit {
    for block in blocks { block.deallocate() }
  }

  package func keep(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    block.copyBytes(from: bytes)
    blocks.append(block)
    return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block)[..<bytes.count])
  }
}

/// A field path as bytes: where to look in a document.
package struct FieldLookup {
  private let first: UnsafeRawBufferPointer
  private let rest: [UnsafeRawBufferPointer]

  package init(_ path: FieldPath, _ memory: OperandMemory) {
    let keys = path.segments.map { memory.keep(Array($0.utf8)) }
    first = keys[0]
    rest = Array(keys.dropFirst())
  }

  /// The value there; nil when a step is missing or no map.
  package func value(in fields: FieldsView) -> ValueView? {
    guard var value = fields.value(keyBytes: first) else { return nil }
    for key in rest {
      guard value.kind == .map, let inner = value.fields.value(keyBytes: key) else { return nil }
      value = inner
    }
    return value
  }
}
