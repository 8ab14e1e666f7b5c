/// Statements as they are typed: editing, several lines, history, completion.
///
/// A statement is one text, also when it has several lines: Enter goes on while it is not complete.

import Platform

enum TypedLine: Equatable {
  case statement(String)
  /// Ctrl-C: what was typed counts no more.
  case given(up: String)
  /// Ctrl-D, or the terminal is gone.
  case end
}

/// What the editor asks about a text.
protocol EditorAdviser: AnyObject {
  /// Texts that may stand in place of the characters from `start` to the cursor.
  func completions(_ before: String) -> (start: Int, texts: [String])
  /// What would probably follow, shown in grey.
  func hint(_ text: String) -> String?
}

/// Owner: the session's thread.
final class LineEditor {
  private let keyboard: Keyboard
  private unowned let adviser: any EditorAdviser
  var history: [String] = []

  private var text: [Character] = []
  private var cursor = 0
  private var prompt = ""
  /// Rows that the last drawing left above the cursor.
  private var rowsAbove = 0
  private var place = 0
  private var draft: [Character] = []
  /// The completions that Tab goes through, and which one stands there.
  private var cycle: (start: Int, texts: [String], index: Int)?

  init(_ keyboard: Keyboard, adviser: any EditorAdviser) {
    self.keyboard = keyboard
    self.adviser = adviser
  }

  /// Reads one statement.
  func read(prompt: String) -> TypedLine {
    self.prompt = prompt
    text = []
    cursor = 0
    rowsAbove = 0
    place = history.count
    cycle = nil
    keyboard.makeRaw()
    defer { keyboard.restore() }
    draw()
    while true {
      let key = keyboard.key()
      if key != .tab && key != .backTab { cycle = nil }
      if let line = take(key) { return line }
    }
  }

  /// Whether a blank line was added at the end: it ends what cannot end, too, which is then told what is missing.
  private var isAtBlankLine: Bool {
    guard cursor == text.count, let end = text.lastIndex(of: "\n") else { return false }
    return text[(end + 1)...].allSatisfy { $0 == " " || $0 == "\t" }
  }

  /// What ends the reading, if the key does.
  private func take(_ key: Key) -> TypedLine? {
    switch key {
    case .enter, .control("j"), .control("m"):
      if !InputScanner.isComplete(String(text)), !text.isEmpty, !isAtBlankLine {
        insert("\n")
      } else {
        // Without the blank line: errors show the last one.
        let statement =
          isAtBlankLine ? text[..<(text.lastIndex { !$0.isWhitespace } ?? -1).advanced(by: 1)] : text[...]
        return finish(.statement(String(statement)))
      }
    case .control("c"): return finish(.given(up: String(text)), mark: "^C")
    case .control("d"):
      if text.isEmpty { return finish(.end) }
      remove(cursor..<min(cursor + 1, text.count))
    case .closed: return finish(.end)
    case .control("r"):
      if let line = search() { return line }
    case .control("l"):
      put("\u{1B}[H\u{1B}[2J")
      rowsAbove = 0
    case .control(let letter): edit(letter)
    case .text(let typed): insert(typed)
    case .paste(let pasted): insert(pasted)
    case .altEnter: insert("\n")
    case .tab: complete(forward: true)
    case .backTab: complete(forward: false)
    case .backspace: if cursor > 0 { remove((cursor - 1)..<cursor) }
    case .delete: remove(cursor..<min(cursor + 1, text.count))
    case .left: cursor = max(0, cursor - 1)
    case .right: moveRight()
    case .wordLeft: cursor = wordStart()
    case .wordRight: cursor = wordEnd()
    case .home: cursor = lineStart()
    case .end: cursor = lineEnd()
    case .up: recall(-1)
    case .down: recall(1)
    case .escape, .interrupted: break
    }
    draw()
    return nil
  }

  private func edit(_ letter: Character) {
    switch letter {
    case "a": cursor = lineStart()
    case "e": cursor = lineEnd()
    case "b": cursor = max(0, cursor - 1)
    case "f": moveRight()
    case "k": remove(cursor..<lineEnd())
    case "u": remove(lineStart()..<cursor)
    case "w": remove(wordStart()..<cursor)
    case "p": recall(-1)
    case "n": recall(1)
    default: break
    }
  }

  /// The last drawing without the hint, the cursor below it.
  private func finish(_ line: TypedLine, mark: String = "") -> TypedLine {
    cursor = text.count
    draw(withHint: false)
    put(mark + "\n")
    return line
  }

  // MARK: changing

  private func insert(_ typed: String) {
    let characters = Array(typed)
    text.insert(contentsOf: characters, at: cursor)
    cursor += characters.count
  }

  private func remove(_ range: Range<Int>) {
    text.removeSubrange(range)
    cursor = range.lowerBound
  }

  private func moveRight() {
    if cursor < text.count {
      cursor += 1
    } else if let hint = adviser.hint(String(text)) {
      insert(hint)
    }
  }

