/// Text to a statement.
///
/// Values, field paths and conditions are those of suites, read by the same readers.

import Conditions
import DocModel
import DocStore

/// What names in a statement refer to.
struct LanguageContext {
  var database: DatabaseID
  /// What paths without a leading slash begin at: the root, a document or a collection.
  var place: ResourcePath
  /// Microseconds since the epoch: what `@now` means in conditions.
  var now: () -> Int64
  var variables: [String: Value]
  /// Names of commands, for answers to statements that begin with one.
  var commands: Set<String>
  /// What a path `$id` or `$path` means in `each`.
  var row: ResourcePath?

  init(
    database: DatabaseID, place: ResourcePath = .root, now: @escaping @autoclosure () -> Int64,
    variables: [String: Value] = [:], commands: Set<String> = [], row: ResourcePath? = nil
  ) {
    self.database = database
    self.place = place
    self.now = now
    self.variables = variables
    self.commands = commands
    self.row = row
  }
}

struct StatementParser {
  var values: ValueTextReader
  let context: LanguageContext

  init(_ text: String, _ context: LanguageContext) {
    self.context = context
    values = ValueTextReader(text, database: context.database, now: context.now())
    values.variables = context.variables
    values.speaksSQL = true
    values.wordsBehindConditions = Self.clauseWords + ["group", "orderby", "limittolast"]
  }

  /// Reads one statement; errors show the place.
  /// - Parameter answers: whether an error says how the statement is written here, where that is known.
  static func parse(
    _ text: String, _ context: LanguageContext, answers: Bool = true
  ) throws(ShellError) -> Statement {
    try read(text, context) { (parser) throws(ConditionError) in
      do throws(ConditionError) { return try parser.statement() } catch {
        throw answers ? ForeignInput.answered(error, text, context) : error
      }
    }
  }

  /// A text that is a read and nothing else.
  static func read(_ text: String, _ context: LanguageContext) throws(ShellError) -> ReadStatement {
    try read(text, context) { (parser) throws(ConditionError) in try parser.read() }
  }

  static func read<R>(
    _ text: String, _ context: LanguageContext, _ body: (inout StatementParser) throws(ConditionError) -> R
  ) throws(ShellError) -> R {
    var parser = StatementParser(text, context)
    return try parser.located(body)
  }

  /// Runs `body`, with a caret below the place of its error.
  mutating func located<R>(
    _ body: (inout StatementParser) throws(ConditionError) -> R
  ) throws(ShellError) -> R {
    do throws(ConditionError) { return try body(&self) } catch {
      throw Self.syntaxError(error, String(decoding: values.text, as: UTF8.self))
    }
  }

