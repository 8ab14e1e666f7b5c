/// Reading a tree: what is expected, or an error at the place.

internal import Platform

extension YAMLNode {
  /// An error at this node.
  public func error(_ message: String) -> YAMLError { YAMLError(message, at: start) }

  private func expected(_ what: String) -> YAMLError { error("expected \(what), found \(kindName)") }

  public var isNull: Bool {
    guard case .scalar(let scalar) = content, case .null = scalar.value else { return false }
    return true
  }

  /// The elements of a list.
  public func elements() throws(YAMLError) -> [YAMLNode] {
    guard case .sequence(let elements) = content else { throw expected("a list") }
    return elements
  }

  /// The elements of a list, or the node alone: for keys that take one or several.
  public var oneOrMore: [YAMLNode] {
    guard case .sequence(let elements) = content else { return [self] }
    return elements
  }

  /// The entries of a map, in written order.
  public func entries() throws(YAMLError) -> [YAMLEntry] {
    guard case .mapping(let entries) = content else { throw expected("a map") }
    return entries
  }

  /// The map for look-ups by key. `what` names it in messages: `a generator`.
  public func map(_ what: String) throws(YAMLError) -> YAMLMap {
    guard case .mapping(let entries) = content else {
      throw error("\(what) is written as a map; found \(kindName)")
    }
    return YAMLMap(what: what, entries: entries, mark: start)
  }

  /// The scalar's text, when it is a string.
  public func text() throws(YAMLError) -> String {
    guard case .scalar(let scalar) = content, case .string = scalar.value else { throw expected("a text") }
    return scalar.text
  }

  /// The scalar as it is written, whatever it means: for names, which may look like numbers.
  public func literal() throws(YAMLError) -> String {
    guard case .scalar(let scalar) = content else { throw expected("a text") }
    return scalar.text
  }

  public func integer() throws(YAMLError) -> Int64 {
    guard case .scalar(let scalar) = content, case .integer(let number) = scalar.value else {
      throw expected("an integer")
    }
    return number
  }

  /// An integer within bounds.
  public func integer(in range: ClosedRange<Int64>) throws(YAMLError) -> Int64 {
    let number = try integer()
    guard range.contains(number) else {
      throw error("\(number) is outside \(range.lowerBound)...\(range.upperBound)")
    }
    return number
  }

  /// An integer or a fraction.
  public func number() throws(YAMLError) -> Double {
    guard case .scalar(let scalar) = content else { throw expected("a number") }
    switch scalar.value {
    case .integer(let number): return Double(number)
    case .double(let number): return number
    case .null, .boolean, .string: throw expected("a number")
    }
  }

  public func boolean() throws(YAMLError) -> Bool {
    guard case .scalar(let scalar) = content, case .boolean(let flag) = scalar.value else {
      throw expected("true or false")
    }
    return flag
  }

  /// One of a fixed set of words.
  public func word(of words: [String]) throws(YAMLError) -> String {
    let word = try literal()
    guard words.contains(where: { $0.utf8.elementsEqual(word.utf8) }) else {
      throw error(
        "'\(word)' is not one of \(words.joined(separator: ", "))\(Spelling.suggestion(for: word, among: words))"
      )
    }
    return word
  }

  /// One of the words that a type has.
  public func word<Word: RawRepresentable & CaseIterable>(
    of type: Word.Type
  ) throws(YAMLError) -> Word where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue)
    guard let word = Word(rawValue: try word(of: words)) else {
      throw expected(words.joined(separator: ", "))
    }
    return word
  }
}

/// A map being read key by key.
public struct YAMLMap: Sendable {
  /// What messages call it: `a generator`.
  public let what: String
  public let entries: [YAMLEntry]
  public let mark: YAMLMark

  /// The value of a key, null written out included.
  public subscript(key: String) -> YAMLNode? { entry(key)?.value }

  public func entry(_ key: String) -> YAMLEntry? {
    entries.first { $0.key.text.utf8.elementsEqual(key.utf8) }
  }

  public func required(_ key: String) throws(YAMLError) -> YAMLNode {
    guard let node = self[key] else { throw YAMLError("\(what) needs the key '\(key)'", at: mark) }
    return node
  }

  /// Throws at the first key that is none of `known`.
  public func refuseKeys(except known: [String]) throws(YAMLError) {
    for entry in entries {
      let text = entry.key.text
      guard !known.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else { continue }
      throw YAMLMap.unknown(entry.key, in: what, known: known)
    }
  }

  /// The error for a key that `what` does not have.
  public static func unknown(_ key: YAMLKey, in what: String, known: [String]) -> YAMLError {
    let list = known.joined(separator: ", ")
    return YAMLError(
      "unknown key '\(key.text)'; \(what) has \(list)\(Spelling.suggestion(for: key.text, among: known))",
      at: key.mark)
  }
}
