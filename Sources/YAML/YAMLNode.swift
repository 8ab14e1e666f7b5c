/// A YAML document as a tree that knows where everything stands.

/// One scalar, list or map.
public struct YAMLNode: Sendable {
  public enum Content: Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLEntry])
  }

  public let content: Content
  public let start: YAMLMark
  /// Behind the last character.
  public let end: YAMLMark
}

/// A key of a map with its value.
public struct YAMLEntry: Sendable {
  public let key: YAMLKey
  public let value: YAMLNode
}

/// A map's key: always a text, whatever it would mean as a scalar.
public struct YAMLKey: Sendable {
  public let text: String
  public let style: YAMLScalarStyle
  public let mark: YAMLMark
}

extension YAMLNode {
  /// What the node is, for messages: `a list`.
  public var kindName: String {
    switch content {
    case .sequence: "a list"
    case .mapping: "a map"
    case .scalar(let scalar):
      switch scalar.value {
      case .null: "null"
      case .boolean: "true or false"
      case .integer: "an integer"
      case .double: "a number"
      case .string: "a text"
      }
    }
  }

  /// About how many bytes the tree takes in memory. Walks it.
  public var byteCount: Int {
    switch content {
    case .scalar(let scalar): Self.nodeBytes + scalar.text.utf8.count
    case .sequence(let elements): elements.reduce(Self.nodeBytes) { $0 + $1.byteCount }
    case .mapping(let entries):
      entries.reduce(Self.nodeBytes) { $0 + Self.nodeBytes + $1.key.text.utf8.count + $1.value.byteCount }
    }
  }

  /// What a scalar, a list, a map or a key takes beside its text.
  private static let nodeBytes = 120
}
