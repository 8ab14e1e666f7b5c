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

  /// How many nodes the tree has, itself included. Walks it.
  public var nodeCount: Int {
    switch content {
    case .scalar: 1
    case .sequence(let elements): elements.reduce(1) { $0 + $1.nodeCount }
    case .mapping(let entries): entries.reduce(1) { $0 + 1 + $1.value.nodeCount }
    }
  }
}
