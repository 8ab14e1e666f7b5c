/// Reports for machines: TAP, JUnit's XML, JSON.

internal import DocModel
internal import JSON

/// Test Anything Protocol, version 14: one line a case, YAML below those that failed, whose double-quoted texts are
/// JSON's.
public enum TAPReport {
  public static func text(_ reports: [SuiteReport]) -> String {
    var lines = ["TAP version 14", "1..\(reports.reduce(0) { $0 + $1.results.count })"]
    var number = 0
    for report in reports {
      for section in report.unchecked { lines.append("# \(report.file): not checked: \(section)") }
      for result in report.results {
        number += 1
        lines += entry(result, number, ([report.name] + result.names).joined(separator: " › "))
        // A comment; a case is not failed by what is noticed beside it.
        for note in result.notes { lines.append("# \(escaped("\(note.label): \(note.text)"))") }
      }
    }
    lines.append("# " + reports.closingLine)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func entry(_ result: CaseResult, _ number: Int, _ name: String) -> [String] {
    let title = "\(number) - \(escaped(name))"
    switch result.status {
    case .passed: return ["ok \(title)"]
    case .skipped(let reason): return ["ok \(title) # SKIP \(escaped(reason))"]
    case .todo(let reason): return ["not ok \(title) # TODO \(escaped(reason))"]
    case .todoPasses(let reason): return ["ok \(title) # TODO \(escaped(reason))"]
    case .failed(let failures):
      let details = failures.map { "    - \(JSONWriter.quoted("\($0.label): \($0.text)"))" }
      return [
        "not ok \(title)", "  ---", "  at: \(JSONWriter.quoted("\(result.file):\(result.line)"))",
        "  reasons:",
      ]
        + details + ["  ..."]
    }
  }

  /// `#` begins a directive and line breaks end a line.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "#", "\\": escaped += "\\\(character)"
      case "\n", "\r", "\r\n": escaped += " "
      default: escaped.append(character)
      }
    }
    return escaped
  }
}

