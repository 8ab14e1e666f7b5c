/// Diagnostics for other programs: JSON for editors and scripts, annotations for GitHub's runner.
///
/// INVARIANT: lines and columns count from one and columns count code points, as in the text form;
/// `offset` counts bytes of the file, so that an edit can be applied without decoding it.

internal import DocModel
internal import JSON
public import Rules

/// The diagnostics of one file, in other forms than text.
public struct DiagnosticFormats: Sendable {
  private let source: SourceText

  public init(source: SourceText) { self.source = source }

  // MARK: JSON

  /// One file as an object: its name, its numbers and its diagnostics.
  public func json(_ diagnostics: [Diagnostic]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("file") { $0.string(source.name) }
      for severity in Diagnostic.Severity.allCases {
        object.member(named: severity.rawValue + "s") { writer in
          writer.integer(diagnostics.count { $0.severity == severity })
        }
      }
      object.member("diagnostics") { $0.array(diagnostics) { write($1, &$0) } }
    }
    return writer.bytes
  }

  private func write(_ diagnostic: Diagnostic, _ writer: inout JSONWriter) {
    writer.object { object in
      object.member("id") { $0.string(diagnostic.id) }
      object.member("severity") { $0.string(diagnostic.severity.rawValue) }
      object.member("message") { $0.string(diagnostic.message) }
      if let label = diagnostic.label { object.member("label") { $0.string(label) } }
      if let official = diagnostic.officialText { object.member("official") { $0.string(official) } }
      if let span = diagnostic.span { places(of: span, &object) }
      if !diagnostic.notes.isEmpty {
        object.member("notes") { $0.array(diagnostic.notes) { write($1, &$0) } }
      }
      if let fix = diagnostic.fix { object.member("fix") { write(fix, &$0) } }
      object.member("page") { $0.string(diagnostic.kind.page) }
    }
  }

  private func write(_ note: Diagnostic.Note, _ writer: inout JSONWriter) {
    writer.object { object in
      object.member("message") { $0.string(note.message) }
      if let span = note.span { places(of: span, &object) }
    }
  }

  private func write(_ fix: Diagnostic.Fix, _ writer: inout JSONWriter) {
    writer.object { object in
      object.member("message") { $0.string(fix.message) }
      object.member("edits") { writer in
        writer.array(fix.edits) { writer, edit in
          writer.object { object in
            places(of: edit.span, &object)
            object.member("replacement") { $0.string(edit.replacement) }
          }
        }
      }
    }
  }

  private func places(of span: Span, _ object: inout JSONWriter.ObjectWriter) {
    object.member("start") { place(of: span.start, &$0) }
    object.member("end") { place(of: span.end, &$0) }
  }

  private func place(of offset: Int32, _ writer: inout JSONWriter) {
    let position = source.position(of: offset)
    writer.object { object in
      object.member("line") { $0.integer(position.line) }
      object.member("column") { $0.integer(position.column) }
      object.member("offset") { $0.integer(offset) }
    }
  }

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
