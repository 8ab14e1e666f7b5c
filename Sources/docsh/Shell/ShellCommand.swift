/// `docsh shell`: reading and writing documents by hand, as anybody.

import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Platform
import Rules
import Shell
import Synchronization

/// What one -c or -f says. They are options of their own, of which the parser does not tell which came first.
struct PlacedInput: Sendable {
  private static let count = Atomic<Int>(0)

  let place: Int
  let input: ShellInput

  init(_ input: ShellInput) {
    self.input = input
    place = Self.count.add(1, ordering: .relaxed).newValue
  }
}

struct ShellCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Read and write documents as any user, and see why rules deny.",
    discussion: """
      What docsh does without a subcommand. On a terminal it converses; \
      otherwise it reads statements from -c, from files or from standard input. \
      Without a place to go to it looks for a server (FIRESTORE_EMULATOR_HOST, \
      then the Firestore emulator of the project's firebase.json, or \
      127.0.0.1:8080), then for a data folder `data`, and says which.

        docsh shell                                    a running server
        docsh shell --rules my.rules --seed my.yaml    a store of its own
        docsh -c 'users/bob' --as carol                one statement
        docsh -c 'select count(*) from users'          SQL and SDK calls, too
        docsh -f smoke.docsh --var env=ci              a script
        echo 'studios | count' | docsh -q              standard input
        docsh -c 'users | jsonl' -q | jq .name         streaming
        docsh -c ':fault UNAVAILABLE on commit 1-3'    a bad day for an app
        docsh -e --record login.rules-test.yaml        rules tests of what you do

      Ends with 0 when all succeeded, 1 when a statement failed, 2 for usage and \
      syntax, 3 when rules deny, 4 when something is missing, if asked, 5 without \
      a connection, 6 when :assert, :expect, :test or :coverage fails, 130 when \
      interrupted. docs/shell.md describes the language and the commands.
      """)

  @Option(
    name: .short,
    help: ArgumentHelp("A statement to run; may be repeated, also between -f.", valueName: "statement"),
    transform: { PlacedInput(.statements($0)) })
  var c: [PlacedInput] = []

  @Option(
    name: .short, help: ArgumentHelp("A script to run; may be repeated, also between -c.", valueName: "file"),
    transform: { PlacedInput(.file($0)) })
  var f: [PlacedInput] = []

  @Flag(name: .short, help: "Continue with the terminal, or standard input, after -c and -f.")
  var e = false

  @Option(
    help: ArgumentHelp("Record what personas do as a rules test suite.", valueName: "file"),
    completion: .file())
  var record: String?

  @Flag(name: [.short, .long], help: "Results only: no times, no notes.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Results and errors are JSON.")
  var json = false

  @Option(help: "The format of results: table, doc, json, jsonl, csv, yaml or markdown.")
  var mode: String?

  @Option(name: .customLong("as"), help: "Who asks: a persona, anon, or '{uid: \"x\", claims: {…}}'.")
  var persona: String?

  @Option(help: "A suite or a file with personas; may be repeated.", completion: .file())
  var personas: [String] = []

  @Option(help: "The project.")
  var project = "demo"

  @Option(help: "The database.")
  var database = "(default)"

  @Option(
    name: [.customLong("host"), .customLong("server")],
    help: ArgumentHelp("A running server.", valueName: "host:port"))
  var host: String?

  @Option(
    name: .customLong("data-dir"), help: "A data folder, opened in this process.", completion: .directory)
  var dataFolder: String?

  @Option(help: "Rules for a store in this process.", completion: .file(extensions: ["rules"]))
  var rules: String?

  @Option(help: "A seed for a store in this process.", completion: .file(extensions: ["yaml", "yml"]))
  var seed: String?

  @Option(
    help: ArgumentHelp("Let the time stand in a store in this process; :clock moves it.", valueName: "time"),
    transform: ClockOption.time)
  var clock: Int64?

  @Flag(help: "Without rules, let users do everything, in a store in this process.")
  var open = false

  @Flag(help: "Do not ask for confirmation before documents are deleted or many are changed.")
  var yes = false

  @Flag(help: "Continue after a failed statement; exit with the code of the first failure.")
  var keepGoing = false

  @Flag(help: "Do not run the start-up file.")
  var noRc = false

  @Flag(help: "JSON without the forms of seed files: times and references become strings.")
  var plain = false

  @Flag(help: "Fail if a document is missing.")
  var failMissing = false

  @Flag(help: "Fail if a result is empty.")
  var failEmpty = false

  @Option(name: .customLong("var"), help: ArgumentHelp("A variable for statements.", valueName: "name=value"))
  var variables: [String] = []

  func validate() throws {
    try DatabaseOption.check(project, database)
    if host != nil, dataFolder != nil || rules != nil || seed != nil || open || clock != nil {
      throw ValidationError(
        "--host is a running server; --data-dir, --rules, --seed, --open and --clock are for none")
    }
    for variable in variables where !variable.contains("=") {
      throw ValidationError("--var takes NAME=VALUE, found \(variable)")
    }
  }

  func run() async throws {
    Terminal.writesJSON.store(options.writesJSONErrors, ordering: .relaxed)
    let place = try await place()
    let status = ShellProgram.run(options, on: place, tools: ShellSeeding.tools(for: place))
    if case .embedded(let store, _, _, _, _, _) = place { store.close() }
    if status != ExitStatus.success { throw ExitCode(status) }
  }

  var options: ShellOptions {
    var options = ShellOptions()
    options.inputs = (c + f).sorted { $0.place < $1.place }.map(\.input)
    options.variables = variables.map { variable in
      let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), String(parts[1]))
    }
    options.isQuiet = quiet
    options.mode = mode ?? (json ? "json" : nil)
    options.writesJSONErrors = json || mode == "json" || mode == "jsonl"
    options.persona = persona
    options.personaFiles = personas + suites
    if options.personaFiles.isEmpty, rules == nil {
      options.foundSuites = ProjectFiles.suites()
    }
    options.database = DatabaseID(project: project, database: database)
    options.assumesYes = yes
    options.keepsGoing = keepGoing
    options.isPlainJSON = plain
    options.failsOnMissing = failMissing
    options.failsOnEmpty = failEmpty
    options.readsRC = !noRc
    options.converses = e
    options.recording = record
    return options
  }

  /// The suite beside the rules has the personas that the rules are tested with.
  private var suites: [String] {
    guard personas.isEmpty, let rules, rules.hasSuffix(".rules") else { return [] }
    let suite = rules + "-test.yaml"
    return access(suite, R_OK) == 0 ? [suite] : []
  }

  // MARK: places

  private func place() async throws -> ShellPlace {
    if let host { return .remote(host) }
    if dataFolder != nil || rules != nil || seed != nil || open || clock != nil {
      return try await embedded(dataFolder)
    }
    if ShellProgram.needsNoStore(options) { return try await embedded(nil) }
    if let host = Environment.value("FIRESTORE_EMULATOR_HOST") {
      announce("server \(host) (FIRESTORE_EMULATOR_HOST)")
      return .remote(host)
    }
    let files = ProjectFiles.find()
    let named = try files?.emulatorAddress()
    let standard = named ?? "127.0.0.1:8080"
    let origin = named == nil ? "" : files?.config.map { " (\($0))" } ?? ""
    do throws(ServerRequest.Failure) {
      _ = try ServerRequest.send("/", to: standard)
      announce("server \(standard)\(origin)")
      return .remote(standard)
    } catch {
      if error.isTLS { announce("no server: \(error)") }
    }
    if access("data/data.mdb", R_OK) == 0 {
      announce("data folder data")
      return try await embedded("data")
    }
    throw Terminal.end(
      ShellStatus.connection,
      "no server at \(standard)\(origin) and no data folder `data`; start one with `docsh serve`, or say --rules FILE "
        + "--seed FILE for a store in this process")
  }

  private func announce(_ place: String) {
    // What programs read is JSON and nothing else.
    if !quiet, !options.writesJSONErrors { Terminal.complain("on \(place)") }
  }

  /// A name that is mistyped must not become an empty store.
  private func checkFolder(_ folder: String) throws {
    guard access(folder, F_OK) != 0, errno == ENOENT else { return }
    throw Terminal.end(
      ExitStatus.noInput,
      "there is no data folder `\(folder)`; `mkdir \(folder)` makes an empty one, "
        + "and `docsh serve --data-dir \(folder)` a store of a server")
  }

  private func embedded(_ folder: String?) async throws -> ShellPlace {
    if let folder { try checkFolder(folder) }
    let ruleset = try rules.map { try RulesFile.load($0) }
    let standing = clock.map { StandingClock($0) }
    let (store, readOnlyReason) = try StoreOpening.openForShell(folder: folder, clock: standing)
    if let readOnlyReason {
      if seed != nil {
        throw Terminal.end(ExitStatus.storage, readOnlyReason)
      }
      if !quiet { Terminal.complain(readOnlyReason) }
    }
    if let seed {
      let database = DatabaseID(project: project, database: database)
      let seeder = try Seeding.prepare(seed, database)
      let report = try await Seeding.write(seeder, to: store, database, startsTriggers: true)
      if !quiet { Terminal.complain("seeded " + Seeding.summary(report, path: seed)) }
    }
    return .embedded(
      store, location: folder.map { "data folder \($0)" } ?? "an ephemeral store", rules: ruleset,
      isOpenWithoutRules: open, readOnlyReason: readOnlyReason, clock: standing)
  }
}
