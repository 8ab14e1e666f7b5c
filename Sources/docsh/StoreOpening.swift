/// Opening the store that a command works on.

import ArgumentParser
import Client
import DocStore
import EngineLMDB
import Triggers

enum StoreOpening {
  /// The durable store in `folder`, or an ephemeral one; complains and ends when that cannot be.
  static func open(
    folder: String?, historyBytesMax: Int? = nil, clock: StandingClock? = nil
  ) throws -> DocumentStore<LMDBEngine> {
    let engine: LMDBEngine
    do throws(LMDBOpenError) {
      if let folder {
        engine = try LMDBEngine.durable(folder: folder)
      } else {
        engine = try LMDBEngine.ephemeral()
      }
    } catch {
      throw end(error)
    }
    // After the engine, which says first when the folder is none.
    var options = StoreOptions()
    options.commitsOnCaller = !engine.isDurable
    if let historyBytesMax { options.historyBytesMax = historyBytesMax }
    do throws(JournalError) {
      // What triggers have not delivered yet is not collected when the store opens.
      if let folder { options.historyHeldAfter = try TriggerJournal.historyNeeded(folder: folder) }
    } catch {
      throw Terminal.end(ExitStatus.storage, error.description)
    }
    let environment = clock?.environment(random: DocStore.Environment.system.random) ?? .system
    do throws(StoreError) {
      let store = try DocumentStore(engine: engine, environment: environment, options: options)
      clock?.catchUp(with: store)
      return store
    } catch {
      Terminal.complain(
        "cannot open \(folder.map { "data folder `\($0)`" } ?? "a temporary store"): \(error.message)")
      complainOfDamage(engine)
      throw ExitCode(error == .storage(.corrupt) ? ExitStatus.damaged : ExitStatus.storage)
    }
  }

  /// Complains of a folder that cannot be used; to be thrown.
  static func end(_ error: LMDBOpenError) -> ExitCode {
    if case .damaged = error { return Terminal.end(ExitStatus.damaged, error.description) }
    return Terminal.end(ExitStatus.storage, error.description)
  }

  /// Names the pages that were found damaged so far.
  private static func complainOfDamage(_ engine: LMDBEngine) {
    engine.health.follow { report in
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
