/// Whose doing a commit is: carried from the code that commits to those who follow the feed.

/// A short text that travels with every commit made while it is `current`.
///
/// ```
/// try await CommitOrigin.$current.withValue(CommitOrigin("why")) {
///   try await store.commit(database, writes)  // the feed and `changes` say `CommitSource.origin`: "why"
/// }
/// ```
///
/// The store does not read the text, and keeps it as long as the change. Tasks inherit it; detached tasks and other
/// processes do not.
public struct CommitOrigin: Hashable, Sendable {
  /// LIMIT: bytes of the text; longer ones are cut.
  public static let bytesMax = 4_096

  public let text: String

  public init(_ text: String) {
    self.text =
      text.utf8.count <= Self.bytesMax
      ? text : String(decoding: text.utf8.prefix(Self.bytesMax), as: UTF8.self)
  }

  @TaskLocal public static var current: CommitOrigin?

  /// The origin of commits that no trigger shall hear of, such as a seed that has what triggers would write.
  public static let withoutTriggers = CommitOrigin("-")
}

/// Who made a commit.
public enum CommitAuthor: Hashable, Sendable {
  /// Not written down: by an earlier version, or of a user whose id is longer than `CommitSource.userBytesMax`.
  case unknown
  /// This program itself: a trigger in Swift, a seed, an import.
  case system
  /// A server with full rights.
  case administrator
  /// Nobody was signed in.
  case anonymous
  /// An app's user, by its id.
  case user(String)
}

/// Where a commit came from: who made it, and what made it so. Kept with what it changed.
public struct CommitSource: Hashable, Sendable {
  /// LIMIT: bytes of a user's id; longer ones are not kept.
  static let userBytesMax = 1_024

  /// As the credentials of the commit say; `system` for code beside the store that says nothing.
  public let author: CommitAuthor
  /// `CommitOrigin.current` when the commit was made; nil for one that nothing made so.
  public let origin: CommitOrigin?

  package init(author: CommitAuthor, origin: CommitOrigin? = nil) {
    self.author = author
    self.origin = origin
  }

  /// Of a change that says nothing.
  package static let unknown = CommitSource(author: .unknown)
}
