/// The order of a list request: `a`, `a desc`, `a.b asc, c desc`.
///
/// Source: docs/spec/protocol.md 1.6; the message was asked of the official emulator.

public import DocModel

extension StructuredQuery.Order {
  /// Reads the text of `ListDocumentsRequest.order_by`; an empty one means no orders.
  public static func parse(_ text: String) throws(InvalidArgument) -> [StructuredQuery.Order] {
    if text.utf8.allSatisfy(isBlank) { return [] }
    var orders: [StructuredQuery.Order] = []
    for clause in clauses(Array(text.utf8)) {
      guard let order = order(clause), (try? FieldPath.parse(order.path)) != nil else {
        throw QueryErrors.orderText(text)
      }
      orders.append(order)
    }
    return orders
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Splits at commas that do not stand between back-ticks.
  private static func clauses(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    var clauses: [ArraySlice<UInt8>] = []
    var start = 0
    var isQuoted = false
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "`"): isQuoted.toggle()
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: ",") where !isQuoted:
        clauses.append(text[start..<index])
        start = index + 1
      default: break
      }
      index += 1
    }
    clauses.append(text[start...])
    return clauses
  }

  /// A path and, after blanks, perhaps a direction.
  private static func order(_ clause: ArraySlice<UInt8>) -> StructuredQuery.Order? {
    var rest = clause.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    guard !rest.isEmpty else { return nil }
    let end = endOfPath(rest)
    let path = String(decoding: rest[..<end], as: UTF8.self)
    let word = rest[end...].drop(while: isBlank)
    if word.isEmpty { return StructuredQuery.Order(path) }
    switch String(decoding: word, as: UTF8.self).lowercased() {
    case "asc": return StructuredQuery.Order(path, .ascending)
    case "desc": return StructuredQuery.Order(path, .descending)
    default: return nil
    }
  }

  /// The first blank that does not stand between back-ticks.
  private static func endOfPath(_ clause: ArraySlice<UInt8>) -> Int {
    var isQuoted = false
    var index = clause.startIndex
    while index < clause.endIndex {
      switch clause[index] {
      case UInt8(ascii: "`"): isQuoted.toggle()
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case let byte where isBlank(byte) && !isQuoted: return index
      default: break
      }
      index += 1
    }
    return clause.endIndex
  }
}
