/// Writes: at once, or when the transaction commits.

import Client
import Conditions
import DocModel
import DocStore

extension Session {
  func write(_ statement: WriteStatement) throws(ShellError) {
    if statement.actions.count == 1, case .deleteAll(let path) = statement.actions[0] {
      return try deleteAll(path)
    }
    let writes = try statement.writes(orSay: "'delete … recursive' is no part of a commit")
    if writes.isEmpty { return }
    // What was there is known only before.
    let advice = advice(on: writes) { backend.glance($0) }
    if transaction != nil { try queue(writes) } else { try commit(writes) }
    if let advice { console.message("note: " + advice) }
    if transaction != nil { return }
    for path in statement.added { console.result(path.text) }
  }

  private func deleteAll(_ path: ResourcePath) throws(ShellError) {
    guard transaction == nil else { throw .usage("'delete … recursive' is no part of a transaction") }
    guard caller.isAdministrator else {
      throw .usage("'delete … recursive' passes by the rules; ':admin' first")
    }
    try confirm("delete \(TextEscape.printable(path.text)) and all below it")
    lastCost = nil
    let count = try backend.deleteAll(path)
    console.note(count.map { "deleted \(Self.counted($0, "document"))" } ?? "deleted")
  }

  private func queue(_ writes: [Write]) throws(ShellError) {
    guard var open = transaction else { return }
    if open.isReadOnly { throw .usage("the transaction is read-only; ':rollback' ends it") }
    open.writes += writes
    transaction = open
    console.note(
      "\(writes.count == 1 ? "1 write waits" : "\(writes.count) writes wait") for :commit"
        + " (\(open.writes.count) in the transaction)")
  }

  /// `committed 2 writes · rules 2 allowed · 2 lookups · 09:00:00.412Z`
  func commit(_ writes: [Write], in transaction: TransactionToken? = nil) throws(ShellError) {
    lastCost = nil
    let verdict = verdict(writes)
    let time = try explaining(.writes(writes), recordedAs: .write) { () throws(ShellError) in
      try backend.commit(writes, as: caller, in: transaction)
    }
    noteCost([writes], verdict)
    var parts = ["committed \(Self.counted(writes.count, "write"))"]
    if let verdict {
      parts.append("rules \(verdict.decisions.count) allowed")
      parts.append(Self.counted(verdict.lookups, "lookup"))
    }
    parts.append(DocumentPrinter.time(time))
    console.note(parts.joined(separator: " · "))
  }

  /// Keeps what was committed for `:cost`.
  private func noteCost(_ commits: [[Write]], _ verdict: RulesEvaluator.Verdict? = nil) {
    let writes = commits.joined()
    let deletes = writes.count { if case .delete = $0.operation { true } else { false } }
    lastCost =
      writes.isEmpty
      ? nil
      : CostBasis(
        work: .commit(writes: writes.count - deletes, deletes: deletes),
        requests: commits.map { .writes($0) }, caller: caller, verdict: verdict)
  }

  /// What the rules say beforehand, for the counts; only where somebody reads them.
  private func verdict(_ writes: [Write]) -> RulesEvaluator.Verdict? {
    guard settings.showsTiming, !console.isQuiet, !caller.isAdministrator, writes.count <= 20 else {
      return nil
    }
    guard let rules = try? ruleset() else { return nil }
    return (try? evaluator.judge(.writes(writes), as: caller, by: rules)).flatMap { $0.isAllowed ? $0 : nil }
  }

  /// Ends a transaction that nobody commits; what is lost by it, nil when nothing is.
  func abandonTransaction() -> ShellError? {
    guard let open = transaction else { return nil }
    transaction = nil
    // A server that cannot be asked forgets it by itself.
    try? backend.rollBack(open.token, as: open.caller)
    switch open.writes.count {
    case 0: return nil
    case 1: return ShellError(.failed(code: "ABORTED"), "1 write of the transaction was not committed")
    case let count:
      return ShellError(.failed(code: "ABORTED"), "\(count) writes of the transaction were not committed")
    }
  }

  /// What is left when no more statements come; the status to end with.
  func end(_ status: Int32) -> Int32 {
    guard let lost = abandonTransaction() else { return status }
    report(lost)
    return status == ShellStatus.success ? lost.status : status
  }

  // MARK: each

  /// The write once for each document, with its `$id`.
  func each(_ documents: [ShellDocument], _ text: String) throws(ShellError) {
    var writes: [Write] = []
    for document in documents {
      var context = language
      context.row = document.path
      context.variables["id"] = .string(document.id)
      context.variables["path"] = .string(document.path.text)
      let statement = try StatementParser.read(text, context) { (parser) throws(ConditionError) in
        try parser.writeStatement()
      }
      writes += try statement?.writes(orSay: "'delete … recursive' is no part of 'each'") ?? []
    }
    if writes.isEmpty { return }
    let before = Dictionary(documents.map { ($0.path, $0) }) { first, _ in first }
    let advice = advice(on: writes) { before[$0] }
    defer { if let advice { console.message("note: " + advice) } }
    if transaction != nil { return try queue(writes) }
    if writes.count > 1 { try confirm("\(Self.grouped(writes.count)) writes, continue?") }
    var commits: [[Write]] = []
    var done: Int { commits.reduce(0) { $0 + $1.count } }
    defer { noteCost(commits) }
    do throws(ShellError) {
      for batch in WriteBatch.batches(of: writes, in: backend.database) {
        try Interruption.check()
        _ = try explaining(.writes(batch), recordedAs: .write) { () throws(ShellError) in
          try backend.commit(batch, as: caller, in: nil)
        }
        commits.append(batch)
      }
    } catch {
      if writes.count > 1 {
        console.message("\(Self.grouped(done)) of \(Self.grouped(writes.count)) writes were committed")
      }
      throw error
    }
    console.note("committed \(Self.counted(done, "write"))")
  }
}
