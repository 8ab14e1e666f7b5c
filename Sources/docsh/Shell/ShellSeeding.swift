/// Seeding from a shell, which waits for it on its own thread.

import DocModel
import DocStore
import EngineLMDB
import Seeder
import Shell

enum ShellSeeding {
  static func tools(for place: ShellPlace) -> ShellTools {
    ShellTools(
      seed: { (file, database, startsTriggers) throws(ShellToolFailure) in
        do throws(SeedFailure) {
          let seeder = try Seeder(checkingFile: file, database: database)
          let startsTriggers = startsTriggers && seeder.file.header.startsTriggers
          let report =
            switch place {
            case .embedded(let store, _, _, _, _, _):
              try write(seeder, startsTriggers: startsTriggers) { StoreSink(store, database) }
            case .remote(let address):
              try write(seeder, startsTriggers: startsTriggers) {
                RemoteDocuments(address: address, database: database, startsTriggers: startsTriggers)
              }
            }
          return Seeding.summary(report, path: file)
        } catch {
          switch error {
          case .sink: throw ShellToolFailure(error.description, isInput: false)
          case .invalid, .unreadable, .changedMeanwhile:
            throw ShellToolFailure(error.description, isInput: true)
          }
        }
      }, suites: .tools)
  }

  private static func write<Sink: SeedSink>(
    _ seeder: Seeder, startsTriggers: Bool, to sink: @escaping @Sendable () -> Sink
  ) throws(SeedFailure) -> SeedReport {
    try WaitingExecutor.run {
      await Seeding.asOrigin(startsTriggers: startsTriggers) { () async -> Result<SeedReport, SeedFailure> in
        var sink = InterruptibleSink(sink())
        do throws(SeedFailure) { return .success(try await seeder.write(to: &sink)) } catch {
          return .failure(error)
        }
      }
    }.get()
  }
}

/// A target of seeds that takes nothing more once the user asked for the end; what was committed stays.
private struct InterruptibleSink<Sink: SeedSink>: SeedSink {
  private var sink: Sink

  init(_ sink: Sink) { self.sink = sink }

  mutating func write(_ batch: [SeedWrite]) async throws(SeedSinkError) -> SeedOutcome {
    if Interruption.isRaised { throw SeedSinkError("interrupted") }
    return try await sink.write(batch)
  }

  mutating func finish() async throws(SeedSinkError) -> SeedOutcome { try await sink.finish() }
}
