/// `docsh rules fmt`: rules files in one style.

import ArgumentParser
import Rules
import RulesTools

struct RulesFormatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt",
    abstract: "Format rules files.",
    discussion: """
      Rewrites files in place and names those it changed. A folder stands for \
      every `.rules` file below it, `-` for standard input, which goes to \
      standard output. Comments and meaning stay, and a file with mistakes of \
      syntax is left alone. Examples:

        docsh rules fmt                         the rules of the project of this folder
        docsh rules fmt rules/inspired.rules
        docsh rules fmt --check --diff rules

      Ends with 0 when all is well, with 1 when `--check` or `--diff` found a \
      file that is not formatted, and with 2 when a file cannot be formatted.
      """)

  @Argument(
    help: "Rules files or folders, or `-`; the project's rules where none is named.",
    completion: .file(extensions: ["rules"]))
  var files: [String] = []

  @Flag(help: "Change nothing; list the files that are not formatted.")
  var check = false

  @Flag(help: "Change nothing; show what would change.")
  var diff = false

  func validate() throws {
    if files.contains("-"), files.count > 1 { throw ValidationError("`-` stands alone") }
  }

  func run() throws {
    var unformatted = 0
    var failures = 0
    for argument in try files.isEmpty ? ProjectFiles.rulesFiles() : files {
      do throws(FileError) {
        for file in argument == "-" ? ["-"] : try FileAccess.files(below: argument, suffix: ".rules") {
          guard let isFormatted = try format(file) else {
            failures += 1
            continue
          }
          if !isFormatted { unformatted += 1 }
        }
      } catch {
        Terminal.complain(error.description)
        failures += 1
      }
    }
    if failures > 0 { throw ExitCode(ExitStatus.badInput) }
    if unformatted > 0, check || diff { throw ExitCode(ExitStatus.failure) }
  }

  /// Whether the file was formatted already; nil if it cannot be.
  private func format(_ file: String) throws(FileError) -> Bool? {
    let isInput = file == "-"
    let (name, source) = try FileAccess.source(file)
    let formatted: [UInt8]
    do throws(FormatRefusal) {
      formatted = try RulesFormatter.format(source: source, name: name)
    } catch {
      complain(about: error, in: name)
      return nil
    }
    let isFormatted = formatted == source
    if diff {
      Terminal.write(LineDifference(from: source, to: formatted).unified(oldName: name, newName: name))
    }
    if check {
      if !isFormatted { Terminal.say(name) }
    } else if isInput, !diff {
      Terminal.write(formatted)
    } else if !isFormatted, !diff {
      try FileAccess.replace(file, with: formatted)
      Terminal.say("formatted \(file)")
    }
    return isFormatted
  }

  private func complain(about refusal: FormatRefusal, in name: String) {
    switch refusal {
    case .syntax(let diagnostics, let source):
      Terminal.report(DiagnosticRenderer(source: source).render(diagnostics.filter { $0.severity == .error }))
      Terminal.complain("`\(name)` is not formatted, because it has mistakes")
    case .unproven(let damage):
      Terminal.complain(
        "`\(name)` is left alone at line \(damage.line): \(damage.kind.rawValue); please report this file")
    }
  }
}
