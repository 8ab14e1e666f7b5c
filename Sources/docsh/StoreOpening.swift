/// Opening the store that a command works on.

import ArgumentParser
import Client
import DocStore
import EngineLMDB
import EnginePostgres
import Triggers

enum StoreOpening {
  /// The store of a server, or of a command that works on one; complains and ends when that cannot be.
  static func open(
    _ place: StorePlace, isShared: Bool = false, historyBytesMax: Int? = nil, clock: StandingClock? = nil
  ) throws -> DocumentStore<ServedEngine> {
    let engine = try place.open(isShared: isShared)
    if case .postgres(let postgres) = engine { sayVersion(of: postgres) }
    return try open(engine, place, engine.health, historyBytesMax: historyBytesMax, clock: clock) {
      () throws(JournalError) in
      switch (engine, place) {
      case (.postgres(let postgres), _): try TriggerJournal.historyNeeded(StoredJournal(of: postgres))
      case (.folder, .folder(let folder)): try TriggerJournal.historyNeeded(folder: folder)
      case (.folder, .nowhere), (.folder, .postgres): nil
      }
    }
  }

  /// The store of a data folder, or one that ends with the process.
  static func open(folder: String?, clock: StandingClock? = nil) throws -> DocumentStore<LMDBEngine> {
    let engine = try attempt { () throws(LMDBOpenError) in
      if let folder { try LMDBEngine.durable(folder: folder) } else { try LMDBEngine.ephemeral() }
    }
    let place = folder.map { StorePlace.folder($0) } ?? .nowhere
    return try open(engine, place, engine.health, historyBytesMax: nil, clock: clock) {
      () throws(JournalError) in
      if let folder { try TriggerJournal.historyNeeded(folder: folder) } else { nil }
    }
  }

  /// - Parameter historyNeeded: the version after which triggers have not delivered everything.
  private static func open<Engine: StorageEngine>(
    _ engine: Engine, _ place: StorePlace, _ health: EngineHealth, historyBytesMax: Int?,
    clock: StandingClock?,
    historyNeeded: () throws(JournalError) -> Int64?
  ) throws -> DocumentStore<Engine> {
    // After the engine, which says first when the folder is none.
    var options = StoreOptions()
    options.commitsOnCaller = !engine.isDurable
    if let historyBytesMax { options.historyBytesMax = historyBytesMax }
    // What triggers have not delivered yet is not collected when the store opens.
    // Where several servers have the store, the one that leads next does not collect what the triggers of the last one need,
    // until its own know better.
    do throws(JournalError) {
      options.historyHeldAfter = try historyNeeded() ?? (engine.sharing == nil ? nil : 0)
    } catch {
      engine.settle()
      throw Terminal.end(ExitStatus.storage, error.description)
    }
    let environment = clock?.environment(random: DocStore.Environment.system.random) ?? .system
    do throws(StoreError) {
      let store = try DocumentStore(engine: engine, environment: environment, options: options)
      clock?.catchUp(with: store)
      return store
    } catch {
      Terminal.complain("cannot open \(place.text): \(error.message)")
      complainOfDamage(health)
      engine.settle()
      throw ExitCode(error == .storage(.corrupt) ? ExitStatus.damaged : ExitStatus.storage)
    }
  }

  /// The version that this program is tested with.
  private static let postgresVersion = 15

  private static func sayVersion(of engine: PostgresEngine) {
    let major = engine.serverVersion / 10_000
    if major != postgresVersion {
      Terminal.complain("PostgreSQL \(major) is untried; \(postgresVersion) is what docsh is tested with")
    }
  }

  /// Complains of a store in PostgreSQL that cannot be used; to be thrown.
  static func end(_ error: PostgresOpenError) -> ExitCode {
    switch error {
    case .malformed: Terminal.end(ExitStatus.usage, error.description)
    case .noLibrary, .unreachable: Terminal.end(ExitStatus.unavailable, error.description)
    case .inUse, .unusable: Terminal.end(ExitStatus.storage, error.description)
    }
  }

  /// Ends the command in the words of a folder that cannot be used.
  static func attempt<R>(_ body: () throws(LMDBOpenError) -> R) throws -> R {
    do throws(LMDBOpenError) { return try body() } catch { throw end(error) }
  }

  /// Complains of a folder that cannot be used; to be thrown.
  static func end(_ error: LMDBOpenError) -> ExitCode {
    if case .damaged = error { return Terminal.end(ExitStatus.damaged, error.description) }
    return Terminal.end(ExitStatus.storage, error.description)
  }

  /// Names the pages that were found damaged so far.
  private static func complainOfDamage(_ health: EngineHealth) {
    health.follow { report in
      if case .damage(let text) = report { Terminal.complain(text) }
    }
  }

  /// As `open`, but a folder that another process has is opened for reading; and why nothing can be written then.
  static func openForShell(
    folder: String?, clock: StandingClock? = nil
  ) throws -> (store: DocumentStore<LMDBEngine>, readOnlyReason: String?) {
    guard let folder, let process = holder(of: folder) else {
      return (try open(folder: folder, clock: clock), nil)
    }
    var reason = "data folder `\(folder)` is in use by another process"
    if process > 0 { reason = "data folder `\(folder)` is in use by process \(process)" }
    reason += ", so it can only be read here"
    if let port = PortOwner.ports(ofProcess: Int(process)).prefix(portsMax).first(where: isServer) {
      reason += "; `docsh --host 127.0.0.1:\(port)` goes through its server"
    }
    var options = StoreOptions()
    options.isReadOnly = true
    do {
      return (try DocumentStore(engine: try LMDBEngine.readOnly(folder: folder), options: options), reason)
    } catch let error as LMDBOpenError {
      throw end(error)
    } catch let error as StoreError {
      Terminal.complain("cannot open data folder `\(folder)`: \(error.message)")
    }
    throw ExitCode(ExitStatus.storage)
  }

  /// Seconds that a port has to answer. One that is stopped, or waits for something else, holds nobody up.
  private static let answerSeconds = 1
  /// LIMIT: ports of a process that are asked.
  private static let portsMax = 8

  /// Whether documents are served at a port of this machine; a process has others, too.
  private static func isServer(_ port: Int) -> Bool {
    let answer = try? ServerRequest.send("/", to: "127.0.0.1:\(port)", seconds: answerSeconds)
    return answer?.status == 200 && answer?.body == Array("Ok\n".utf8)
  }

  /// The process that has a folder; nil when none has.
  private static func holder(of folder: String) -> Int32? {
    do throws(LMDBOpenError) {
      try LMDBEngine.checkUnused(folder: folder)
      return nil
    } catch {
      if case .inUse(_, let process) = error { return process }
      return nil
    }
  }
}
