/// What `docsh serve` does, from its options to its end.

import Access
import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Logging
import Platform
import Rules
import Seeder
import Suite
import Telemetry
import Triggers
import Wire

extension ServeCommand {
  func run() async throws {
    let found = ServedProject.complete(self)
    if let line = found.line { Terminal.say(line) }
    try await found.command.withEndpoint().serve()
  }

  /// With the address that the firebase.json has, where the command line has none.
  private func withEndpoint() throws -> ServeCommand {
    guard let config, givenHost == nil || givenPort == nil else { return self }
    let named = try ProjectFiles.endpoint(config)
    var command = self
    command.givenHost = givenHost ?? named.host
    command.givenPort = givenPort ?? named.port
    return command
  }

  private func serve() async throws {
    // Before anything takes long: a signal that comes while seeding is obeyed, too.
    let ending = ShutdownSignal()
    let reloads = ReloadRequests(watchesFiles: !withoutReload)
    Signals.follow(
      watching: reloads.watch?.descriptor ?? -1, onChange: { reloads.noteChange() },
      onSignal: { signal in
        if signal == SIGHUP, !Signals.hasLostTerminal {
          reloads.askForAll()
        } else {
          ending.interrupt(signal: signal)
        }
      })
    if exitWithParent { ParentWatch.begin { ending.request(status: ExitStatus.success) } }
    ProcessMetrics.raiseOpenFilesMax()
    let tls = try tls.load()
    let profile = try checkedProfile()
    let access = try administrators.load(host: host, profile.tokenChecks)
    try administrators.checkPublic(host: host, hasTLS: tls != nil, profile.tokenChecks)
    let keys = try tokens.load(profile.tokenChecks)
    let log = ServerLog(log)
    defer { log.queue.close() }
    let sources = try DatabaseFiles("rules", rules, config: config)
    let indexFiles = try DatabaseFiles("indexes", indexes, config: config)
    let triggerSources = try TriggerSources(triggers, sink: functionsEmulator, folder: dataFolder)
    let files = ServedFiles(sources, indexFiles, triggerSources, config: config)
    for folder in files.folders { try? reloads.watch?.add(folder) }
    let loading = RulesLoading(sources, profile, keepsBroken: keepBrokenRules)
    // What is told, or stays, waits for the rules, which may be the end of it all.
    if !isQuiet { try loading.finish() }
    if !sources.hasFirstDatabase { Self.warn(sources, profile) }
    try browsers.warn()
    administrators.warn(host: host)
    try checkShared()
    let standing = clock.map { StandingClock($0) }
    let place = try StorePlace(store: self.store, folder: dataFolder)
    let store = try StoreOpening.open(
      place, isShared: isShared, historyBytesMax: memory.historyBudget, clock: standing)
    defer { store.close() }
    store.setTransactionPolicy(profile.transactionPolicy)
    let gate = try indexFiles.gate(profile, store, project: project, log: log)
    if isShared {
      try SharedReleases.begin(sources, loading, indexFiles, gate, store, profile, project: project)
    }
    if !indexFiles.isEmpty { Terminal.say("docsh: indexes of \(indexFiles.summary)") }
    let functions = try await seedAndFollow(store, triggerSources)
    let expired = ExpiredDocuments(
      store, indexes: { gate.known($0) },
      report: { database, error in
        Terminal.complain(
          "documents of \(database?.description ?? "the store") whose time has come cannot be deleted: "
            + error.message)
      })
    let time = ServedClock(store, standing, [expired, functions])
    let guarded = GuardedStore(
      store, rulesets: loading.registry, detail: profile.denialDetail,
      coverage: CoverageCollector(isCollecting: ruleCoverage),
      leaks: LeakWatch { log.tell($0) }, indexes: gate, feed: RequestFeed())
    let serving = Serving(
      guarded: guarded,
      options: try serverOptions(profile, access, keys, log, store, functions, time, expired, tls),
      log: log,
      ending: ending, command: self, sources: sources, rules: loading)
    let status = try await withThrowingTaskGroup(of: Void.self) { group in
      let status = try await serving.run {
        // On the pool's threads: this one waits for the end.
        group.addTask(executorPreference: globalConcurrentExecutor) { await time.run() }
        reloads.open(startsAtOnce: watchedTests != nil) {
          var reloading = Reloading(
            command: self, requests: reloads, guarded: guarded, functions: functions, files: files,
            suites: watchedTests.map { ServedSuites($0, suiteOptions) })
          reloading.run()
        }
      }
      await functions.deliverRest()
      group.cancelAll()
      return status
    }
    try exportAtEnd(store)
    if status != ExitStatus.success { throw ExitCode(status) }
  }

