/// Conditions as SQL and the client SDKs write them, for texts that people type.
///
/// What means one thing is read: `=`, `<>`, `and`, `or`, `is null`, `between 1 and 2`, `in (1, 2)`, `array-contains`.
/// What has no counterpart is answered with the text that has: the whole of what was typed, with that part of it replaced.

internal import DocModel
package import DocStore

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
    if values.eatWord("is") {
      let isNegated = values.eatWord("not")
      guard values.eatWord("null") else { throw values.error("expected 'null' or 'not null' after 'is'") }
      return .unary(path, isNegated ? .isNotNull : .isNull)
    }
    if values.eatWord("between") {
      let low = try values.value()
      guard values.eatWord("and") else { throw values.error("expected 'and': between 1 and 2") }
      return .all([
        Self.filter(path, .greaterThanOrEqual, low), Self.filter(path, .lessThanOrEqual, try values.value()),
      ])
    }
    let place = values.index
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

  /// `not (…)`, which queries have none of; a field may be called `not`.
  mutating func refuseNegation() throws(ConditionError) {
    let start = values.index
    guard eatSQL("not") else { return }
    let isCall = values.eat("(")
    values.index = start
    if isCall {
      throw values.error("queries have no 'not (…)'; turn the comparisons inside round: != for ==, < for >=")
    }
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
