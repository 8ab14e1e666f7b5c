/// Bytes as people read them.

extension Sequence<UInt8> {
  /// Two small digits a byte.
  package var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