  private func checkShared() throws {
    guard isShared else { return }
    if store == nil { throw ValidationError("--shared needs a --store, which is what servers have together") }
    if clock != nil {
      throw ValidationError(
        "--clock and --shared exclude each other: servers do not share a clock that stands")
    }
  }

  /// The profile, with what the options on tokens say of it.
  private func checkedProfile() throws -> ServiceProfile {
    var chosen = profile.chosen
    if let checks = try tokens.checks(profile.verifyTokens) { chosen.tokenChecks = checks }
    return chosen
  }

  private var suiteOptions: SuiteOptions {
    var options = SuiteOptions()
    options.limitsRulesSource = profile.chosen.limitsRulesSource
    return options
  }

  /// Whether nothing is told or kept before the server answers.
  private var isQuiet: Bool {
    dataFolder == nil && store == nil && importPath == nil && seed == nil && triggers == nil
      && functionsEmulator == nil
      && config == nil && indexes.isEmpty && !rules.isEmpty && FirestoreServerOptions.isLoopback(host)
      && browsers.origins.isEmpty && browsers.hosts.isEmpty
  }

  private func serverOptions(
    _ profile: ServiceProfile, _ access: AdministratorAccess, _ keys: TokenKeys?, _ log: ServerLog,
    _ store: DocumentStore<ServedEngine>, _ functions: ServedFunctions, _ time: ServedClock,
    _ expired: ExpiredDocuments<ServedEngine>,
    _ tls: ServerTLS?
  ) throws -> FirestoreServerOptions {
    var options = FirestoreServerOptions()
    options.profile = profile
    options.access = access
    if let keys { options.keys = keys }
    options.messageBytesMax = profile.limits.messageBytesMax
    options.server.host = host
    options.server.port = port
    options.server.tls = tls
    options.requestsPort = requestsPort
    options.rules = .tools
    options.server.connectionsMax = connectionsMax
    options.server.connectionsPerClientMax = connectionsPerClient
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
    options.administration = { time.respond($0, $1) || functions.respond($0, $1) }
    options.moreMetrics = { text in
      log.writeMetrics(to: &text)
      functions.writeMetrics(to: &text)
      text.single(
        "docstore_ttl_deletions_total", .counter, "Documents deleted by TTL policies.", expired.deletedCount)
    }
    return options
  }

  private func exportAtEnd(_ store: DocumentStore<ServedEngine>) throws {
    guard let exportOnExit else { return }
    try ImportedData.export(
      store, DatabaseID(project: project), folder: exportOnExit, name: exportName)
  }

  /// Writes the seed, and makes the runner of triggers, which sees the seed only if the seed says so.
  private func seedAndFollow(
    _ store: DocumentStore<ServedEngine>, _ triggers: TriggerSources
  ) async throws -> ServedFunctions {
    let database = DatabaseID(project: project)
    if let importPath { try ImportedData.load(importPath, into: store, database) }
    guard let seed else { return try ServedFunctions(triggers, store) }
    let seeder = try Seeding.prepare(seed, database)
    let startsTriggers = seeder.file.header.startsTriggers && !withoutTriggers
    let early = startsTriggers && !store.isShared ? try triggers.host(store) : nil
    let report = try await Seeding.write(seeder, to: store, database, startsTriggers: startsTriggers)
    Terminal.say("docsh: seeded " + Seeding.summary(report, path: seed))
    return try ServedFunctions(triggers, store, host: early)
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
}
