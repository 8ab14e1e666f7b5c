/// Where the documents of a seed go.

public import DocModel

/// One document of a seed, as it is to be after the commit, whatever is there now.
public struct SeedWrite: Sendable {
  public let path: ResourcePath
  /// The stored form of the fields, canonical, without those in `serverTimes`.
  public let fields: [UInt8]
  /// Fields that get the time of the commit.
  public let serverTimes: [FieldPath]

  public init(path: ResourcePath, fields: [UInt8], serverTimes: [FieldPath]) {
    self.path = path
    self.fields = fields
    self.serverTimes = serverTimes
  }

  /// Whether a stored document needs no write: the same fields, and an instant wherever the seed asks
  /// for the time of a commit. Seeding twice therefore changes nothing.
  public func isSame(as stored: FieldsView) -> Bool {
    guard !serverTimes.isEmpty else {
      return fields.withUnsafeBytes { WireCursor.areEqual($0, stored.bytes) }
    }
    var rest = Value.map(Fields(stored))
    for path in serverTimes {
      guard stored.value(at: path)?.kind == .timestamp else { return false }
      rest = rest.removing(path.segments[...])
    }
    return rest == .map(Fields(encoded: fields))
  }
}

extension Value {
  /// The map without one field; the maps around it stay.
  fileprivate func removing(_ path: ArraySlice<String>) -> Value {
    guard case .map(var fields) = self, let head = path.first else { return self }
    fields[head] = path.count == 1 ? nil : fields[head]?.removing(path.dropFirst())
    return .map(fields)
  }
}

/// What became of some documents.
public struct SeedOutcome: Hashable, Sendable {
  public var created: Int
  public var updated: Int
  public var unchanged: Int

  public init(created: Int = 0, updated: Int = 0, unchanged: Int = 0) {
    self.created = created
    self.updated = updated
    self.unchanged = unchanged
  }

  public var total: Int { created + updated + unchanged }

  public static func += (left: inout SeedOutcome, right: SeedOutcome) {
    left.created += right.created
    left.updated += right.updated
    left.unchanged += right.unchanged
  }
}

/// A batch was not written.
public struct SeedSinkError: Error, Hashable, Sendable {
  public let message: String

  public init(_ message: String) { self.message = message }
}

/// Writes documents past the rules: into a store in this process, or over the wire.
public protocol SeedSink {
  /// Writes one batch in one commit: at most `Seeder.batchDocumentsMax` documents of distinct paths. May return before
  /// they are written; what became of documents since the last answer.
  mutating func write(_ batch: [SeedWrite]) async throws(SeedSinkError) -> SeedOutcome
  /// Waits for what is not written yet; what became of it. Asked at the end, also after a failure.
  mutating func finish() async throws(SeedSinkError) -> SeedOutcome
}
