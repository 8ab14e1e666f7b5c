/// `docsh serve`: the server.

import ArgumentParser
import Packs

struct ServeCommand: AsyncParsableCommand, CommandOptions {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run a server for SDKs: gRPC and REST on one port.",
    discussion: """
      Without --data-dir everything is gone when the server ends. Without rules users are denied; say \
      --open to allow everything. `Authorization: Bearer owner` passes by the rules, as server SDKs do. \
      --profile emulator answers as the official emulator does. Rules, indexes and triggers are read again when \
      their files are saved, and at SIGHUP; what has mistakes changes nothing. Without --rules, --config, --indexes \
      and --open, the files of the project that this folder belongs to are taken: firebase.json, or firestore.rules \
      and firestore.indexes.json, and a single file in seeds. Examples:

        docsh serve
        docsh serve --rules rules/inspired.rules --seed seeds/inspired.yaml
        docsh serve --rules app.rules --rules audit=audit.rules
        docsh serve --config firebase.json --profile emulator
        docsh serve --rules app.rules --watch-tests tests
        docsh serve --open --indexes firestore.indexes.json
        docsh serve --open --memory-budget 256MiB
        docsh serve --rules app.rules --store postgres://app@db.example.com/app
        docsh serve --rules app.rules --store postgres://app@db.example.com/app --shared
        docsh serve --open --clock 2026-03-01T00:00:00Z
        docsh serve --port 8443 --tls-cert cert.pem --tls-key key.pem
        docsh serve --verify-tokens jwks --project my-app --rules app.rules
        export FIRESTORE_EMULATOR_HOST=127.0.0.1:8080
      """)

  @CommandOption(
    "host",
    help:
      "The address to listen on; 0.0.0.0 for all. That of the firebase.json, or 127.0.0.1, when not given.")
  var givenHost: String?

  @CommandOption(
    "port", help: "The port; 0 for any free one. That of the firebase.json, or 8080, when not given.")
  var givenPort: Int?

  var tls = TLSOptions()

  @CommandOption(
    "rules",
    help: ArgumentHelp(
      "The rules of all databases, or of those of one name. May be repeated.",
      valueName: "[database=]file"),
    completion: .file(extensions: ["rules"]))
  var rules: [String] = []

  @CommandOption(
    "config", help: "A firebase.json that names the rules and indexes of databases.",
    completion: .file(extensions: ["json"]))
  var config: String?

  @CommandOption(
    "indexes",
    help: ArgumentHelp(
      "The firestore.indexes.json of all databases, or of those of one name. May be repeated.",
      valueName: "[database=]file"),
    completion: .file(extensions: ["json"]))
  var indexes: [String] = []

  @CommandOption(
    "seed", help: "A seed file to load at the start.", completion: .file(extensions: ["yaml", "yml"]))
  var seed: String?

  @CommandOption(flag: "without-triggers", help: "The seed fires no triggers, whatever the file says.")
  var withoutTriggers = false

  @CommandOption("data-dir", help: "Keep documents in this folder.", completion: .directory)
  var dataFolder: String?

  @CommandOption(
    "store",
    help: ArgumentHelp(
      "Keep documents in PostgreSQL, in the schema docstore of this database. See docs/postgresql.md.",
      valueName: "postgres://…"))
  var store: String?

  @CommandOption(
    flag: "shared",
    help: "Have the --store together with other servers, which say so, too. See docs/scale.md.")
  var isShared = false

  @CommandOption(
    "requests-port",
    help: ArgumentHelp(
      "Tell what rules judge on a WebSocket of this port, for the emulators' UI; 0 takes any free one.",
      valueName: "port"))
  var requestsPort: Int?

  @CommandOption("project", help: "The project to seed.")
  var project = "demo"

  @CommandOption(
    "triggers",
    help: "Run the functions of a pack (\(Pack.names)), or those of a triggers.yaml.",
    completion: .file(extensions: ["yaml", "yml"]))
  var triggers: String?

  @CommandOption(
    "functions-emulator",
    help: ArgumentHelp("Where functions that register themselves take events.", valueName: "host:port"))
  var functionsEmulator: String?

  @CommandOption(
    "clock",
    help: ArgumentHelp(
      "Let the time stand at this one until `:clock +12h` in the shell moves it: request.time, server timestamps, "
        + "schedules, documents that end, tokens. See docs/clock.md.",
      valueName: "time"),
    transform: ClockOption.time)
  var clock: Int64?

  var profile = ProfileOptions()

  var tokens = TokenOptions()

  var administrators = AdministratorOptions()

  var browsers = BrowserOptions()

  @CommandOption(
    "import", help: "An export to load at the start: its folder, or its .overall_export_metadata file.",
    completion: .file())
  var importPath: String?

  @CommandOption(
    "export-on-exit", help: "Write an export into this folder when the server ends.", completion: .directory)
  var exportOnExit: String?

  @CommandOption("export-name", help: "The name of that export.")
  var exportName = "firestore_export"

  @CommandOption(
    "single-project",
    help: "Whether projects other than --project are served, served with a warning, or refused.")
  var singleProject = SingleProjectMode.off

  @CommandOption("pid-file", help: "Keep the process id in this file while serving.", completion: .file())
  var pidFile: String?

  @CommandOption(
    flag: "exit-with-parent",
    help: "End when the parent process ends, or closes the pipe that is the standard input of this one.")
  var exitWithParent = false

  @CommandOption(
    "connections-max",
    help: ArgumentHelp(
      "Connections open at once; more are closed. As many as file descriptors allow unless said.",
      valueName: "count"))
  var connectionsMax: Int?

  @CommandOption(
    "connections-per-client",
    help: ArgumentHelp(
      "Connections that one address may have open at once; more are closed. As many as all together unless said.",
      valueName: "count"))
  var connectionsPerClient: Int?

  var memory = MemoryOption()

  @CommandOption(
    "stop-grace",
    help: ArgumentHelp(
      "How long a stop waits for requests that are under way.", valueName: "seconds"))
  var stopGrace = 5

  @CommandOption(
    flag: "keep-broken-rules",
    help:
      "Start even if the rules do not compile: requests of users are denied with the compiler's message until other rules are loaded."
  )
  var keepBrokenRules = false

  @CommandOption(
    flag: "no-reload",
    help: "Do not read rules, indexes and triggers again when their files are saved; SIGHUP still does.")
  var withoutReload = false

  @CommandOption(
    "watch-tests",
    help: ArgumentHelp(
      "Run these suites at the start and after each save that can affect them. Without a path, all below this folder.",
      valueName: "path"),
    completion: .file())
  var watchedTests: String?

  var log = LogOptions()

  /// Who started us writes the lines that tools wait for. Not an option.
  var announcesOfficially = false

  @CommandOption(
    flag: "rule-coverage",
    help:
      "Collect coverage of the rules from the start; otherwise from when :ruleCoverage is first asked for.")
  var ruleCoverage = false

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_givenHost)
    try visitor.visit(&_givenPort)
    try visitor.visit("TLS", &tls)
    try visitor.visit(&_rules)
    try visitor.visit(&_config)
    try visitor.visit(&_indexes)
    try visitor.visit(&_seed)
    try visitor.visit(&_withoutTriggers)
    try visitor.visit(&_dataFolder)
    try visitor.visit(&_store)
    try visitor.visit(&_isShared)
    try visitor.visit(&_requestsPort)
    try visitor.visit(&_project)
    try visitor.visit(&_triggers)
    try visitor.visit(&_functionsEmulator)
    try visitor.visit(&_clock)
    try visitor.visit("Profile", &profile)
    try visitor.visit("Tokens", &tokens)
    try visitor.visit("Administrators", &administrators)
    try visitor.visit("Browsers", &browsers)
    try visitor.visit(&_importPath)
    try visitor.visit(&_exportOnExit)
    try visitor.visit(&_exportName)
    try visitor.visit(&_singleProject)
    try visitor.visit(&_pidFile)
    try visitor.visit(&_exitWithParent)
    try visitor.visit(&_connectionsMax)
    try visitor.visit(&_connectionsPerClient)
    try visitor.visit("Memory", &memory)
    try visitor.visit(&_stopGrace)
    try visitor.visit(&_keepBrokenRules)
    try visitor.visit(&_withoutReload)
    try visitor.visit(&_watchedTests)
    try visitor.visit("Log", &log)
    try visitor.visit(&_ruleCoverage)
  }

  var host: String { givenHost ?? "127.0.0.1" }
  var port: Int { givenPort ?? 8080 }

  func validate() throws {
    try DatabaseOption.check(project)
    if let port = givenPort, !(0...65_535).contains(port) {
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
    if let connectionsPerClient, connectionsPerClient < 1 {
      throw ValidationError("--connections-per-client must be at least 1, found \(connectionsPerClient)")
    }
  }
}

/// `--single-project`
enum SingleProjectMode: String, ExpressibleByArgument, CaseIterable {
  case off, warn, error
}
