/// What is probably wrong with a read that found nothing: a name that is nearly another one, a field that no document has,
/// a comparison of values that are of different types.
///
/// One line, beside the results, never an error: the read was answered. Documents are looked at as administrator, because
/// that a user may not read them is another thing, which the rules tell.

import Client
import DocModel
import DocStore
internal import Platform

/// The documents of the result under way, as far as advice needs them.
struct ReadSample {
  /// LIMIT: documents looked at.
  static let documentsMax = 100

  private(set) var documents: [ShellDocument] = []
  private(set) var count = 0

  mutating func add(_ document: ShellDocument) {
    if count < Self.documentsMax { documents.append(document) }
    count += 1
  }
}

extension Session {
  /// Says what a result that is probably not what was wanted may come from.
  func advise(_ read: ReadStatement, _ result: ShellResult) {
    if let advice = advice(read, result) { console.message("note: " + advice) }
  }

  private func advice(_ read: ReadStatement, _ result: ShellResult) -> String? {
    switch read.target {
    case .document(let path):
      guard result.isEmpty else { return nil }
      if let deeper = deeper(path.parent) { return deeper }
      guard let other = nearCollection(path.parent) else { return nil }
      return
        "there are no documents in '\(path.parent.printable)'; did you mean '\(other)/\(path.lastSegment.printable)'?"
    case .query(let query):
      let isEmpty = seen.count == 0 && result.isNothing
      let wanted = FieldsOfRead(query, read.stages)
      let shown = wanted.shown.filter { field in
        !seen.documents.contains { $0.fields.value(at: field) != nil }
      }
      guard isEmpty || !shown.isEmpty else { return nil }
      let sample = sample(query)
      guard !sample.isEmpty else { return isEmpty ? adviceOnEmpty(query) : nil }
      let asked = isEmpty ? wanted.asked + wanted.shown : shown
      if let field = asked.first(where: { field in !sample.contains { $0.fields.value(at: field) != nil } }) {
        return unknown(field, sample, query)
      }
      return isEmpty ? mismatch(query, sample) : nil
    }
  }

  /// Some documents of what a query is about, whatever its conditions.
  private func sample(_ query: StructuredQuery) -> [ShellDocument] {
    var all = StructuredQuery(database: query.database, parent: query.parent, from: query.from)
    all.limit = ReadSample.documentsMax
    var sample = ReadSample()
    // Where nobody may look, nothing is said.
    _ = try? backend.run(all, as: .administrator, in: nil) { document in
      sample.add(document)
      return true
    }
    return sample.documents
  }

  // MARK: collections

  private func adviceOnEmpty(_ query: StructuredQuery) -> String? {
    guard let selector = query.from.first else { return nil }
    let name = selector.collectionID
    let isCommand = CommandTable.names.contains(name) && query.parent.isRoot && query.filter == nil
    let command = isCommand ? "':\(name)' is a command" : nil
    guard !selector.includesDescendants else { return nil }
    let path = query.parent.appending(name)
    if let deeper = deeper(path) { return deeper }
    if let other = nearCollection(path) ?? documentCalled(path) {
      return "there are no documents in '\(path.printable)'; did you mean '\(other)'?"
        + (command.map { " " + $0 } ?? "")
    }
    if let command { return "there are no documents in '\(name.printable)'; \(command)" }
    // As long as it: `hepl` is a slip, `users` is no `:use`.
    let commands = CommandTable.names.filter { $0.utf8.count == name.utf8.count }
    let near = Spelling.nearest(to: name, among: commands.sorted())
    return near.map { "there are no documents in '\(path.printable)'; did you mean the command ':\($0)'?" }
  }

  /// That collections of this name lie below documents, and how all of them are read. The store finds a group by its
  /// name, and stops counting at its first document.
  private func deeper(_ path: ResourcePath) -> String? {
    let top = place.isDocument ? place : .root
    guard path.parent == top else { return nil }
    let selector = StructuredQuery.CollectionSelector(path.lastSegment, includesDescendants: true)
    let group = StructuredQuery(database: backend.database, parent: top, from: [selector])
    let count = Aggregation(.count(upTo: 1))
    guard let found = try? backend.aggregate(group, [count], as: .administrator, in: nil).first,
      found == .integer(1), let ids = try? backend.collectionIDs(under: top), !ids.contains(path.lastSegment)
    else { return nil }
    let name = path.lastSegment.printable
    return
      "there are no documents in '\(path.printable)'; '\(name)' lies below other documents: write  **/\(name)"
  }

