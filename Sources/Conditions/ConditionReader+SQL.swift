/// Conditions as SQL and the client SDKs write them, for texts that people type.
///
/// What means one thing is read: `=`, `<>`, `and`, `or`, `is null`, `between 1 and 2`, `in (1, 2)`, `array-contains`.
/// What has no counterpart is answered with the text that has: the whole of what was typed, with that part of it replaced.

internal import DocModel
internal import DocStore

extension ConditionReader {
  /// Takes a word that only SQL has.
  mutating func eatSQL(_ word: String) -> Bool { values.speaksSQL && values.eatWord(word) }

  /// Longer ones before those that they begin with.
  private static let symbols: [(String, StructuredQuery.FieldOperator)] = [
    ("===", .equal), ("!==", .notEqual), ("<>", .notEqual), ("==", .equal), ("=", .equal),
  ]

  private static let names: [(String, StructuredQuery.FieldOperator)] = [
    ("array-contains-any", .arrayContainsAny), ("array-contains", .arrayContains),
    ("array_contains_any", .arrayContainsAny), ("array_contains", .arrayContains), ("not-in", .notIn),
  ]

  mutating func sqlOperator() -> StructuredQuery.FieldOperator? {
    guard values.speaksSQL else { return nil }
    for (symbol, comparison) in Self.symbols where values.eat(symbol) { return comparison }
    for (name, comparison) in Self.names where values.eatWord(name) { return comparison }
    return nil
  }

  /// `(1, 2)` behind `in`, where a list is wanted.
  mutating func sqlList(_ comparison: StructuredQuery.FieldOperator) throws(ConditionError) -> Value? {
    guard values.speaksSQL, [.in, .notIn, .arrayContainsAny].contains(comparison), values.eat("(") else {
      return nil
    }
    var elements: [Value] = []
    while !values.eat(")") {
      elements.append(try values.value())
      if values.eat(")") { break }
      guard values.eat(",") else { throw values.error("expected ',' or ')'") }
    }
    return .array(elements)
  }

  /// A test that is more than an operator and a value; nil, and nothing taken, where none stands behind the field.
  /// - Parameter start: where the field begins.
  mutating func sqlTest(
    _ path: String, from start: Int
  ) throws(ConditionError) -> StructuredQuery.Filter? {
    guard values.speaksSQL else { return nil }
    if endsTest() { return Self.filter(path, .equal, .boolean(true)) }
    values.skipBlanks()
    let place = values.index
    for (typed, meant) in [("=>", ">="), ("=<", "<=")] where values.eat(typed) {
      throw values.error(
        "there is no '\(typed)'; did you mean  " + replaced(from: place, meant), at: place)
    }
    if values.eatWord("is") {
      let comparison = values.eatWord("not") ? StructuredQuery.FieldOperator.notEqual : .equal
      for (word, value) in [("null", Value.null), ("true", .boolean(true)), ("false", .boolean(false))]
      where values.eatWord(word) { return Self.filter(path, comparison, value) }
      throw values.error("expected null, true or false after 'is', or 'not' before one of them")
    }
    if values.eatWord("between") {
      let low = try values.value()
      guard values.eatWord("and") else { throw values.error("expected 'and': between 1 and 2") }
      return .all([
        Self.filter(path, .greaterThanOrEqual, low), Self.filter(path, .lessThanOrEqual, try values.value()),
      ])
    }
    if values.eatWord("like") || values.eatWord("ilike") { throw try likeness(path, start, place) }
    if values.eatWord("contains") {
      let value = written(from: values.index) { (reader) throws(ConditionError) in _ = try reader.value() }
      throw values.error(
        "'contains' may mean a list or a part of a text. Queries find no parts of texts; of a list write  "
          + replaced(from: start, "\(path) has \(value)"), at: place)
    }
    return nil
  }