  static func syntaxError(_ error: ConditionError, _ text: String) -> ShellError {
    var line = ""
    var column = 0
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      if scalar == "\n" {
        if offset >= error.offset { break }
        line = ""
        column = 0
      } else {
        line.unicodeScalars.append(scalar)
        if offset < error.offset { column += 1 }
      }
    }
    return ShellError(
      .syntax, error.message,
      details: ["  " + TextEscape.printable(line), "  " + String(repeating: " ", count: column) + "^"])
  }

  // MARK: words

  /// Takes a word that is followed by a blank or the end, as it is written here: in capitals it may be a collection.
  mutating func eatKeyword(_ word: String) -> Bool {
    let start = values.index
    values.speaksSQL = false
    defer { values.speaksSQL = true }
    guard values.eatWord(word) else { return false }
    let isAlone =
      values.index >= values.text.count || [0x20, 0x09, 0x0A].contains(values.text[values.index])
    if !isAlone { values.index = start }
    return isAlone
  }

  mutating func isAtEnd() -> Bool {
    values.skipBlanks()
    return values.index >= values.text.count
  }

  /// Everything up to the end.
  mutating func rest() -> String {
    values.skipBlanks()
    let rest = String(decoding: values.text[values.index...], as: UTF8.self)
    values.index = values.text.count
    return rest
  }

  // MARK: statements

  mutating func statement() throws(ConditionError) -> Statement {
    if isAtEnd() { return .empty }
    if let command = command() ?? wordCommand() ?? sqlCommand() { return .command(command) }
    if let writes = try writeStatement() { return .writes(writes) }
    return .read(try read())
  }

  /// `:name rest`, also `.name` and `\name`.
  private mutating func command() -> CommandText? {
    let mark = values.text[values.index]
    guard mark == UInt8(ascii: ":") || mark == UInt8(ascii: ".") || mark == UInt8(ascii: "\\") else {
      return nil
    }
    values.index += 1
    var name = values.take(while: \.isLetter)
    if name.isEmpty {
      for sign in ["!", "?"] where values.eat(sign) { name = sign }
    }
    values.skipBlanks()
    let offset = String(decoding: values.text[..<values.index], as: UTF8.self).unicodeScalars.count
    return CommandText(name: name, rest: rest(), restOffset: offset)
  }

  /// Commands that need no colon: alone, or before an argument of theirs, these words are never collections.
  private static let plainCommands: Set<String> = [
    "exit", "quit", "help", "begin", "commit", "rollback", "ls", "pwd", "whoami",
  ]

  /// What statements begin with where it is no path, for what is nearly one of them.
  static let firstWords =
    ["select", "insert", "update", "delete", "create", "add", "set", "group", "show", "describe"]
    + plainCommands.sorted() + functions.sorted()

  /// `rollback`, `BEGIN`, `begin readonly`, `help reads`. `/begin` and `"begin"` are collections.
  private mutating func wordCommand() -> CommandText? {
    let start = values.index
    guard let name = commandWord(), name == "?" || Self.plainCommands.contains(name) else {
      values.index = start
      return nil
    }
    if name == "begin" || name == "commit" || name == "rollback" {
      _ = values.eatWord("transaction") || values.eatWord("work")
    }
    let place = values.index
    let rest = rest()
    // What has two words or a sign in it is a clause or a stage.
    if rest.isEmpty || rest.utf8.allSatisfy({ $0.isWordByte || $0 == UInt8(ascii: "/") }) {
      let offset = String(decoding: values.text[..<place], as: UTF8.self).unicodeScalars.count
      return CommandText(name: name, rest: rest, restOffset: offset)
    }
    values.index = start
    return nil
  }

  /// Takes a word as commands have them, in small letters or in capitals, that stands alone; in small letters.
  mutating func commandWord() -> String? {
    values.skipBlanks()
    if values.eat("?") { return isAtEnd() ? "?" : nil }
    let word = values.take(while: \.isLetter)
    let isAlone = values.index == values.text.count || InputScanner.isBlank(values.text[values.index])
    guard isAlone, word == word.lowercased() || word == word.uppercased() else { return nil }
    values.skipBlanks()
    return word.lowercased()
  }

  /// A value of which something is made; where nothing can be, the error shows its beginning.
  mutating func value<R>(_ wanted: String, _ made: (Value) -> R?) throws(ConditionError) -> R {
    values.skipBlanks()
    let start = values.index
    let value: Value
    do throws(ConditionError) { value = try values.value() } catch {
      // What begins no value of any kind; what is wanted here says more than that texts are quoted.
      throw values.index == start ? values.error("expected \(wanted)", at: start) : error
    }
    if let result = made(value) { return result }
    throw values.error("expected \(wanted)", at: start)
  }

  // MARK: paths

  /// The text of a path: to a blank or a sign that ends it; quotes hold everything.
  mutating func pathText() throws(ConditionError) -> String {
    values.skipBlanks()
    let text = values.text
    guard values.index < text.count else { throw values.error("expected a path") }
    if text[values.index] == UInt8(ascii: "\"") { return try values.quoted() }
    let start = values.index
    let ends = Array(" \t\n\r|{};,()<>\"'".utf8)
    while values.index < text.count, !ends.contains(text[values.index]) {
      let isOperator =
        values.index + 1 < text.count && text[values.index + 1] == UInt8(ascii: "=")
        && (text[values.index] == UInt8(ascii: ":") || text[values.index] == UInt8(ascii: "+"))
      if isOperator { break }
      values.index += 1
    }
    guard values.index > start else { throw values.error("expected a path") }
    return String(decoding: text[start..<values.index], as: UTF8.self)
  }

  mutating func path() throws(ConditionError) -> ResourcePath {
    values.skipBlanks()
    let start = values.index
    let text = try pathText()
    do throws(InvalidArgument) { return try resolve(text) } catch {
      throw values.error("'\(text)' is no path: \(error.message)", at: start)
    }
  }

  mutating func documentPath() throws(ConditionError) -> ResourcePath {
    values.skipBlanks()
    let start = values.index
    let path = try path()
    if path.isDocument { return path }
    throw values.error(
      "'\(path.text)' is no document: a document's path has an even number of segments", at: start)
  }

  /// A path from the root or from the place of the session, its variables replaced.
  func resolve(_ text: String) throws(InvalidArgument) -> ResourcePath {
    if let row = context.row, text == "$id" || text == "$path" { return row }
    var segments: [String] = []
    for segment in text.split(separator: "/", omittingEmptySubsequences: true) {
      segments.append(try self.segment(String(segment)))
    }
    let isAbsolute = text.hasPrefix("/") || context.place.isRoot
    let own = segments.joined(separator: "/")
    if own.isEmpty { throw InvalidArgument("it is empty") }
    return try ResourceNameParser.relativePath(isAbsolute ? own : context.place.text + "/" + own)
  }

  private func segment(_ text: String) throws(InvalidArgument) -> String {
    guard text.hasPrefix("$") else { return text }
    switch context.variables[String(text.dropFirst())] {
    case .string(let text): return text
    case .integer(let number): return String(number)
    case .reference(let name):
      let marker = "/documents/"
      guard let range = name.range(ofBytes: marker) else { return name }
      return String(name[range.upperBound...])
    case .some(let value): throw InvalidArgument("'\(text)' is \(value.kind), no text")
    case nil: throw InvalidArgument("there is no variable '\(text)'; ':let' makes one")
    }
  }
}

extension String {
  /// Where the bytes of another text occur first.
  func range(ofBytes needle: String) -> Range<String.Index>? {
    var start = utf8.startIndex
    while start < utf8.endIndex {
      if utf8[start...].starts(with: needle.utf8) {
        return start..<utf8.index(start, offsetBy: needle.utf8.count)
      }
      start = utf8.index(after: start)
    }
    return nil
  }
}
