/// Whose request creates a document of a seed: what `--as` and `--at` say.
///
/// ```
/// --as mina                                     all documents
/// --as '/users/{uid}/{path=**}=${uid}'          those of a pattern; ${…} is a name of the pattern
/// --as '/payments/{id}=${data.userId}'          or a field of the document
/// --as '/plans/{plan}={uid: olga, claims: {role: admin}}'
/// ```

import DocModel
import DocStore
import Fixtures
import Rules
import Shell
import Triggers
import YAML

/// A value for each document: `${…}` stands for a name of a pattern, `${data.…}` for a field.
struct DocumentForm {
  private let form: Form
  private let usesData: Bool
  private var evaluator: FormEvaluator

  /// - Parameters:
  ///   - option: what messages call the text: `--as`.
  ///   - names: the names of the pattern.
  init(_ text: String, option: String, names: [String], _ database: DatabaseID) throws(InvalidArgument) {
    evaluator = FormEvaluator(database: database)
    let source = YAMLSource(name: option, text: text)
    do throws(YAMLError) {
      usesData = try Self.names(in: text, known: ["data"] + names).contains("data")
      let node =
        text.hasPrefix("{")
        ? try YAMLDocument.parse(source) : YAMLNode(.scalar(.string(text)), at: .start)
      var compiler = FormCompiler(database: database, vocabulary: .suites)
      form = try compiler.compile(node)
    } catch {
      throw InvalidArgument(source.diagnostic(for: error).description)
    }
  }

  private static func names(in text: String, known: [String]) throws(YAMLError) -> [String] {
    try InterpolationScanner.parts(
      of: text, escapeGives: "${", at: .start, literal: { _ in "" },
      use: { (use) throws(YAMLError) in
        let name = String(
          decoding: use.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
        guard known.contains(name) else {
          throw YAMLError(
            "no value is called '\(name)' here; known: \(known.joined(separator: ", "))", at: .start)
        }
        return name
      })
  }

  /// The value for a document; throws when the document has none.
  mutating func value(_ names: [String: String], _ fields: FieldsView) throws(InvalidArgument) -> Value {
    evaluator.beginDocument()
    evaluator.scope = Scope()
    if usesData { evaluator.scope.define("data", .plain(.map(Fields(fields)))) }
    for (name, value) in names { evaluator.scope.define(name, .plain(.string(value))) }
    do throws(YAMLError) {
      guard case .plain(let value) = try evaluator.evaluate(form, at: DrawPlace(seed: 0)) else {
        throw YAMLError("a value that only a commit gives", at: .start)
      }
      return value
    } catch {
      throw InvalidArgument(error.message)
    }
  }
}

/// The documents of a pattern of rules.
struct DocumentPattern {
  let text: String
  /// As in rules, `{path=**}` at the end also stands for no segment at all.
  private let patterns: [PathPattern]

  init(_ text: String) throws(InvalidArgument) {
    self.text = text
    let whole = try PathPattern(String(text.dropFirst()))
    var parts = text.dropFirst().split(separator: "/")
    let last = parts.popLast() ?? ""
    let isOpenEnded = last.hasSuffix("**}") || last == "**"
    // One that names a collection alone is none, and is not wanted either.
    let shorter = isOpenEnded ? try? PathPattern(parts.joined(separator: "/")) : nil
    patterns = [whole] + (shorter.map { [$0] } ?? [])
  }

  /// What stands between braces, without `=**`.
  var names: [String] {
    text.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
      .map { String($0.dropFirst().dropLast().prefix { $0 != "=" }) }
  }

  func match(_ path: ResourcePath) -> [String: String]? {
    for pattern in patterns {
      if let names = pattern.match(path) { return names }
    }
    return nil
  }
}

/// Who creates which document.
struct SeedAuthors {
  private struct Entry {
    /// Nil for all documents that no pattern is about.
    let pattern: DocumentPattern?
    /// Nil for nobody.
    var user: DocumentForm?
    var isUsed = false
  }

  enum Author {
    case user(AuthFacts?, name: String)
    /// No `--as` is about the document.
    case unknown
  }

  private var entries: [Entry] = []
  private let database: DatabaseID
  private let now: Int64
  /// The user that was made last: documents of one user often follow each other.
  private var last: (value: Value, auth: AuthFacts?)?