  private func lineStart() -> Int { (text[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }
  private func lineEnd() -> Int { text[cursor...].firstIndex(of: "\n") ?? text.count }

  private func wordStart() -> Int {
    var index = cursor
    while index > 0, !Self.isWord(text[index - 1]) { index -= 1 }
    while index > 0, Self.isWord(text[index - 1]) { index -= 1 }
    return index
  }

  private func wordEnd() -> Int {
    var index = cursor
    while index < text.count, !Self.isWord(text[index]) { index += 1 }
    while index < text.count, Self.isWord(text[index]) { index += 1 }
    return index
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  // MARK: history

  private func recall(_ step: Int) {
    // Inside a text of several lines the arrows move.
    if step < 0, lineStart() > 0 {
      cursor = lineStart() - 1
      return
    }
    if step > 0, lineEnd() < text.count {
      cursor = lineEnd() + 1
      return
    }
    let next = place + step
    guard next >= 0, next <= history.count, next != place else { return }
    if place == history.count { draft = text }
    place = next
    text = place == history.count ? draft : Array(history[place])
    cursor = text.count
  }

  /// Ctrl-R: the last statement with what is typed in it. Ends the reading only when the terminal is gone.
  private func search() -> TypedLine? {
    var wanted = ""
    var end = history.count
    var found: Int?
    while true {
      let shown = found.map { history[$0] } ?? ""
      draw(over: "(search) `\(TextEscape.printable(wanted))`: \(TextEscape.printable(shown))")
      switch keyboard.key() {
      case .text(let typed): wanted += typed
      case .backspace: wanted = String(wanted.dropLast())
      case .control("r"): end = found ?? history.count
      case .control("c"), .control("g"): return nil
      case .closed: return finish(.end)
      case .interrupted: continue
      default:
        if let found { text = Array(history[found]) }
        cursor = text.count
        return nil
      }
      if wanted.isEmpty {
        found = nil
      } else {
        found = history[..<end].lastIndex { $0.range(ofBytes: wanted) != nil } ?? found
      }
      end = history.count
    }
  }

  // MARK: completion

  private func complete(forward: Bool) {
    if var cycle {
      replace(from: cycle.start, length: cycle.texts[cycle.index].count, with: "")
      cycle.index = (cycle.index + (forward ? 1 : cycle.texts.count - 1)) % cycle.texts.count
      insert(cycle.texts[cycle.index])
      self.cycle = cycle
      return
    }
    let (start, texts) = adviser.completions(String(text[..<cursor]))
    guard let first = texts.first else { return }
    let common = texts.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if texts.count > 1, common.count > cursor - start {
      return replace(from: start, length: cursor - start, with: common)
    }
    replace(from: start, length: cursor - start, with: first)
    if texts.count > 1 {
      cycle = (start, texts, 0)
      list(texts)
    }
  }

  private func replace(from start: Int, length: Int, with typed: String) {
    text.removeSubrange(start..<(start + length))
    cursor = start
    insert(typed)
  }

  /// LIMIT: completions that are listed.
  private static let listedMax = 40

  private func list(_ texts: [String]) {
    let columns = Self.columns
    let shown = texts.prefix(Self.listedMax).map { TextEscape.printable($0) }
    let width = (shown.map { TextEscape.width($0) }.max() ?? 0) + 2
    let perRow = max(1, columns / width)
    var lines: [String] = []
    var index = 0
    while index < shown.count {
      lines.append(
        shown[index..<min(index + perRow, shown.count)].map { TextEscape.padded($0, to: width) }.joined())
      index += perRow
    }
    if texts.count > Self.listedMax { lines.append("… \(texts.count - Self.listedMax) more") }
    draw(withHint: false, atEnd: true)
    put("\n" + lines.joined(separator: "\n") + "\n")
    rowsAbove = 0
  }

  // MARK: drawing

  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return max(20, Int(size.ws_col))
  }

  private func put(_ text: String) { _ = Console.write(Array(text.utf8), to: STDOUT_FILENO) }

  /// Columns of a text without its colours.
  private static func width(_ text: String) -> Int {
    var shown = ""
    var isInside = false
    for character in text {
      if character == "\u{1B}" {
        isInside = true
      } else if isInside {
        if character == "m" { isInside = false }
      } else {
        shown.append(character)
      }
    }
    return TextEscape.width(shown)
  }

  private func draw(over search: String) {
    put(toTop + TextEscape.cut(search, to: Self.columns - 1) + "\u{1B}[J")
    rowsAbove = 0
  }

  /// To where the prompt begins. What stands there is written over and the rest cleared behind it: a screen that is
  /// cleared from its first cell on goes to the scrollback.
  private var toTop: String { (rowsAbove > 0 ? "\u{1B}[\(rowsAbove)A" : "") + "\r" }

  /// Draws everything and puts the cursor where it belongs.
  private func draw(withHint: Bool = true, atEnd: Bool = false) {
    let columns = Self.columns
    var output = toTop + prompt
    var row = 0
    var column = Self.width(prompt)
    var target = (row: 0, column: column)
    for (index, character) in text.enumerated() {
      if index == cursor { target = (row, column) }
      if character == "\n" {
        output += (column < columns ? "\u{1B}[K" : "") + "\n... "
        row += 1
        column = 4
        continue
      }
      let shown = TextEscape.printable(String(character))
      let width = TextEscape.width(shown)
      if column + width > columns {
        output += (column < columns ? "\u{1B}[K" : "") + "\n"
        row += 1
        column = 0
      }
      output += shown
      column += width
    }
    if cursor == text.count { target = (row, column) }
    if withHint, cursor == text.count, let hint = adviser.hint(String(text)) {
      let room = columns - column - 1
      if room > 3 {
        output += "\u{1B}[2m" + TextEscape.cut(TextEscape.printable(hint), to: room) + "\u{1B}[0m"
      }
    }
    if column >= columns {
      output += "\n"
      row += 1
      if cursor == text.count { target = (row, 0) }
    }
    output += "\u{1B}[J"
    if atEnd { target = (row, column) }
    if row > target.row { output += "\u{1B}[\(row - target.row)A" }
    output += "\r" + (target.column > 0 ? "\u{1B}[\(target.column)C" : "")
    rowsAbove = target.row
    put(output)
  }
}

extension String {
  func commonPrefix(with other: String) -> String {
    var result = ""
    for (left, right) in zip(self, other) {
      guard left == right else { break }
      result.append(left)
    }
    return result
  }
}
