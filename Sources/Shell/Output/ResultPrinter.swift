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
  /// Documents of tables one below the other.
  var isExpanded = false
  /// Columns that lines may have; nil for any.
  var width: Int?

  var json: ValueJSON { ValueJSON(isPlain: isPlainJSON) }
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
    case .nothing: []
    }
  }

  private static func scalar(_ value: Value, _ style: PrintStyle) -> [String] {
    switch style.mode {
    case .json, .jsonl: [style.json.text(value)]
    case .table, .doc, .csv, .yaml, .markdown: [ValueText.cell(value)]
    }
  }

  private static func ids(_ ids: [String], _ style: PrintStyle) -> [String] {
    switch style.mode {
    case .json: [json { $0.array(ids) { $0.printable($1) } }]
    case .jsonl: ids.map(TextEscape.quoted)
    case .table, .doc, .csv, .yaml, .markdown: ids.map(TextEscape.printable)
    }
  }

  // MARK: documents

  static func documents(_ documents: [ShellDocument], _ style: PrintStyle) -> [String] {
    switch style.mode {
    case .table:
      style.isExpanded
        ? documents.flatMap { DocumentPrinter.lines($0, style) } : table(documents, style, TableShape.plain)
    case .doc: documents.flatMap { DocumentPrinter.lines($0, style) }
    case .markdown: table(documents, style, TableShape.markdown)
    case .csv: csv(documents, style)
    case .jsonl: documents.map { line($0, style) }
    case .json: json(documents, style)
    case .yaml: documents.flatMap { YAMLPrinter.lines($0) }
    }
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

  /// By path, as in the `documents` of a seed.
  private static func json(_ documents: [ShellDocument], _ style: PrintStyle) -> [String] {
    if documents.isEmpty { return ["{}"] }
    let entries = documents.map {
      "  " + TextEscape.quoted($0.path.text) + ": " + style.json.text(.map($0.fields))
    }
    return ["{"] + entries.enumerated().map { $1 + ($0 + 1 < entries.count ? "," : "") } + ["}"]
  }

  /// Fields that tables show: those asked for, or those that the documents have.
  static func columns(_ documents: [ShellDocument], _ style: PrintStyle) -> [FieldPath] {
    if let columns = style.columns { return columns.filter { !isID($0) } }
    return names(documents).filter { !$0.hasSameBytes(as: "id") }.prefix(columnsMax)
      .compactMap { FieldPath.field($0) }
  }

  /// Names of fields that documents have, in the order of their bytes.
  private static func names(_ documents: [ShellDocument]) -> [String] {
    var names: Set<ExactText> = []
    for document in documents { for entry in document.fields.entries { names.insert(ExactText(entry.name)) } }
    return names.map(\.text).sorted { $0.precedesInBytes($1) }
  }

  /// The document's id is the first column anyway.
  static func isID(_ path: FieldPath) -> Bool {
    path.isDocumentName || (path.segments.count == 1 && path.segments[0].hasSameBytes(as: "id"))
  }

  private static func cells(
    _ documents: [ShellDocument], _ columns: [FieldPath], _ style: PrintStyle
  ) -> [[String]] {
    documents.map { document in
      [TextEscape.printable(document.id)] + columns.map { cell(document.fields.value(at: $0), style) }
    }
  }

  private static func cell(_ value: Value?, _ style: PrintStyle) -> String {
    switch value {
    case nil: ""
    case .null: style.null
    case .some(let value): ValueText.cell(value)
    }
  }

  private static func table(
    _ documents: [ShellDocument], _ style: PrintStyle, _ shape: TableShape
  ) -> [String] {
    if documents.isEmpty { return [] }
    let columns = columns(documents, style)
    return shape.lines(
      ["id"] + columns.map { TextEscape.printable($0.text) }, cells(documents, columns, style),
      width: style.width)
  }

  private static func csv(_ documents: [ShellDocument], _ style: PrintStyle) -> [String] {
    var all = style
    if all.columns == nil {
      all.columns = names(documents).compactMap { FieldPath.field($0) }
    }
    let columns = columns(documents, all)
    return [CSV.line(["id"] + columns.map(\.text))]
      + documents.map { document in
        CSV.line([document.id] + columns.map { CSV.text(document.fields.value(at: $0)) })
      }
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

/// Tables for terminals and for Markdown.
enum TableShape {
  case plain, markdown

  /// LIMIT: columns of the terminal that one cell gets when the table does not fit.
  private static let cellMax = 40
  /// LIMIT: columns that cells are padded to where no terminal says how many there are. A longer cell is whole and
  /// moves what is behind it; padding all others to it could make a long text of every short one.
  private static let paddingMax = 200

  func lines(_ columns: [String], _ rows: [[String]], width: Int?) -> [String] {
    var cells = [columns] + rows
    if self == .markdown {
      cells = cells.map { $0.map { String($0.flatMap { $0 == "|" ? Array("\\|") : [$0] }) } }
    }
    var widths = columns.indices.map { column in cells.map { TextEscape.width($0[column]) }.max() ?? 0 }
    if let width, widths.reduce(2, { $0 + $1 + 2 }) > width {
      widths = widths.map { min($0, Self.cellMax) }
      cells = cells.map { row in zip(row, widths).map { TextEscape.cut($0, to: $1) } }
    }
    widths = widths.map { min($0, width ?? Self.paddingMax) }
    switch self {
    case .plain:
      return cells.map { row in
        let text = "  " + zip(row, widths).map { TextEscape.padded($0, to: $1) }.joined(separator: "  ")
        let trimmed = TextEscape.trimmed(text)
        return width.map { TextEscape.cut(trimmed, to: $0) } ?? trimmed
      }
    case .markdown:
      let body = cells.map { row in
        "| " + zip(row, widths).map { TextEscape.padded($0, to: $1) }.joined(separator: " | ") + " |"
      }
      let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
      return [body[0], rule] + body.dropFirst()
    }
  }

}

/// RFC 4180.
enum CSV {
  static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

  /// Texts as they are, everything else as the shell writes it.
  static func text(_ value: Value?) -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): text
    case .timestamp(let instant): instant.rfc3339
    case .some(let value): ValueText.literal(value)
    }
  }

  private static func quoted(_ cell: String) -> String {
    // Control characters other than line ends have no business in a table, whoever reads it.
    let cell = String(
      cell.unicodeScalars.reduce(into: String.UnicodeScalarView()) { result, scalar in
        if scalar == "\n" || scalar == "\r" || scalar == "\t" || !TextEscape.isHostile(scalar) {
          result.append(scalar)
        } else {
          result.append(contentsOf: TextEscape.printable(String(scalar)).unicodeScalars)
        }
      })
    guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
