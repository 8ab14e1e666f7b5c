/// Nodes that are made from others: what a file says once and means several times.

extension YAMLNode {
  /// A node that stands where another one stood.
  public init(_ content: Content, like other: YAMLNode) {
    self.init(content: content, start: other.start, end: other.end)
  }
}

extension YAMLEntry {
  /// The entry with another key, another value, or both.
  public func replacing(key text: String, value: YAMLNode) -> YAMLEntry {
    YAMLEntry(key: YAMLKey(text: text, style: key.style, mark: key.mark), value: value)
  }

  /// An entry made up at a place.
  public init(_ name: String, _ value: YAMLNode) {
    self.init(key: YAMLKey(text: name, style: .plain, mark: value.start), value: value)
  }
}

extension YAMLScalar {
  /// A string, whatever it looks like.
  public static func string(_ text: String) -> YAMLScalar { YAMLScalar(quoted: text) }

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
