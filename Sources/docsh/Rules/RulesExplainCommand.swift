/// `docsh rules explain`: why a request is allowed or denied, with the value of every expression.

import ArgumentParser
import DocModel
import DocStore
import Rules
import RulesTools
import Suite

struct RulesExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why a request is allowed or denied.",
    discussion: """
      Asks the rules one question, in process, and shows every rule that was tried, every expression with \
      its value, the documents read and the cost. Values are written as in suites and seeds, which JSON is \
      part of. Examples:

        docsh rules explain rules/inspired.rules --docs seeds/inspired.yaml \\
            --method get --path /users/bob --auth '{uid: alice}'

        docsh rules explain rules/inspired.rules --docs seeds/inspired.yaml \\
            --method list --auth '{uid: alice}' \\
            --query '{from: users, where: [privacySettings.avatarPrivacy == "public"]}'

        docsh rules explain rules/inspired.rules \\
            --method update --path /users/bob --auth '{uid: bob}' \\
            --resource '{id: bob, bio: old}' --data '{bio: new}'

        docsh rules explain rules/inspired.rules \\
            --suite rules/inspired.rules-test.yaml --case "who reads a profile"

      docs/explain.md describes what it shows and the shape of --json. Ends with 0, also for a denial; with 1 \
      when no case fits; with 2 when the rules, the request or the suite are invalid.
      """)

  @Argument(help: "The rules file.", completion: .file(extensions: ["rules"]))
  var file: String

  @Option(help: "The method of the request: get, list, create, update or delete.")
  var method: String?

  @Option(help: "The document; for list also a collection.")
  var path: String?

  @Option(help: "The user: '{uid: bob, claims: {role: editor}}'; not signed in without it.")
  var auth: String?

  @Option(help: "The data of a write.")
  var data: String?

  @Option(help: "The stored document.")
  var resource: String?

  @Option(help: "The query of a list: '{from: posts, where: [open == true], limit: 10}'.")
  var query: String?

  @Option(
    help: "A seed file with the stored documents.", completion: .file(extensions: ["yaml", "yml"]))
  var docs: String?

  @Option(help: "A suite whose cases are explained instead.", completion: .file(extensions: ["yaml"]))
  var suite: String?

  @Option(name: .customLong("case"), help: "A part of the full names of its cases.")
  var caseName: String?

  @Flag(help: "Write JSON.")
  var json = false

  func validate() throws {
    if suite == nil, method == nil {
      throw ValidationError("say what is asked: --method get --path /users/bob, or --suite FILE --case NAME")
    }
    if suite != nil, [method, path, auth, data, resource, query, docs].contains(where: { $0 != nil }) {
      throw ValidationError("--suite brings its own requests; leave the others out")
    }
  }

  func run() async throws {
    let rules = try RulesFile.load(file)
    if let suite { return try explain(suite: suite, rules) }
    let store = try StoreOpening.open(folder: nil)
    defer { store.close() }
    let database = DatabaseID(project: "demo")
    if let docs {
      let seeder = try Seeding.prepare(docs, database)
      _ = try await Seeding.write(seeder, to: store, database, startsTriggers: true)
    }
    var request = RequestText(method: method ?? "get")
    request.path = path
    request.auth = auth
    request.data = data
    request.resource = resource
    request.query = query
    do throws(RequestTextError) {
      show(try RequestExplainer.explain(request, rules: rules, store: store, database: database), head: nil)
    } catch {
      throw Terminal.end(ExitStatus.badInput, error.description)
    }
  }

  private func explain(suite path: String, _ rules: Ruleset) throws {
    var options = SuiteOptions(filter: caseName)
    options.explains = true
    let suites = try SuiteFiles.load([path], options)
    if let other = suites.first(where: { $0.rules.source.bytes != rules.source.bytes }) {
      throw Terminal.end(ExitStatus.badInput, "the suite tests `\(other.rules.source.name)`, not `\(file)`")
    }
    let requests = try SuiteFiles.run(suites).flatMap(\.explanations)
    guard !requests.isEmpty else {
      throw Terminal.end(ExitStatus.failure, "no case has a name with `\(caseName ?? "")`")
    }
    if json { return Terminal.say(String(ExplainJSON.text(requests.flatMap(\.decisions)).dropLast())) }
    for request in requests {
      show(request.decisions, head: (request.names + [request.title]).joined(separator: " › "))
    }
  }

  private func show(_ decisions: [DetailedExplanation], head: String?) {
    if let head { Terminal.say("── \(head)") }
    if decisions.isEmpty { return Terminal.say("the rules were not asked") }
    if json {
      let text = decisions.count == 1 ? ExplainJSON.text(decisions[0]) : ExplainJSON.text(decisions)
      return Terminal.say(String(text.dropLast()))
    }
    for decision in decisions {
      Terminal.say(
        ExplainText.text(decision, width: Terminal.width ?? 110, isColored: Terminal.isInteractive))
    }
  }
}
