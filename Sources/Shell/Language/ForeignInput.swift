/// How what was typed is written here: answers to input that means nothing to the parser, or more than one thing.
///
/// An answer is a whole line with the names and values that were typed, so that it can be pasted.

import Conditions
import DocModel
internal import Platform

struct ForeignInput {
  let text: String
  let context: LanguageContext

  /// The error with an answer, where one is known.
  static func answered(_ error: ConditionError, _ text: String, _ context: LanguageContext) -> ConditionError
  {
    let input = ForeignInput(text: text, context: context)
    if let hint = input.sdkValue(error) { return ConditionError(message: hint, offset: error.offset) }
    guard let answer = input.mongo() ?? input.call() ?? input.command() ?? input.verb() else {
      if let line = input.corrected(error) {
        return ConditionError(message: "\(error.message); write  \(line)", offset: error.offset)
      }
      return input.misspelt().map { ConditionError(message: $0, offset: 0) } ?? error
    }
    return ConditionError(message: answer, offset: 0)
  }

  func parser() -> StatementParser { StatementParser(text, context) }

  /// A slip in the word that a statement begins with.
  private func misspelt() -> String? {
    let start = text.drop { $0 == " " || $0 == "\n" }
    let word = String(start.prefix { $0.isLetter })
    guard
      let near = Spelling.nearest(to: word.lowercased(), among: StatementParser.firstWords)
        ?? Spelling.nearest(to: word, among: StatementParser.firstWords)
    else { return nil }
    let line = near + start.dropFirst(word.count)
    guard (try? StatementParser.parse(line, context, answers: false)) != nil else { return nil }
    return "no statement begins with '\(word)'; did you mean  \(line)"
  }

  // MARK: words of this shell in the wrong place

  /// `as alice`: a command without its colon.
  private func command() -> String? {
    var parser = parser()
    guard let name = parser.commandWord(), context.commands.contains(name) else { return nil }
    let rest = parser.rest()
    // 'commit {' is a statement of its own.
    return rest.isEmpty || (name == "commit" && rest.hasPrefix("{"))
      ? nil : "'\(name)' is a command; write  :\(name) \(rest)"
  }

  /// Verbs that this shell leaves out, or has another form for.
  private func verb() -> String? {
    var parser = parser()
    for word in ["drop collection", "drop table", "truncate table", "truncate"] {
      let start = parser.values.index
      let words = word.split(separator: " ").map(String.init)
      if words.allSatisfy({ parser.eatAlone($0) }), let path = try? parser.path(), path.isCollection,
        parser.isAtEnd()
      {
        return "a collection is its documents; write  \(path.text) | each delete $id"
      }
      parser.values.index = start
    }
    if ["exit()", "quit()"].contains(parser.rest()) { return "this is written  :exit" }
    parser = self.parser()
    if parser.eatAlone("delete") {
      let line = "delete from " + parser.rest()
      guard line.lowercased().range(ofBytes: " where ") != nil,
        (try? StatementParser.parse(line, context, answers: false)) != nil
      else { return nil }
      return "many documents are deleted so; write  \(line)"
    }
    for word in ["get", "read", "find", "list", "from", "query"] where parser.eatAlone(word) {
      let rest = parser.rest()
      if !rest.isEmpty, (try? StatementParser.read(rest, context)) != nil {
        return "a read has no verb; write  \(rest)"
      }
      return nil
    }
    guard let path = try? parser.path(), path.isDocument, parser.values.eat("{") else { return nil }
    parser.values.index -= 1
    let fields = parser.rest()
    return "replace or merge? Write  \(path.text) := \(fields)  or  \(path.text) += \(fields)"
  }

  /// Calls of the client SDKs that are several statements here, or a command.
  private static let calls = [
    (
      "runTransaction",
      "a transaction is statements of its own: begin, then what it reads and writes, then commit"
    ),
    ("writeBatch", "writes that belong together are one statement: commit { update users/x seen = true; … }"),
    ("batch", "writes that belong together are one statement: commit { update users/x seen = true; … }"),
    ("onSnapshot", "changes are shown by the command  :watch users where seen == true"),
  ]

