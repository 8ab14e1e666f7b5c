/// Seeding a store in this process, with progress for people.

import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Seeder

enum Seeding {
  /// Reads and checks a seed file; complains and ends when it has errors. Writes nothing.
  static func prepare(_ path: String, _ database: DatabaseID) throws -> Seeder {
    let progress = ProgressLine()
    defer { progress.clear() }
    do throws(SeedFailure) {
      return try Seeder(checkingFile: path, database: database) { progress.show($0) }
    } catch {
      progress.clear()
      Terminal.report(error.description)
      throw ExitCode(ExitStatus.badInput)
    }
  }

  /// Writes a checked seed past the rules.
  static func write(
    _ seeder: Seeder, to store: DocumentStore<LMDBEngine>, _ database: DatabaseID
  ) async throws -> SeedReport {
    let progress = ProgressLine()
    defer { progress.clear() }
    do throws(SeedFailure) {
      var sink = StoreSink(store, database)
      return try await seeder.write(to: &sink) { progress.show($0) }
    } catch {
      progress.clear()
      Terminal.report(error.description)
      switch error {
      case .sink: throw ExitCode(ExitStatus.storage)
      case .invalid, .unreadable, .changedMeanwhile: throw ExitCode(ExitStatus.badInput)
      }
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
struct ProgressLine {
  private let isShown = Terminal.isInteractive

  func show(_ progress: SeedProgress) {
    guard isShown else { return }
    switch progress.phase {
    case .checking: Terminal.overwrite("checking: \(progress.documents) documents")
    case .writing:
      let total = progress.total.map { " of \($0)" } ?? ""
      Terminal.overwrite("writing: \(progress.documents)\(total) documents")
    }
  }

  func clear() {
    if isShown { Terminal.overwrite("") }
  }
}
