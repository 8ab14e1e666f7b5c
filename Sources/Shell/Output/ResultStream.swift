/// Documents as lines, while they come: what is shown first does not wait for what comes last, and how many there are
/// does not matter.
///
/// A table's columns and widths are those of its first page. Formats that have to know every document before their first
/// line (`csv` of whole documents) hold them all.

import Client
import DocModel

/// Owner: the session's thread.
final class ResultStream {
  /// LIMIT: documents and bytes of the page that a table's columns and widths come from, and how long it is waited for
  /// at a terminal.
  static let pageDocuments = 1_000
  private static let pageBytes = 1 << 20
  private static let pageWait = Duration.milliseconds(500)

  /// What of a document is shown.
  enum Content {
    case documents
    /// Ids; paths, where documents of several collections may have the same.
    case ids(arePaths: Bool)
  }

  private let style: PrintStyle
  private let content: Content
  /// Takes lines; false when nobody wants more.
  private let emit: ([String]) -> Bool
  private(set) var count = 0
  /// Fields that the table does not show, in the order of their coming.
  private(set) var hidden: [String] = []
  private var held: [ShellDocument] = []
  private var heldBytes = 0
  private var firstCame: ContinuousClock.Instant?
  private var layout: TableLayout?
  private var columns: [FieldPath] = []
  private var isExpanded = false
  private var isFixed = false
  /// The last entry of JSON, which gets a comma when another one follows.
  private var lastEntry: String?
  private var heldIDs: [String] = []

  init(_ style: PrintStyle, _ content: Content, _ emit: @escaping ([String]) -> Bool) {
    self.style = style
    self.content = content
    self.emit = emit
  }

  /// False when nobody wants more.
  func take(_ document: ShellDocument) -> Bool {
    count += 1
    if case .ids(let arePaths) = content { return takeID(arePaths ? document.path.text : document.id) }
    switch style.mode {
    case .jsonl: return emit([ResultPrinter.line(document, style)])
    case .doc: return emit(DocumentPrinter.lines(document, style))
    case .yaml: return emit(YAMLPrinter.lines(document))
    case .json:
      let entry = "  " + TextEscape.quoted(document.path.text) + ": " + style.json.text(.map(document.fields))
      defer { lastEntry = entry }
      return emit([lastEntry.map { $0 + "," } ?? "{"])
    case .csv where style.columns == nil:
      held.append(document)
      return true
    case .csv, .table, .markdown: return takeRow(document)
    }
  }

  /// What is left when no more documents come.
  func finish() -> Bool {
    if case .ids = content { return style.mode == .json ? emit(ResultPrinter.ids(heldIDs, style)) : true }
    if style.mode == .json {
      guard let lastEntry else { return emit(["{}"]) }
      return emit([lastEntry, "}"])
    }
    if style.mode == .csv, style.columns == nil { return emit(ResultPrinter.documents(held, style)) }
    guard !isFixed, [.table, .markdown, .csv].contains(style.mode) else { return true }
    return fixPage()
  }

  private func takeID(_ id: String) -> Bool {
    if style.mode == .json {
      heldIDs.append(id)
      return true
    }
    return emit(ResultPrinter.ids([id], style))
  }

  // MARK: tables

  private func takeRow(_ document: ShellDocument) -> Bool {
    if isFixed { return emit(lines(document)) }
    held.append(document)
    heldBytes += document.fields.entries.reduce(64) { $0 + ValueText.cell($1.value).utf8.count }
    let now = ContinuousClock.now
    if firstCame == nil { firstCame = now }
    let isLate = style.width != nil && now - (firstCame ?? now) > Self.pageWait
    guard held.count >= Self.pageDocuments || heldBytes >= Self.pageBytes || isLate else { return true }
    return fixPage()
  }

  /// Columns and widths, from the documents that are there, and their lines.
  private func fixPage() -> Bool {
    isFixed = true
    let page = held
    held = []
    guard !page.isEmpty || style.mode == .csv else { return true }
    columns = ResultPrinter.columns(page, style)
    if style.mode == .csv {
      guard emit([CSV.line(["id"] + columns.map(\.text))]) else { return false }
      return emit(page.flatMap(lines))
    }
    let head = ["id"] + columns.map { TextEscape.printable($0.text) }
    let shape: TableShape = style.mode == .markdown ? .markdown : .plain
    let rows = page.map { ResultPrinter.cells($0, columns, style) }
    let layout = TableLayout(shape, head, rows, width: style.width)
    isExpanded = shape == .plain && style.isExpanded(fits: layout.fits)
    if isExpanded { return emit(page.flatMap(lines)) }
    self.layout = layout
    for document in page { noteHidden(document) }
    return emit(layout.head + rows.map(layout.line))
  }

  private func lines(_ document: ShellDocument) -> [String] {
    if style.mode == .csv { return [ResultPrinter.csvLine(document, columns)] }
    if isExpanded { return DocumentPrinter.lines(document, style) }
    noteHidden(document)
    return layout.map { [$0.line(ResultPrinter.cells(document, columns, style))] } ?? []
  }

  /// LIMIT: fields that are told not to be shown.
  private static let hiddenMax = 20

  private func noteHidden(_ document: ShellDocument) {
    guard style.columns == nil, hidden.count < Self.hiddenMax else { return }
    for entry in document.fields.entries where !entry.name.hasSameBytes(as: "id") {
      let isShown = columns.contains { $0.segments.count == 1 && $0.segments[0].hasSameBytes(as: entry.name) }
      if !isShown, !hidden.contains(entry.name), hidden.count < Self.hiddenMax { hidden.append(entry.name) }
    }
  }
}
