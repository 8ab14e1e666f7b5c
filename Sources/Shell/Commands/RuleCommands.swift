/// What the rules say, and why.

import Client
import Conditions
import DocModel
import DocStore
import Platform
import Rules
internal import RulesTools

enum RuleCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["why"], .rules, "why [ID [--rules FILE]]",
      "every expression of the last decision with its value; or of a request that ':tail' shows, under other rules",
      ":why 8f21 --rules candidate.rules", why),
    ShellCommand(
      ["can"], .rules, "can get|list|create|update|delete PATH [DATA]",
      "evaluate the rules for a request without sending it", ":can update users/bob {bio: \"x\"}", can),
    ShellCommand(
      ["eval"], .rules, "eval EXPRESSION [on PATH]",
      "any expression of the rules language, with the functions of the rules",
      ":eval hashing.md5('a').toHexString()", evaluate),
    ShellCommand(
      ["reach"], .rules, "reach PERSONA", "what a persona can read and delete, collection by collection",
      ":reach dave", reach),
    ShellCommand(
      ["matrix"], .rules, "matrix", "the same for every persona", ":matrix", matrix),
    ShellCommand(
      ["rules"], .rules, "rules show | load FILE | check FILE | diff FILE | shadow FILE [live] | shadow off",
      "show, replace, check or compare the rules; or judge requests under others beside them",
      ":rules load rules/inspired.rules", rules),
  ]

  private static func why(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if !arguments.text.isEmpty { return try RequestCommands.why(session, arguments) }
    guard let verdict = session.lastVerdict else {
      throw .failed("no decision yet: ask for something as a persona, or with ':can'")
    }
    show(verdict, session)
  }

  static func show(_ verdict: RulesEvaluator.Verdict, _ session: Session) {
    for decision in verdict.decisions {
      let text = ExplainText.text(
        decision, width: session.console.size.columns, isColored: false)
      session.show(TextLines.of(text).map { TextEscape.printable($0) })
    }
  }

  // MARK: can

  private static func can(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if session.caller.isAdministrator {
      throw .usage("administrators pass by the rules; ':as PERSONA' first")
    }
    let request = try request(session, arguments)
    let verdict = try session.evaluator.judge(request, as: session.caller, by: try session.ruleset())
    session.lastVerdict = verdict
    if let denied = verdict.denied {
      session.console.result(no(denied))
    } else if let refusal = verdict.refusal {
      session.console.result("no    \(refusal.message)")
    } else {
      session.console.result(yes(verdict))
    }
  }

  private static func yes(_ verdict: RulesEvaluator.Verdict) -> String {
    let by = verdict.decisions.compactMap { decision in
      decision.explanation.granting.map {
        "@\($0.id)  \(DenialPrinter.fileName(decision.source.name)):\($0.position.line)"
      }
    }
    return "yes   by " + by.joined(separator: ", ")
  }

  /// `no    isCaller(userId)  "carol" == "bob"`
  private static func no(_ denied: DetailedExplanation) -> String {
    if denied.explanation.decision.reason == .unprovable {
      let filters = denied.explanation.missingFilters.compactMap(\.text)
      return "no    not provable"
        + (filters.isEmpty ? "" : "; add: where " + filters.joined(separator: " or "))
    }
    guard let rule = denied.rules.first else { return "no    no rule is about this path and method" }
    let leaves = rule.condition.map { DenialPrinter.leaves($0) } ?? []
    let failed = leaves.first { leaf in
      if case .value(let value) = leaf.outcome { value.truth != true } else { false }
    }
    guard let failed else { return "no    @\(rule.trace.id)" }
    let detail =
      if case .value(.error(let fault)) = failed.outcome { fault.message } else {
        DenialPrinter.detail(failed)
      }
    return "no    \(TextEscape.printable(failed.text))  \(TextEscape.printable(detail))"
  }

  private static func request(
    _ session: Session, _ arguments: CommandArguments
  ) throws(ShellError) -> RulesEvaluator.Request {
    let usage = "usage: :can get|list|create|update|delete PATH [DATA]"
    var parser = StatementParser(arguments.text, session.language)
    for method in ["get", "list", "create", "update", "delete"] where parser.eatKeyword(method) {
      return try parser.located { (parser) throws(ConditionError) in
        switch method {
        case "get":
          let path = try parser.documentPath()
          try parser.expectEnd()
          return .get(path)
        case "list":
          let read = try parser.read()
          guard case .query(let query) = read.target else {
            throw parser.values.error("a list is about a collection or a group")
          }
          return .list(query)
        default: return .writes([try write(method, &parser)])
        }
      }
    }
    throw .usage(usage)
  }

  private static func write(
    _ method: String, _ parser: inout StatementParser
  ) throws(ConditionError) -> Write {
    if method == "delete" {
      let path = try parser.documentPath()
      try parser.expectEnd()
      return Write(path, .delete)
    }
    return try parser.writtenData(creates: method == "create")
  }

  // MARK: eval

  private static func evaluate(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let (expression, path) = try parts(of: arguments.text, session)
    let loaded = try session.backend.rules()
    let (text, line) = RuleExpression.source(expression, in: loaded?.source)
    let compilation = RulesCompiler.compile(source: text, name: "expression", limitsSource: false)
    guard let ruleset = compilation.ruleset else {
      let own = compilation.diagnostics.first { $0.severity == .error }
      throw ShellError(
        .syntax, own?.message ?? "the expression does not compile",
        details: own?.span.map { span in
          let column = compilation.source.position(of: span.start).column - 1
          return [
            "  " + TextEscape.printable(expression),
            "  " + String(repeating: " ", count: max(0, column)) + "^",
          ]
        } ?? [])
    }
    let caller = session.caller.isAdministrator ? Caller.anonymous : session.caller
    let verdict = try session.evaluator.judge(.get(path), as: caller, by: ruleset)
    session.lastVerdict = verdict
    guard let decision = verdict.decisions.first else { throw .failed("the expression was not evaluated") }
    guard let value = RuleExpression.value(decision, line: line) else {
      return session.show([TextEscape.printable(expression)])
    }
    if case .error(let fault) = value {
      throw ShellError(.failed(code: "INVALID_ARGUMENT"), "the expression has no value: \(fault.message)")
    }
    session.show([DenialPrinter.text(value)])
  }

  /// The expression and the document that `resource` is.
  private static func parts(
    of text: String, _ session: Session
  ) throws(ShellError) -> (String, ResourcePath) {
    guard !text.isEmpty else { throw .usage("usage: :eval EXPRESSION [on PATH]") }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count > 2, words[words.count - 2] == "on", let last = words.last else {
      return (text, ResourcePath(unchecked: "shell/expression"))
    }
    var parser = StatementParser(last, session.language)
    let path = try parser.located { (parser) throws(ConditionError) in try parser.documentPath() }
    return (words.dropLast(2).joined(separator: " "), path)
  }

  // MARK: rules

  private static func rules(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let words = arguments.words
    switch (words.first, words.count) {
    case (nil, _), ("show", 1):
      guard let rules = try session.backend.rules() else { throw .failed("no rules are loaded") }
      let text = String(decoding: rules.source, as: UTF8.self)
      session.show(TextLines.of(text).map { TextEscape.printable($0) })
    case ("load", 2):
      let source = try ScriptFile.contents(words[1])
      try session.backend.replaceRules(words[1], source)
      session.console.note("rules of \(words[1])")
    case ("check", 2):
      let compilation = RulesCompiler.compile(
        source: try ScriptFile.contents(words[1]), name: words[1], remarks: true)
      let report = DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics)
      if compilation.ruleset == nil { throw ShellError(.failed(code: "INVALID_ARGUMENT"), report) }
      session.show(report.split(separator: "\n").map(String.init))
      session.console.note("\(words[1]) compiles")
    case ("diff", 2): try compare(words[1], session)
    case ("shadow", _): try RequestCommands.shadow(session, Array(words.dropFirst()))
    default:
      throw .usage(
        "usage: :rules show | load FILE | check FILE | diff FILE | shadow FILE [live] | shadow off")
    }
  }

  // MARK: reach

  /// LIMIT: documents of one collection that are tried.
  static let triedMax = 500

  private static func reach(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let name = try arguments.word(":reach PERSONA") else { throw .usage("usage: :reach PERSONA") }
    let caller = try IdentityCommands.caller(name, session)
    let rules = try session.ruleset()
    var rows: [[Value]] = []
    for id in try session.backend.collectionIDs(under: session.place) {
      try Interruption.check()
      rows.append(try reach(session.place.appending(id), caller, rules, session))
    }
    session.show(["collection", "documents", "get", "list", "delete"], rows)
    session.console.note("the first \(triedMax) documents of each collection were tried; nothing was written")
  }

  static func reach(
    _ collection: ResourcePath, _ caller: Caller, _ rules: Ruleset, _ session: Session
  ) throws(ShellError) -> [Value] {
    var query = StructuredQuery(database: session.backend.database, collection: collection)
    let isListed = try session.evaluator.judge(.list(query), as: caller, by: rules).isAllowed
    query.limit = triedMax
    query.projection = []
    var paths: [ResourcePath] = []
    _ = try session.backend.run(query, as: .administrator, in: nil) { document in
      paths.append(document.path)
      return true
    }
    var gets = 0
    var deletes = 0
    for path in paths {
      try Interruption.check()
      if try session.evaluator.judge(.get(path), as: caller, by: rules).isAllowed { gets += 1 }
      let delete = RulesEvaluator.Request.writes([Write(path, .delete)])
      if try session.evaluator.judge(delete, as: caller, by: rules).isAllowed { deletes += 1 }
    }
    func share(_ count: Int) -> Value { .string(count > 0 && count == paths.count ? "all" : "\(count)") }
    return [
      .string(collection.lastSegment), .integer(Int64(paths.count)), share(gets),
      .string(isListed ? "yes" : "-"), share(deletes),
    ]
  }
}