  /// LIMIT: collections that are asked for a document of a name.
  private static let askedCollectionsMax = 20

  /// The path of a document whose id stands where a collection is expected; a look-up for each collection beside it.
  private func documentCalled(_ path: ResourcePath) -> String? {
    guard let ids = try? backend.collectionIDs(under: path.parent), ids.count <= Self.askedCollectionsMax
    else {
      return nil
    }
    return ids.map { path.parent.appending($0).appending(path.lastSegment) }
      .first { ((try? backend.document($0)) ?? nil) != nil }?.printable
  }

  /// The path of a collection with documents whose name is nearly that of an empty one.
  private func nearCollection(_ path: ResourcePath) -> String? {
    guard let ids = try? backend.collectionIDs(under: path.parent), !ids.contains(path.lastSegment) else {
      return nil
    }
    let name = path.lastSegment
    let near =
      ids.first { $0.lowercased() == name.lowercased() } ?? Spelling.nearest(to: name, among: ids)
    return near.map { path.parent.isRoot ? $0.printable : path.parent.appending($0).printable }
  }

  // MARK: fields

  private func unknown(_ field: FieldPath, _ sample: [ShellDocument], _ query: StructuredQuery) -> String {
    let count = sample.count == 1 ? "the one document" : "none of the \(sample.count) documents"
    let verb = sample.count == 1 ? "looked at has no" : "looked at has"
    let text = "\(count) \(verb) field '\(field.text.printable)'"
    if ResultPrinter.isID(field) { return text + "; the id of a document is __name__" }
    return text + (nearField(field, sample).map { "; did you mean '\($0.printable)'?" } ?? "")
  }

  /// A field that documents have and whose name is nearly another one.
  func nearField(_ field: FieldPath, _ documents: [ShellDocument]) -> String? {
    var names: Set<String> = []
    for document in documents { FieldsOfRead.names(of: document.fields, prefix: [], into: &names) }
    return names.sorted().first { $0.lowercased() == field.text.lowercased() }
      ?? Spelling.nearest(to: field.text, among: names.sorted())
  }

  /// A comparison that no document can pass, because the types differ.
  private func mismatch(_ query: StructuredQuery, _ sample: [ShellDocument]) -> String? {
    guard let filter = query.filter else { return nil }
    for test in FieldsOfRead.tests(of: filter) {
      let found = sample.compactMap { $0.fields.value(at: test.field) }
      guard let first = found.first, !test.isList || first.kind == .array || test.isOneOf else {
        guard let first = found.first, !found.contains(where: { $0.kind == .array }) else { continue }
        return "'\(test.field.text.printable)' is \(Self.article(first)), no list: 'has' finds nothing in it"
      }
      if test.isList, !test.isOneOf { continue }
      let kinds = Set(found.map { Self.article($0) })
      guard kinds.count == 1, test.values.allSatisfy({ Self.article($0) != Self.article(first) }) else {
        continue
      }
      guard let value = test.values.first, value != .null else { continue }
      let place = found.count == 1 ? "the document" : "all \(found.count) documents"
      return "'\(test.field.text.printable)' is \(Self.article(first)) in \(place) looked at, and "
        + "\(ValueText.literal(value)) is \(Self.article(value)): they never match"
        + Self.remedy(value, first)
    }
    return nil
  }

  /// `"5"` where numbers are, and the other way round.
  private static func remedy(_ value: Value, _ found: Value) -> String {
    switch (value, found) {
    case (.string(let text), .integer), (.string(let text), .double):
      return Double(text) == nil ? "" : "; write \(text)"
    case (.integer, .string), (.double, .string), (.boolean, .string):
      return "; write \"\(ValueText.literal(value))\""
    case (.string(let text), .boolean) where text == "true" || text == "false": return "; write \(text)"
    case (.string(let text), .timestamp): return Timestamp(rfc3339: text) == nil ? "" : "; write @\(text)"
    case (.string(let text), .reference): return text.contains("/") ? "; write /\(text)" : ""
    default: return ""
    }
  }

