/// `docsh migrate`: a store from a folder to PostgreSQL, or back.

import ArgumentParser
import DocStore
import EngineLMDB
import EnginePostgres
import Platform
import Seeder
import Triggers

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy a store from a data folder to PostgreSQL, or back.",
    discussion: """
      Copies documents, earlier states, indexes and the list of changes byte for byte into a store that is empty, then \
      compares the two. No server may have either of them open. The source is left as it is; a copy that ends early \
      cannot be opened, and is begun anew by the same command. Either place is a folder or an address. Ends with 0, with \
      65 when the source is damaged, with 69 when PostgreSQL cannot be reached, with 74 when a store cannot be used.

      docsh migrate data postgres://app@db.example.com/app
      docsh migrate postgres://app@db.example.com/app data
      """)

  @Argument(help: ArgumentHelp("The store that is copied.", valueName: "from"))
  var from: String

  @Argument(help: ArgumentHelp("The store that is made.", valueName: "to"))
  var to: String

  func run() throws {
    let (source, target) = (try StorePlace(from), try StorePlace(to))
    if case .folder(let folder) = source {
      guard Folders.exists(folder) else {
        throw Terminal.end(ExitStatus.noInput, "there is no data folder `\(folder)`")
      }
    }
    let first = try source.open(keepsCopy: false)
    defer { first.settle() }
    let second = try target.open(keepsCopy: false)
    defer { second.settle() }
    var complaint: JournalError?
    do throws(StoreCopy.Failure) {
      try StoreCopy.removeUnfinished(second)
      let progress = ProgressLine()
      defer { progress.clear() }
      let count = try StoreCopy.run(from: first, to: second) { done, all in
        progress.show(SeedProgress(phase: .writing, documents: done, total: all), "records")
      } besides: { () throws(StoreCopy.Failure) in
        do throws(JournalError) { try Self.moveJournal(source, first, target, second) } catch {
          complaint = error
          throw .storage(.unavailable)
        }
      }
      progress.clear()
      Terminal.say("\(Plural.text(count, "record")) copied to \(target.text) and compared")
    } catch {
      if let complaint { throw Terminal.end(ExitStatus.storage, complaint.description) }
      throw Self.end(error, source, target, [first, second])
    }
    sayNext(target)
  }

  private func sayNext(_ target: StorePlace) {
    switch target {
    case .nowhere: break
    case .folder(let folder): Terminal.say("docsh serve --data-dir \(folder) serves it")
    case .postgres(let address): Terminal.say("docsh serve --store '\(address.text)' serves it")
    }
  }

  /// What triggers have delivered goes with the documents.
  private static func moveJournal(
    _ source: StorePlace, _ first: ServedEngine, _ target: StorePlace, _ second: ServedEngine
  ) throws(JournalError) {
    let bytes: [UInt8]?
    switch (source, first) {
    case (_, .postgres(let engine)): bytes = try StoredJournal(of: engine).contents()
    case (.folder(let folder), .folder): bytes = try TriggerJournal.contents(folder: folder)
    case (.nowhere, .folder), (.postgres, .folder): bytes = nil
    }
    guard let bytes, !bytes.isEmpty else { return }
    switch (target, second) {
    case (_, .postgres(let engine)): try StoredJournal(of: engine).replace(by: bytes)
    case (.folder(let folder), .folder): try TriggerJournal.make(bytes, folder: folder)
    case (.nowhere, .folder), (.postgres, .folder): break
    }
  }

  private static func end(
    _ failure: StoreCopy.Failure, _ source: StorePlace, _ target: StorePlace, _ engines: [ServedEngine]
  ) -> ExitCode {
    switch failure {
    case .storage(let error):
      let words =
        engines.lazy.compactMap { $0.explanation(of: error) }.first ?? StoreError.storage(error).message
      let status =
        switch error {
        case .corrupt: ExitStatus.damaged
        case .unavailable: ExitStatus.unavailable
        case .conflict, .outcomeUnknown, .versionCollected, .full: ExitStatus.storage
        }
      return Terminal.end(status, "cannot copy \(source.text) to \(target.text): \(words)")
    case .notEmpty:
      return Terminal.end(ExitStatus.storage, "\(target.text) is not empty; nothing was changed")
    case .unfinished:
      return Terminal.end(
        ExitStatus.storage, "\(source.text) is a copy that was not finished; nothing was changed")
    case .different(let keyspace):
      return Terminal.end(
        ExitStatus.damaged,
        "\(target.text) does not have the same \(keyspace) as \(source.text): somebody has written to one of them; it cannot "
          + "be opened")
    }
  }
}
