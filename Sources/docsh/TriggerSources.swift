/// Where the triggers of a server come from: a pack that is built in, a file, and whoever registers over HTTP.

import ArgumentParser
import DocModel
import DocStore
import Functions
import Packs
import Triggers
import YAML

struct TriggerSources {
  private var packs: [Pack] = []
  private var endpoints: [FunctionEndpoint] = []
  private var schedules: [ScheduleEndpoint] = []
  private var sink: (host: String, port: Int)?
  /// The triggers.yaml; nil without one.
  private(set) var file: String?
  /// The data folder in which positions are kept; nil for a store that ends with the process.
  private let folder: String?

  /// Reads what the command line names; complains and ends when it is wrong.
  init(_ source: String?, sink: String?, folder: String?) throws {
    self.folder = folder
    if let sink {
      do throws(InvalidArgument) {
        let (host, port) = try EndpointAddress.authority(sink, defaultPort: nil)
        self.sink = (host, port)
      } catch {
        throw ValidationError("--functions-emulator: \(error.message)")
      }
    }
    guard let source else { return }
    if let pack = Pack(rawValue: source) {
      packs = [pack]
      return
    }
    guard source.hasSuffix(".yaml") || source.hasSuffix(".yml") else {
      throw ValidationError("--triggers: '\(source)' is no pack (\(Pack.names)) and no .yaml file")
    }
    file = source
    try read(source)
  }

  private mutating func read(_ path: String) throws {
    let source: YAMLSource
    do throws(YAMLSourceError) { source = try YAMLSource(path: path) } catch {
      throw Terminal.end(ExitStatus.badInput, error.description)
    }
    let known = Pack.allCases.map(\.rawValue)
    guard let file = try? TriggersFile.read(source, packs: known) else {
      Terminal.report(
        TriggersFile.mistakes(in: source, packs: known).map(\.description).joined(separator: "\n"))
      throw ExitCode(ExitStatus.badInput)
    }
    packs = file.packs.compactMap(Pack.init)
    endpoints = file.endpoints
    schedules = file.schedules
  }

  // MARK: a file that was saved

  /// What the file says now; complains and throws when it is wrong.
  func reread() throws -> TriggerSources {
    var next = self
    if let file { try next.read(file) }
    return next
  }

  /// Has a running host go by `next`: what is new or another is registered, what is gone ends. A complaint when that fails.
  mutating func follow(
    _ next: TriggerSources, on host: FunctionsHost<ServedEngine>, _ store: DocumentStore<ServedEngine>
  ) -> String? {
    do {
      for pack in packs where !next.packs.contains(pack) {
        for trigger in try pack.triggers(store) { try host.runner.unregister(trigger.name) }
        for function in try pack.schedules(store) { try host.schedules.unregister(function.name) }
      }
      for gone in schedules where !next.schedules.contains(where: { $0.name.hasSameBytes(as: gone.name) }) {
        try host.schedules.unregister(gone.name)
      }
      for gone in endpoints where !next.endpoints.contains(where: { $0.name.hasSameBytes(as: gone.name) }) {
        try host.runner.unregister(gone.name)
      }
      for pack in next.packs where !packs.contains(pack) {
        for trigger in try pack.triggers(store) { try host.runner.register(trigger) }
        for function in try pack.schedules(store) { try host.schedules.register(function) }
      }
      for endpoint in next.endpoints where !endpoints.contains(endpoint) {
        try host.register(endpoint, isKept: false)
      }
      for schedule in next.schedules where !schedules.contains(schedule) {
        try host.register(schedule, isKept: false)
      }
      self = next
      return nil
    } catch {
      return "triggers: \(error)"
    }
  }

  /// A runner that delivers what is committed from now on, and in a data folder what was not delivered yet;
  /// complains and ends when it cannot be made.
  func host(_ store: DocumentStore<ServedEngine>) throws -> FunctionsHost<ServedEngine> {
    let complaint: String
    do {
      let journal = try journal(of: store.engine)
      var triggers: [DocumentTrigger] = []
      for pack in packs { triggers += try pack.triggers(store) }
      let runner = try TriggerRunner(store, triggers, journal: journal) { Self.tell($0) }
      let host = FunctionsHost(runner, on: store, sink: sink) { Terminal.complain($0) }
      for endpoint in endpoints { try host.register(endpoint, isKept: false) }
      for pack in packs {
        for function in try pack.schedules(store) { try host.schedules.register(function) }
      }
      for schedule in schedules { try host.register(schedule, isKept: false) }
      let count = host.restore(
        journal,
        except: triggers.map(\.name) + endpoints.map(\.name) + host.schedules.statuses.map(\.name))
      if count > 0 { Terminal.say("docsh: \(Plural.text(count, "trigger")) of earlier registrations") }
      Self.sayPauses(host)
      return host
    } catch let error as StoreError {
      complaint = error.message
    } catch {
      complaint = "\(error)"
    }
    throw Terminal.end(ExitStatus.failure, "cannot start the triggers: \(complaint)")
  }

  /// Where positions outlive the process; nil for a store that ends with it.
  private func journal(of engine: ServedEngine) throws(JournalError) -> TriggerJournal? {
    if case .postgres(let engine) = engine { return try TriggerJournal(StoredJournal(of: engine)) }
    guard let folder else { return nil }
    return try TriggerJournal(folder: folder)
  }

  /// A pause of an earlier process goes on, which nobody may remember.
  private static func sayPauses(_ host: FunctionsHost<ServedEngine>) {
    func time(_ microseconds: Int64) -> String { Timestamp(microseconds: microseconds).rfc3339 }
    if let since = host.runner.pausedSince {
      Terminal.say("docsh: triggers paused since \(time(since)); `docsh triggers resume` lets them go on")
      return
    }
    let pauses =
      host.runner.statuses.map { ($0.name, $0.pausedSince) }
      + host.schedules.statuses.map { ($0.name, $0.pausedSince) }
    for case (let name, .some(let since)) in pauses {
      Terminal.say(
        "docsh: trigger \(name) paused since \(time(since)); `docsh triggers resume` lets it go on")
    }
  }

  private static func tell(_ report: TriggerReport) {
    switch report {
    case .deadLetter(let letter) where letter.isOfSchedule:
      Terminal.complain(
        "scheduled function \(letter.trigger) gave up on its run of \(letter.event.time.rfc3339) after "
          + "\(letter.attempts) attempts: \(letter.reason)")
    case .deadLetter(let letter):
      Terminal.complain(
        "trigger \(letter.trigger) gave up on \(letter.event.path) after \(letter.attempts) attempts: "
          + letter.reason)
    case .loop(let trigger, let event, let cycle):
      Terminal.complain("trigger \(trigger) is in a loop, event \(event) is not delivered: \(cycle)")
    case .suspectedLoop(let trigger, let event, let cycle):
      Terminal.complain(
        "trigger \(trigger) seems to be in a loop and is slowed down for it, event \(event): \(cycle)")
    case .missed(let database, let version, let trigger):
      Terminal.complain(
        "trigger \(trigger) missed changes of \(database) after version \(version): they are no longer kept")
    case .unreadable(let database, let error):
      Terminal.complain("triggers cannot read \(database?.description ?? "the databases"): \(error.message)")
    case .unwritable(let error):
      Terminal.complain("what triggers have done is not written down and would be done again: \(error)")
    }
  }
}