/// The XML that continuous integration reads.
public enum JUnitReport {
  public static func text(_ reports: [SuiteReport]) -> String {
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"]
    for report in reports {
      lines.append(
        "  <testsuite name=\"\(escaped(report.name))\" file=\"\(escaped(report.file))\" "
          + "tests=\"\(report.results.count)\" failures=\"\(report.failedCount)\" "
          + "skipped=\"\(report.skippedCount)\" time=\"\(seconds(report.results))\">")
      for section in report.unchecked {
        lines.append(
          "    <properties><property name=\"unchecked\" value=\"\(escaped(section))\"/></properties>")
      }
      for result in report.results { lines += entry(result, in: report) }
      lines.append("  </testsuite>")
    }
    lines.append("</testsuites>")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func entry(_ result: CaseResult, in report: SuiteReport) -> [String] {
    let group = ([report.name] + result.names.dropLast()).joined(separator: " › ")
    let head =
      "    <testcase classname=\"\(escaped(group))\" name=\"\(escaped(result.names.last ?? ""))\" "
      + "file=\"\(escaped(result.file))\" line=\"\(result.line)\" time=\"\(seconds([result]))\""
    let notes = result.notes.map { "      <system-out>\(escaped("\($0.label): \($0.text)"))</system-out>" }
    switch result.status {
    case .passed, .todoPasses:
      return notes.isEmpty ? [head + "/>"] : [head + ">"] + notes + ["    </testcase>"]
    case .skipped(let reason), .todo(let reason):
      return [head + ">", "      <skipped message=\"\(escaped(reason))\"/>"] + notes + ["    </testcase>"]
    case .failed(let failures):
      let text = failures.map { "\($0.label): \($0.text)" }
      let message = escaped(text.prefix(2).joined(separator: "; "))
      return [
        head + ">",
        "      <failure message=\"\(message)\">\(escaped(text.joined(separator: "\n")))</failure>",
      ] + notes + ["    </testcase>"]
    }
  }

  private static func seconds(_ results: [CaseResult]) -> String {
    Decimals.text(results.reduce(0) { $0 + $1.milliseconds } / 1_000)
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n", "\r", "\t": escaped += "&#\(scalar.value);"
      // XML has no other control characters, not even escaped.
      case _ where scalar.value < 0x20: escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// One object: `{"suites": [...], "passed": n, "failed": n, "skipped": n}`.
public enum JSONReport {
  public static func text(_ reports: [SuiteReport]) -> String {
    var writer = JSONWriter(isSpaced: true)
    writer.object { object in
      object.member("suites") { $0.array(reports, separator: ",\n") { $0.suite($1) } }
      object.member("passed") { $0.integer(reports.reduce(0) { $0 + $1.passedCount }) }
      object.member("failed") { $0.integer(reports.reduce(0) { $0 + $1.failedCount }) }
      object.member("skipped") { $0.integer(reports.reduce(0) { $0 + $1.skippedCount }) }
    }
    return writer.text + "\n"
  }
}

extension JSONWriter {
  fileprivate mutating func suite(_ report: SuiteReport) {
    object { object in
      object.member("file") { $0.string(report.file) }
      object.member("name") { $0.string(report.name) }
      object.member("unchecked") { $0.array(report.unchecked) { $0.string($1) } }
      object.member("ms") { $0.milliseconds(report.milliseconds) }
      if let mutation = report.mutation { object.member("mutants") { $0.mutants(mutation) } }
      object.member("cases") { $0.array(report.results, separator: ",\n", edge: "\n") { $0.result($1) } }
    }
  }

  private mutating func milliseconds(_ number: Double) { json(Array(Decimals.text(number).utf8)) }

  private mutating func mutants(_ report: MutationReport) {
    object { object in
      object.member("killed") { $0.integer(report.killed) }
      object.member("survivors") { $0.array(report.survivors) { $0.change($1) } }
      object.member("equivalent") { $0.array(report.equivalents) { $0.change($1) } }
    }
  }

  private mutating func change(_ change: MutationReport.Change) {
    object { object in
      object.member("file") { $0.string(change.file) }
      object.member("line") { $0.integer(change.line) }
      object.member("column") { $0.integer(change.column) }
      object.member("before") { $0.string(change.before) }
      object.member("after") { $0.string(change.after) }
    }
  }

  private mutating func result(_ result: CaseResult) {
    let kind =
      switch result.kind {
      case .cell: "cell"
      case .single: "case"
      case .gate: "gate"
      }
    object { object in
      object.member("name") { $0.array(result.names) { $0.string($1) } }
      object.member("kind") { $0.string(kind) }
      object.member("line") { $0.integer(result.line) }
      object.member("tags") { $0.array(result.tags) { $0.string($1) } }
      object.member("ms") { $0.milliseconds(result.milliseconds) }
      if let cost = result.cost {
        object.member("expressions") { $0.integer(cost.expressions) }
        object.member("lookups") { $0.integer(cost.lookups) }
      }
      object.status(result.status)
      if !result.notes.isEmpty { object.member("notes") { $0.array(result.notes) { $0.line($1) } } }
    }
  }

  fileprivate mutating func line(_ line: FailureLine) {
    value(["label": .text(line.label), "text": .text(line.text)])
  }
}

extension JSONWriter.ObjectWriter {
  fileprivate mutating func status(_ status: CaseResult.Status) {
    let (word, reason): (String, String?) =
      switch status {
      case .passed: ("passed", nil)
      case .skipped(let reason): ("skipped", reason)
      case .todo(let reason): ("todo", reason)
      case .todoPasses(let reason): ("todo-passes", reason)
      case .failed: ("failed", nil)
      }
    member("status") { $0.string(word) }
    if let reason { member("reason") { $0.string(reason) } }
    if case .failed(let failures) = status { member("lines") { $0.array(failures) { $0.line($1) } } }
  }
}
