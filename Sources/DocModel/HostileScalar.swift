extension Unicode.Scalar {
  /// Whether a terminal or a reader could be fooled by the character: it moves the cursor, changes colours, is not seen, or
  /// turns the direction of writing.
  package var isHostile: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
      0xE0000...0xE007F:
      true
    default: false
    }
  }
}
