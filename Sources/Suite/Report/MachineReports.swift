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
    let suites = reports.map { report in
      let results = report.results.map(entry).joined(separator: ",\n")
      let unchecked = report.unchecked.map(JSONWriter.quoted).joined(separator: ", ")
      return "{\"file\": \(JSONWriter.quoted(report.file)), \"name\": \(JSONWriter.quoted(report.name)), "
        + "\"unchecked\": [\(unchecked)], \"ms\": \(Decimals.text(report.milliseconds)), "
        + mutation(report) + "\"cases\": [\n\(results)\n]}"
    }
    let passed = reports.reduce(0) { $0 + $1.passedCount }
    let failed = reports.reduce(0) { $0 + $1.failedCount }
    let skipped = reports.reduce(0) { $0 + $1.skippedCount }
    return "{\"suites\": [\(suites.joined(separator: ",\n"))], \"passed\": \(passed), "
      + "\"failed\": \(failed), \"skipped\": \(skipped)}\n"
  }

  private static func mutation(_ report: SuiteReport) -> String {
    guard let mutation = report.mutation else { return "" }
    return "\"mutants\": {\"killed\": \(mutation.killed), \"survivors\": [\(changes(mutation.survivors))], "
      + "\"equivalent\": [\(changes(mutation.equivalents))]}, "
  }

  private static func changes(_ changes: [MutationReport.Change]) -> String {
    changes.map { change in
      "{\"file\": \(JSONWriter.quoted(change.file)), \"line\": \(change.line), \"column\": \(change.column), "
        + "\"before\": \(JSONWriter.quoted(change.before)), \"after\": \(JSONWriter.quoted(change.after))}"
    }.joined(separator: ", ")
  }

  private static func name(of kind: CaseResult.Kind) -> String {
    switch kind {
    case .cell: "cell"
    case .single: "case"
    case .gate: "gate"
    }
  }

  private static func entry(_ result: CaseResult) -> String {
    let names = result.names.map(JSONWriter.quoted).joined(separator: ", ")
    let tags = result.tags.map(JSONWriter.quoted).joined(separator: ", ")
    var text = "{\"name\": [\(names)], \"kind\": \"\(name(of: result.kind))\", "
    text += "\"line\": \(result.line), \"tags\": [\(tags)], \"ms\": \(Decimals.text(result.milliseconds)), "
    switch result.status {
    case .passed: text += "\"status\": \"passed\""
    case .skipped(let reason): text += "\"status\": \"skipped\", \"reason\": \(JSONWriter.quoted(reason))"
    case .todo(let reason): text += "\"status\": \"todo\", \"reason\": \(JSONWriter.quoted(reason))"
    case .todoPasses(let reason):
      text += "\"status\": \"todo-passes\", \"reason\": \(JSONWriter.quoted(reason))"
    case .failed(let failures):
      text += "\"status\": \"failed\", \"lines\": [\(failures.map(line).joined(separator: ", "))]"
    }
    if !result.notes.isEmpty { text += ", \"notes\": [\(result.notes.map(line).joined(separator: ", "))]" }
    return text + "}"
  }

  private static func line(_ line: FailureLine) -> String {
    "{\"label\": \(JSONWriter.quoted(line.label)), \"text\": \(JSONWriter.quoted(line.text))}"
  }
}
