/// Bytes as the key of a dictionary, where they lie.

internal import DocModel

/// INVARIANT: whoever keeps one keeps the memory.
struct BytesInPlace: Hashable {
  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  static func == (left: BytesInPlace, right: BytesInPlace) -> Bool {
    WireCursor.areEqual(left.bytes, right.bytes)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
}
