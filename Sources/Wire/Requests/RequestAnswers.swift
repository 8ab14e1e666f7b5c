/// The last requests of a database over HTTP, for whoever watches a server.
///
/// `GET …/databases/D:requests?after=N&last=N`: the requests after a number, the newest ones; with `&kind=writes`
/// the documents that were written.
/// `POST …/databases/D:explainRequest?id=8f21&width=110`: one of them explained, under the rules of the body if it
/// has any. `POST …/databases/D:shadowRequests?after=N`: those that the rules of the body would decide otherwise.
/// Bodies are those of `PUT …:securityRules`. A question makes the server keep every request for the next ten minutes.

internal import Access
internal import DocModel
internal import DocStore
internal import JSON
internal import Requests
internal import Rules

extension HTTPService {
  /// Columns of an explanation.
  private static var widthStandard: Int { 110 }

  func listRequests(
    _ exchange: HTTPExchange, of database: DatabaseID, _ target: HTTPTarget
  ) throws(GRPCStatus) {
    try admit(exchange, database)
    guard let feed = firestore.store.feed else { return exchange.respondNotFound() }
    let after = try Self.number(target, "after") ?? 0
    let last = try Self.number(target, "last")
    let name = target.values("kind", "kind").last.map { String(decoding: $0, as: UTF8.self) }
    guard let kind = RequestKind(rawValue: name ?? RequestKind.requests.rawValue) else {
      throw GRPCStatus(.invalidArgument, "?kind= takes requests or writes")
    }
    let store = firestore.store
    answerRequests(exchange) { RequestReport.list(store, feed, database, kind, after: after, last: last) }
  }

  func explainRequest(
    _ exchange: HTTPExchange, of database: DatabaseID, _ target: HTTPTarget
  ) throws(GRPCStatus) {
    try admit(exchange, database)
    guard let feed = firestore.store.feed else { return exchange.respondNotFound() }
    guard let id = target.values("id", "id").last.map({ String(decoding: $0, as: UTF8.self) }) else {
      throw GRPCStatus(.invalidArgument, "?id= names the request")
    }
    let width = min(max(40, try Self.number(target, "width") ?? Self.widthStandard), 1_000)
    let body = exchange.request.body
    let store = firestore.store
    let hooks = hooks.rules
    answerRequests(exchange) { () throws(GRPCStatus) in
      let rules = body.isEmpty ? nil : try Self.ruleset(body, hooks)
      let answer = try FirestoreService<Engine>.stored { () throws(StoreError) in
        try RequestReport.explanation(store, feed, database, id: id, by: rules) {
          hooks.explanation($0, width)
        }
      }
      guard let answer else {
        throw GRPCStatus(
          .notFound,
          "no request `\(id)` is kept that rules judged: refusals are kept, and every request for ten minutes after requests were asked for, "
            + "the last \(RequestFeed.entriesMax)")
      }
      return answer
    }
  }

  func shadowRequests(
    _ exchange: HTTPExchange, of database: DatabaseID, _ target: HTTPTarget
  ) throws(GRPCStatus) {
    try admit(exchange, database)
    guard let feed = firestore.store.feed else { return exchange.respondNotFound() }
    let after = try Self.number(target, "after") ?? 0
    let body = exchange.request.body
    let store = firestore.store
    let hooks = hooks.rules
    answerRequests(exchange) { () throws(GRPCStatus) in
      RequestReport.shadow(store, feed, database, after: after, by: try Self.ruleset(body, hooks))
    }
  }

  /// A broken header errs, as elsewhere in the administration.
  private func admit(_ exchange: HTTPExchange, _ database: DatabaseID) throws(GRPCStatus) {
    _ = try credentials(exchange, in: database)
    try firestore.options.projects.admit(database.project)
  }

  private static func number(_ target: HTTPTarget, _ name: StaticString) throws(GRPCStatus) -> Int? {
    guard let text = target.values(name, name).last else { return nil }
    guard let number = Int(String(decoding: text, as: UTF8.self)), number >= 0 else {
      throw GRPCStatus(.invalidArgument, "?\(name)= takes a number")
    }
    return number
  }

  /// Rules of a request, which need not guard anything.
  private static func ruleset(_ body: [UInt8], _ hooks: RulesHooks) throws(GRPCStatus) -> Ruleset {
    guard let json = try? JSONReader.read(body), let file = RulesFile(json) else {
      throw GRPCStatus(.invalidArgument, "Payload isn't valid for request.")
    }
    let compilation = hooks.compile(file.content, file.name ?? "candidate.rules", false)
    guard let ruleset = compilation.ruleset else {
      throw GRPCStatus(
        .invalidArgument, DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics))
    }
    return ruleset
  }

  private func answerRequests(
    _ exchange: HTTPExchange, _ work: @escaping @Sendable () throws(GRPCStatus) -> [UInt8]
  ) {
    onThread(for: exchange, work) { exchange, body in exchange.respond(json: body) }
  }
}
