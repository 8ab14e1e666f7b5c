/// A piece of generated text that remembers how it was put together, so that it can be taken apart.

/// What a generated expression is meant to be. Nothing forces it to be that: ill-typed texts are wanted.
public enum Kind: Character, CaseIterable, Sendable {
  case bool = "b"
  case int = "i"
  case float = "d"
  case string = "s"
  case bytes = "y"
  case timestamp = "t"
  case duration = "u"
  case latlng = "g"
  case path = "p"
  case list = "l"
  case set = "e"
  case map = "m"
  case mapDiff = "f"
  case null = "0"
  case any = "a"
}

/// Text with holes, and what fills them.
///
/// INVARIANT: without a separator there is one part more than there are children; with one there are two
/// parts, before and after, and any child may be left out.
public struct Phrase: Sendable {
  public var kind: Kind
  public var parts: [String]
  public var children: [Phrase]
  /// Between children that may be left out: elements, entries.
  public var separator: String?
  /// Binds weaker than a call, so that it wants parentheses as an operand.
  public var isOperator: Bool

  public init(
    _ kind: Kind, parts: [String], children: [Phrase] = [], separator: String? = nil, isOperator: Bool = false
  ) {
    self.kind = kind
    self.parts = parts
    self.children = children
    self.separator = separator
    self.isOperator = isOperator
  }

  public init(_ kind: Kind, _ text: String, isOperator: Bool = false) {
    self.init(kind, parts: [text], isOperator: isOperator)
  }

  public var text: String {
    var out = ""
    write(to: &out)
    return out
  }

  private func write(to out: inout String) {
    guard let separator else {
      for (index, part) in parts.enumerated() {
        out += part
        if index < children.count { children[index].write(to: &out) }
      }
      return
    }
    out += parts[0]
    for (index, child) in children.enumerated() {
      if index > 0 { out += separator }
      child.write(to: &out)
    }
    out += parts[1]
  }

  /// The phrase in parentheses.
  public var inParentheses: Phrase { Phrase(kind, parts: ["(", ")"], children: [self]) }

  public var nodeCount: Int { children.reduce(1) { $0 + $1.nodeCount } }

  /// Whether a text occurs in it.
  public func mentions(_ word: String) -> Bool { text.contains(word) }
}

extension Phrase {
  /// Phrases that are one step simpler: a subtree gone, replaced by one of its own children, or by a short
  /// literal. The thorough ones try every literal everywhere, which is slow while the phrase is large.
  public func reductions(isThorough: Bool) -> [Phrase] {
    var found = ownReductions(isThorough)
    for index in children.indices {
      for reduced in children[index].reductions(isThorough: isThorough) {
        var copy = self
        copy.children[index] = reduced
        found.append(copy)
      }
    }
    return found
  }

  private func ownReductions(_ isThorough: Bool) -> [Phrase] {
    var found = children
    if separator != nil {
      for index in children.indices {
        var copy = self
        copy.children.remove(at: index)
        found.append(copy)
      }
    }
    let length = text.utf8.count
    let literals = isThorough ? Self.literals : [kind == .bool ? "true" : "0", "{}.e"]
    for literal in literals where literal.utf8.count < length { found.append(Phrase(kind, literal)) }
    return found
  }

  /// What any expression may shrink to, the plainest first.
  private static let literals = ["true", "false", "null", "0", "1", "''", "'a'", "[]", "{}", "1.5", "{}.e"]
}
