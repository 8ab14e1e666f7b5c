/// Requests of the shell as suites write them.

import Conditions
import DocModel
import DocStore

/// Something that suites have no words for.
struct Unrecordable: Error {
  let reason: String
}

/// Lines of YAML that say what a request does, without indentation, and its name for people.
struct RequestText {
  let lines: [String]
  let title: String

  init(_ request: RulesEvaluator.Request, as form: RecordedForm) throws(Unrecordable) {
    switch request {
    case .get(let path):
      let key = form == .listen ? "listen" : "get"
      lines = ["\(key): \(SuiteText.scalar(path.text))"]
      title = "\(key) \(path.text)"
    case .list(let query):
      let key =
        switch form {
        case .count: "count"
        case .listen: "listen"
        case .get, .list, .write: "list"
        }
      let clauses = try QueryText.clauses(query)
      let from = clauses[0]
      title = "\(key) \(from.value)"
      lines =
        clauses.count == 1 && from.key == "from"
        ? ["\(key): \(from.value)"] : ["\(key):"] + clauses.map { "  \($0.key): \($0.value)" }
    case .writes(let writes):
      if writes.count == 1 {
        let write = try WriteText(writes[0])
        lines = write.lines
        title = "\(write.key) \(writes[0].path.text)"
      } else {
        var lines = ["commit:"]
        for write in writes {
          for (index, line) in try WriteText(write).lines.enumerated() {
            lines.append((index == 0 ? "  - " : "    ") + line)
          }
        }
        self.lines = lines
        title = "commit \(writes.count) writes"
      }
    }
  }
}

/// Queries as clauses of a suite.
enum QueryText {
  static func clauses(_ query: StructuredQuery) throws(Unrecordable) -> [(key: String, value: String)] {
    guard query.offset == 0 else { throw Unrecordable(reason: "suites have no 'offset'") }
    guard query.nearest == nil else { throw Unrecordable(reason: "suites have no searches for vectors") }
    guard query.from.count == 1, let from = query.from.first, !from.collectionID.isEmpty else {
      throw Unrecordable(reason: "suites have no queries over collections of every name")
    }
    var clauses: [(key: String, value: String)] = []
    if from.includesDescendants {
      guard query.parent.isRoot else { throw Unrecordable(reason: "suites have groups from the root only") }
      clauses.append(("group", SuiteText.scalar(from.collectionID)))
    } else {
      clauses.append(("from", SuiteText.scalar(query.parent.appending(from.collectionID).text)))
    }
    if let filter = query.filter { clauses.append(("where", try list(conditions(filter)))) }
    if !query.orders.isEmpty {
      clauses.append(
        ("order", list(query.orders.map { $0.path + ($0.direction == .descending ? " desc" : "") })))
    }
    if let limit = query.limit { clauses.append(("limit", String(limit))) }
    if let start = query.start {
      clauses.append(("start", try cursor(start, start.isBefore ? "at" : "after")))
    }
    if let end = query.end { clauses.append(("end", try cursor(end, end.isBefore ? "before" : "at"))) }
    if let projection = query.projection, !projection.isEmpty { clauses.append(("select", list(projection))) }
    return clauses
  }

  private static func list(_ texts: [String]) -> String {
    "[" + texts.map(SuiteText.scalar).joined(separator: ", ") + "]"
  }

  private static func cursor(_ cursor: StructuredQuery.Cursor, _ word: String) throws(Unrecordable) -> String
  {
    var values: [String] = []
    for operand in cursor.values { values.append(SuiteText.value(try value(operand))) }
    return "{\(word): [\(values.joined(separator: ", "))]}"
  }

  private static func value(_ operand: StructuredQuery.Operand) throws(Unrecordable) -> Value {
    guard case .value(let bytes) = operand else { throw Unrecordable(reason: "an operand is missing") }
    return Value(canonical: bytes)
  }

  // MARK: conditions

  /// What must all hold, one by one.
  private static func conditions(_ filter: StructuredQuery.Filter) throws(Unrecordable) -> [String] {
    guard case .composite(.and, let filters) = filter else { return [try condition(filter)] }
    var texts: [String] = []
    for filter in filters { texts.append(try condition(filter)) }
    return texts
  }