  /// - Parameter now: microseconds since the epoch, for the times of tokens.
  init(_ options: [String], _ database: DatabaseID, now: Int64) throws(InvalidArgument) {
    self.database = database
    self.now = now
    for option in options { entries.append(try Self.entry(option, database)) }
    let texts = entries.map { $0.pattern?.text }
    for (index, text) in texts.enumerated() where texts[..<index].contains(text) {
      throw InvalidArgument("--as is given twice \(text.map { "for `\($0)`" } ?? "for all documents")")
    }
    // The one for all comes last, wherever it was written.
    entries = entries.filter { $0.pattern != nil } + entries.filter { $0.pattern == nil }
  }

  private static func entry(_ option: String, _ database: DatabaseID) throws(InvalidArgument) -> Entry {
    guard option.hasPrefix("/") else {
      guard !option.contains("/") || option.hasPrefix("{") else {
        throw InvalidArgument("--as `\(option)`: a pattern begins with a slash: --as '/users/{uid}=${uid}'")
      }
      return Entry(pattern: nil, user: try user(option, names: [], database))
    }
    guard let sign = equalsSign(in: option), sign != option.indices.last else {
      throw InvalidArgument(
        "--as `\(option)`: a user stands behind the pattern: --as '/users/{uid}=${uid}', in single quotes")
    }
    let pattern = try DocumentPattern(String(option[..<sign]))
    let text = String(option[option.index(after: sign)...])
    if pattern.names.contains(text) {
      throw InvalidArgument("--as `\(option)`: what the path says is written `${\(text)}`, in single quotes")
    }
    return Entry(pattern: pattern, user: try user(text, names: pattern.names, database))
  }

  /// The first one outside of braces: `{path=**}` has another.
  private static func equalsSign(in text: String) -> String.Index? {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "{": depth += 1
      case "}": depth -= 1
      case "=" where depth == 0: return index
      default: break
      }
    }
    return nil
  }

  private static func user(
    _ text: String, names: [String], _ database: DatabaseID
  ) throws(InvalidArgument) -> DocumentForm? {
    if text == "anon" { return nil }
    if text == "admin" {
      throw InvalidArgument("--as admin: an administrator passes by the rules; write the uid of a user")
    }
    return try DocumentForm(text, option: "--as", names: names, database)
  }

  /// Who creates a document; throws when the document does not say.
  mutating func author(_ path: ResourcePath, _ fields: FieldsView) throws(InvalidArgument) -> Author {
    for index in entries.indices {
      guard let names = entries[index].pattern.map({ $0.match(path) }) ?? [:] else { continue }
      entries[index].isUsed = true
      guard let value = try entries[index].user?.value(names, fields) else {
        return .user(nil, name: "nobody")
      }
      return try user(value)
    }
    return .unknown
  }

  private mutating func user(_ value: Value) throws(InvalidArgument) -> Author {
    let facts: Value
    switch value {
    case .map: facts = value
    case .string: facts = .map(["uid": value])
    case .null, .boolean, .integer, .double, .timestamp, .bytes, .reference, .geoPoint, .array, .vector:
      throw InvalidArgument("the uid is \(TypedValue.plain(value).kindName), not a text")
    }
    guard case .map(let fields) = facts, case .string(let uid)? = fields["uid"] else {
      throw InvalidArgument("the user has no uid that is a text")
    }
    if let last, last.value == facts { return .user(last.auth, name: uid) }
    let auth = try UserFacts.auth(facts, database: database, now: now)
    last = (facts, auth)
    return .user(auth, name: uid)
  }

  /// Patterns that no document had; a user for all is never among them.
  var unusedPatterns: [String] { entries.filter { !$0.isUsed }.compactMap { $0.pattern?.text } }
}

/// When a document is created: what `--at` says.
struct SeedTimes {
  /// The first one whose field a document has counts.
  private var fields: [DocumentForm] = []
  /// For documents that have none of the fields.
  private(set) var present: Timestamp

  /// - Parameters:
  ///   - options: `${data.createdAt}`, and at most one time for the documents without such a field.
  ///   - now: microseconds since the epoch, which is taken where there is no time.
  init(_ options: [String], _ database: DatabaseID, now: Int64) throws(InvalidArgument) {
    present = Timestamp(microseconds: now)
    var hasTime = false
    for option in options {
      if option.hasPrefix("${") {
        fields.append(try DocumentForm(option, option: "--at", names: [], database))
        continue
      }
      guard !hasTime else { throw InvalidArgument("--at is given a time twice") }
      hasTime = true
      present = Timestamp(microseconds: try StandingClock.time(option, after: now))
    }
  }

  mutating func time(_ document: FieldsView) -> Timestamp {
    for index in fields.indices {
      if case .timestamp(let time)? = try? fields[index].value([:], document) { return time }
    }
    return present
  }
}
