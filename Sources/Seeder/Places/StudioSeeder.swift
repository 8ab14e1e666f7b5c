/// Shadow studios, written and kept up to date.
///
/// INVARIANT: a claimed studio is never written, also when it is claimed while this runs: every write carries the
/// version of the document that was looked at, and whoever was faster makes it fail.

public import DocModel

/// A document as it is stored.
public struct StoredStudio: Sendable {
  public let fields: Fields
  /// Microseconds since the epoch.
  public let updateTime: Int64

  public init(fields: Fields, updateTime: Int64) {
    self.fields = fields
    self.updateTime = updateTime
  }
}

/// One write that applies to the state that was looked at, and to no other.
public struct StudioWrite: Sendable {
  public let path: ResourcePath
  /// Canonical, as stored.
  public let fields: [UInt8]
  /// The fields that are written; nil for a studio that must not be there yet.
  public let mask: [FieldPath]?
  /// The version that must be there; nil for a studio that must not be there yet.
  public let updateTime: Int64?

  public init(path: ResourcePath, fields: [UInt8], mask: [FieldPath]?, updateTime: Int64?) {
    self.path = path
    self.fields = fields
    self.mask = mask
    self.updateTime = updateTime
  }
}

/// Where studios are kept: a store in this process, or a server.
public protocol StudioTarget {
  /// The states of these documents, in order; nil where there is none.
  mutating func studios(_ paths: [ResourcePath]) async throws(SeedSinkError) -> [StoredStudio?]

  /// All writes or none; false when a document is no longer as it was looked at.
  mutating func commit(_ writes: [StudioWrite]) async throws(SeedSinkError) -> Bool
}

public struct StudioSeeder: Sendable {
  /// LIMIT: studios of one commit.
  private static let batchMax = 400
  /// LIMIT: how often a commit is tried that others get in the way of.
  private static let attemptsMax = 8

  private let studios: [StudioDocument]
  private let closed: Set<String>
  private let repeated: Int

  /// Of places with one id the last counts.
  public init(_ places: [Place]) {
    var order: [String] = []
    var last: [String: Place] = [:]
    for place in places {
      let id = StudioDocument.id(ofPlace: place.id)
      if last.updateValue(place, forKey: id) == nil { order.append(id) }
    }
    studios = order.compactMap { last[$0].map(StudioDocument.init) }
    closed = Set(order.filter { last[$0]?.isClosedForGood == true })
    repeated = places.count - order.count
  }

  public var count: Int { studios.count }

  /// Looks at every studio and writes what differs; with `isDryRun`, only looks.
  public func seed<Target: StudioTarget>(
    _ target: inout Target, isDryRun: Bool = false, progress: (SeedProgress) -> Void = { _ in }
  ) async throws(SeedFailure) -> StudioReport {
    var report = StudioReport(isDryRun: isDryRun)
    report.repeated = repeated
    var start = 0
    while start < studios.count {
      let batch = Array(studios[start..<min(start + Self.batchMax, studios.count)])
      do {
        report.entries += try await seed(batch, &target, isDryRun: isDryRun)
      } catch {
        throw .sink(message: error.message, written: start)
      }
      start += batch.count
      progress(SeedProgress(phase: .writing, documents: start, total: studios.count))
    }
    return report
  }

  private func seed<Target: StudioTarget>(
    _ batch: [StudioDocument], _ target: inout Target, isDryRun: Bool
  ) async throws(SeedSinkError) -> [StudioReport.Entry] {
    for _ in 0..<Self.attemptsMax {
      let stored = try await target.studios(batch.map(\.path))
      var writes: [StudioWrite] = []
      var entries: [StudioReport.Entry] = []
      for (studio, stored) in zip(batch, stored) {
        let (outcome, write) = plan(studio, stored)
        entries.append(StudioReport.Entry(id: studio.id, outcome: outcome))
        if let write { writes.append(write) }
      }
      if isDryRun || writes.isEmpty { return entries }
      if try await target.commit(writes) { return entries }
    }
    throw SeedSinkError("studios were changed by others again and again; try later")
  }

  private func plan(
    _ studio: StudioDocument, _ stored: StoredStudio?
  ) -> (StudioReport.Outcome, StudioWrite?) {
    guard !closed.contains(studio.id) else { return (.skipped(.closed), nil) }
    guard let stored else {
      return (
        .created, StudioWrite(path: studio.path, fields: studio.shadow.encoded, mask: nil, updateTime: nil)
      )
    }
    switch StudioHolder(stored.fields) {
    case .owner: return (.skipped(.claimed), nil)
    case .unknown: return (.skipped(.noShadow), nil)
    case .nobody: break
    }
    let names = studio.changes(from: stored.fields)
    guard !names.isEmpty else { return (.unchanged, nil) }
    let fields = Fields(names.compactMap { name in studio.found[name].map { (name, $0) } })
    return (
      .updated(names),
      StudioWrite(
        path: studio.path, fields: fields.encoded, mask: names.compactMap(FieldPath.field),
        updateTime: stored.updateTime)
    )
  }
}
