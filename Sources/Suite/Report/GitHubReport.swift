/// Annotations as GitHub's workflows read them: a line of its own for each failure, then the report for people.

internal import Rules
internal import RulesTools

public enum GitHubReport {
  public static func text(_ reports: [SuiteReport]) -> String {
    var lines: [String] = []
    for report in reports {
      for result in report.results { lines += entry(result, in: report) }
      for survivor in report.mutation?.survivors ?? [] {
        lines.append(
          command(
            "warning", file: survivor.file, line: survivor.line, title: "no case notices a change",
            "\(survivor.before)  →  \(survivor.after.isEmpty ? "(removed)" : survivor.after)"))
      }
    }
    return lines.map { $0 + "\n" }.joined() + PrettyReport.text(reports)
  }

  private static func entry(_ result: CaseResult, in report: SuiteReport) -> [String] {
    let title = ([report.name] + result.names).joined(separator: " › ")
    var lines = result.notes.filter { $0.label == "warning" }.map {
      command("warning", file: result.file, line: result.line, title: title, $0.text)
    }
    switch result.status {
    case .passed, .skipped, .todo: break
    case .todoPasses:
      lines.append(
        command("notice", file: result.file, line: result.line, title: title, "passes; remove 'todo'"))
    case .failed(let failures):
      let text = failures.map { "\($0.label) \($0.text)" }.joined(separator: "\n")
      lines.append(command("error", file: result.file, line: result.line, title: title, text))
    }
    return lines
  }

  private static func command(_ kind: String, file: String, line: Int, title: String, _ text: String)
    -> String
  {
    WorkflowCommand.line(kind, [("file", file), ("line", "\(line)"), ("title", title)], text)
  }
}
