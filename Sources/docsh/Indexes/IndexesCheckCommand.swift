/// `docsh indexes check`: whether a `firestore.indexes.json` is right, and what of it does nothing.

import ArgumentParser
import DocModel
import DocStore
import Indexes
import JSON

struct IndexesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report mistakes in firestore.indexes.json files, with line and column.",
    discussion: """
      Errors are what the service refuses. Warnings name keys that mean nothing, duplicates, indexes that the \
      service has anyway, and definitions that others make up for. With --used, also composites that nothing \
      used of what a running server was asked. Ends with 2 when there is an error, and with --strict also when \
      there is a warning. Examples:

        docsh indexes check firestore.indexes.json
        docsh indexes check --strict --json firestore.indexes.json
        docsh indexes check --used --host 127.0.0.1:8080 firestore.indexes.json
      """)

  @Argument(help: "Files to check.", completion: .file(extensions: ["json"]))
  var files: [String]

  @Flag(help: "Ask a running server which indexes its queries needed.")
  var used = false

  @OptionGroup(title: "Server (with --used)")
  var server: ServerOptionsForIndexes

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Flag(help: "Print the problems as JSON, one object a file.")
  var json = false

  func run() throws {
    let asked = used ? try server.asked().asked.map(\.needs) : nil
    var isBad = false
    for path in files {
      let problems = try problems(of: path, asked)
      if problems.contains(where: { $0.severity == .error || strict }) { isBad = true }
      if json {
        Terminal.write(Self.report(path, problems))
      } else {
        for problem in problems { Terminal.say(problem.text(path: path)) }
        let use =
          asked.map { ", all used by \(Plural.text($0.count, "shape")) of queries that were asked" } ?? ""
        if problems.isEmpty { Terminal.say("\(path): no problems\(use)") }
      }
    }
    if isBad { throw ExitCode(ExitStatus.badInput) }
  }

  private func problems(of path: String, _ asked: [QueryNeeds]?) throws -> [IndexFileProblem] {
    let (file, problems) = try IndexSources.read(path)
    if problems.contains(where: { $0.severity == .error }) { return problems }
    return (problems + IndexFileReview.problems(of: file, asked: asked)).sorted { $0.place < $1.place }
  }

  private static func report(_ path: String, _ problems: [IndexFileProblem]) -> [UInt8] {
    let values = problems.map { problem -> JSONValue in
      [
        "severity": .text(problem.severity.rawValue), "line": .int(problem.place.line),
        "column": .int(problem.place.column), "message": .text(problem.message), "fix": .text(problem.fix),
      ]
    }
    return JSONWriter.bytes(of: ["file": .text(path), "problems": .array(values)]) + [0x0A]
  }
}
