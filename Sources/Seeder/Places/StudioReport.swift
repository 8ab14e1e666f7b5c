/// What became of the studios that a search found.

internal import DocModel
internal import JSON

public struct StudioReport: Sendable, Hashable {
  public enum Reason: String, Sendable, Hashable {
    /// Somebody owns it.
    case claimed
    /// The stored document does not say whether somebody owns it.
    case noShadow = "no shadow"
    /// The place is closed for good.
    case closed
  }

  public enum Outcome: Sendable, Hashable {
    case created
    /// With the names of the fields.
    case updated([String])
    case unchanged
    case skipped(Reason)
  }

  public struct Entry: Sendable, Hashable {
    public let id: String
    public let outcome: Outcome
  }

  /// Whether nothing was written.
  public let isDryRun: Bool
  /// In the order in which the places were found first.
  public internal(set) var entries: [Entry] = []
  /// Places that came again, in another answer or file. The last one counted.
  public internal(set) var repeated = 0

  public var created: Int { entries.count { $0.outcome == .created } }
  public var unchanged: Int { entries.count { $0.outcome == .unchanged } }
  public var updated: Int {
    entries.count { if case .updated = $0.outcome { true } else { false } }
  }
  public var skipped: Int {
    entries.count { if case .skipped = $0.outcome { true } else { false } }
  }

  /// One line a studio that is not unchanged, and one that sums up.
  public var text: String {
    var lines: [String] = []
    for entry in entries {
      switch entry.outcome {
      case .created: lines.append("created    studios/\(entry.id)")
      case .updated(let fields):
        lines.append("updated    studios/\(entry.id)  \(fields.joined(separator: ", "))")
      case .unchanged: break
      case .skipped(let reason): lines.append("skipped    studios/\(entry.id)  \(Self.words(reason))")
      }
    }
    lines.append(
      "\(entries.count) studios: \(created) created, \(updated) updated, \(unchanged) unchanged, "
        + "\(skipped) skipped" + (isDryRun ? " (dry run: nothing was written)" : ""))
    return lines.joined(separator: "\n")
  }

  private static func words(_ reason: Reason) -> String {
    switch reason {
    case .claimed: "it has an owner"
    case .noShadow: "it does not say that nobody owns it (isClaimed: false, ownerId: null)"
    case .closed: "the place is closed for good"
    }
  }

  /// For programs: counts, and an entry for each studio.
  public var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("dryRun") { $0.boolean(isDryRun) }
      object.member("created") { $0.integer(created) }
      object.member("updated") { $0.integer(updated) }
      object.member("unchanged") { $0.integer(unchanged) }
      object.member("skipped") { $0.integer(skipped) }
      object.member("repeated") { $0.integer(repeated) }
      object.member("studios") { $0.array(entries) { $0.studio($1) } }
    }
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func studio(_ entry: StudioReport.Entry) {
    object { object in
      object.member("id") { $0.string(entry.id) }
      switch entry.outcome {
      case .created: object.member("outcome") { $0.string("created") }
      case .updated(let fields):
        object.member("outcome") { $0.string("updated") }
        object.member("fields") { $0.array(fields) { $0.string($1) } }
      case .unchanged: object.member("outcome") { $0.string("unchanged") }
      case .skipped(let reason):
        object.member("outcome") { $0.string("skipped") }
        object.member("reason") { $0.string(reason.rawValue) }
      }
    }
  }
}
