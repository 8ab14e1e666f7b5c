/// Tables: how wide columns are, and rows in them.

/// Tables for terminals and for Markdown.
enum TableShape {
  case plain, markdown

  func lines(_ columns: [String], _ rows: [[String]], width: Int?) -> [String] {
    let layout = TableLayout(self, columns, rows, width: width)
    return layout.head + rows.map(layout.line)
  }
}

/// The widths of a table's columns, which come from some of its rows and hold for all.
struct TableLayout {
  /// LIMIT: columns of the terminal that one cell gets when the table does not fit.
  private static let cellMax = 40
  /// LIMIT: columns that cells are padded to where no terminal says how many there are. A longer cell is whole and
  /// moves what is behind it; padding all others to it could make a long text of every short one.
  private static let paddingMax = 200

  private let shape: TableShape
  private let columns: [String]
  private let widths: [Int]
  private let width: Int?
  /// Whether the rows fit into the width without a cell being cut.
  let fits: Bool

  init(_ shape: TableShape, _ columns: [String], _ rows: [[String]], width: Int?) {
    self.shape = shape
    self.columns = columns
    self.width = width
    var widths = columns.map { TextEscape.width(Self.escaped($0, shape)) }
    for row in rows {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], TextEscape.width(Self.escaped(cell, shape)))
      }
    }
    let total = widths.reduce(2) { $0 + $1 + 2 }
    let fits = width.map { total <= $0 } ?? true
    self.fits = fits
    self.widths = widths.map { min($0, fits ? width ?? Self.paddingMax : Self.cellMax) }
  }

  private static func escaped(_ cell: String, _ shape: TableShape) -> String {
    shape == .plain ? cell : String(cell.flatMap { $0 == "|" ? Array("\\|") : [$0] })
  }

  var head: [String] {
    guard shape == .markdown else { return [line(columns)] }
    return [
      line(columns), "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|",
    ]
  }

  func line(_ row: [String]) -> String {
    let cells = zip(row, widths).map { cell, columns in
      let cell = Self.escaped(cell, shape)
      // Where the width is known no row may be wider than the head.
      return TextEscape.padded(width == nil ? cell : TextEscape.cut(cell, to: columns), to: columns)
    }
    if shape == .markdown { return "| " + cells.joined(separator: " | ") + " |" }
    let text = TextEscape.trimmed("  " + cells.joined(separator: "  "))
    return width.map { TextEscape.cut(text, to: $0) } ?? text
  }
}
