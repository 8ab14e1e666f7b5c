/// Reads and their stages.

import Client
import DocModel
import DocStore
import Platform

/// What flows from stage to stage.
private enum Flow {
  case documents([ShellDocument])
  case groups(FieldPath, [(key: Value, members: [ShellDocument])])
  case scalar(Value)
  case done
}

extension Session {
  func read(_ read: ReadStatement) throws(ShellError) {
    let started = SystemClock.monotonic
    seen = ReadSample()
    let sink = try OutputSink.open(read)
    defer { sink?.cancel() }
    if try stream(read, sink, started) { return }
    var style = style(of: read)
    var metrics = ReadStatistics()
    let result = try result(of: read, &style, &metrics)
    try fillDocumentView(read, result, style, sink)
    try sink?.finish()
    if settings.showsTiming { note(result, metrics, started) }
    advise(read, result)
    if settings.failsOnEmpty, result.isEmpty { throw ShellError(.missing, "the result is empty") }
  }

  /// The result of a read, for `:let` and `:assert`.
  func evaluate(_ read: ReadStatement) throws(ShellError) -> ShellResult {
    var metrics = ReadStatistics()
    var style = settings.style
    return try result(of: read, &style, &metrics)
  }

  private func result(
    of read: ReadStatement, _ style: inout PrintStyle, _ metrics: inout ReadStatistics
  ) throws(ShellError) -> ShellResult {
    var showsIDs = false
    var flow = try source(read, &metrics)
    var stages = read.stages
    if case .scalar = flow { stages.removeFirst() }
    for stage in stages { try apply(stage, &flow, &style, &showsIDs) }
    return Self.result(flow, showsIDs: showsIDs)
  }

  /// Asks the server and shows nothing.
  func ask(for read: ReadStatement) throws(ShellError) {
    var metrics = ReadStatistics()
    _ = try source(read, &metrics)
  }

  /// Runs a query for a command, which is no read of the user's own.
  func visit(_ query: StructuredQuery, _ visit: (ShellDocument) -> Bool) throws(ShellError) {
    _ = try explaining(.list(query)) { () throws(ShellError) in
      try backend.run(query, as: caller, in: transaction?.token, visit)
    }
  }

  // MARK: what the server does

  private func source(_ read: ReadStatement, _ metrics: inout ReadStatistics) throws(ShellError) -> Flow {
    switch read.target {
    case .document(let path):
      lastCost = nil
      let document = try explaining(.get(path), recordedAs: .get) { () throws(ShellError) in
        try backend.document(path, as: caller, in: transaction?.token)
      }
      metrics.documentsRead = 1
      lastCost = CostBasis(work: .document, requests: [.get(path)], caller: caller)
      guard let document else {
        if settings.failsOnMissing {
          throw ShellError(.missing, "\(TextEscape.printable(path.text)) does not exist")
        }
        return .documents([])
      }
      return .documents([document])
    case .query(let query):
      if let scalar = try aggregate(query, read, &metrics) { return .scalar(scalar) }
      var documents: [ShellDocument] = []
      metrics = try run(query, read) { document in
        documents.append(document)
        return true
      }
      if read.isFromEnd { documents.reverse() }
      learn(documents)
      return .documents(documents)
    }
  }

  /// Counting and adding up right behind the query is the server's work.
  private func aggregate(
    _ query: StructuredQuery, _ read: ReadStatement, _ metrics: inout ReadStatistics
  ) throws(ShellError) -> Value? {
    guard !read.isFromEnd, let aggregation = read.stages.first?.aggregation else { return nil }
    lastCost = nil
    let values = try explaining(.list(query), recordedAs: .count) { () throws(ShellError) in
      try backend.aggregate(query, [aggregation], as: caller, in: transaction?.token)
    }
    metrics.documentsRead = 1
    var matched: Int?
    if case .count? = read.stages.first, case .integer(let count)? = values.first { matched = Int(count) }
    lastCost = CostBasis(
      work: .aggregation(query, matched: matched), requests: [.list(query)], caller: caller)
    return values.first ?? .null
  }

  private func run(
    _ query: StructuredQuery, _ read: ReadStatement, _ visit: (ShellDocument) -> Bool
  ) throws(ShellError) -> ReadStatistics {
    var query = query
    // The first of the last ones is not the last one.
    if case .first? = read.stages.first, query.nearest == nil, !read.isFromEnd {
      query.limit = min(query.limit ?? 1, 1)
    }
    var returned = 0
    lastCost = nil
    let metrics = try explaining(.list(query), recordedAs: .list) { () throws(ShellError) in
      try backend.run(query, as: caller, in: transaction?.token) { document in
        returned += 1
        seen.add(document)
        noteReturned(document)
        let goesOn = visit(document)
        if !goesOn { isReturnedInPart = true }
        return goesOn
      }
    }
    lastCost = CostBasis(work: .query(query, returned: returned), requests: [.list(query)], caller: caller)
    return metrics
  }