  private static func condition(_ filter: StructuredQuery.Filter) throws(Unrecordable) -> String {
    switch filter {
    case .composite(let joint, let filters):
      var texts: [String] = []
      for filter in filters { texts.append(try condition(filter)) }
      return "(" + texts.joined(separator: joint == .or ? " || " : " && ") + ")"
    case .field(let path, let comparison?, let operand):
      return "\(path) \(word(comparison)) \(ValueText.literal(try value(operand)))"
    case .unary(let path?, let test?):
      switch test {
      case .isNull: return "\(path) == null"
      case .isNotNull: return "\(path) != null"
      case .isNaN: return "\(path) == NaN"
      case .isNotNaN: return "\(path) != NaN"
      }
    case .field, .unary, .unset: throw Unrecordable(reason: "the query has a filter without an operator")
    }
  }

  private static func word(_ comparison: StructuredQuery.FieldOperator) -> String {
    switch comparison {
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    case .equal: "=="
    case .notEqual: "!="
    case .arrayContains: "has"
    case .arrayContainsAny: "has any"
    case .in: "in"
    case .notIn: "not in"
    }
  }
}

/// One write: `update: users/bob`, `data:`.
struct WriteText {
  let key: String
  let lines: [String]

  init(_ write: Write) throws(Unrecordable) {
    let path = SuiteText.scalar(write.path.text)
    switch (write.operation, write.precondition) {
    case (.delete, .none):
      key = "delete"
      lines = ["delete: \(path)"]
    case (.update(let fields, nil), .none), (.update(let fields, nil), .exists(false)):
      key = write.precondition == .none ? "set" : "create"
      lines = ["\(key): \(path)"] + Self.data(Self.whole(Fields(encoded: fields), write.transforms))
    case (.update(let fields, let mask?), .none), (.update(let fields, let mask?), .exists(true)):
      key = write.precondition == .none ? "merge" : "update"
      lines = ["\(key): \(path)"] + Self.data(Self.masked(Fields(encoded: fields), mask, write.transforms))
    case (.delete, _), (.update, _), (.verify, _):
      throw Unrecordable(reason: "suites have no write with such a precondition")
    }
  }

  private static func data(_ members: [(key: String, node: SuiteNode)]) -> [String] {
    members.isEmpty ? ["data: {}"] : ["data:"] + members.map { "  \($0.key): \($0.node.text)" }
  }

  /// A document's fields by their names.
  private static func whole(_ fields: Fields, _ transforms: [FieldTransform]) -> [(
    key: String, node: SuiteNode
  )] {
    let node = transforms.reduce(SuiteNode.value(.map(fields))) { node, transform in
      node.setting(form(transform), at: transform.path.segments[...])
    }
    return node.members.map { (SuiteText.key($0.name), $0.node) }
  }

  /// Changes by the paths of their fields.
  private static func masked(
    _ fields: Fields, _ mask: [FieldPath], _ transforms: [FieldTransform]
  ) -> [(key: String, node: SuiteNode)] {
    var changes = mask.map { path in
      (path: path, node: fields.value(at: path).map { SuiteNode.value($0) } ?? .form(SuiteText.absent))
    }
    for transform in transforms {
      let place = changes.firstIndex { transform.path.segments.starts(with: $0.path.segments) }
      if let place {
        let way = transform.path.segments.dropFirst(changes[place].path.segments.count)
        changes[place].node = changes[place].node.setting(form(transform), at: way)
      } else {
        changes.append((transform.path, .form(form(transform))))
      }
    }
    return changes.sorted { $0.path.text.precedesInBytes($1.path.text) }.map {
      (SuiteText.pathKey($0.path), $0.node)
    }
  }

  private static func form(_ transform: FieldTransform) -> String {
    func value(_ bytes: [UInt8]) -> String { SuiteText.value(Value(canonical: bytes)) }
    switch transform.operation {
    case .serverTime: return SuiteText.serverTime
    case .increment(let operand): return "{$inc: \(value(operand))}"
    case .maximum(let operand): return "{$max: \(value(operand))}"
    case .minimum(let operand): return "{$min: \(value(operand))}"
    case .appendMissing(let elements): return "{$union: [\(elements.map(value).joined(separator: ", "))]}"
    case .removeAll(let elements): return "{$remove: [\(elements.map(value).joined(separator: ", "))]}"
    }
  }
}

extension Value {
  /// Decodes the bytes of one `Value` message.
  fileprivate init(canonical bytes: [UInt8]) { self = bytes.withUnsafeBytes { Value(ValueView($0)) } }
}
