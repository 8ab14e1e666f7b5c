/// The text of a grid: a head with personas, then one row for each state and operation.
///
/// ```
/// state        operation  | anon  bob
/// groups-only  read       |  .     A
/// ```
/// Left of the bar, columns are two or more blanks apart, because names may hold one. So may those of personas, which
/// are known: of names that begin alike, the longest is meant.

internal import YAML

struct Grid {
  struct Name {
    let text: String
    let mark: YAMLMark
  }

  struct Cell {
    let symbol: Character
    let mark: YAMLMark
  }

  struct GridRow {
    /// Nil in a grid without states.
    let state: Name?
    let operation: Name
    /// One for each persona.
    let cells: [Cell]
  }

  let personas: [Persona]
  let rows: [GridRow]

  static let symbols = "A . ! ? D ~"

  /// - Parameter requests: knows the personas.
  init(_ node: YAMLNode, _ requests: RequestReader, in source: YAMLSource) throws(YAMLError) {
    let lines = Self.lines(try node.text(), of: node, in: source)
    guard let head = lines.first else {
      throw node.error("a grid begins with a head: state operation | personas")
    }
    let (left, personas) = try Self.halves(head)
    let columns = left.flatMap { $0.words }
    let hasStates = columns.map(\.text) == ["state", "operation"]
    guard hasStates || columns.map(\.text) == ["operation"] else {
      throw YAMLError("the head of a grid begins with 'state operation |' or 'operation |'", at: head.mark)
    }
    let known = Set(requests.personas.map(\.name))
    var columnsOfPersonas: [Persona] = []
    for name in personas.names(known) {
      columnsOfPersonas.append(try requests.persona(name.text, at: name.mark))
    }
    self.personas = columnsOfPersonas
    guard !self.personas.isEmpty else { throw YAMLError("the grid has no persona", at: head.mark) }
    var rows: [GridRow] = []
    for line in lines.dropFirst() {
      rows.append(try Self.row(line, hasStates: hasStates, personas: self.personas.count))
    }
    guard !rows.isEmpty else { throw node.error("the grid has no row") }
    self.rows = rows
  }

  private static func row(_ line: Line, hasStates: Bool, personas: Int) throws(YAMLError) -> GridRow {
    let (names, cells) = try halves(line)
    let wanted = hasStates ? 2 : 1
    guard names.count == wanted else {
      let what = hasStates ? "a state and an operation" : "an operation"
      throw YAMLError("left of '|' stands \(what), two blanks apart; found \(names.count)", at: line.mark)
    }
    let words = cells.words
    guard words.count == personas else {
      throw YAMLError(
        "the row has \(words.count) symbols for \(personas) persona\(personas == 1 ? "" : "s")",
        at: words.last?.mark ?? cells.mark)
    }
    var read: [Cell] = []
    for word in words {
      guard word.text.count == 1, let symbol = word.text.first, symbols.contains(symbol), symbol != " " else {
        throw YAMLError("'\(word.text)' is no symbol of a grid: \(symbols)", at: word.mark)
      }
      read.append(Cell(symbol: symbol, mark: word.mark))
    }
    return GridRow(
      state: hasStates ? names[0].name : nil, operation: names[wanted - 1].name, cells: read)
  }

  // MARK: lines

  /// A piece of a line with its place.
  private struct Line {
    let characters: [Character]
    let mark: YAMLMark

    private func piece(_ start: Int, _ end: Int) -> Line {
      Line(
        characters: Array(characters[start..<end]),
        mark: YAMLMark(line: Int(mark.line), column: Int(mark.column) + start))
    }

    var name: Name { Name(text: String(characters), mark: mark) }

    /// What blanks separate; with `gap` 2, names may hold single ones.
    func pieces(gap: Int) -> [Line] {
      var found: [Line] = []
      var start: Int?
      var blanks = 0
      for (index, character) in characters.enumerated() {
        guard character == " " || character == "\t" else {
          if start == nil { start = index }
          blanks = 0
          continue
        }
        blanks += 1
        if let first = start, blanks == gap || character == "\t" {
          found.append(piece(first, index + 1 - blanks))
          start = nil
        }
      }
      if let start { found.append(piece(start, characters.count - blanks)) }
      return found
    }

    var words: [Name] { pieces(gap: 1).map(\.name) }

    /// Words, and known names of several.
    func names(_ known: Set<String>) -> [Name] {
      let longest = known.map { $0.split(separator: " ").count }.max() ?? 1
      return pieces(gap: 2).flatMap { piece in
        var names: [Name] = []
        var words = piece.words[...]
        while let first = words.first {
          let lengths = (1...max(1, min(words.count, longest))).reversed()
          let joined = { (length: Int) in words.prefix(length).map(\.text).joined(separator: " ") }
          let length = lengths.first { known.contains(joined($0)) } ?? 1
          names.append(Name(text: joined(length), mark: first.mark))
          words = words.dropFirst(length)
        }
        return names
      }
    }

    func split(at bar: Int) -> (Line, Line) { (piece(0, bar), piece(bar + 1, characters.count)) }
  }

  private static func halves(_ line: Line) throws(YAMLError) -> ([Line], Line) {
    guard let bar = line.characters.firstIndex(of: "|") else {
      throw YAMLError("a row of a grid has a '|' between its names and its letters", at: line.mark)
    }
    let (left, right) = line.split(at: bar)
    return (left.pieces(gap: 2), right)
  }

  /// The lines that say something, each with its place in the file.
  private static func lines(_ text: String, of node: YAMLNode, in source: YAMLSource) -> [Line] {
    var lines: [Line] = []
    // A block is indented as a whole; how much, its first line that says something shows.
    var blockIndent: Int?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard let first = line.firstIndex(where: { $0 != " " && $0 != "\t" }), line[first] != "#" else {
        continue
      }
      // A literal block begins on the line after its `|`.
      let number = Int(node.start.line) + 1 + index
      let indent = line.distance(from: line.startIndex, to: first)
      if blockIndent == nil {
        let written = source.line(number)?.prefix { $0 == " " || $0 == "\t" }
        blockIndent = (written?.count ?? indent) - indent
      }
      let column = (blockIndent ?? 0) + indent + 1
      lines.append(Line(characters: Array(line[first...]), mark: YAMLMark(line: number, column: column)))
    }
    return lines
  }
}
