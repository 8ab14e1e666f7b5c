/// `docsh rules ast`: the syntax tree of a rules file.

import ArgumentParser
import Rules
import RulesTools

struct RulesTreeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ast",
    abstract: "Print the syntax tree of a rules file.",
    discussion: """
      A line for each node, with its place, its types where they are known, \
      and what names refer to; with --json one JSON document, described in \
      docs/rules-ast.md. Examples:

        docsh rules ast firestore.rules
        docsh rules ast --json firestore.rules | jq '.services[].matches'

      A file with mistakes has a tree too. Its mistakes go to standard error, \
      and the command ends with 2.
      """)

  @Argument(help: "A rules file, or `-` for standard input.", completion: .file(extensions: ["rules"]))
  var file: String

  @Flag(help: "As JSON.")
  var json = false

  @Flag(
    help:
      "JSON without places, spelling, comments and resolution: the same for two texts exactly if they are the same program."
  )
  var structure = false

  func run() throws {
    let (name, bytes) = try FileAccess.required(file)
    let parsed = RulesParser.parse(source: bytes, name: name)
    let checked = RulesChecker.check(parsed)
    if structure {
      Terminal.write(SyntaxOutline(parsed).structureJSON() + [UInt8(ascii: "\n")])
    } else {
      let outline = SyntaxOutline(parsed, resolution: checked.resolution)
      Terminal.write(json ? outline.json() + [UInt8(ascii: "\n")] : Array(outline.text().utf8))
    }
    let errors = checked.diagnostics.filter { $0.severity == .error }
    guard errors.isEmpty else {
      Terminal.report(DiagnosticRenderer(source: parsed.source).render(errors))
      throw ExitCode(ExitStatus.badInput)
    }
  }
}
