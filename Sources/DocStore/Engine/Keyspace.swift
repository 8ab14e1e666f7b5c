/// The ordered maps of the store, and ranges of their keys.

/// An ordered map of bytes to bytes: a named database of an embedded engine, or a table.
public enum Keyspace: UInt8, CaseIterable, Sendable {
  /// Databases, generations, the last version, the retention floor.
  case catalog
  /// The present state of every document.
  case documents
  /// Earlier states, each with the version that ended it.
  case documentHistory
  /// Entries of documents as they are now.
  case indexEntries
  /// Entries that ended, with the version that ended them.
  case indexHistory
  /// What each commit touched, in order.
  case changes
}

/// What a keyspace takes of an engine's room.
public struct KeyspaceSize: Hashable, Sendable {
  public var entries: Int
  /// With what the engine itself needs to find them.
  public var bytes: Int

  public init(entries: Int = 0, bytes: Int = 0) {
    self.entries = entries
    self.bytes = bytes
  }
}

/// Keys from `lower` on, up to but without `upper`.
public struct KeyRange: Hashable, Sendable {
  public var lower: [UInt8]
  /// Nil means up to the last key.
  public var upper: [UInt8]?

  public init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  public static let all = KeyRange(lower: [], upper: nil)

  /// Every key that begins with `prefix`, itself included.
  public init(prefix: [UInt8]) {
    self.init(lower: prefix, upper: KeyRange.successor(ofPrefix: prefix))
  }

  /// The smallest key above every key that begins with `prefix`; nil when there is none.
  public static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    var next = prefix
    while let last = next.last {
      if last < 0xFF {
        next[next.count - 1] = last + 1
        return next
      }
      next.removeLast()
    }
    return nil
  }

  /// Whether no key can be inside.
  public var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.lexicographicallyPrecedes(upper)
  }
}

/// Whether a visitor wants more.
public enum ScanStep: Sendable { case more, stop }

public enum ScanDirection: Hashable, Sendable { case forward, reverse }
