/// `docsh indexes suggest`: the smallest `firestore.indexes.json` for what a running server was asked.

import ArgumentParser
import DocModel
import DocStore
import Indexes
import JSON

struct IndexesSuggestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest",
    abstract: "Print the smallest firestore.indexes.json for the queries that a running server has received.",
    discussion: """
      Run your application or its tests against `docsh serve`, then ask. Definitions of --file are kept, and \
      only what they lack is added. Where that takes fewer definitions, indexes are shared by merging; --exact \
      gives each shape of query an index that serves it alone, which reads less where each part matches much. \
      Examples:

        docsh indexes suggest
        docsh indexes suggest --file firestore.indexes.json --write firestore.indexes.json
        docsh indexes suggest --host 127.0.0.1:8080 --project demo --json
      """)

  @OptionGroup(title: "Server")
  var server: ServerOptionsForIndexes

  @Option(help: "Keep the definitions of this file.", completion: .file(extensions: ["json"]))
  var file: String?

  @Option(
    help: "Write the result to this file instead of printing it.", completion: .file(extensions: ["json"]))
  var write: String?

  @Flag(help: "A separate index for each shape of query.")
  var exact = false

  @Flag(help: "Print a JSON report: indexes to add, and indexes that were never used.")
  var json = false

  func run() throws {
    let existing = try file.map(IndexSources.load) ?? .automatic
    let (asked, isComplete) = try server.asked()
    let needs = asked.map(\.needs)
    let additions = IndexSuggestion.additions(for: needs, to: existing, merges: !exact)
    let result = additions.reduce(existing) { $0.adding($1) }
    let unused = IndexSuggestion.unused(existing, by: needs)
    if !isComplete {
      Terminal.complain("the server was asked more shapes of queries than it keeps; run this more often")
    }
    if let write {
      do {
        try FileAccess.write(Array(IndexFileText.file(result).utf8), to: write)
      } catch {
        throw Terminal.end(ExitStatus.failure, "\(error)")
      }
    }
    if json {
      Terminal.write(Self.report(additions, unused, asked, existing, isComplete: isComplete))
      return
    }
    for missing in additions { Terminal.report("docsh: new: \(missing.summary)") }
    for index in unused { Terminal.report("docsh: never used by what was asked: \(index.definition)") }
    Terminal.report(
      "docsh: more than automatic indexes was needed by \(Plural.text(asked.count, "shape")) of queries; "
        + "\(Plural.text(additions.count, "new definition"))"
    )
    if let write {
      Terminal.say("docsh: wrote \(write)")
    } else {
      Terminal.say(String(IndexFileText.file(result).dropLast()))
    }
  }

  private static func report(
    _ additions: [MissingIndex], _ unused: [CompositeIndex], _ asked: [(needs: QueryNeeds, count: Int)],
    _ existing: DefinedIndexes, isComplete: Bool
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("isComplete") { $0.boolean(isComplete) }
      object.member("shapes") { $0.integer(asked.count) }
      object.member("queries") { $0.integer(asked.reduce(0) { $0 + $1.count }) }
      object.member("additions") { writer in
        writer.array(additions) { writer, missing in
          let addition = IndexFileText.addition(of: missing, to: existing)
          writer.value([
            "summary": .text(missing.summary), "list": .text(addition.list), "entry": .text(addition.entry),
          ])
        }
      }
      object.member("unused") { $0.array(unused) { $0.string("\($1.definition)") } }
      object.member("file") { writer in
        writer.string(IndexFileText.file(additions.reduce(existing) { $0.adding($1) }))
      }
    }
    return writer.bytes + [0x0A]
  }
}
