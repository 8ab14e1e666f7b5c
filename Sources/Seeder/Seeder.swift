/// Reads a seed, checks all of it, then writes it in batches.

public import DocModel
internal import Fixtures
public import YAML

/// How far a seeding is.
public struct SeedProgress: Hashable, Sendable {
  public enum Phase: Hashable, Sendable { case checking, writing }

  public let phase: Phase
  public let documents: Int
  /// How many there will be; known once everything is checked.
  public let total: Int?

  public init(phase: Phase, documents: Int, total: Int?) {
    self.phase = phase
    self.documents = documents
    self.total = total
  }
}

/// What a seeding did.
public struct SeedReport: Sendable {
  public let outcome: SeedOutcome
  /// Documents by collection (`posts/*/likes`), in order of first appearance.
  public let collections: [(collection: String, documents: Int)]
  /// How long writing took.
  public let duration: Duration

  public var documentsPerSecond: Double {
    let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    return seconds > 0 ? Double(outcome.total) / seconds : 0
  }
}

/// A seed without errors, ready to be written.
///
/// What was checked is kept for writing up to a number of bytes; of a larger seed nothing is, and its documents are
/// evaluated again while they are written.
public struct Seeder: Sendable {
  /// LIMIT: documents of one commit.
  public static let batchDocumentsMax = 500
  /// LIMIT: bytes of fields after which a batch ends, so that a commit fits the wire's 10 MiB.
  static let batchBytesMax = 4 * 1_024 * 1_024

  /// LIMIT: bytes of documents that are kept from the check until they are written.
  private static let keptBytesMax = 64 * 1_024 * 1_024

  public let file: SeedFile
  public let documentCount: Int
  /// Documents by collection (`posts/*/likes`), in order of first appearance.
  public let collections: [(collection: String, documents: Int)]
  /// All documents, in order; nil when they are too many.
  private let kept: [SeedWrite]?

  /// Reads and checks a whole seed; throws with all its (first ten) errors.
  public init(
    checking source: YAMLSource, database: DatabaseID, progress: (SeedProgress) -> Void = { _ in }
  ) throws(SeedFailure) {
    try self.init(checking: source, database: database, keptBytesMax: Self.keptBytesMax, progress)
  }

  init(
    checking source: YAMLSource, database: DatabaseID, keptBytesMax: Int, _ progress: (SeedProgress) -> Void
  ) throws(SeedFailure) {
    file = try SeedFile.read(source, database: database)
    var checker = SeedChecker(file, keptBytesMax: keptBytesMax)
    try checker.check(progress)
    documentCount = checker.documentCount
    collections = checker.counts.counts
    kept = checker.kept
  }

  /// The same for a file.
  public init(
    checkingFile path: String, database: DatabaseID, progress: (SeedProgress) -> Void = { _ in }
  ) throws(SeedFailure) {
    let source: YAMLSource
    do {
      source = try YAMLSource(path: path)
    } catch {
      throw .unreadable(error)
    }
    try self.init(checking: source, database: database, progress: progress)
  }

  /// Writes every document, in order, in batches.
  public func write<Sink: SeedSink>(
    to sink: inout Sink, progress: (SeedProgress) -> Void = { _ in }
  ) async throws(SeedFailure) -> SeedReport {
    let clock = ContinuousClock()
    let start = clock.now
    var outcome = SeedOutcome()
    var batch: [SeedWrite] = []
    var batchBytes = 0
    var documents = try opened()
    while let write = try next(&documents, written: outcome.total) {
      if batch.count == Self.batchDocumentsMax || batchBytes + write.fields.count > Self.batchBytesMax {
        try await flush(&batch, to: &sink, &outcome, progress)
        batchBytes = 0
      }
      batchBytes += write.fields.count
      batch.append(write)
    }
    try await flush(&batch, to: &sink, &outcome, progress)
    let rest: SeedOutcome
    do {
      rest = try await sink.finish()
    } catch {
      throw .sink(message: error.message, written: outcome.total)
    }
    outcome += rest
    if rest.total > 0 {
      progress(SeedProgress(phase: .writing, documents: outcome.total, total: documentCount))
    }
    return SeedReport(outcome: outcome, collections: collections, duration: clock.now - start)
  }

  /// The documents that are still to be written.
  private enum Rest: ~Copyable {
    case kept(ArraySlice<SeedWrite>)
    case evaluated(SeedCursor)
  }

  private func opened() throws(SeedFailure) -> Rest {
    guard file.source.fingerprint == file.fingerprint else {
      throw .changedMeanwhile(file: file.source.name, written: 0)
    }
    if let kept { return .kept(kept[...]) }
    do {
      return .evaluated(try SeedCursor(file))
    } catch {
      throw .invalid([file.source.diagnostic(for: error)], more: false)
    }
  }

  private func next(_ rest: inout Rest, written: Int) throws(SeedFailure) -> SeedWrite? {
    switch consume rest {
    case .kept(var writes):
      let write = writes.popFirst()
      rest = .kept(writes)
      return write
    case .evaluated(var cursor):
      let step = cursor.next()
      rest = .evaluated(cursor)
      switch step {
      case .end: return nil
      case .document(let document): return SeedWrite(document)
      case .failed:
        // The check found no error, so this is not the file that was checked.
        throw .changedMeanwhile(file: file.source.name, written: written)
      }
    }
  }

  private func flush<Sink: SeedSink>(
    _ batch: inout [SeedWrite], to sink: inout Sink, _ outcome: inout SeedOutcome,
    _ progress: (SeedProgress) -> Void
  ) async throws(SeedFailure) {
    guard !batch.isEmpty else { return }
    do {
      outcome += try await sink.write(batch)
    } catch {
      // Batches that were begun before may be written all the same.
      if let rest = try? await sink.finish() { outcome += rest }
      throw .sink(message: error.message, written: outcome.total)
    }
    batch.removeAll(keepingCapacity: true)
    progress(SeedProgress(phase: .writing, documents: outcome.total, total: documentCount))
  }
}

extension SeedWrite {
  init(_ document: SeedDocument) {
    // Checked before, and encoding is canonical.
    self.init(document, fields: document.content.fields.encoded)
  }

  /// - Parameter fields: the stored form of the document's fields without markers.
  init(_ document: SeedDocument, fields: [UInt8]) {
    self.init(path: document.path, fields: fields, serverTimes: document.content.markers.map(\.path))
  }

  /// About what it takes in memory.
  var cost: Int { fields.count + path.text.utf8.count + 128 }
}
