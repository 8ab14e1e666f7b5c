/// Reads and their stages.

import Client
import DocModel
import DocStore
import Platform

/// What flows from stage to stage.
enum Flow {
  case documents([ShellDocument])
  case groups(FieldPath, [DocumentGroup])
  case scalar(Value)
  case done
}

extension Session {
  func read(_ read: ReadStatement) throws(ShellError) {
    let started = SystemClock.monotonic
    seen = ReadSample()
    pausedTime = 0
    let sink = try OutputSink.open(read)
    defer { sink?.cancel() }
    var style = style(of: read)
    var metrics = ReadStatistics()
    let result: ShellResult
    var ended: Int64
    if let content = read.streamedContent {
      result = try stream(read, content, style, sink, &metrics)
      ended = SystemClock.monotonic
    } else {
      result = try self.result(of: read, &style, &metrics)
      try fillDocumentView(read, result, style, sink)
      ended = SystemClock.monotonic
    }
    ended -= pausedTime
    // Programs are waited for here, and may be pagers.
    try sink?.finish()
    if settings.showsTiming { note(result, metrics, ended - started) }
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
    return Self.result(flow, showsIDs: showsIDs, arePaths: read.isOfGroup)
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
      guard var document else {
        if settings.failsOnMissing {
          throw ShellError(.missing, "\(TextEscape.printable(path.text)) does not exist")
        }
        return .documents([])
      }
      if let fields = read.selection { document.fields = document.fields.only(fields) }
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

  /// Shows documents while they come; a result that counts them.
  private func stream(
    _ read: ReadStatement, _ content: ResultStream.Content, _ style: PrintStyle, _ sink: OutputSink?,
    _ metrics: inout ReadStatistics
  ) throws(ShellError) -> ShellResult {
    guard case .query(let query) = read.target else { return .nothing }
    var style = style
    for stage in read.stages {
      switch stage {
      case .format(let mode): style.mode = mode
      case .table(let fields): (style.mode, style.columns) = (.table, fields)
      case .count, .sum, .average, .groupBy, .orderGroups, .limitGroups, .first, .ids, .each, .program: break
      }
    }
    let pager = sink == nil ? ResultPager(self) : nil
    defer { pager?.finish() }
    let stream = ResultStream(style, content) { lines in
      guard let sink else { return pager?.put(lines) ?? false }
      return lines.allSatisfy { sink.write($0) }
    }
    var isWanted = true
    metrics = try run(query, read) { document in
      isWanted = stream.take(document)
      return isWanted
    }
    if isWanted { _ = stream.finish() }
    learn(seen.documents)
    if !stream.hidden.isEmpty {
      console.note(
        "fields not shown: \(stream.hidden.map { TextEscape.printable($0) }.joined(separator: ", ")); ':x on' shows all"
      )
    }
    return .shown(stream.count)
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
    case .orderGroups(let orders): flow = try Self.ordered(flow, by: orders)
    case .limitGroups(let count):
      guard case .groups(let field, let groups) = flow else { throw .usage("'| limit' takes groups") }
      flow = .groups(field, Array(groups.prefix(count)))
    case .first:
      guard case .documents(let documents) = flow else { throw .usage("'first' takes documents") }
      flow = .documents(Array(documents.prefix(1)))
    case .each(let text):
      guard case .documents(let documents) = flow else { throw .usage("'each' takes documents") }
      try each(documents, text)
      flow = .done
    }
  }

  private static func result(_ flow: Flow, showsIDs: Bool, arePaths: Bool) -> ShellResult {
    switch flow {
    case .documents(let documents):
      return showsIDs ? .ids(documents.map { arePaths ? $0.path.text : $0.id }) : .documents(documents)
    case .scalar(let value): return .scalar(value)
    case .done: return .nothing
    case .groups(let field, let groups):
      let columns = columns(groups)
      let rows = groups.map { group in [group.key] + columns.map { cell($0, of: group) } }
      return .rows(columns: [field.text] + columns, rows)
    }
  }
}

extension ReadStatement {
  /// What of each document is shown, where nothing needs all documents before the first is.
  fileprivate var streamedContent: ResultStream.Content? {
    guard case .query = target, !isFromEnd else { return nil }
    var content = ResultStream.Content.documents
    for stage in stages {
      switch stage {
      case .format, .program: break
      case .ids: content = .ids(arePaths: isOfGroup)
      case .table: content = .documents
      case .count, .sum, .average, .groupBy, .orderGroups, .limitGroups, .first, .each: return nil
      }
    }
    return content
  }

  /// Whether documents of several collections may come, of which some have the same id.
  var isOfGroup: Bool {
    if case .query(let query) = target { query.from.first?.includesDescendants == true } else { false }
  }

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
    case .groupBy, .orderGroups, .limitGroups, .table, .format, .first, .ids, .each, .program: nil
    }
  }
}
