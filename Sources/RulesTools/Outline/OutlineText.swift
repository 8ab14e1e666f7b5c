internal import Rules

/// An outline as indented text, a line for each node:
///
///     allow 12:7
///       methods
///         method read 12:13
///       condition: binary && 12:22 [bool]
///
/// A node's scalars follow its kind; members that are nodes or lists of nodes come below it.
struct OutlineText {
  private(set) var text = ""

  mutating func write(_ element: OutlineElement) { write(element, label: nil, depth: 0) }

  private mutating func write(_ element: OutlineElement, label: StaticString?, depth: Int) {
    switch element {
    case .object(let members): write(members, label: label, depth: depth)
    case .elements(let elements):
      guard !elements.isEmpty else { return }
      line("\(label ?? "elements")", depth)
      for element in elements { write(element, label: nil, depth: depth + 1) }
    case .null, .flag, .integer, .float, .utf8:
      line(Self.scalar(element) ?? "", depth)
    }
  }

  private mutating func write(
    _ members: [OutlineMember], label: StaticString?, depth: Int
  ) {
    var words: [String] = []
    var below: [OutlineMember] = []
    var tail = ""
    // Where a literal has a spelling, its value is there twice.
    let hasSpelling = members.contains { $0.name.description == "text" && members.count > 3 }
    for member in members {
      switch member.name.description {
      case "span": tail += " " + Self.place(member.value)
      case "types": tail += Self.types(member.value)
      case "refersTo": tail += " -> " + Self.target(member.value)
      case "number", "type", "file", "isBlock": continue
      case "value" where hasSpelling: continue
      case "name" where Self.nameText(member.value) != nil: words.append(Self.nameText(member.value) ?? "")
      case "id" where Self.nameText(member.value) != nil:
        words.append("@id " + (Self.nameText(member.value) ?? ""))
      default:
        if let scalar = Self.scalar(member.value) {
          if !scalar.isEmpty { words.append(scalar) }
        } else {
          below.append(member)
        }
      }
    }
    line((label.map { "\($0): " } ?? "") + words.joined(separator: " ") + tail, depth)
    for member in below { write(member.value, label: member.name, depth: depth + 1) }
  }

  private mutating func line(_ words: String, _ depth: Int) {
    text += String(repeating: "  ", count: depth) + words + "\n"
  }

  // MARK: Words

  /// The words of a value that has no nodes; nil for one that has.
  private static func scalar(_ element: OutlineElement) -> String? {
    switch element {
    case .null: ""
    case .flag(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .utf8(let bytes):
      String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: "⏎")
    case .elements(let elements): elements.isEmpty ? "" : nil
    case .object: nil
    }
  }

  /// The text of a `name` node.
  private static func nameText(_ element: OutlineElement) -> String? {
    guard case .object(let members) = element else { return nil }
    return members.last { $0.name.description == "text" }.flatMap { scalar($0.value) }
  }

  private static func place(_ element: OutlineElement) -> String {
    guard case .object(let ends) = element, case .object(let start)? = ends.first?.value else { return "" }
    return start.dropFirst().compactMap { scalar($0.value) }.joined(separator: ":")
  }

  private static func types(_ element: OutlineElement) -> String {
    guard case .elements(let names) = element else { return "" }
    return " [" + names.compactMap(scalar).joined(separator: ", ") + "]"
  }

  private static func target(_ element: OutlineElement) -> String {
    guard case .object(let members) = element else { return "" }
    return members.compactMap { scalar($0.value) }.joined(separator: " ")
  }
}
