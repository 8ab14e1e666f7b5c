/// `:ruleCoverage` and `:ruleCoverage.html`: what the tests of a while have seen of the rules.
///
/// Source: docs/spec/rules-language.md 8.5, the official emulator.

internal import Access
internal import DocModel
internal import JSON
internal import Rules

extension HTTPService {
  /// Answers with the coverage of a database's rules, as JSON or as a page.
  ///
  /// Asking begins collection, if nothing did before: the answer says so, and tests that run again are seen.
  func reportCoverage(_ exchange: HTTPExchange, of database: DatabaseID, asPage: Bool) throws(GRPCStatus) {
    try firestore.options.projects.admit(database.project)
    guard let collector = firestore.store.coverage else {
      return exchange.respond(json: Self.withoutRules(Self.offNote))
    }
    let page = hooks.rules.coveragePage
    if asPage, page == nil { return exchange.respondNotFound() }
    let note = collector.isCollecting ? nil : Self.beginNote
    collector.begin()
    switch firestore.store.rulesets.protection(of: database) {
    case .broken(let words, _): throw GRPCStatus(.invalidArgument, words)
    case .closed, .open: exchange.respond(json: Self.withoutRules(Self.noRulesNote))
    case .rules(let ruleset):
      let coverage = collector.coverage(of: database, ruleset)
      let page = asPage ? page : nil
      onThread(for: exchange) {
        let report = coverage.report()
        return page?(report, note) ?? OfficialCoverage.json(report, note: note)
      } then: { exchange, body in
        let type = page == nil ? "application/json; charset=utf-8" : "text/html; charset=utf-8"
        exchange.respond(status: 200, headers: [("content-type", type)], body: body)
      }
    }
  }

  private static var beginNote: String {
    "Coverage was not collected until now; it is from here on. Run the tests again, or start the server "
      + "with --rule-coverage."
  }

  private static var offNote: String { "This server collects no coverage." }

  private static var noRulesNote: String { "The database has no rules, so there is nothing to cover." }

  private static func withoutRules(_ note: String) -> [UInt8] {
    JSONWriter.bytes(of: ["rules": [:], "note": .text(note)])
  }
}
