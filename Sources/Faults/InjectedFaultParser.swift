/// Reads rules of `:fault`.
///
/// ```
/// fault  = effect { clause }                              each clause once, in any order
/// effect = STATUS | "delay" DURATION | "drop" ["every"] "listen" ["after" N "messages"]
/// clause = "on" call { "," call } [ N | N-M ] | "of" who | "under" path
/// ```

internal import DocModel
internal import Platform

/// What is wrong with a rule, and what would be right.
package struct InjectedFaultError: Error, Equatable {
  package let message: String
  /// Unicode scalars before the place.
  package let offset: Int

  /// With the column, counted from one.
  package var text: String { "column \(offset + 1): \(message)" }
}

package struct InjectedFaultParser {
  /// LIMIT: bytes of a rule.
  private static let bytesMax = 4_096

  private struct Word {
    let text: String
    let offset: Int
    let isQuoted: Bool

    /// A word of the language, which quotes take out of it.
    func isWord(_ word: String) -> Bool { !isQuoted && text.hasSameBytes(as: word) }
  }

  private let words: [Word]
  private let end: Int
  private var index = 0

  package static func read(_ text: String) throws(InjectedFaultError) -> InjectedFault {
    guard text.utf8.count <= bytesMax else {
      throw InjectedFaultError(message: "a rule has \(bytesMax) bytes at most", offset: 0)
    }
    var parser = InjectedFaultParser(words: try words(of: text), end: text.unicodeScalars.count)
    return try parser.fault()
  }

  private init(words: [Word], end: Int) {
    self.words = words
    self.end = end
  }

  /// Words of the language, for completion.
  package static let statuses = StatusCode.allCases.filter { $0 != .ok }.map(\.name)
  package static let calls = ["any"] + InjectedFault.Call.allCases.map(\.rawValue)

  // MARK: words

  private static func words(of text: String) throws(InjectedFaultError) -> [Word] {
    var words: [Word] = []
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let start = index
      if isBlank(scalars[index]) {
        index += 1
      } else if scalars[index] == "," {
        words.append(Word(text: ",", offset: start, isQuoted: false))
        index += 1
      } else if scalars[index] == "\"" {
        words.append(try quoted(scalars, &index))
      } else {
        var word = ""
        while index < scalars.count, !isBlank(scalars[index]), scalars[index] != "," {
          word.unicodeScalars.append(scalars[index])
          index += 1
        }
        words.append(Word(text: word, offset: start, isQuoted: false))
      }
    }
    return words
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
  }

  private static func quoted(
    _ scalars: [Unicode.Scalar], _ index: inout Int
  ) throws(InjectedFaultError) -> Word {
    let start = index
    var word = ""
    index += 1
    while index < scalars.count, scalars[index] != "\"" {
      if scalars[index] == "\\" { index += 1 }
      guard index < scalars.count else { break }
      word.unicodeScalars.append(scalars[index])
      index += 1
    }
    guard index < scalars.count else {
      throw InjectedFaultError(message: "the text has no end; write `\"` behind it", offset: start)
    }
    index += 1
    return Word(text: word, offset: start, isQuoted: true)
  }

  private var next: Word? { index < words.count ? words[index] : nil }

  private mutating func eat(_ word: String) -> Bool {
    guard let next, next.isWord(word) else { return false }
    index += 1
    return true
  }

  /// The next word, which is part of the sentence.
  private mutating func take(_ wanted: String) throws(InjectedFaultError) -> Word {
    guard let word = next else { throw InjectedFaultError(message: wanted, offset: end) }
    index += 1
    return word
  }

  private static func failure(_ message: String, _ word: Word) -> InjectedFaultError {
    InjectedFaultError(message: message, offset: word.offset)
  }
}

// MARK: - The sentence

extension InjectedFaultParser {
  private mutating func fault() throws(InjectedFaultError) -> InjectedFault {
    var fault = InjectedFault(try effect())
    var seen: Set<String> = []
    while let clause = next {
      let name = clause.isQuoted ? "" : clause.text
      guard ["on", "of", "under"].contains(name) else { throw Self.stray(clause) }
      guard seen.insert(name).inserted else {
        throw Self.failure("`\(name)` is there twice; leave one out", clause)
      }
      index += 1
      switch name {
      case "on": try calls(&fault, clause)
      case "of": fault.caller = try caller()
      default: fault.place = try place(fault, clause)
      }
    }
    return fault
  }

  private static func stray(_ word: Word) -> InjectedFaultError {
    let near =
      Spelling.nearest(to: word.text, among: ["on", "of", "under", "after"]).map {
        "; did you mean `\($0)`?"
      } ?? ""
    return failure(
      "`\(word.text)` says nothing here; behind what happens come `on CALL [NUMBER]`, `of WHO`, `under PATH`\(near)",
      word)
  }

  private mutating func effect() throws(InjectedFaultError) -> InjectedFault.Effect {
    let wanted =
      "say what happens: a status such as UNAVAILABLE, `delay 800ms`, `drop listen after 3 messages`"
    let word = try take(wanted)
    if word.isWord("delay") { return .delay(milliseconds: try duration()) }
    if word.isWord("drop") { return try drop() }
    let name = word.text.uppercased()
    guard let code = StatusCode.allCases.first(where: { $0.name.hasSameBytes(as: name) }), !word.isQuoted
    else {
      let near = Spelling.nearest(to: name, among: Self.statuses + ["DELAY", "DROP"]).map {
        "did you mean \(["DELAY", "DROP"].contains($0) ? $0.lowercased() : $0)?"
      }
      throw Self.failure("`\(word.text)` is no status; \(near ?? wanted)", word)
    }
    guard code != .ok else { throw Self.failure("OK is no fault; \(wanted)", word) }
    return .status(code)
  }

