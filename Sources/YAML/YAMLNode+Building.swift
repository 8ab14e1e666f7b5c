/// Nodes that are made from others: what a file says once and means several times, and what another language says.

extension YAMLNode {
  /// A node that stands where another one stood.
  public init(_ content: Content, like other: YAMLNode) {
    self.init(content: content, start: other.start, end: other.end)
  }

  /// A node that another language's text has at a place.
  public init(_ content: Content, at mark: YAMLMark) { self.init(content: content, start: mark, end: mark) }
}

extension YAMLEntry {
  /// The entry with another key, another value, or both.
  public func replacing(key text: String, value: YAMLNode) -> YAMLEntry {
    YAMLEntry(key: YAMLKey(text: text, style: key.style, mark: key.mark), value: value)
  }

  /// An entry made up at a place.
  public init(_ name: String, _ value: YAMLNode) { self.init(name, value, at: value.start) }

  /// An entry whose key stands at a place.
  public init(_ name: String, _ value: YAMLNode, at mark: YAMLMark) {
    self.init(key: YAMLKey(text: name, style: .plain, mark: mark), value: value)
  }
}

extension YAMLScalar {
  /// A string, whatever it looks like.
  public static func string(_ text: String) -> YAMLScalar { YAMLScalar(quoted: text) }

  /// A scalar of which is known what it means.
  public init(_ value: YAMLScalarValue, text: String) {
    self.text = text
    style = .plain
    self.value = value
  }

  private init(quoted text: String) {
    self.text = text
    style = .doubleQuoted
    value = .string
  }
}

extension YAMLMap {
  /// The map with other entries.
  public func replacing(entries: [YAMLEntry]) -> YAMLMap { YAMLMap(what: what, entries: entries, mark: mark) }
}
