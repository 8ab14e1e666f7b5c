/// What only an emulator answers: clearing data, replacing rules.
///
/// Source: spec/protocol.md 7.1, 7.2.

internal import Access
internal import DocModel
internal import DocStore
internal import NIOPosix
internal import Rules

extension HTTPService {
  /// `/emulator/v1/…`, its path from `projects` on.
  func administrate(_ exchange: HTTPExchange, _ method: String, _ path: [[UInt8]]) throws(GRPCStatus) {
    guard path.count >= 2, path[0].holds("projects") else { return exchange.respondNotFound() }
    if method == "PUT", let database = Self.database(path, verb: ":securityRules") {
      return try replaceRules(exchange, of: database)
    }
    if method == "GET", let database = Self.database(path, verb: ":ruleCoverage") {
      return reportCoverage(exchange, of: database, asPage: false)
    }
    if method == "GET", let database = Self.database(path, verb: ":ruleCoverage.html") {
      return reportCoverage(exchange, of: database, asPage: true)
    }
    if method == "DELETE", path.count >= 5, path[2].holds("databases"), path[4].holds("documents") {
      return try clear(exchange, path)
    }
    exchange.respondNotFound()
  }

  /// The database before a verb: `projects/P:verb` for the first one, `projects/P/databases/D:verb` for any.
  /// Source: the official emulator.
  private static func database(_ path: [[UInt8]], verb: StaticString) -> DatabaseID? {
    guard let last = path.last, let name = name(last, verb: verb) else { return nil }
    switch path.count {
    case 2: return DatabaseID(project: name)
    case 4 where path[2].holds("databases"):
      return DatabaseID(project: String(decoding: path[1], as: UTF8.self), database: name)
    default: return nil
    }
  }

  /// The name before a verb.
  private static func name(_ segment: [UInt8], verb: StaticString) -> String? {
    let count = segment.count - verb.utf8CodeUnitCount
    guard count > 0, Array(segment[count...]).holds(verb) else { return nil }
    return String(decoding: segment[..<count], as: UTF8.self)
  }

  // MARK: data

  /// A database, or what lies below a document or a collection. Anybody may, but a broken header errs.
  private func clear(_ exchange: HTTPExchange, _ path: [[UInt8]]) throws(GRPCStatus) {
    var path = path
    if path.count > 5, path.last?.isEmpty == true { path.removeLast() }
    let names = path.map { String(decoding: $0, as: UTF8.self) }
    let (database, target) = try FirestoreService<Engine>.checked { () throws(Complaint) in
      (
        try ResourceNameParser.database(names[..<4].joined(separator: "/")),
        try ResourceNameParser.relativePath(names[5...].joined(separator: "/"))
      )
    }
    _ = try credentials(exchange, in: database)
    let store = firestore.store.store
    answer(exchange, with: Array("{}\n".utf8)) { () async throws(StoreError) in
      if target.isRoot {
        _ = try await store.clear(database)
      } else {
        _ = try await store.deleteSubtree(database, target)
      }
    }
  }

  /// `POST /reset`: no data, no transactions.
  func reset(_ exchange: HTTPExchange) {
    let store = firestore.store.store
    answer(exchange, with: Array("Resetting...\n".utf8), contentType: "text/plain; charset=utf-8") {
      () async throws(StoreError) in
      for database in try store.databases() { _ = try await store.clear(database) }
      store.forgetTransactions()
    }
  }

  /// Answers when `work` is done. The task ends by itself with the exchange it belongs to; the store's
  /// clearing has no other form than an asynchronous one.
  private func answer(
    _ exchange: HTTPExchange, with body: [UInt8], contentType: String = "application/json; charset=utf-8",
    _ work: @escaping @Sendable () async throws(StoreError) -> Void
  ) {
    let reference = exchange.reference
    Task {
      do throws(StoreError) {
        try await work()
        reference { $0.respond(status: 200, headers: [("content-type", contentType)], body: body) }
      } catch {
        let status = GRPCStatus(error)
        reference { $0.respond(status) }
      }
    }
  }

  // MARK: rules

  /// Source: spec/protocol.md 7.2.
  private func replaceRules(_ exchange: HTTPExchange, of database: DatabaseID) throws(GRPCStatus) {
    guard let json = try? JSONReader.read(exchange.request.body), let file = RulesFile(json) else {
      throw GRPCStatus(.invalidArgument, "Payload isn't valid for request.")
    }
    let reference = exchange.reference
    let rulesets = firestore.store.rulesets
    let limitsSource = firestore.options.profile.limitsRulesSource
    firestore.threads.submit { state in
      guard state == .active else { return }
      let compilation = Ruleset.compile(
        source: file.content, name: file.name ?? "firestore.rules", limitsSource: limitsSource)
      if let ruleset = compilation.ruleset { rulesets.replace(database, with: ruleset) }
      let answer = RulesAnswer(compilation, file)
      reference { $0.respond(json: answer.body, status: answer.status) }
    }
  }
}

/// The ruleset of a request: one file, and whether errors in it are only reported.
struct RulesFile {
  let name: String?
  let content: [UInt8]
  let ignoresErrors: Bool

  init?(_ json: JSON) {
    guard case .array(let files)? = json["rules"]?["files"], let file = files.first,
      case .string(let content)? = file["content"]
    else { return nil }
    name = file["name"]?.text
    self.content = content
    ignoresErrors = (json["ignore_errors"] ?? json["ignoreErrors"]) == .boolean(true)
  }
}

/// The answer to new rules: their issues, or a refusal.
struct RulesAnswer {
  let status: Int
  let body: [UInt8]

  init(_ compilation: Compilation, _ file: RulesFile) {
    if compilation.ruleset == nil, !file.ignoresErrors {
      let text = DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics)
      let failure = GRPCStatus(.invalidArgument, text)
      status = failure.code.httpStatus
      body = failure.json
      return
    }
    let issues = OfficialIssue.issues(of: compilation.diagnostics, in: compilation.source)
    var writer = JSONWriter()
    writer.object { object in
      if issues.isEmpty { return }
      object.member("issues") { $0.array(issues) { Self.write($1, fileName: file.name, to: &$0) } }
    }
    status = 200
    body = writer.bytes
  }

  private static func write(_ issue: OfficialIssue, fileName: String?, to writer: inout JSONWriter) {
    writer.object { object in
      if let position = issue.position {
        object.member("sourcePosition") { $0.object { write(position, fileName: fileName, to: &$0) } }
      }
      object.member("description") { $0.string(issue.description) }
      object.member("severity") { $0.string(issue.severity) }
    }
  }

  /// A field that is zero is left out, as protobuf does.
  private static func write(
    _ position: OfficialIssue.Position, fileName: String?, to object: inout JSONWriter.ObjectWriter
  ) {
    if let fileName { object.member("fileName") { $0.string(fileName) } }
    if position.line != 0 { object.member("line") { $0.integer(position.line) } }
    if position.column != 0 { object.member("column") { $0.integer(position.column) } }
    if position.currentOffset != 0 { object.member("currentOffset") { $0.integer(position.currentOffset) } }
    if position.endOffset != 0 { object.member("endOffset") { $0.integer(position.endOffset) } }
  }
}