  /// `like 'x%'` is a range; what stands in the middle of a text no index finds.
  private mutating func likeness(_ path: String, _ start: Int, _ place: Int) throws(ConditionError)
    -> ConditionError
  {
    guard case .string(let pattern) = try values.value() else {
      return values.error("expected a text behind 'like'", at: place)
    }
    let prefix = pattern.prefix { $0 != "%" && $0 != "_" }
    let rest = pattern.dropFirst(prefix.count)
    let text = Self.quoted(String(prefix))
    if rest.isEmpty { return instead("like", replaced(from: start, "\(path) == \(text)"), place) }
    guard rest == "%", !prefix.isEmpty else {
      return values.error(
        "there is no 'like', and queries find only beginnings of texts: \(path) >= \"abc\" && \(path) < \"abd\"",
        at: place)
    }
    // Behind every text that begins so, and seen as an escape, because it has no shape.
    let end = text.dropLast() + "\\uf8ff\""
    return instead("like", replaced(from: start, "\(path) >= \(text) && \(path) < \(end)"), place)
  }

  /// Whether a test may end here: what stands there belongs to no comparison.
  private mutating func endsTest() -> Bool {
    let start = values.index
    defer { values.index = start }
    values.skipBlanks()
    return values.index == values.text.count || ["&&", "||", "|", ")", ";"].contains { values.eat($0) }
      || (["and", "or"] + values.wordsBehindConditions).contains { values.eatWord($0) }
  }

  /// `not f`; nil, and nothing taken, where none stands. A field may be called `not`. Queries have no `not` of anything else.
  mutating func sqlNegation() throws(ConditionError) -> StructuredQuery.Filter? {
    let start = values.index
    guard eatSQL("not") else { return nil }
    let isGroup = values.eat("(")
    let path = try? values.fieldPath()
    if let path, !isGroup, endsTest() { return Self.filter(path, .equal, .boolean(false)) }
    let isComparison = path != nil && (try? comparisonOperator()) != nil
    values.index = start
    guard isGroup || isComparison else { return nil }
    throw values.error("queries have no 'not …'; turn the comparisons inside round: != for ==, < for >=")
  }

  /// Comparisons with their sides exchanged: `'a' in tags`, `18 <= age`.
  private static let turned: [StructuredQuery.FieldOperator: StructuredQuery.FieldOperator] = [
    .in: .arrayContains, .equal: .equal, .notEqual: .notEqual, .lessThan: .greaterThan,
    .lessThanOrEqual: .greaterThanOrEqual, .greaterThan: .lessThan, .greaterThanOrEqual: .lessThanOrEqual,
  ]

  /// A test that begins with its value; nil, and nothing taken, where it begins with what may be a field.
  mutating func sqlTurned() throws(ConditionError) -> StructuredQuery.Filter? {
    values.skipBlanks()
    guard values.speaksSQL, values.index < values.text.count else { return nil }
    let first = values.text[values.index]
    guard first.isDigit || "\"'@/-+".utf8.contains(first) else { return nil }
    let value = try values.value()
    let place = values.index
    guard let comparison = Self.turned[try comparisonOperator()] else {
      throw values.error("expected the field first: FIELD not in [1, 2]", at: place)
    }
    return Self.filter(try values.fieldPath(), comparison, value)
  }

  /// The field that a call stands for: `documentId()` is the document's name, and other functions there are none.
  mutating func sqlCalled(_ path: String, from start: Int) throws(ConditionError) -> String {
    guard values.speaksSQL, values.index < values.text.count, values.text[values.index] == UInt8(ascii: "(")
    else { return path }
    let place = values.index
    if path == "documentId" || path == "FieldPath.documentId", values.eat("("), values.eat(")") {
      return "__name__"
    }
    values.index = place
    throw values.error("there is no '\(path)'; conditions compare fields as they are stored", at: start)
  }

  private func instead(_ word: String, _ line: String, _ place: Int) -> ConditionError {
    values.error("there is no '\(word)'; write  \(line)", at: place)
  }

  /// All that was typed, with other words from `start` to where the reader stands.
  private func replaced(from start: Int, _ words: String) -> String {
    let before = String(decoding: values.text[..<start], as: UTF8.self)
    return before + words + String(decoding: values.text[values.index...], as: UTF8.self)
  }

  /// What `read` takes, as it was typed.
  private mutating func written(
    from start: Int, _ read: (inout ValueTextReader) throws(ConditionError) -> Void
  ) -> String {
    values.skipBlanks()
    let start = values.index
    guard (try? read(&values)) != nil else { return "…" }
    return String(decoding: values.text[start..<values.index], as: UTF8.self)
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for character in text {
      if character == "\"" || character == "\\" { result.append("\\") }
      result.append(character)
    }
    return result + "\""
  }
}