  /// `a number`; integers and doubles compare with each other.
  private static func article(_ value: Value) -> String {
    switch value.kind {
    case .integer, .double: return "a number"
    case .array: return "a list"
    case .null: return "null"
    case .bytes: return "bytes"
    case .string: return "a text"
    case .boolean, .timestamp, .reference, .geoPoint, .vector, .map: return "a \(ValueText.kind(value))"
    }
  }
}

/// The fields that a read names.
private struct FieldsOfRead {
  /// One comparison of a field.
  struct Test {
    let field: FieldPath
    let values: [Value]
    /// Whether the field is to hold the values, or to be one of them.
    let isList: Bool
    let isOneOf: Bool
  }

  /// Of conditions and orders, which documents without them do not pass.
  private(set) var asked: [FieldPath] = []
  /// Of columns and totals.
  private(set) var shown: [FieldPath] = []

  init(_ query: StructuredQuery, _ stages: [Stage]) {
    if let filter = query.filter { asked += Self.fields(of: filter) }
    asked += query.orders.compactMap { try? FieldPath.parse($0.path) }
    shown += (query.projection ?? []).compactMap { try? FieldPath.parse($0) }
    for stage in stages {
      switch stage {
      case .sum(let field), .average(let field), .groupBy(let field): shown.append(field)
      case .table(let fields): shown += fields
      case .count, .orderGroups, .limitGroups, .format, .first, .ids, .each, .program: break
      }
      // What comes behind a group has fields of its own.
      if case .groupBy = stage { break }
    }
    asked = asked.filter { !$0.isDocumentName }
    shown = shown.filter { !ResultPrinter.isID($0) }
  }

  private static func fields(of filter: StructuredQuery.Filter) -> [FieldPath] {
    switch filter {
    case .composite(_, let filters): filters.flatMap(fields)
    case .field(let path, _, _): (try? FieldPath.parse(path)).map { [$0] } ?? []
    case .unary(let path, let test):
      test == .isNull || path == nil ? [] : (try? FieldPath.parse(path ?? "")).map { [$0] } ?? []
    case .unset: []
    }
  }

  static func tests(of filter: StructuredQuery.Filter) -> [Test] {
    switch filter {
    // Of alternatives others may match.
    case .composite(let kind, let filters): return kind == .or ? [] : filters.flatMap(tests)
    case .unary, .unset: return []
    case .field(let path, let comparison, let operand):
      guard let field = try? FieldPath.parse(path), !field.isDocumentName, case .value(let bytes) = operand,
        let comparison, comparison != .notEqual, comparison != .notIn
      else { return [] }
      let value = bytes.withUnsafeBytes { Value(ValueView($0)) }
      let isList = [.in, .arrayContains, .arrayContainsAny].contains(comparison)
      var values = [value]
      if comparison == .in || comparison == .arrayContainsAny, case .array(let elements) = value {
        values = elements
      }
      return [Test(field: field, values: values, isList: isList, isOneOf: comparison == .in)]
    }
  }

  /// Fields and what is in their maps, two levels deep.
  static func names(of fields: Fields, prefix: [String], into names: inout Set<String>) {
    for field in fields.entries {
      let segments = prefix + [field.name]
      if let path = FieldPath(segments: segments) { names.insert(path.text) }
      if case .map(let inner) = field.value, segments.count < 3 {
        self.names(of: inner, prefix: segments, into: &names)
      }
    }
  }
}

extension ShellResult {
  /// Whether there is nothing in it, or a total of nothing.
  fileprivate var isNothing: Bool {
    switch self {
    case .scalar(let value): [.integer(0), .double(0), .null].contains(value)
    case .nothing: true
    case .documents, .shown, .rows, .ids: isEmpty
    }
  }
}

extension String {
  var printable: String { TextEscape.printable(self) }
}

extension ResourcePath {
  var printable: String { TextEscape.printable(text) }
}