  private mutating func duration() throws(InjectedFaultError) -> Int {
    let most = InjectedFault.delayMillisecondsMax
    let wanted = "a delay is written `800ms` or `2s`, \(most / 1_000)s at most"
    let word = try take(wanted)
    let digits = word.text.prefix { $0.isASCII && $0.isNumber }
    let scale: Int
    switch word.text.dropFirst(digits.count) {
    case "ms": scale = 1
    case "s": scale = 1_000
    case let unit: throw Self.failure(unit.isEmpty ? "`\(word.text)` has no unit; \(wanted)" : wanted, word)
    }
    guard let amount = Int(digits), (1...most / scale).contains(amount) else {
      throw Self.failure(wanted, word)
    }
    return amount * scale
  }

  private mutating func drop() throws(InjectedFaultError) -> InjectedFault.Effect {
    let everyStream = eat("every")
    let wanted = "only streams of live queries can be dropped: `drop listen`, `drop every listen`"
    let word = try take(wanted)
    guard word.isWord("listen") else { throw Self.failure(wanted, word) }
    guard eat("after") else { return .drop(afterMessages: 1, everyStream: everyStream) }
    let number = try take("after how many messages? `after 3 messages`")
    guard let count = Self.number(number) else {
      throw Self.failure(
        "messages are counted from 1 to \(InjectedFault.countMax): `after 3 messages`", number)
    }
    let unit = try take("write `\(count) messages`")
    guard unit.isWord("messages") || unit.isWord("message") else {
      throw Self.failure("write `\(count) messages`", unit)
    }
    return .drop(afterMessages: count, everyStream: everyStream)
  }

  private static func number(_ word: Word) -> Int? {
    guard !word.isQuoted, word.text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int(word.text).flatMap { (1...InjectedFault.countMax).contains($0) ? $0 : nil }
  }

  // MARK: clauses

  private mutating func calls(_ fault: inout InjectedFault, _ clause: Word) throws(InjectedFaultError) {
    if case .drop = fault.effect {
      throw Self.failure("`drop` is about live queries alone; leave `on` out", clause)
    }
    let known = Self.calls.joined(separator: ", ")
    var isAny = false
    repeat {
      let word = try take("which call? \(known)")
      if word.isWord("any") {
        isAny = true
        continue
      }
      guard !word.isQuoted, let call = InjectedFault.Call(rawValue: word.text) else {
        let near = Spelling.nearest(to: word.text, among: Self.calls).map { "did you mean `\($0)`?" }
        throw Self.failure("there is no call `\(word.text)`; \(near ?? "there are \(known)")", word)
      }
      if !fault.calls.contains(call) { fault.calls.append(call) }
    } while eat(",")
    if isAny { fault.calls = [] }
    if let word = next, !word.isQuoted, word.text.first?.isNumber == true {
      index += 1
      fault.turns = try Self.turns(word)
    }
  }

  /// `2`, `2-4`
  private static func turns(_ word: Word) throws(InjectedFaultError) -> ClosedRange<Int> {
    let sides = word.text.split(separator: "-", omittingEmptySubsequences: false).map {
      number(Word(text: String($0), offset: 0, isQuoted: false))
    }
    if sides.count == 1, let only = sides[0] { return only...only }
    if sides.count == 2, let first = sides[0], let last = sides[1], first <= last { return first...last }
    throw failure(
      "calls are counted from 1 to \(InjectedFault.countMax): `2`, or `2-4` for three of them", word)
  }

  private mutating func caller() throws(InjectedFaultError) -> InjectedFault.Caller {
    let word = try take("of whom? a uid, `anon` or `admin`")
    if word.isWord("anon") { return .anonymous }
    if word.isWord("admin") { return .administrator }
    guard !word.text.isEmpty, !word.isWord(",") else {
      throw Self.failure("a rule is of one caller: a uid, `anon` or `admin`", word)
    }
    return .user(word.text)
  }

  private mutating func place(
    _ fault: InjectedFault, _ clause: Word
  ) throws(InjectedFaultError) -> FaultPlace {
    let word = try take("under which path? `communities/**`, `users/*/private`, `**/posts`")
    var segments = word.text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    // `/users` and `users/` are `users`.
    if segments.first == "", segments.count > 1 { segments.removeFirst() }
    if segments.last == "", segments.count > 1 { segments.removeLast() }
    let isAnywhere = segments.count > 1 && segments.first == "**"
    if isAnywhere { segments.removeFirst() }
    // What is below is meant anyway.
    if segments.last == "**" { segments.removeLast() }
    guard !segments.contains("**"), !segments.contains("") else {
      throw Self.failure(
        "`\(word.text)` is no path; `**` stands at its beginning or its end: `communities/**`, `**/posts`",
        word)
    }
    if !fault.calls.isEmpty, !fault.calls.contains(where: \.hasPaths) {
      throw Self.failure(
        "\(fault.calls.map(\.rawValue).joined(separator: " and ")) name no documents; leave `under` out",
        clause)
    }
    return FaultPlace(segments: segments, isAnywhere: isAnywhere && !segments.isEmpty)
  }
}
