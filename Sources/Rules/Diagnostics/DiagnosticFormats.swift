/// Diagnostics for other programs: JSON for editors and scripts, annotations for GitHub's runner.
///
/// INVARIANT: lines and columns count from one and columns count code points, as in the text form;
/// `offset` counts bytes of the file, so that an edit can be applied without decoding it.

internal import DocModel
internal import JSON

/// The diagnostics of one file, in other forms than text.
public struct DiagnosticFormats: Sendable {
  private let source: SourceText

  public init(source: SourceText) { self.source = source }

  // MARK: JSON

  /// One file as an object: its name, its numbers and its diagnostics.
  public func json(_ diagnostics: [Diagnostic]) -> String {
    var members = [member("file", JSONWriter.quoted(source.name))]
    for severity in Diagnostic.Severity.allCases {
      members.append(member("\(severity.rawValue)s", "\(diagnostics.count { $0.severity == severity })"))
    }
    members.append(member("diagnostics", list(diagnostics.map(json))))
    return object(members)
  }

  private func json(_ diagnostic: Diagnostic) -> String {
    var members = [
      member("id", JSONWriter.quoted(diagnostic.id)),
      member("severity", JSONWriter.quoted(diagnostic.severity.rawValue)),
      member("message", JSONWriter.quoted(diagnostic.message)),
    ]
    if let label = diagnostic.label { members.append(member("label", JSONWriter.quoted(label))) }
    if let official = diagnostic.officialText {
      members.append(member("official", JSONWriter.quoted(official)))
    }
    if let span = diagnostic.span { members += places(of: span) }
    if !diagnostic.notes.isEmpty {
      let notes = diagnostic.notes.map { note in
        object([member("message", JSONWriter.quoted(note.message))] + (note.span.map(places) ?? []))
      }
      members.append(member("notes", list(notes)))
    }
    if let fix = diagnostic.fix {
      let edits = fix.edits.map { edit in
        object(places(of: edit.span) + [member("replacement", JSONWriter.quoted(edit.replacement))])
      }
      members.append(
        member(
          "fix", object([member("message", JSONWriter.quoted(fix.message)), member("edits", list(edits))])))
    }
    members.append(member("page", JSONWriter.quoted(diagnostic.kind.page)))
    return object(members)
  }

  private func places(of span: Span) -> [String] {
    [member("start", place(of: span.start)), member("end", place(of: span.end))]
  }

  private func place(of offset: Int32) -> String {
    let position = source.position(of: offset)
    return object([
      member("line", "\(position.line)"), member("column", "\(position.column)"),
      member("offset", "\(offset)"),
    ])
  }

  private func object(_ members: [String]) -> String { "{" + members.joined(separator: ",") + "}" }

  private func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

  private func member(_ name: String, _ value: String) -> String { "\"\(name)\":\(value)" }

  // MARK: GitHub

  /// Workflow commands, one a line, that put each diagnostic beside its line in a pull request.
  public func annotations(_ diagnostics: [Diagnostic]) -> String {
    diagnostics.map(annotation).joined(separator: "\n")
  }

  private func annotation(_ diagnostic: Diagnostic) -> String {
    let command =
      switch diagnostic.severity {
      case .error: "error"
      case .warning: "warning"
      case .remark: "notice"
      }
    var properties = [(name: "file", value: source.name)]
    if let span = diagnostic.span {
      let start = source.position(of: span.start)
      let end = source.position(of: span.end)
      properties += [("line", "\(start.line)"), ("col", "\(start.column)")]
      // The runner refuses columns of a range over several lines.
      if end.line == start.line { properties.append(("endColumn", "\(end.column)")) }
    }
    properties.append(("title", diagnostic.id))
    let (headline, label) = DiagnosticRenderer.words(of: diagnostic)
    var lines = [headline]
    if let label { lines.append(label) }
    lines += diagnostic.notes.map { "note: \($0.message)" }
    if let fix = diagnostic.fix { lines.append("fix: \(fix.message)") }
    return WorkflowCommand.line(command, properties, lines.joined(separator: "\n"))
  }
}

extension DiagnosticID {
  /// The page that explains it, from the root of the repository.
  public var page: String { "docs/diagnostics/\(rawValue).md" }
}
