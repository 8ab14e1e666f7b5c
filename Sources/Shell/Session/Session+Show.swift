/// How results are shown, and what is said behind them.

import Client
import DocModel
import DocStore

extension Session {
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

  func fillDocumentView(
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

  /// - Parameter duration: in nanoseconds.
  func note(_ result: ShellResult, _ metrics: ReadStatistics, _ duration: Int64) {
    switch result {
    case .documents(let documents): note(count: documents.count, metrics, duration)
    case .shown(let count): note(count: count, metrics, duration)
    case .ids(let ids): note(count: ids.count, metrics, duration)
    case .rows(_, let rows): note(count: rows.count, metrics, duration, noun: "row")
    case .scalar: note(count: nil, metrics, duration)
    case .nothing: break
    }
  }

  /// `3 documents · 52 scanned · 0.8 ms · index studios (isClaimed ASC, rating DESC)`
  ///
  /// What was scanned is what this store looked at, where that is more than it returned. What the service bills is another
  /// number, which `:cost` tells.
  private func note(count: Int?, _ metrics: ReadStatistics, _ duration: Int64, noun: String = "document") {
    let tenths = duration / 100_000
    var parts: [String] = []
    if let count { parts.append(Self.counted(count, noun)) }
    if metrics.documentsRead > max(1, count ?? 0) {
      parts.append("\(Self.grouped(metrics.documentsRead)) scanned")
    }
    parts.append("\(tenths / 10).\(tenths % 10) ms")
    if let indexes = metrics.indexes, !indexes.isEmpty {
      parts.append("index " + indexes.joined(separator: ", "))
    }
    console.note(parts.joined(separator: " · "))
  }

  /// `1 document`, `5,000 documents`
  static func counted(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
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