  /// Lines as they come, when nothing needs them all; whether that was so.
  private func stream(
    _ read: ReadStatement, _ sink: OutputSink?, _ started: Int64
  ) throws(ShellError) -> Bool {
    guard case .query(let query) = read.target, !read.isFromEnd else { return false }
    var style = style(of: read)
    for stage in read.stages {
      switch stage {
      case .format(let mode): style.mode = mode
      case .program: break
      case .count, .sum, .average, .groupBy, .table, .first, .ids, .each: return false
      }
    }
    guard style.mode == .jsonl else { return false }
    var count = 0
    let metrics = try run(query, read) { document in
      count += 1
      let line = ResultPrinter.line(document, style)
      return sink.map { $0.write(line) } ?? console.result(line)
    }
    try sink?.finish()
    if settings.showsTiming { note(count: count, metrics, started) }
    if count == 0 { advise(read, .documents([])) }
    if settings.failsOnEmpty, count == 0 { throw ShellError(.missing, "the result is empty") }
    return true
  }

  // MARK: what the shell does

  private func apply(
    _ stage: Stage, _ flow: inout Flow, _ style: inout PrintStyle, _ showsIDs: inout Bool
  ) throws(ShellError) {
    switch stage {
    case .format(let mode): style.mode = mode
    case .program: break
    case .ids: showsIDs = true
    case .table(let fields):
      style.mode = .table
      style.columns = fields
      showsIDs = false
    case .count, .sum, .average: flow = try Self.added(up: stage, flow)
    case .groupBy(let field):
      guard case .documents(let documents) = flow else { throw .usage("'group by' takes documents") }
      flow = .groups(field, Self.groups(documents, by: field))
    case .first:
      guard case .documents(let documents) = flow else { throw .usage("'first' takes documents") }
      flow = .documents(Array(documents.prefix(1)))
    case .each(let text):
      guard case .documents(let documents) = flow else { throw .usage("'each' takes documents") }
      try each(documents, text)
      flow = .done
    }
  }

  private static func groups(
    _ documents: [ShellDocument], by field: FieldPath
  ) -> [(key: Value, members: [ShellDocument])] {
    var places: [[UInt8]: Int] = [:]
    var groups: [(key: Value, members: [ShellDocument])] = []
    for document in documents {
      let key = document.fields.value(at: field) ?? .null
      if let place = places[key.encoded] {
        groups[place].members.append(document)
      } else {
        places[key.encoded] = groups.count
        groups.append((key, [document]))
      }
    }
    return groups
  }

  private static func added(up stage: Stage, _ flow: Flow) throws(ShellError) -> Flow {
    switch flow {
    case .documents(let documents): return .scalar(Totals.value(stage, documents))
    case .groups(let field, let groups):
      // One document a group, so that what comes next sees rows.
      let name = stage.text.split(separator: " ").first.map(String.init) ?? "count"
      return .groups(
        field,
        groups.map { group in
          let row = ShellDocument(
            path: .root, fields: [name: Totals.value(stage, group.members)], createTime: 0, updateTime: 0)
          return (group.key, [row])
        })
    case .scalar, .done: throw .usage("'\(stage.text)' takes documents")
    }
  }

  private static func result(_ flow: Flow, showsIDs: Bool) -> ShellResult {
    switch flow {
    case .documents(let documents): return showsIDs ? .ids(documents.map(\.id)) : .documents(documents)
    case .scalar(let value): return .scalar(value)
    case .done: return .nothing
    case .groups(let field, let groups):
      let names = groups.first?.members.first.flatMap { $0.path.isRoot ? $0.fields.entries.map(\.name) : nil }
      let rows = groups.map { group in
        [group.key]
          + (names.map { names in names.map { group.members[0].fields[$0] ?? .null } }
            ?? [.integer(Int64(group.members.count))])
      }
      return .rows(columns: [field.text] + (names ?? ["documents"]), rows)
    }
  }

  // MARK: showing

  func style(of read: ReadStatement) -> PrintStyle {
    var style = settings.style
    let isInTerminal = console.isTerminal && read.redirection == nil && read.program == nil
    if isInTerminal { style.width = console.size.columns }
    if case .document = read.target, style.mode == .table { style.mode = .doc }
    if case .query(let query) = read.target, style.columns == nil, let projection = query.projection {
      style.columns = projection.compactMap { try? FieldPath.parse($0) }
    }
    return style
  }

