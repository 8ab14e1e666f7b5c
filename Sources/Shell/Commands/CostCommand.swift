/// `:cost`: what a read or a commit costs in the units that the service bills: document reads, writes, deletes.
///
/// Counted by the published rules on what the store answered, so any server will do. Network and storage are not counted.
/// Source: https://firebase.google.com/docs/firestore/pricing (index reads, minimum charge, offsets, rules).

import Conditions
import DocModel
import DocStore
import Rules

/// What was done last, as far as its cost depends on it.
struct CostBasis {
  enum Work {
    /// A document, there or not.
    case document
    /// Documents that a query returned.
    case query(StructuredQuery, returned: Int)
    /// Index entries that were counted or added up; nil when the result does not tell how many.
    case aggregation(StructuredQuery, matched: Int?)
    case commit(writes: Int, deletes: Int)
  }

  let work: Work
  /// What the rules decided on, each by itself.
  let requests: [RulesEvaluator.Request]
  let caller: Caller
  /// The decisions on the only request, where somebody asked for them at the time.
  var verdict: RulesEvaluator.Verdict?
}

/// LIMIT of one billed read: index entries.
private let entriesPerRead = 1_000

enum CostCommand {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["cost"], .queries, "cost [READ]",
      "what the last read or commit, or READ, costs as the service bills it",
      ":cost studios where rating >= 4.5 limit 20", cost)
  ]

  private struct Line {
    let unit: String
    let count: Int
    let reason: String
  }

  private static func cost(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if !arguments.text.isEmpty {
      let read = try StatementParser.read(arguments.text, session.language)
      guard read.redirection == nil, !read.stages.contains(where: { $0.isWrite }) else {
        throw .usage("':cost' takes a read that changes nothing")
      }
      try session.ask(for: read)
    }
    guard let basis = session.lastCost else {
      throw .failed("nothing was read or written yet, or nothing whose cost is known: ':cost READ' asks anew")
    }
    let lines = try lines(basis, session)
    let rows = lines.map { [Value.string($0.unit), .integer(Int64($0.count)), .string($0.reason)] }
    session.show(["billed", "count", "for"], rows)
    let totals = ["reads", "writes", "deletes"].compactMap { unit -> String? in
      let total = lines.filter { $0.unit == unit }.reduce(0) { $0 + $1.count }
      return total == 0 ? nil : "\(Session.grouped(total)) \(total == 1 ? String(unit.dropLast()) : unit)"
    }
    session.console.note(
      "\(totals.joined(separator: " · ")), by the published rules; without storage and network")
  }

  private static func lines(_ basis: CostBasis, _ session: Session) throws(ShellError) -> [Line] {
    var lines: [Line] = []
    switch basis.work {
    case .document: lines.append(Line(unit: "reads", count: 1, reason: "a document, there or not"))
    case .query(let query, let returned):
      if returned > 0 {
        lines.append(Line(unit: "reads", count: returned, reason: "documents of the result"))
      }
      let skipped = try skipped(query, returned, session)
      if skipped > 0 {
        lines.append(Line(unit: "reads", count: skipped, reason: "documents that 'offset' passed over"))
      }
      if lines.isEmpty { lines.append(Line(unit: "reads", count: 1, reason: "a query without results")) }
      if query.nearest != nil {
        lines.append(
          Line(
            unit: "reads", count: 0, reason: "and entries of the vector index, which only the service knows"))
      }
    case .aggregation(let query, let matched):
      let entries = if let matched { matched } else { try count(query, session) }
      lines.append(
        Line(
          unit: "reads", count: max(1, (entries + entriesPerRead - 1) / entriesPerRead),
          reason: "\(Session.grouped(entries)) index entries, \(Session.grouped(entriesPerRead)) a read"))
    case .commit(let writes, let deletes):
      if writes > 0 {
        lines.append(Line(unit: "writes", count: writes, reason: "documents written, changed or not"))
      }
      if deletes > 0 { lines.append(Line(unit: "deletes", count: deletes, reason: "documents deleted")) }
    }
    return try lines + lookups(basis, session)
  }

  private static func skipped(
    _ query: StructuredQuery, _ returned: Int, _ session: Session
  ) throws(ShellError) -> Int {
    if query.offset == 0 || returned > 0 { return query.offset }
    var passed = query
    passed.offset = 0
    passed.limit = query.offset
    return try count(passed, session)
  }

  /// How many documents a query matches; asked past the rules, whose verdict is known.
  private static func count(_ query: StructuredQuery, _ session: Session) throws(ShellError) -> Int {
    var query = query
    query.projection = nil
    let values = try session.backend.aggregate(
      query, [Aggregation(.count(upTo: nil))], as: .administrator, in: nil)
    guard case .integer(let count)? = values.first else { return 0 }
    return Int(count)
  }

  /// Documents that rules asked for: a read each, however often and whether they are there.
  private static func lookups(_ basis: CostBasis, _ session: Session) throws(ShellError) -> [Line] {
    guard !basis.caller.isAdministrator, let rules = try session.backend.rules() else { return [] }
    let ruleset = try session.evaluator.ruleset(rules.name, rules.source)
    var counts: [String: Int] = [:]
    for request in basis.requests {
      let verdict =
        if let known = basis.verdict { known } else {
          try session.evaluator.judge(request, as: basis.caller, by: ruleset)
        }
      for path in Set(verdict.decisions.flatMap(\.documents).map(\.path)) { counts[path, default: 0] += 1 }
    }
    return counts.sorted { $0.key.precedesInBytes($1.key) }.map { path, count in
      Line(unit: "reads", count: count, reason: "\(TextEscape.printable(path)), asked for by the rules")
    }
  }
}

extension Stage {
  fileprivate var isWrite: Bool {
    if case .each = self { true } else { false }
  }
}
