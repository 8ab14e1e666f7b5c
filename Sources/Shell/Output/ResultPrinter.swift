/// Results as lines, in each of the modes.

import Client
import DocModel
import JSON

/// How results look.
struct PrintStyle {
  var mode = OutputMode.table
  var isPlainJSON = false
  /// What missing and null values of tables are shown as.
  var null = "null"
  /// Columns shown of a table, in this order; nil for all.
  var columns: [FieldPath]?
  /// When documents of tables are shown one below the other, a field a line.
  var expansion = Expansion.auto
  /// Columns that lines may have; nil for any.
  var width: Int?

  var json: ValueJSON { ValueJSON(isPlain: isPlainJSON) }
}

extension PrintStyle {
  enum Expansion: String, CaseIterable {
    /// Where rows do not fit the terminal.
    case auto
    case on, off
  }

  func isExpanded(fits: Bool) -> Bool {
    switch expansion {
    case .auto: !fits
    case .on: true
    case .off: false
    }
  }
}

/// LIMIT: columns of a table that shows whole documents.
private let columnsMax = 12

enum ResultPrinter {
  static func lines(_ result: ShellResult, _ style: PrintStyle) -> [String] {
    switch result {
    case .documents(let documents): self.documents(documents, style)
    case .rows(let columns, let rows): self.rows(columns, rows, style)
    case .ids(let ids): self.ids(ids, style)
    case .scalar(let value): scalar(value, style)
    case .shown, .nothing: []
    }
  }

  private static func scalar(_ value: Value, _ style: PrintStyle) -> [String] {
    switch style.mode {
    case .json, .jsonl: [style.json.text(value)]
    case .table, .doc, .csv, .yaml, .markdown: [ValueText.cell(value)]
    }
  }

  static func ids(_ ids: [String], _ style: PrintStyle) -> [String] {
    switch style.mode {
    case .json: [json { $0.array(ids) { $0.printable($1) } }]
    case .jsonl: ids.map(TextEscape.quoted)
    case .table, .doc, .csv, .yaml, .markdown: ids.map(TextEscape.printable)
    }
  }

  // MARK: documents

  static func documents(_ documents: [ShellDocument], _ style: PrintStyle) -> [String] {
    if style.mode == .csv { return csv(documents, style) }
    var lines: [String] = []
    let stream = ResultStream(style, .documents) {
      lines += $0
      return true
    }
    for document in documents { _ = stream.take(document) }
    _ = stream.finish()
    return lines
  }

  /// One document as one line of JSON.
  static func line(_ document: ShellDocument, _ style: PrintStyle) -> String {
    json { $0.document(document, style.json) }
  }

  private static func json(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return writer.text
  }

  /// Fields that tables show: those asked for, or those that the documents have.
  static func columns(_ documents: [ShellDocument], _ style: PrintStyle) -> [FieldPath] {
    if let columns = style.columns { return columns.filter { !isID($0) } }
    return names(documents).filter { !$0.hasSameBytes(as: "id") }.prefix(columnsMax)
      .compactMap { FieldPath.field($0) }
  }

  /// Names of fields that documents have, in the order of their bytes.
  static func names(_ documents: [ShellDocument]) -> [String] {
    var names: Set<ExactText> = []
    for document in documents { for entry in document.fields.entries { names.insert(ExactText(entry.name)) } }
    return names.map(\.text).sorted { $0.precedesInBytes($1) }
  }

  /// The document's id is the first column anyway.
  static func isID(_ path: FieldPath) -> Bool {
    path.isDocumentName || (path.segments.count == 1 && path.segments[0].hasSameBytes(as: "id"))
  }

  static func cells(_ document: ShellDocument, _ columns: [FieldPath], _ style: PrintStyle) -> [String] {
    [TextEscape.printable(document.id)] + columns.map { cell(document.fields.value(at: $0), style) }
  }

  private static func cell(_ value: Value?, _ style: PrintStyle) -> String {
    switch value {
    case nil: ""
    case .null: style.null
    case .some(let value): ValueText.cell(value)
    }
  }

  private static func csv(_ documents: [ShellDocument], _ style: PrintStyle) -> [String] {
    var all = style
    if all.columns == nil {
      all.columns = names(documents).compactMap { FieldPath.field($0) }
    }
    let columns = columns(documents, all)
    return [CSV.line(["id"] + columns.map(\.text))] + documents.map { csvLine($0, columns) }
  }

  static func csvLine(_ document: ShellDocument, _ columns: [FieldPath]) -> String {
    CSV.line([document.id] + columns.map { CSV.text(document.fields.value(at: $0)) })
  }

  // MARK: rows

  private static func rows(_ columns: [String], _ rows: [[Value]], _ style: PrintStyle) -> [String] {
    let texts = rows.map { row in row.map { cell($0, style) } }
    switch style.mode {
    case .table, .doc: return TableShape.plain.lines(columns, texts, width: style.width)
    case .markdown: return TableShape.markdown.lines(columns, texts, width: nil)
    case .csv: return [CSV.line(columns)] + rows.map { CSV.line($0.map { CSV.text($0) }) }
    case .jsonl: return rows.map { row in json { object(columns, row, style.json, &$0) } }
    case .json: return [json { $0.array(rows) { object(columns, $1, style.json, &$0) } }]
    case .yaml:
      return rows.map { row in
        "- {"
          + zip(columns, row).map { "\(TextEscape.quoted($0)): \(ValueJSON(isPlain: false).text($1))" }
          .joined(separator: ", ") + "}"
      }
    }
  }

  private static func object(
    _ columns: [String], _ row: [Value], _ form: ValueJSON, _ writer: inout JSONWriter
  ) {
    writer.object { object in
      for (column, value) in zip(columns, row) {
        object.member(printable: column) { form.write(value, to: &$0) }
      }
    }
  }
}
