/// Which limits commits are held to, where the service and the official emulator differ.
///
/// Source: docs/spec/production-differences.md W4, L2, L7 to L10.

public import DocModel

public struct CommitLimits: Sendable {
  /// The indexes of a database, whose entries are counted and charged; nil to count nothing.
  public var indexes: (@Sendable (DatabaseID) -> DefinedIndexes)?
  /// Field transforms of one document in one commit; nil for any number.
  public var transformsMax: Int?
  /// Whether a document that is too large is refused in the service's words, or in the emulator's.
  public var saysDocument: Bool

  /// The service's. Without definitions every field has its automatic indexes.
  public static func production(
    _ indexes: @escaping @Sendable (DatabaseID) -> DefinedIndexes = { _ in .automatic }
  ) -> CommitLimits {
    CommitLimits(indexes: indexes, transformsMax: WriteLimits.transformsMax, saysDocument: true)
  }

  /// The official emulator's.
  public static let emulator = CommitLimits(indexes: nil, transformsMax: nil, saysDocument: false)
}

/// The texts in which commits are refused for what their indexes would hold.
enum IndexChargeErrors {
  /// Source: docs/spec/production-differences.md L7, L9.
  static let entryTooLarge = InvalidArgument("Index entry is too large.")
  /// Source: docs/spec/production-differences.md L10.
  static let commitTooLarge = InvalidArgument("Transaction too big. Decrease transaction size.")

  /// Source: docs/spec/production-differences.md L8.
  static func tooManyEntries(_ path: ResourcePath) -> InvalidArgument {
    InvalidArgument("too many index entries for entity /\(path.text)")
  }
}
