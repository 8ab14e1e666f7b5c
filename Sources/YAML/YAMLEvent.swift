/// The pieces of a YAML document in the order in which they are written.

/// One piece: a scalar, or the beginning or end of a collection.
public struct YAMLEvent: Sendable {
  public enum Kind: Sendable {
    case scalar(text: String, style: YAMLScalarStyle)
    case alias(String)
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
    /// The end of the document; the last event.
    case documentEnd
  }

  public let kind: Kind
  /// The `&name` in front of a scalar or a collection.
  public let anchor: String?
  public let start: YAMLMark
  /// Behind the last character.
  public let end: YAMLMark
}

/// What a kind of file allows beyond plain YAML, and how its messages say so.
public struct YAMLDialect: Sendable {
  /// What to write instead of an anchor; nil where anchors and aliases are allowed.
  public let aliasAdvice: String?
  /// Completes "tags are not supported".
  public let tagAdvice: String

  public init(aliasAdvice: String?, tagAdvice: String) {
    self.aliasAdvice = aliasAdvice
    self.tagAdvice = tagAdvice
  }

  /// Anchors and aliases are expanded.
  public static let plain = YAMLDialect(aliasAdvice: nil, tagAdvice: "")

  /// Neither anchors nor tags: templates and `$` forms do their work.
  public static let seeds = YAMLDialect(
    aliasAdvice: "in seeds: use templates and $like", tagAdvice: " in seeds: use the $ forms")
}
