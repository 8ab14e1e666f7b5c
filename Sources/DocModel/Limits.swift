/// Every number of the data model that the service promises or refuses, named, with its source.

public enum Limits {
  /// A collection id or document id, UTF-8 bytes. Source: spec/protocol.md 2.3.
  public static let idBytesMax = 1_500
  /// Collection and document pairs in one name. Source: spec/production-differences.md L5.
  public static let namePairsMax = 100
  /// A field name, or the dotted path to a nested one. Source: spec/protocol.md 2.3.
  public static let fieldNameBytesMax = 1_500
  /// A string or bytes value. Source: spec/protocol.md 2.3.
  public static let valueBytesMax = 1_048_487
  /// Levels of maps and arrays below a field. Source: spec/protocol.md 2.3, 3.7.
  public static let nestingMax = 20
  /// Levels that untrusted bytes are read to before they are given up: deeper than `nestingMax`, because a
  /// reserved name further down is the complaint that wins. Protobuf parsers stop at 100 nested messages,
  /// and a map level takes three. Source: spec/protocol.md 3.7, 4.1.
  public static let nestingReadMax = 33
  /// A document by the storage formula of spec/protocol.md 3.6.
  public static let documentBytesMax = 1_048_576
  /// Elements of a vector. Source: spec/protocol.md 2.3.
  public static let vectorElementsMax = 2_048
}
