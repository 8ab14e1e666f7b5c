/// `docsh serve`: the server.

import Access
import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Functions
import Logging
import Rules
import Seeder
import Telemetry
import Triggers
import Wire

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run a server for SDKs: gRPC and REST on one port.",
    discussion: """
      Without --data-dir everything is gone when the server ends. Without rules users are denied; say
      --open to allow everything. `Authorization: Bearer owner` passes by the rules, as server SDKs do.
      --profile emulator answers as the official emulator does. Examples:

        docsh serve --rules rules/inspired.rules --seed seeds/inspired.yaml
        docsh serve --rules app.rules --rules audit=audit.rules
        docsh serve --config firebase.json --profile emulator
        docsh serve --open --indexes firestore.indexes.json
        docsh serve --open --memory-budget 256MiB
        docsh serve --port 8443 --tls-cert cert.pem --tls-key key.pem
        export FIRESTORE_EMULATOR_HOST=127.0.0.1:8080
      """)

  @Option(help: "The address to listen on; 0.0.0.0 for all.")
  var host = "127.0.0.1"

  @Option(help: "The port; 0 for any free one.")
  var port = 8080

  @OptionGroup(title: "TLS")
  var tls: TLSOptions

  @Option(
    help: ArgumentHelp(
      "The rules of all databases, or of those of one name. May be repeated.",
      valueName: "[database=]file"),
    completion: .file(extensions: ["rules"]))
  var rules: [String] = []

  @Option(
    help: "A firebase.json that names the rules and indexes of databases.",
    completion: .file(extensions: ["json"]))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "The firestore.indexes.json of all databases, or of those of one name. May be repeated.",
      valueName: "[database=]file"),
    completion: .file(extensions: ["json"]))
  var indexes: [String] = []

  @Option(help: "A seed file to load at the start.", completion: .file(extensions: ["yaml", "yml"]))
  var seed: String?

  @Flag(help: "The seed fires no triggers, whatever the file says.")
  var withoutTriggers = false

  @Option(name: .customLong("data-dir"), help: "Keep documents in this folder.", completion: .directory)
  var dataFolder: String?

  @Option(
    help: ArgumentHelp(
      "Tell what rules judge on a WebSocket of this port, for the emulators' UI; 0 takes any free one.",
      valueName: "port"))
  var requestsPort: Int?

  @Option(help: "The project to seed.")
  var project = "demo"

  @Option(
    help: "Run the triggers of a pack (inspired), or those of a triggers.yaml.",
    completion: .file(extensions: ["yaml", "yml"]))
  var triggers: String?

  @Option(
    help: ArgumentHelp("Where functions that register themselves take events.", valueName: "host:port"))
  var functionsEmulator: String?

  @OptionGroup(title: "Profile")
  var profile: ProfileOptions

  @OptionGroup(title: "Administrators")
  var administrators: AdministratorOptions

  @OptionGroup(title: "Browsers")
  var browsers: BrowserOptions

  @Option(
    name: .customLong("import"),
    help: "An export to load at the start: its folder, or its .overall_export_metadata file.",
    completion: .file())
  var importPath: String?

  @Option(help: "Write an export into this folder when the server ends.", completion: .directory)
  var exportOnExit: String?

  @Option(help: "The name of that export.")
  var exportName = "firestore_export"

  @Option(help: "Whether projects other than --project are served, served with a warning, or refused.")
  var singleProject = SingleProjectMode.off

  @Option(help: "Keep the process id in this file while serving.", completion: .file())
  var pidFile: String?

  @Flag(help: "End when the parent process ends or closes the standard input of this one.")
  var exitWithParent = false

  @Option(
    help: ArgumentHelp(
      "Connections open at once; more are closed. As many as file descriptors allow unless said.",
      valueName: "count"))
  var connectionsMax: Int?

  @OptionGroup(title: "Memory")
  var memory: MemoryOption

  @Option(
    help: ArgumentHelp(
      "How long a stop waits for requests that are under way.", valueName: "seconds"))
  var stopGrace = 5

  @Flag(
    help:
      "Start even if the rules do not compile: requests of users are denied with the compiler's message until other rules are loaded."
  )
  var keepBrokenRules = false

  @OptionGroup(title: "Log")
  var log: LogOptions

  /// Who started us writes the lines that tools wait for. Not an option.
  var announcesOfficially = false

  private enum CodingKeys: String, CodingKey {
    case host, port, tls, requestsPort, rules, indexes, config, seed, withoutTriggers, dataFolder, project,
      triggers,
      functionsEmulator, profile, administrators, browsers,
      importPath,
      exportOnExit
    case exportName, singleProject, pidFile, exitWithParent, connectionsMax, memory, stopGrace,
      keepBrokenRules,
      log,
      ruleCoverage
  }

  @Flag(
    help:
      "Collect coverage of the rules from the start; otherwise from when :ruleCoverage is first asked for."
  )
  var ruleCoverage = false

  func validate() throws {
    try DatabaseOption.check(project)
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port must be between 0 and 65535, found \(port)")
    }
    if let requestsPort, !(0...65_535).contains(requestsPort) {
      throw ValidationError("--requests-port must be between 0 and 65535, found \(requestsPort)")
    }
    guard (0...3_600).contains(stopGrace) else {
      throw ValidationError("--stop-grace must be between 0 and 3600, found \(stopGrace)")
    }
    if let connectionsMax, connectionsMax < 1 {
      throw ValidationError("--connections-max must be at least 1, found \(connectionsMax)")
    }
  }

  func run() async throws {
    // Before anything takes long: a signal that comes while seeding is obeyed, too.
    let ending = ShutdownSignal()
    Signals.whenEnding { ending.interrupt(signal: $0) }
    if exitWithParent { ParentWatch.begin { ending.request(status: ExitStatus.success) } }
    ProcessMetrics.raiseOpenFilesMax()
    let tls = try tls.load()
    let access = try administrators.load(host: host)
    let log = ServerLog(log)
    defer { log.queue.close() }
    let profile = profile.chosen
    let sources = try DatabaseFiles("rules", rules, config: config)
    let registry = try sources.registry(profile, keepsBroken: keepBrokenRules)
    if !sources.hasFirstDatabase { Self.warn(sources, profile) }
    try browsers.warn()
    administrators.warn(host: host)
    let store = try StoreOpening.open(folder: dataFolder, historyBytesMax: memory.historyBudget)
    defer { store.close() }
    store.setTransactionPolicy(profile.transactionPolicy)
    let indexFiles = try DatabaseFiles("indexes", indexes, config: config)
    let gate = try indexFiles.gate(profile, store, project: project, log: log)
    if !indexFiles.isEmpty { Terminal.say("docsh: indexes of \(indexFiles.summary)") }
    let triggerSources = try TriggerSources(triggers, sink: functionsEmulator, folder: dataFolder)
    let functions = try await seedAndFollow(store, triggerSources)
    let guarded = GuardedStore(
      store, rulesets: registry, detail: profile.denialDetail,
      coverage: CoverageCollector(isCollecting: ruleCoverage),
      leaks: LeakWatch { log.tell($0) }, indexes: gate, feed: RequestFeed())
    let serving = Serving(
      guarded: guarded, options: try serverOptions(profile, access, log, store, functions, tls), log: log,
      ending: ending, command: self, sources: sources)
    let status = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await functions.runner.run() }
      let status = try await serving.run()
      await Self.deliverRest(functions.runner)
      group.cancelAll()
      return status
    }
    try exportAtEnd(store)
    if status != ExitStatus.success { throw ExitCode(status) }
  }

  private func serverOptions(
    _ profile: ServiceProfile, _ access: AdministratorAccess, _ log: ServerLog,
    _ store: DocumentStore<LMDBEngine>, _ functions: FunctionsHost<LMDBEngine>, _ tls: ServerTLS?
  ) throws -> FirestoreServerOptions {
    var options = FirestoreServerOptions()
    options.profile = profile
    options.access = access
    options.messageBytesMax = profile.limits.messageBytesMax
    options.server.host = host
    options.server.port = port
    options.server.tls = tls
    options.requestsPort = requestsPort
    options.rules = .tools
    options.server.connectionsMax = connectionsMax
    if let budget = memory.budget { options.memoryBudget = budget }
    options.server.stopGraceSeconds = stopGrace
    options.allowedOrigins = try browsers.allowedOrigins
    options.allowedHosts = try browsers.allowedHosts
    options.logger = log.logger
    let health = store.engine.health
    health.follow { log.tell($0) }
    store.followRetiredIndexes { log.tell($0) }
    options.unreadiness = { health.outage?.text }
    switch singleProject {
    case .off: break
    case .warn: options.singleProject = SingleProject(project, refusesOthers: false)
    case .error: options.singleProject = SingleProject(project, refusesOthers: true)
    }
    if let importPath {
      let database = DatabaseID(project: project)
      options.afterReset = {
        functions.reset()
        ImportedData.restore(importPath, into: store, database, log.logger)
      }
    } else {
      options.afterReset = { functions.reset() }
    }
    options.administration = { functions.respond($0, $1) }
    options.moreMetrics = { text in
      log.writeMetrics(to: &text)
      functions.runner.writeMetrics(to: &text)
    }
    return options
  }

  private func exportAtEnd(_ store: DocumentStore<LMDBEngine>) throws {
    guard let exportOnExit else { return }
    try ImportedData.export(
      store, DatabaseID(project: project), folder: exportOnExit, name: exportName)
  }

  /// Writes the seed, and makes the runner of triggers, which sees the seed only if the seed says so.
  private func seedAndFollow(
    _ store: DocumentStore<LMDBEngine>, _ triggers: TriggerSources
  ) async throws -> FunctionsHost<LMDBEngine> {
    let database = DatabaseID(project: project)
    if let importPath { try ImportedData.load(importPath, into: store, database) }
    guard let seed else { return try triggers.host(store) }
    let seeder = try Seeding.prepare(seed, database)
    let startsTriggers = seeder.file.header.startsTriggers && !withoutTriggers
    let early = startsTriggers ? try triggers.host(store) : nil
    let report = try await Seeding.write(seeder, to: store, database, startsTriggers: startsTriggers)
    Terminal.say("docsh: seeded " + Seeding.summary(report, path: seed))
    return try early ?? triggers.host(store)
  }

  /// Says what users may do in databases that have no rules.
  private static func warn(_ sources: DatabaseFiles, _ profile: ServiceProfile) {
    switch (profile.withoutRules, sources.isEmpty) {
    case (.allow, true): Terminal.complain("no rules: users may do everything")
    case (.allow, false): Terminal.complain("databases without rules of their own: users may do everything")
    case (.deny, true):
      Terminal.complain("no rules: users are denied everything. Start with --rules FILE, or with --open")
    case (.deny, false):
      Terminal.complain("databases without rules of their own: users are denied everything")
    }
  }

  /// LIMIT: seconds that a stop waits for triggers to be delivered.
  private static let deliverySecondsMax = 5

  /// Lets triggers finish what was committed before the stop, for a while.
  private static func deliverRest(_ runner: TriggerRunner<LMDBEngine>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await runner.drain() }
      group.addTask { try? await Task.sleep(for: .seconds(deliverySecondsMax)) }
      await group.next()
      group.cancelAll()
    }
  }

}

/// `--single-project`
enum SingleProjectMode: String, ExpressibleByArgument, CaseIterable {
  case off, warn, error
}
