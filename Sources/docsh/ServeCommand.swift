/// `docsh serve`: the server.

import Access
import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Rules
import Seeder
import Triggers
import Wire

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve documents to SDKs: gRPC and REST on one port.",
    discussion: """
      Without --data-dir everything is gone when the server ends. Without rules users are denied; say
      --open to allow everything. `Authorization: Bearer owner` passes by the rules, as server SDKs do.
      --profile emulator answers as the official emulator does. Examples:

        docsh serve --rules rules/inspired.rules --seed seeds/inspired.yaml
        docsh serve --rules app.rules --rules audit=audit.rules
        docsh serve --config firebase.json --profile emulator
        export FIRESTORE_EMULATOR_HOST=127.0.0.1:8080
      """)

  @Option(help: "The address to listen on; 0.0.0.0 for all.")
  var host = "127.0.0.1"

  @Option(help: "The port; 0 takes any free one.")
  var port = 8080

  @Option(
    help: ArgumentHelp(
      "The rules of all databases, or of those of one name. May be repeated.",
      valueName: "[database=]file"),
    completion: .file(extensions: ["rules"]))
  var rules: [String] = []

  @Option(
    help: "A firebase.json that names the rules of databases.", completion: .file(extensions: ["json"]))
  var config: String?

  @Option(help: "Seed data to begin with.", completion: .file(extensions: ["yaml", "yml"]))
  var seed: String?

  @Option(name: .customLong("data-dir"), help: "Keep documents in this folder.", completion: .directory)
  var dataFolder: String?

  @Option(help: "The project that is seeded.")
  var project = "demo"

  @Option(help: "Run the triggers of a pack: inspired.")
  var triggers: TriggerPack?

  @OptionGroup(title: "Profile")
  var profile: ProfileOptions

  @Flag(
    help:
      "Collect coverage of the rules from the start; otherwise from when :ruleCoverage is first asked for."
  )
  var ruleCoverage = false

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port must be between 0 and 65535, found \(port)")
    }
  }

  func run() async throws {
    let profile = profile.chosen
    let sources = try RulesSources(rules, config: config)
    let registry = try sources.registry(profile)
    if !sources.guardsFirstDatabase { Self.warn(sources, profile) }
    let store = try StoreOpening.open(folder: dataFolder)
    defer { store.close() }
    let runner = try await seedAndFollow(store)
    let guarded = GuardedStore(
      store, rulesets: registry, detail: profile.denialDetail,
      coverage: CoverageCollector(isCollecting: ruleCoverage))
    let status = try await withThrowingTaskGroup(of: Void.self) { group in
      if let runner { group.addTask { await runner.run() } }
      let status = try await serve(guarded, profile, sources)
      if let runner { await Self.deliverRest(runner) }
      group.cancelAll()
      return status
    }
    if status != ExitStatus.success { throw ExitCode(status) }
  }

  /// Writes the seed, and makes the runner of triggers, which sees the seed only if the seed says so.
  private func seedAndFollow(
    _ store: DocumentStore<LMDBEngine>
  ) async throws -> TriggerRunner<LMDBEngine>? {
    guard let seed else { return try triggers?.runner(store) }
    let database = DatabaseID(project: project)
    let seeder = try Seeding.prepare(seed, database)
    let early = seeder.file.header.startsTriggers ? try triggers?.runner(store) : nil
    let report = try await Seeding.write(seeder, to: store, database)
    Terminal.say("docsh: seeded " + Seeding.summary(report, path: seed))
    return try early ?? triggers?.runner(store)
  }

  /// Says what users may do in databases that have no rules.
  private static func warn(_ sources: RulesSources, _ profile: ServiceProfile) {
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

  /// Serves until somebody asks for the end. The status to end with.
  private func serve(
    _ guarded: GuardedStore<LMDBEngine>, _ profile: ServiceProfile, _ sources: RulesSources
  ) async throws -> Int32 {
    var options = FirestoreServerOptions()
    options.profile = profile
    options.server.host = host
    options.server.port = port
    let ending = EndOfServing()
    let server: FirestoreServer
    do throws(ServerError) {
      server = try await FirestoreServer.start(guarded, options) {
        ending.request(status: ExitStatus.success)
      }
    } catch {
      Terminal.complain(Self.text(of: error))
      throw ExitCode(ExitStatus.unavailable)
    }
    // Interrupted by the keyboard is a normal end; SIGTERM is told as shells tell it.
    Signals.whenEnding { ending.request(status: $0 == 2 ? ExitStatus.success : 128 + $0) }
    announce(server.address, profile, sources)
    let status = await ending.wait()
    await server.stop()
    return status
  }

  private func announce(_ address: ServerAddress, _ profile: ServiceProfile, _ sources: RulesSources) {
    Terminal.say("docsh: serving http://\(address) (gRPC and REST on one port)")
    Terminal.say(
      "docsh: rules \(sources.isEmpty ? "none" : sources.summary), "
        + "storage \(dataFolder.map { "in \($0)" } ?? "ephemeral"), project \(project)"
        + (triggers.map { ", triggers of \($0.rawValue)" } ?? ""))
    Terminal.say("docsh: profile \(profile.summary)")
    Terminal.say("docsh: export FIRESTORE_EMULATOR_HOST=\(address)")
  }

  private static func text(of error: ServerError) -> String {
    switch error {
    case .addressInUse(let host, let port):
      "port \(port) of \(host) is in use; stop what listens there or choose another with --port"
    case .portForbidden(let port): "port \(port) needs a privilege; choose one above 1023 with --port"
    case .hostUnknown(let host): "`\(host)` is no address of this machine; try --host 127.0.0.1"
    case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
    }
  }
}

/// The one event that ends `serve`: a signal, or a request over HTTP.
final class EndOfServing: Sendable {
  private let stream: AsyncStream<Int32>
  private let continuation: AsyncStream<Int32>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(1))
  }

  /// Asks the server to end with an exit status. Only the first request counts.
  func request(status: Int32) {
    continuation.yield(status)
    continuation.finish()
  }

  func wait() async -> Int32 {
    for await status in stream { return status }
    return ExitStatus.success
  }
}