  private func fillDocumentView(
    _ read: ReadStatement, _ result: ShellResult, _ style: PrintStyle, _ sink: OutputSink?
  ) throws(ShellError) {
    var lines = ResultPrinter.lines(result, style)
    if case .document(let path) = read.target, case .documents(let documents) = result {
      if documents.isEmpty { console.message("\(TextEscape.printable(path.text)) does not exist") }
      if style.mode == .doc, sink == nil, let below = try collectionsBelow(path) { lines.append(below) }
    }
    if let sink {
      for line in lines where !sink.write(line) { return }
    } else {
      show(lines)
    }
  }

  /// `▸ public (1)  claims (0)`, for administrators.
  private func collectionsBelow(_ path: ResourcePath) throws(ShellError) -> String? {
    guard caller.isAdministrator else { return nil }
    let ids = try backend.collectionIDs(under: path)
    if ids.isEmpty { return nil }
    var parts: [String] = []
    for id in ids.prefix(20) {
      let query = StructuredQuery(database: backend.database, collection: path.appending(id))
      let count = try backend.aggregate(
        query, [Aggregation(.count(upTo: nil))], as: .administrator, in: nil)
      parts.append("\(TextEscape.printable(id)) (\(count.first.map { ValueText.literal($0) } ?? "?"))")
    }
    return "  ▸ " + parts.joined(separator: "  ") + (ids.count > 20 ? "  …" : "")
  }

  private func note(_ result: ShellResult, _ metrics: ReadStatistics, _ started: Int64) {
    switch result {
    case .documents(let documents): note(count: documents.count, metrics, started)
    case .ids(let ids): note(count: ids.count, metrics, started)
    case .rows(_, let rows): note(count: rows.count, metrics, started, noun: "row")
    case .scalar: note(count: nil, metrics, started)
    case .nothing: break
    }
  }

  /// `3 documents · 3 reads · 0.8 ms · index studios (isClaimed ASC, rating DESC)`
  private func note(count: Int?, _ metrics: ReadStatistics, _ started: Int64, noun: String = "document") {
    let tenths = (SystemClock.monotonic - started) / 100_000
    var parts: [String] = []
    if let count { parts.append("\(Self.grouped(count)) \(noun)\(count == 1 ? "" : "s")") }
    parts.append("\(Self.grouped(metrics.documentsRead)) read\(metrics.documentsRead == 1 ? "" : "s")")
    parts.append("\(tenths / 10).\(tenths % 10) ms")
    if let indexes = metrics.indexes, !indexes.isEmpty {
      parts.append("index " + indexes.joined(separator: ", "))
    }
    console.note(parts.joined(separator: " · "))
  }

  /// `5,000`
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(abs(number)))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// Remembers fields for completion.
  func learn(_ documents: [ShellDocument]) {
    for document in documents.prefix(50) {
      let collection = document.path.parent.lastSegment
      var known = fieldSketches[collection] ?? []
      for entry in document.fields.entries where !known.contains(entry.name) && known.count < 200 {
        known.append(entry.name)
      }
      fieldSketches[collection] = known
    }
  }
}

extension ReadStatement {
  /// The program that reads the output.
  var program: String? {
    for case .program(let command) in stages { return command }
    return nil
  }
}

extension Stage {
  /// The stage as the server can do it.
  var aggregation: Aggregation? {
    switch self {
    case .count: Aggregation(.count(upTo: nil))
    case .sum(let field): Aggregation(.sum(field: field.text))
    case .average(let field): Aggregation(.average(field: field.text))
    case .groupBy, .table, .format, .first, .ids, .each, .program: nil
    }
  }
}

/// Counting and adding up in the shell, as the server does it: what is no number is passed over.
enum Totals {
  static func value(_ stage: Stage, _ documents: [ShellDocument]) -> Value {
    switch stage {
    case .count: .integer(Int64(documents.count))
    case .sum(let field): sum(numbers(field, documents))
    case .average(let field): average(numbers(field, documents))
    case .groupBy, .table, .format, .first, .ids, .each, .program: .null
    }
  }

  private static func numbers(_ field: FieldPath, _ documents: [ShellDocument]) -> [Value] {
    documents.compactMap { document in
      switch document.fields.value(at: field) {
      case .integer(let number): .integer(number)
      case .double(let number): .double(number)
      default: nil
      }
    }
  }

  private static func sum(_ numbers: [Value]) -> Value {
    var whole: Int64 = 0
    for number in numbers {
      guard case .integer(let integer) = number else { return .double(total(numbers)) }
      let (sum, overflow) = whole.addingReportingOverflow(integer)
      if overflow { return .double(total(numbers)) }
      whole = sum
    }
    return .integer(whole)
  }

  private static func total(_ numbers: [Value]) -> Double {
    numbers.reduce(0) { sum, number in
      switch number {
      case .integer(let integer): sum + Double(integer)
      case .double(let double): sum + double
      default: sum
      }
    }
  }

  private static func average(_ numbers: [Value]) -> Value {
    numbers.isEmpty ? .null : .double(total(numbers) / Double(numbers.count))
  }
}
