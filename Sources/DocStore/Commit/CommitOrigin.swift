/// Whose doing a commit is: carried from the code that commits to those who follow the feed.

internal import Synchronization

/// A short text that travels with every commit made while it is `current`.
///
/// ```
/// try await CommitOrigin.$current.withValue(CommitOrigin("why")) {
///   let result = try await store.commit(database, writes)
///   store.origin(ofCommit: result.commitTime)  // "why"
/// }
/// ```
///
/// The store does not read the text. Tasks inherit it; detached tasks and other processes do not.
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

/// The origins of the latest commits that had one.
///
/// LIMIT: so many commits; older ones are forgotten, as all are when the process ends.
final class CommitOrigins: Sendable {
  private static let countMax = 16_384

  private struct Ring {
    var versions: [Int64] = []
    var next = 0
    var origins: [Int64: CommitOrigin] = [:]
  }

  private let ring = Mutex(Ring())

  /// Before the commit is published, so that whoever learns of it finds its origin.
  func note(_ origin: CommitOrigin, version: Int64) {
    ring.withLock { ring in
      if ring.versions.count < Self.countMax {
        ring.versions.append(version)
      } else {
        ring.origins[ring.versions[ring.next]] = nil
        ring.versions[ring.next] = version
        ring.next = (ring.next + 1) % Self.countMax
      }
      ring.origins[version] = origin
    }
  }

  func origin(ofCommit version: Int64) -> CommitOrigin? { ring.withLock { $0.origins[version] } }
}
