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
import YAML

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
    let form = try DocumentForm(text, option: "--as", names: names, database)
    do throws(YAMLError) {
      if text.hasPrefix("{") {
        try checkParts(try YAMLDocument.parse(YAMLSource(name: "--as", text: text)), database)
      }
    } catch {
      throw InvalidArgument("--as `\(text)`: \(error.message)")
    }
    return form
  }

  /// Refuses what no document could make a user of: parts that users do not have, a uid that is a number.
  private static func checkParts(_ node: YAMLNode, _ database: DatabaseID) throws(YAMLError) {
    let parts = try node.entries().map { entry -> (String, Value) in
      if entry.key.text == "claims" { return ("claims", .map([:])) }
      guard case .scalar(let scalar) = entry.value.content, case .string = scalar.value else {
        return (entry.key.text, .null)
      }
      return (entry.key.text, .string(scalar.text))
    }
    do throws(InvalidArgument) {
      _ = try UserFacts.auth(.map(Fields(parts)), database: database, now: 0)
    } catch {
      throw node.error(error.message)
    }
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
