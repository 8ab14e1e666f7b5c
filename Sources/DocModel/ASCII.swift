/// Bytes of texts that are ASCII characters, by their kind.

extension UInt8 {
  @inlinable package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  @inlinable package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Letters, digits and `_`.
  @inlinable package var isWordByte: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }

  /// What a hexadecimal digit of either case stands for; nil for what is none.
  @inlinable package var hexValue: UInt8? {
    if isDigit { return self - UInt8(ascii: "0") }
    let place = (self | 0x20) &- UInt8(ascii: "a")
    return place < 6 ? place + 10 : nil
  }
}
