/// A request's path and query, decoded once.

internal import DocModel

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
      guard let decoded = PercentEncoding.decode(segment, plusIsBlank: false) else { return nil }
      segments.append(decoded)
    }
    self.segments = segments
    var query: [Parameter] = []
    if parts.count == 2 {
      for pair in parts[1].split(separator: UInt8(ascii: "&")) {
        let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = PercentEncoding.decode(sides[0], plusIsBlank: true),
          let value = sides.count == 2 ? PercentEncoding.decode(sides[1], plusIsBlank: true) : []
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
}
