/// Things that hold for a whole store and are kept in it: which rules guard it. Every server that has the store goes by the
/// one that was released last.
///
/// ```
/// catalog  09 | name  ->  version i64, the release's bytes
/// ```

internal import DocModel
internal import Platform

/// What was released under a name.
public struct StoredRelease: Sendable {
  public let name: String
  /// Of its commit.
  public let version: Int64
  public let bytes: [UInt8]

  static let prefix: UInt8 = 9

  init(name: String, version: Int64, bytes: [UInt8]) {
    self.name = name
    self.version = version
    self.bytes = bytes
  }

  /// Nil for an entry that is none.
  init?(key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    var reader = KeyReader(value, offset: 0)
    guard key.first == Self.prefix, let version = reader.int64() else { return nil }
    self.init(
      name: String(decoding: key.dropFirst(), as: UTF8.self), version: version,
      bytes: Array(value.dropFirst(KeyLayout.versionBytes)))
  }

  var key: [UInt8] { [Self.prefix] + Array(name.utf8) }

  var value: [UInt8] {
    var writer = KeyWriter(reserving: KeyLayout.versionBytes)
    writer.int64(version)
    return writer.bytes + bytes
  }

  /// All of a store, in the order in which they were released.
  static func all(_ view: StorageView) throws(StorageError) -> [StoredRelease] {
    var found: [StoredRelease] = []
    try view.scan(.catalog, KeyRange(prefix: [prefix]), .forward) { key, value in
      if let release = StoredRelease(key: key, value) { found.append(release) }
      return .more
    }
    return found.sorted { $0.version < $1.version }
  }
}

/// Who goes by releases.
///
/// INVARIANT: told of a release before a later commit, of whatever server, is planned here.
final class ReleaseFollower: Sendable {
  private let follower = Monitor<(@Sendable (StoredRelease) -> Void)?>(nil)

  func set(_ body: @escaping @Sendable (StoredRelease) -> Void) { follower.change { $0 = body } }

  func tell(_ releases: [StoredRelease]) {
    guard !releases.isEmpty, let body = follower.withLock({ $0 }) else { return }
    for release in releases { body(release) }
  }
}
