/// A request's path and query, decoded once.

/// Source: docs/spec/protocol.md 6.1.
package struct HTTPTarget: Equatable {
  /// Between slashes, percent-decoded; a leading slash gives no segment, a trailing one an empty last.
  package let segments: [[UInt8]]
  package let query: [Parameter]

  package struct Parameter: Equatable {
    package let name: [UInt8]
    package let value: [UInt8]
  }

  /// Nil for a target that is not a path, and for broken percent-encoding.
  package init?(_ target: [UInt8]) {
    guard target.first == UInt8(ascii: "/") else { return nil }
    let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    var segments: [[UInt8]] = []
    for segment in parts[0].dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let decoded = Self.decode(segment, plusIsBlank: false) else { return nil }
      segments.append(decoded)
    }
    self.segments = segments
    var query: [Parameter] = []
    if parts.count == 2 {
      for pair in parts[1].split(separator: UInt8(ascii: "&")) {
        let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decode(sides[0], plusIsBlank: true),
          let value = sides.count == 2 ? Self.decode(sides[1], plusIsBlank: true) : []
        else { return nil }
        query.append(Parameter(name: name, value: value))
      }
    }
    self.query = query
  }

  /// All values of a parameter, in camelCase or snake_case.
  package func values(_ camelCase: StaticString, _ snakeCase: StaticString) -> [[UInt8]] {
    query.filter { $0.name.holds(camelCase) || $0.name.holds(snakeCase) }.map(\.value)
  }

  /// Percent-encoded bytes as they are; nil where the encoding is broken.
  static func decode(_ text: ArraySlice<UInt8>, plusIsBlank: Bool) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < text.endIndex, let high = hexDigit(text[index + 1]),
          let low = hexDigit(text[index + 2])
        else { return nil }
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
        index += 1
      }
    }
    return decoded
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