  private func call() -> String? {
    var parser = parser()
    parser.eatAssignment()
    parser.values.skipBlanks()
    let name = parser.values.take { $0.isWordByte || $0 == UInt8(ascii: ".") }
    guard parser.values.eat("("), let last = name.split(separator: ".").last else { return nil }
    return Self.calls.first { $0.0 == last }?.1
  }

  /// How the values of the client SDKs that are no data are written here.
  private static let sdkValues = [
    ("undefined", "there is no undefined; leave the field out, or write  null"),
    ("serverTimestamp(", "the time of the server is written  @now"),
    ("new Date(", "times are written  @2026-03-01T09:00:00Z, that of the server  @now"),
    ("increment(", "an update adds to a field; write  update PATH visits += 1"),
    ("delete(", "an update removes a field; write  update PATH unset FIELD"),
    ("deleteField(", "an update removes a field; write  update PATH unset FIELD"),
    ("arrayUnion(", "an update adds to a list; write  update PATH tags union [\"x\"]"),
  ]

  private func sdkValue(_ error: ConditionError) -> String? {
    guard error.message.hasPrefix("expected a value") else { return nil }
    var typed = String(text.unicodeScalars.dropFirst(error.offset))[...]
    for owner in ["admin.firestore.", "firebase.firestore.", "FieldValue."] where typed.hasPrefix(owner) {
      typed = typed.dropFirst(owner.count)
    }
    guard let (start, answer) = Self.sdkValues.first(where: { typed.hasPrefix($0.0) }) else { return nil }
    let next = typed.dropFirst(start.count).utf8.first
    return start.hasSuffix("(") || next?.isWordByte != true ? answer : nil
  }

  /// The line with what is missing at the place of an error: quotes around a text, `|` before a stage.
  private func corrected(_ error: ConditionError) -> String? {
    let scalars = Array(text.unicodeScalars)
    guard error.offset < scalars.count else { return nil }
    var end = error.offset
    while end < scalars.count,
      scalars[end].properties.isAlphabetic
        || scalars[end].value < 0x80
          && (UInt8(scalars[end].value).isWordByte || scalars[end] == "-" || scalars[end] == "@"
            || scalars[end] == ".")
    { end += 1 }
    guard end > error.offset else { return nil }
    let part = { (range: Range<Int>) in
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[range])
      return String(view)
    }
    let (before, word, after) = (part(0..<error.offset), part(error.offset..<end), part(end..<scalars.count))
    let line: String
    if error.message.hasPrefix("expected a value") || error.message.hasPrefix("expected a text") {
      line = before + "\"\(word)\"" + after
    } else if error.message.hasPrefix("expected a clause"),
      StatementParser.stageWords.contains(word.lowercased())
    {
      line = before + "| " + word.lowercased() + after
    } else if error.message.hasPrefix("expected a stage"), let read = Self.staged(word, before, after) {
      line = read
    } else if let near = Self.near(word, error) {
      line = before + near + after
    } else {
      return nil
    }
    return (try? StatementParser.parse(line, context, answers: false)) == nil ? nil : line
  }

  /// What stands behind `|` and is no stage here: a clause, a program, or a write.
  private static func staged(_ word: String, _ before: String, _ after: String) -> String? {
    let bars = before.unicodeScalars.reversed().prefix { $0 == " " || $0 == "|" }.count
    let read = String(before.unicodeScalars.dropLast(bars))
    let name = word.lowercased()
    switch name {
    case "sort": return after.contains { $0 != " " } ? "\(read) order by\(after)" : "\(read) | ! sort"
    case "delete": return "\(read) | each delete $id"
    case "grep", "jq", "awk", "sed", "wc", "less": return "\(read) | ! \(word)\(after)"
    default: return StatementParser.clauseWords.contains(name) ? "\(read) \(name)\(after)" : nil
    }
  }

  /// The word that is nearly what stands where another one was expected.
  private static func near(_ word: String, _ error: ConditionError) -> String? {
    if error.message.hasPrefix("expected a clause") {
      return Spelling.nearest(to: word, among: StatementParser.clauseWords)
    }
    guard error.message.hasPrefix("expected a stage") else { return nil }
    return Spelling.nearest(to: word, among: StatementParser.stageWords)
  }
}
