/// Parts of ordered keys, read back.

/// Takes the parts of a key that `KeyWriter` wrote, front to back.
///
/// INVARIANT: never reads beyond the key; bytes that no `KeyWriter` writes give nil.
public struct KeyReader {
  private let key: UnsafeRawBufferPointer
  /// Where the next part begins.
  public private(set) var offset: Int

  public init(_ key: UnsafeRawBufferPointer, offset: Int = 0) {
    self.key = key
    self.offset = offset
  }

  /// Bytes of hash at the end of a folded part.
  public static let hashBytes = 16

  /// What a part held.
  public enum Part: Sendable {
    /// The text was appended whole.
    case whole
    /// The part is folded; the text stands beside the key.
    case folded
  }

  public mutating func uint32() -> UInt32? {
    guard let value = bigEndian(4) else { return nil }
    return UInt32(truncatingIfNeeded: value)
  }

  public mutating func int64() -> Int64? {
    guard let value = bigEndian(8) else { return nil }
    return Int64(bitPattern: value ^ (1 << 63))
  }

  private mutating func bigEndian(_ count: Int) -> UInt64? {
    guard key.count - offset >= count else { return nil }
    var value: UInt64 = 0
    for byte in key[offset..<offset + count] { value = value << 8 | UInt64(byte) }
    offset += count
    return value
  }

  /// Appends the text of a part to `text`. Of a folded part, what is appended is only its beginning.
  public mutating func part(into text: inout [UInt8]) -> Part? {
    while offset < key.count {
      let run = key[offset...]
      guard let zero = run.firstIndex(of: 0), zero + 1 < key.count else { return nil }
      text.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[offset..<zero]))
      guard passZero(at: zero) else { return end(at: zero) }
      text.append(0)
    }
    return nil
  }

  /// Passes over a part.
  public mutating func skipPart() -> Part? {
    while offset < key.count {
      guard let zero = key[offset...].firstIndex(of: 0), zero + 1 < key.count else { return nil }
      guard passZero(at: zero) else { return end(at: zero) }
    }
    return nil
  }

  /// Passes over the two bytes that a zero begins. True when they stand for a zero of the text.
  private mutating func passZero(at zero: Int) -> Bool {
    offset = zero + 2
    return key[zero + 1] == 0xFF
  }

  /// What ends at a zero that is not of the text.
  private mutating func end(at zero: Int) -> Part? {
    switch key[zero + 1] {
    case 1: return .whole
    case 2:
      guard key.count - offset >= Self.hashBytes else { return nil }
      offset += Self.hashBytes
      return .folded
    default: return nil
    }
  }

  /// Appends the text of a document id.
  public mutating func documentID(into text: inout [UInt8]) -> Part? {
    guard offset < key.count else { return nil }
    switch key[offset] {
    case 1:
      offset += 1
      guard let number = int64() else { return nil }
      text.append(contentsOf: "__id\(number)__".utf8)
      return .whole
    case 2:
      offset += 1
      return part(into: &text)
    default: return nil
    }
  }

  /// Appends a path that `KeyWriter.documentPath` wrote.
  public mutating func documentPath(into text: inout [UInt8]) -> Part? {
    var isFirst = true
    while offset < key.count {
      if key[offset] == 0 {
        // The end, or the mark of a fold, which begins alike.
        let isFolded = key.count - offset == 2 + Self.hashBytes && key[offset + 1] == 2
        offset = isFolded ? key.count : offset + 1
        return isFolded ? .folded : .whole
      }
      if !isFirst { text.append(UInt8(ascii: "/")) }
      isFirst = false
      guard let part = documentID(into: &text) else { return nil }
      if part == .folded { return .folded }
    }
    return nil
  }
}
