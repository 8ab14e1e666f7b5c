/// What `docsh rules check` found, file by file, in the form that was asked for.

import JSON
import Rules
import RulesTools

struct RulesReport {
  /// LIMIT: ids named at the end of a text report; more would be a list nobody reads.
  private static let namedIDsMax = 6

  private let format: RulesCheckCommand.Format
  private var fileCount = 0
  private var unreadable = 0
  private var counts: [Diagnostic.Severity: Int] = [:]
  /// In the order of their first appearance.
  private var ids: [String] = []
  private var objects: [[UInt8]] = []
  private let limitsSource: Bool

  /// - Parameter limitsSource: whether a file that production would refuse for its size is refused.
  init(format: RulesCheckCommand.Format, limitsSource: Bool) {
    self.format = format
    self.limitsSource = limitsSource
  }

  // MARK: Files

  /// The rules files that an argument stands for: itself, or what is below a folder.
  mutating func expanded(_ argument: String) -> [String] {
    if argument == "-" { return ["-"] }
    do throws(FileError) {
      let found = try FileAccess.files(below: argument, suffix: ".rules")
      if found.isEmpty {
        refuse(FileError(path: argument, reason: "there is no `.rules` file in this folder"))
      }
      return found
    } catch {
      refuse(error)
      return []
    }
  }

  /// Compiles a file or standard input; nil when it cannot be read.
  mutating func compile(_ path: String) -> Compilation? {
    do throws(FileError) {
      let (name, bytes) = try FileAccess.source(path)
      if let place = bytes.prefix(1 << 13).firstIndex(of: 0) {
        throw FileError(path: name, reason: "it is not text: byte \(place) is zero")
      }
      return RulesCompiler.compile(source: bytes, name: name, limitsSource: limitsSource, remarks: true)
    } catch {
      refuse(error)
      return nil
    }
  }

  private mutating func refuse(_ error: FileError) {
    unreadable += 1
    Terminal.complain(error.description)
  }

  // MARK: Findings

  mutating func add(_ compilation: Compilation, withRemarks: Bool) {
    let diagnostics = compilation.diagnostics.filter { withRemarks || $0.severity != .remark }
    fileCount += 1
    for diagnostic in diagnostics {
      counts[diagnostic.severity, default: 0] += 1
      if !ids.contains(diagnostic.id) { ids.append(diagnostic.id) }
    }
    let formats = DiagnosticFormats(source: compilation.source)
    switch format {
    case .json: objects.append(formats.json(diagnostics))
    case .github where diagnostics.isEmpty, .text where diagnostics.isEmpty: break
    case .github: Terminal.say(formats.annotations(diagnostics))
    case .text:
      Terminal.report(DiagnosticRenderer(source: compilation.source).render(diagnostics))
    }
  }

  func finish() {
    switch format {
    case .json:
      var writer = JSONWriter()
      writer.object { $0.member("files") { $0.array(objects) { $0.json($1) } } }
      Terminal.say(writer.text)
    case .github: break
    case .text:
      if !ids.isEmpty {
        let named = ids.prefix(Self.namedIDsMax).joined(separator: ", ")
        let more = ids.count > Self.namedIDsMax ? " and \(ids.count - Self.namedIDsMax) more" : ""
        Terminal.say("`docsh rules check --explain ID` tells more about \(named)\(more)")
      }
      Terminal.say(summary)
    }
  }

  /// Whether the command has to fail.
  func isBad(strict: Bool) -> Bool {
    unreadable > 0 || count(.error) > 0 || (strict && count(.warning) > 0)
  }

  private func count(_ severity: Diagnostic.Severity) -> Int { counts[severity] ?? 0 }

  private var summary: String {
    var parts = [
      Plural.text(fileCount, "file") + " checked", Plural.text(count(.error), "error"),
      Plural.text(count(.warning), "warning"),
    ]
    if count(.remark) > 0 { parts.append(Plural.text(count(.remark), "remark")) }
    return parts.joined(separator: ", ")
  }
}
