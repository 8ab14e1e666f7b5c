/// Queries as text, for tests of proofs.

import DocModel
import Testing

@testable import Rules

/// A value as the tables write it: `'text'`, numbers, booleans, `null`, `[…]`, `@2026-01-09T00:00:00Z`.
enum ListValueText {
  static func value(_ text: String) -> Value {
    let text = text.trimmed
    switch text {
    case "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "NaN": return .double(.nan)
    default: break
    }
    if text.hasPrefix("'") { return .string(String(text.dropFirst().dropLast())) }
    if text.hasPrefix("@"), let time = Timestamp(rfc3339: String(text.dropFirst())) {
      return .timestamp(time)
    }
    if text.hasPrefix("[") {
      return .array(parts(String(text.dropFirst().dropLast())).map(value))
    }
    if let number = Int64(text) { return .integer(number) }
    return .double(Double(text) ?? .nan)
  }

  /// Split at commas outside quotes and brackets.
  static func parts(_ text: String, at separator: Character = ",") -> [String] {
    var parts: [String] = []
    var part = ""
    var depth = 0
    var isQuoted = false
    for character in text {
      switch character {
      case "'": isQuoted.toggle()
      case "[", "(": if !isQuoted { depth += 1 }
      case "]", ")": if !isQuoted { depth -= 1 }
      default: break
      }
      if character == separator, depth == 0, !isQuoted {
        parts.append(part)
        part = ""
      } else {
        part.append(character)
      }
    }
    if !part.trimmed.isEmpty { parts.append(part) }
    return parts
  }
}

extension String {
  var trimmed: String {
    var text = self[...]
    while text.first == " " { text = text.dropFirst() }
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}

/// `posts where author == 'me', n > 3 order n desc limit 10`; `where or(a == 1, b == 2)`; `group posts`.
enum ListQueryText {
  static func shape(_ text: String) -> QueryShape {
    var rest = text
    let limit = cut(&rest, " limit ").flatMap { Int64($0.trimmed) }
    let order = cut(&rest, " order ")
    let filters = cut(&rest, " where ") ?? ""
    let isGroup = rest.hasPrefix("group ")
    let place = (isGroup ? String(rest.dropFirst(6)) : rest).trimmed
    let path = ResourcePath(unchecked: place)
    return QueryShape(
      parent: path.parent, collectionID: path.lastSegment, allDescendants: isGroup,
      disjuncts: disjuncts(filters, in: place), limit: limit, orderBy: order.map { [self.order($0)] } ?? [])
  }

  private static func cut(_ text: inout String, _ word: String) -> String? {
    guard let range = text.firstRange(of: word) else { return nil }
    defer { text = String(text[..<range.lowerBound]) }
    return String(text[range.upperBound...])
  }

  private static func order(_ text: String) -> QueryShape.Order {
    let parts = text.trimmed.split(separator: " ")
    let path = (try? FieldPath.parse(String(parts[0]))) ?? .documentName
    return QueryShape.Order(path, isDescending: parts.last == "desc")
  }

  private static func disjuncts(_ text: String, in collection: String) -> [QueryDisjunct] {
    let text = text.trimmed
    if text.hasPrefix("or(") {
      return ListValueText.parts(String(text.dropFirst(3).dropLast())).map { disjunct in
        QueryDisjunct(ListValueText.parts(disjunct, at: "&").map { filter($0, in: collection) })
      }
    }
    return [QueryDisjunct(ListValueText.parts(text).map { filter($0, in: collection) })]
  }

  private static let symbols: [(String, FieldTest.Comparison)] = [
    (" array-contains-any ", .arrayContainsAny), (" array-contains ", .arrayContains), (" not-in ", .notIn),
    (" in ", .in), (" == ", .equal), (" != ", .notEqual), (" <= ", .lessThanOrEqual),
    (" >= ", .greaterThanOrEqual),
    (" < ", .lessThan), (" > ", .greaterThan),
  ]

  private static func filter(_ text: String, in collection: String) -> FieldTest {
    for (symbol, comparison) in symbols {
      guard let range = text.firstRange(of: symbol) else { continue }
      let name = String(text[..<range.lowerBound]).trimmed
      let value = ListValueText.value(String(text[range.upperBound...]))
      if name == "__name__" { return FieldTest(.documentName, comparison, named(value, collection)) }
      let path = (try? FieldPath.parse(name)) ?? .documentName
      if value == .null, comparison == .equal { return FieldTest(path, .isNull) }
      return FieldTest(path, comparison, value)
    }
    return FieldTest(.documentName, .isNotNull)
  }

  private static func named(_ value: Value, _ collection: String) -> Value {
    switch value {
    case .string(let id): .reference("projects/demo/databases/(default)/documents/\(collection)/\(id)")
    case .array(let ids): .array(ids.map { named($0, collection) })
    default: value
    }
  }
}
