/// What may come next in a statement: commands, collections and ids by path, fields, words, personas.

import Client
import DocModel
import DocStore

/// Owner: the session's thread.
final class Completer: EditorAdviser {
  /// LIMIT: documents that are asked for.
  private static let idsMax = 50

  private let session: Session
  /// Collections and ids that the server was asked for, until the next statement.
  private var known: [String: [String]] = [:]
  /// What the hint comes from.
  var history: [String] = []

  init(_ session: Session) { self.session = session }

  /// Forgets what a statement may have changed.
  func forget() { known = [:] }

  /// The rest of the last statement that began so.
  func hint(_ text: String) -> String? {
    guard text.count >= 2, !text.contains("\n") else { return nil }
    guard
      let found = history.last(where: { $0.hasPrefix(text) && $0.count > text.count && !$0.contains("\n") })
    else { return nil }
    return String(found.dropFirst(text.count))
  }

  func completions(_ before: String) -> (start: Int, texts: [String]) {
    let word = Self.lastWord(before)
    let start = before.count - word.count
    let texts = candidates(word, Self.words(String(before.dropLast(word.count))))
    return (start, texts.filter { $0.hasPrefix(word) && $0 != word })
  }

  /// Everything behind the last blank or sign.
  private static func lastWord(_ text: String) -> String {
    String(text.reversed().prefix { !" \t\n|,(){}[];".contains($0) }.reversed())
  }

  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in text {
      if " \t\n".contains(character) {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else if "|,;{}".contains(character) {
        if !word.isEmpty { words.append(word) }
        words.append(String(character))
        word = ""
      } else {
        word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  // MARK: what fits

  private func candidates(_ word: String, _ words: [String]) -> [String] {
    guard let first = words.first else {
      if word.hasPrefix(":") { return CommandTable.all.flatMap(\.names).map { ":" + $0 }.sorted() }
      return paths(word) + ["create ", "update ", "delete ", "add ", "commit {", "group "]
    }
    if first.hasPrefix(":") { return arguments(word, first, words) }
    if ["create", "update", "delete", "add", "group"].contains(first), words.count == 1 {
      return paths(word)
    }
    if let last = words.last, last == ";" || last == "{" {
      return ["create ", "update ", "delete ", "add "] + paths(word)
    }
    if words.last == "|" { return Self.stages }
    return clauses(words)
  }

  private static let stages = [
    "count", "sum ", "avg ", "group by ", "first", "ids", "each ", "table ", "doc", "json", "jsonl", "csv",
    "yaml",
    "markdown",
  ]
  private static let clauseWords = [
    "where ", "order by ", "limit ", "offset ", "start at ", "start after ", "end at ", "end before ",
    "select ", "near ",
  ]

  private func arguments(_ word: String, _ command: String, _ words: [String]) -> [String] {
    switch command {
    case ":as", ":reach": return session.personas.map(\.name) + ["anon", "admin"]
    case ":fault":
      return FaultCommand.completions(
        Array(words.dropFirst()), callers: session.personas.map(\.name) + ["anon", "admin"]
      ) { paths(word) }
    case ":mode": return OutputMode.allCases.map(\.rawValue)
    case ":pager": return PagerMode.allCases.map(\.rawValue)
    case ":help":
      return (CommandTable.all.flatMap(\.names) + HelpText.topics.keys).sorted()
    case ":can":
      return words.count == 1 ? ["get ", "list ", "create ", "update ", "delete "] : paths(word)
    case ":expect":
      return words.count == 1 ? ["allow ", "deny "] : paths(word)
    case ":explain", ":watch", ":assert", ":count":
      return words.count == 1 ? paths(word) : clauses(Array(words.dropFirst()))
    case ":cd", ":ls", ":tree", ":d": return paths(word)
    case ":rules": return ["show", "load ", "check "]
    case ":timing", ":color": return ["on", "off"]
    case ":x": return PrintStyle.Expansion.allCases.map(\.rawValue)
    case ":begin": return ["readonly"]
    default: return []
    }
  }

  /// Fields where a field is wanted, otherwise what may follow a target.
  private func clauses(_ words: [String]) -> [String] {
    let fields = fields(of: words)
    switch words.last {
    case "where", "&&", "||", "by", "select", "table", "sum", "avg", "unset", "near", ",": return fields
    case .some(let last) where fields.contains(last):
      return [
        "==", "!=", "<", "<=", ">", ">=", "in ", "not in ", "has ", "has any ", "=", "+=", "-=", "desc",
      ]
    default:
      let isUpdate = words.first == "update" && words.count == 2
      return isUpdate ? fields + ["unset "] : Self.clauseWords + ["| "]
    }
  }

  /// The fields of the collection that a statement is about.
  private func fields(of words: [String]) -> [String] {
    let isWrite = ["create", "update", "delete", "add", "group"].contains(words.first)
    guard let text = isWrite ? words.dropFirst().first : words.first,
      let path = try? StatementParser("", session.language).resolve(text)
    else { return [] }
    let collection = path.isCollection ? path : path.parent
    if session.fieldSketches[collection.lastSegment] == nil {
      var query = StructuredQuery(database: session.backend.database, collection: collection)
      query.limit = 20
      var documents: [ShellDocument] = []
      _ = try? session.backend.run(query, as: session.caller, in: nil) { document in
        documents.append(document)
        return true
      }
      session.learn(documents)
    }
    return (session.fieldSketches[collection.lastSegment] ?? []).sorted()
  }

  // MARK: paths

  private func paths(_ word: String) -> [String] {
    let isAbsolute = word.hasPrefix("/")
    let slash = word.lastIndex(of: "/")
    let parentText = slash.map { String(word[..<$0]) } ?? ""
    let head = slash.map { String(word[...$0]) } ?? ""
    let prefix = slash.map { String(word[word.index(after: $0)...]) } ?? word
    var parent = isAbsolute ? ResourcePath.root : session.place
    for segment in parentText.split(separator: "/") { parent = parent.appending(String(segment)) }
    let key = "\(parent.text)\u{0}\(parent.isCollection ? prefix : "")"
    let names = known[key] ?? (parent.isCollection ? ids(parent, prefix) : collections(parent))
    known[key] = names
    return names.map { head + $0 }
  }

  private func collections(_ parent: ResourcePath) -> [String] {
    (try? session.backend.collectionIDs(under: parent)) ?? []
  }

  /// Ids that begin so, as far as the caller may list them.
  private func ids(_ collection: ResourcePath, _ prefix: String) -> [String] {
    var query = StructuredQuery(database: session.backend.database, collection: collection)
    query.limit = Self.idsMax
    if !prefix.isEmpty {
      let name = Value.reference(
        DocumentName(database: session.backend.database, path: collection.appending(prefix)).resourceName)
      query.filter = .field("__name__", .greaterThanOrEqual, name)
    }
    var ids: [String] = []
    _ = try? session.backend.run(query, as: session.caller, in: nil) { document in
      guard document.id.hasPrefix(prefix) else { return false }
      ids.append(document.id)
      return true
    }
    return ids
  }
}
