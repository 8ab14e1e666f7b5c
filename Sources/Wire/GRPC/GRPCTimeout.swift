/// The `grpc-timeout` header.

package enum GRPCTimeout {
  /// Nanoseconds of a timeout such as `1S` or `30000m`; nil when it is malformed.
  ///
  /// At most eight digits and one unit: H, M, S, m (milliseconds), u, n.
  package static func nanoseconds(_ text: [UInt8]) -> UInt64? {
    guard text.count >= 2, text.count <= 9, let unit = text.last else { return nil }
    var amount: UInt64 = 0
    for byte in text.dropLast() {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      amount = amount * 10 + UInt64(byte - UInt8(ascii: "0"))
    }
    guard let scale = nanosecondsPerUnit(unit) else { return nil }
    let (product, overflow) = amount.multipliedReportingOverflow(by: scale)
    return overflow ? UInt64.max : product
  }

  private static func nanosecondsPerUnit(_ unit: UInt8) -> UInt64? {
    switch unit {
    case UInt8(ascii: "H"): 3_600_000_000_000
    case UInt8(ascii: "M"): 60_000_000_000
    case UInt8(ascii: "S"): 1_000_000_000
    case UInt8(ascii: "m"): 1_000_000
    case UInt8(ascii: "u"): 1_000
    case UInt8(ascii: "n"): 1
    default: nil
    }
  }
}
