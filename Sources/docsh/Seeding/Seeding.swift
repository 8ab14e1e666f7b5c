/// Seeding with complaints and progress for people.

import ArgumentParser
import DocModel
import DocStore
import Seeder

enum Seeding {
  /// Reads and checks a seed file; complains and ends when it has errors. Writes nothing.
  static func prepare(_ path: String, _ database: DatabaseID) throws -> Seeder {
    let progress = ProgressLine()
    do throws(SeedFailure) {
      defer { progress.clear() }
      return try Seeder(checkingFile: path, database: database) { progress.show($0) }
    } catch {
      throw complain(error)
    }
  }

  /// Writes a checked seed past the rules.
  static func write(
    _ seeder: Seeder, to store: DocumentStore<some StorageEngine>, _ database: DatabaseID,
    startsTriggers: Bool
  ) async throws -> SeedReport {
    try await asOrigin(startsTriggers: startsTriggers) {
      var sink = StoreSink(store, database)
      return try await write(seeder, to: &sink)
    }
  }

  /// Commits of `body` say whether triggers shall hear of them.
  static func asOrigin<Outcome>(
    startsTriggers: Bool, _ body: () async throws -> Outcome
  ) async rethrows -> Outcome {
    if startsTriggers { return try await body() }
    return try await CommitOrigin.$current.withValue(.withoutTriggers) { try await body() }
  }

  static func write<Sink: SeedSink>(_ seeder: Seeder, to sink: inout Sink) async throws -> SeedReport {
    let progress = ProgressLine()
    do throws(SeedFailure) {
      defer { progress.clear() }
      return try await seeder.write(to: &sink) { progress.show($0) }
    } catch {
      throw complain(error)
    }
  }

  /// Says why a seeding failed; the exit code that fits.
  static func complain(_ failure: SeedFailure) -> ExitCode {
    switch failure {
    case .sink:
      Terminal.complain(failure.description)
      return ExitCode(ExitStatus.storage)
    case .invalid, .unreadable, .changedMeanwhile:
      Terminal.report(failure.description)
      return ExitCode(ExitStatus.badInput)
    }
  }

  /// What a seeding did, in one line.
  static func summary(_ report: SeedReport, path: String) -> String {
    let outcome = report.outcome
    let speed = Int(report.documentsPerSecond)
    return "\(path): \(outcome.created) created, \(outcome.updated) updated, \(outcome.unchanged) unchanged "
      + "(\(speed) documents/s)"
  }
}

/// One line on a terminal that is written over as work goes on; nothing when output is piped.
final class ProgressLine {
  private let isShown = Terminal.isInteractive
  private let clock = ContinuousClock()
  private var shownAt: ContinuousClock.Instant?

  /// Draws at most twenty times a second.
  func show(_ progress: SeedProgress, _ noun: String = "documents") {
    guard isShown else { return }
    let now = clock.now
    if let shownAt, shownAt.duration(to: now) < .milliseconds(50), progress.documents != progress.total {
      return
    }
    shownAt = now
    Terminal.overwrite(Self.text(progress, noun))
  }

  func clear() {
    if isShown { Terminal.overwrite("") }
  }

  /// LIMIT: characters of the bar.
  private static let barCharacters = 30

  /// `writing  [##########----------]  33%  400 of 1200 documents`; without a total there is no bar.
  static func text(_ progress: SeedProgress, _ noun: String = "documents") -> String {
    let verb = progress.phase == .checking ? "checking" : "writing"
    guard let total = progress.total, total > 0 else {
      return "\(verb): \(Plural.text(progress.documents, "document"))"
    }
    let done = min(barCharacters, progress.documents * barCharacters / total)
    let bar = String(repeating: "#", count: done) + String(repeating: "-", count: barCharacters - done)
    let percent = min(100, progress.documents * 100 / total)
    return "\(verb): [\(bar)] \(percent)%, \(progress.documents) of \(total) \(noun)"
  }
}
