/// `docsh seed`: seed files and shadow studios into a store or a running server.

import ArgumentParser
import DocModel
import DocStore
import Seeder

struct SeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Write seed data into a durable store or a running server.",
    discussion: """
      Everything is checked first; an error anywhere means that nothing is written. Seeding twice changes \
      nothing. Examples:

        docsh seed seeds/inspired.yaml --data-dir data
        docsh seed seeds/inspired.yaml --host 127.0.0.1:8080
        docsh seed seeds/inspired.yaml --check
        docsh seed app.yaml --check --rules app.rules --as '/users/{uid}/{path=**}=${uid}'
        docsh seed places found.json --host 127.0.0.1:8080
      """,
    subcommands: [SeedFileCommand.self, SeedPlacesCommand.self], defaultSubcommand: SeedFileCommand.self)
}

struct SeedFileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file",
    abstract: "Write a seed file (the word `file` may be left out).",
    discussion: """
      The format is described in docs/seeds.md. Examples:

        docsh seed seeds/inspired.yaml --data-dir data
        docsh seed seeds/inspired.yaml --check

      With --check --rules, every document is judged as if a user created it, in a database that has all others, \
      and those that the rules deny are told. --as says which user, for all documents or for those of a pattern:

        docsh seed app.yaml --check --rules app.rules --as mina
        docsh seed app.yaml --check --rules app.rules \\
            --as '/users/{uid}/{path=**}=${uid}' \\
            --as '/payments/{id}=${data.userId}' --at '${data.createdAt}' \\
            --as '/plans/{plan}={uid: olga, claims: {role: admin}}'

      Ends with 1 when a document is denied.
      """)

  @Argument(help: "The seed file.", completion: .file(extensions: ["yaml", "yml"]))
  var file: String

  @OptionGroup(title: "Where to")
  var target: SeedTargetOptions

  @Flag(help: "Only check the file; write nothing.")
  var check = false

  @Option(
    help: "With --check: rules that each document is judged by.", completion: .file(extensions: ["rules"]))
  var rules: String?

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Who creates the documents: a uid, anon, or '{uid: \"x\", claims: {…}}'; behind a pattern for its documents. May be repeated.",
      valueName: "pattern=user"))
  var users: [String] = []

  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "When they do: a time, or '${data.createdAt}' for documents with that field; otherwise now. May be repeated.",
      valueName: "time"))
  var times: [String] = []

  @Flag(help: "Show an example of each denial with the value of every expression.")
  var explain = false

  func validate() throws {
    try target.check(isNeeded: !check)
    guard rules != nil else {
      if !users.isEmpty || !times.isEmpty || explain {
        throw ValidationError("--as, --at and --explain belong to --check --rules FILE")
      }
      return
    }
    guard check else { throw ValidationError("--rules belongs to --check, which writes nothing") }
    guard !users.isEmpty else {
      throw ValidationError(
        "say who creates the documents: --as UID for all, or --as '/users/{uid}/{path=**}=${uid}'")
    }
  }

  func run() async throws {
    let seeder = try Seeding.prepare(file, target.id)
    if let rules { return try await judge(seeder, by: rules) }
    if check { return Terminal.say("\(file): \(Plural.text(seeder.documentCount, "document")), no errors") }
    let startsTriggers = seeder.file.header.startsTriggers
    let report = try await target.use(startsTriggers: startsTriggers) { remote in
      var sink = remote
      return try await Seeding.write(seeder, to: &sink)
    } local: { store in
      var sink = StoreSink(store, target.id)
      return try await Seeding.write(seeder, to: &sink)
    }
    Terminal.say(Seeding.summary(report, path: file))
  }

  private func judge(_ seeder: Seeder, by rules: String) async throws {
    let ruleset = try RulesFile.load(rules)
    let now = DocStore.Environment.system.now()
    var check: SeedRulesCheck
    do throws(InvalidArgument) {
      check = SeedRulesCheck(
        ruleset, target.id, as: try SeedAuthors(users, target.id, now: now),
        at: try SeedTimes(times, target.id, now: now), explains: explain)
    } catch {
      throw Terminal.end(ExitStatus.usage, error.message)
    }
    var documents = SeedCollector()
    _ = try await Seeding.write(seeder, to: &documents)
    let report = check.run(documents.writes)
    Terminal.say(report.text(width: Terminal.width ?? 110, isColored: Terminal.isInteractive))
    if report.denied > 0 { throw ExitCode(ExitStatus.failure) }
  }
}
