/// References as positions in the order of names.

package enum NameOperand {
  /// What follows `projects/P/databases/D/documents/`.
  package static func relativePath(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var slashes = 0
    for (index, byte) in name.enumerated() where byte == UInt8(ascii: "/") {
      slashes += 1
      if slashes == 5 { return UnsafeRawBufferPointer(rebasing: name[(index + 1)...]) }
    }
    return UnsafeRawBufferPointer(rebasing: name[name.count...])
  }

  package static func path(_ encodedReference: [UInt8]) -> ResourcePath {
    encodedReference.withUnsafeBytes { bytes in
      ResourcePath(unchecked: String(decoding: relativePath(ValueView(bytes).reference), as: UTF8.self))
    }
  }
}
