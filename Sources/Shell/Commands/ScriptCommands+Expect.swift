/// `:expect`: the rules allow or deny what a script says.

import Client
import DocModel
import DocStore
import Rules

extension ScriptCommands {
  static func expect(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let usage = "usage: :expect allow STATEMENT, :expect deny[:REASON] STATEMENT"
    let parts = arguments.text.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw .usage(usage) }
    let verdict = parts[0].split(separator: ":", maxSplits: 1).map(String.init)
    guard let word = verdict.first, word == "deny" || (word == "allow" && verdict.count == 1) else {
      throw .usage(usage)
    }
    if session.caller.isAdministrator {
      throw .usage("administrators pass by the rules; ':as PERSONA' first")
    }
    var body = parts[1]
    if body.hasPrefix("{"), body.hasSuffix("}") { body = String(body.dropFirst().dropLast()) }
    var judged = 0
    for statement in StatementAssembler.pieces(body).flatMap({ Session.parts($0.text) }) {
      guard let request = try request(statement, session) else { continue }
      try expect(
        request, statement, isAllowed: word == "allow", reason: verdict.count == 2 ? verdict[1] : nil, session
      )
      judged += 1
    }
    // What checks nothing must not look like a check that passed.
    if judged == 0 { throw .usage("':expect \(parts[0])' has no statement to judge") }
  }

  private static func expect(
    _ request: RulesEvaluator.Request, _ statement: String, isAllowed: Bool, reason: String?,
    _ session: Session
  ) throws(ShellError) {
    if session.recorder != nil {
      session.record(session.observe(request, request.form), expected: isAllowed, reason: reason)
    }
    let verdict = try session.evaluator.judge(request, as: session.caller, by: try session.ruleset())
    session.lastVerdict = verdict
    let text = TextLines.of(statement).joined(separator: " ")
    guard let denied = verdict.denied else {
      if let refusal = verdict.refusal, !isAllowed { throw refusal }
      if isAllowed { return }
      throw ShellError(.assertion, "expected a denial, but the rules allow: \(text)")
    }
    let lines = DenialPrinter.lines(denied, as: session.caller, width: session.console.size.columns)
    if isAllowed {
      throw ShellError(.assertion, "expected to be allowed: \(text)", details: lines)
    }
    guard let reason else { return }
    let found = "\(denied.explanation.decision.reason)"
    let isMeant =
      found == reason || denied.rules.contains { $0.trace.id == reason }
      || denied.rules.contains { $0.trace.deciding.contains { $0.text.range(ofBytes: reason) != nil } }
    if !isMeant {
      throw ShellError(
        .assertion, "expected a denial because of \(reason), but the reason is \(found): \(text)",
        details: lines)
    }
  }

  private static func request(
    _ statement: String, _ session: Session
  ) throws(ShellError) -> RulesEvaluator.Request? {
    switch try StatementParser.parse(statement, session.language) {
    case .empty: return nil
    case .command: throw .usage("':expect' takes reads and writes")
    case .read(let read): return RulesEvaluator.Request(read.target)
    case .writes(let writes):
      return .writes(try writes.writes(orSay: "'delete … recursive' passes by the rules"))
    }
  }
}
