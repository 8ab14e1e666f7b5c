/// What only an emulator answers: clearing data, replacing rules.
///
/// Source: docs/spec/protocol.md 7.1, 7.2.

internal import Access
internal import DocModel
internal import DocStore
internal import Faults
internal import JSON
internal import Rules

extension HTTPService {
  /// `/emulator/v1/…`, its path from `projects` or `clock` on.
  func administrate(
    _ exchange: HTTPExchange, _ method: String, _ path: [[UInt8]], _ target: HTTPTarget
  ) throws(GRPCStatus) {
    if path.count == 1, path[0].holds("clock") {
      return passOn(exchange, method, path, target)
    }
    guard path.count >= 2, path[0].holds("projects") else { return exchange.respondNotFound() }
    if let (database, verb) = Self.database(path) {
      switch (method, verb) {
      case ("PUT", "securityRules"): return try replaceRules(exchange, of: database)
      case ("GET", "securityRules"): return try showRules(exchange, of: database)
      case ("GET", "ruleCoverage"): return try reportCoverage(exchange, of: database, asPage: false)
      case ("GET", "ruleCoverage.html"): return try reportCoverage(exchange, of: database, asPage: true)
      case ("POST", "export"): return try export(exchange)
      case ("POST", "import"): return try importDocuments(exchange)
      case ("GET", "indexes"): return reportIndexes(exchange, of: database)
      case ("PUT", "indexes"): return try replaceIndexes(exchange, of: database)
      case ("GET", "requests"): return try listRequests(exchange, of: database, target)
      case ("POST", "explainRequest"): return try explainRequest(exchange, of: database, target)
      case ("POST", "shadowRequests"): return try shadowRequests(exchange, of: database, target)
      case ("GET", "faults"), ("POST", "faults"), ("DELETE", "faults"):
        return try answerFaults(exchange, method, of: database, target)
      default: break
      }
    }
    if method == "DELETE", path.count >= 5, path[2].holds("databases"), path[4].holds("documents") {
      return try clear(exchange, path)
    }
    passOn(exchange, method, path, target)
  }

  /// Lets another part of the program answer, which may read much and wait for the disk: on a thread of its own.
  private func passOn(
    _ exchange: HTTPExchange, _ method: String, _ path: [[UInt8]], _ target: HTTPTarget
  ) {
    guard let administration = hooks.administration else { return exchange.respondNotFound() }
    let request = EmulatorRequest(
      method: method, path: path.map { String(decoding: $0, as: UTF8.self) },
      query: target.query.map {
        (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
      }, body: exchange.request.body)
    let reference = exchange.reference
    firestore.threads.submit {
      let isOurs = administration(request) { answer in
        reference { $0.respond(json: answer.body, status: answer.status) }
      }
      if !isOurs { reference { $0.respondNotFound() } }
    }
  }

  /// A database and the verb behind it: `projects/P:verb` for the first one, `projects/P/databases/D:verb` for any.
  /// Source: the official emulator.
  private static func database(_ path: [[UInt8]]) -> (id: DatabaseID, verb: String)? {
    guard let last = path.last, let colon = last.lastIndex(of: UInt8(ascii: ":")), colon > 0 else {
      return nil
    }
    let name = String(decoding: last[..<colon], as: UTF8.self)
    let verb = String(decoding: last[(colon + 1)...], as: UTF8.self)
    switch path.count {
    case 2: return (DatabaseID(project: name), verb)
    case 4 where path[2].holds("databases"):
      return (DatabaseID(project: String(decoding: path[1], as: UTF8.self), database: name), verb)
    default: return nil
    }
  }

  // MARK: data

  /// A database, or what lies below a document or a collection. Anybody may, but a broken header errs.
  /// Source: the official emulator, its texts included.
  private func clear(_ exchange: HTTPExchange, _ path: [[UInt8]]) throws(GRPCStatus) {
    var path = path
    if path.count == 6, path[5].isEmpty { path.removeLast() }
    let names = path.map { String(decoding: $0, as: UTF8.self) }
    let (database, target) = try FirestoreService<Engine>.checked { () throws(InvalidArgument) in
      try Self.target(names)
    }
    _ = try credentials(exchange, in: database)
    try firestore.options.projects.admit(database.project)
    let store = firestore.store.store
    answer(exchange, with: Array("{}\n".utf8)) { () throws(StoreError) in
      if target.isRoot {
        try store.clearAndWait(database)
      } else {
        try store.deleteSubtreeAndWait(database, target)
      }
    }
  }

  /// The root, a document or a collection.
  private static func target(_ names: [String]) throws(InvalidArgument) -> (DatabaseID, ResourcePath) {
    guard names.count % 2 == 0, let collection = names.last, !collection.isEmpty else {
      let (database, path) = try ResourceNameParser.parent(names.joined(separator: "/"))
      return (database, path)
    }
    let (database, parent) = try ResourceNameParser.parent(names.dropLast().joined(separator: "/"))
    try ResourceNameParser.checkCollectionID(collection)
    return (database, parent.appending(collection))
  }

  /// `POST /reset`: no data, no transactions, no injected faults, and what the server began with once more.
  func reset(_ exchange: HTTPExchange) {
    let store = firestore.store.store
    firestore.faults.clearAll()
    let afterReset = hooks.afterReset
    answer(exchange, with: Array("Resetting...\n".utf8), contentType: "text/plain; charset=utf-8") {
      () throws(StoreError) in
      for database in try store.databases() { try store.clearAndWait(database) }
      store.forgetTransactions()
      afterReset()
    }
  }

  /// Works on a thread of its own, then answers.
  private func answer(
    _ exchange: HTTPExchange, with body: [UInt8], contentType: String = "application/json; charset=utf-8",
    _ work: @escaping @Sendable () throws(StoreError) -> Void
  ) {
    onThread(for: exchange) { () throws(GRPCStatus) in
      try FirestoreService<Engine>.stored(work)
    } then: { exchange, _ in
      exchange.respond(status: 200, headers: [("content-type", contentType)], body: body)
    }
  }

  // MARK: rules

  /// The rules that guard a database now; without any, an empty ruleset. Source: the official emulator.
  private func showRules(_ exchange: HTTPExchange, of database: DatabaseID) throws(GRPCStatus) {
    _ = try credentials(exchange, in: database)
    try firestore.options.projects.admit(database.project)
    var writer = JSONWriter()
    switch firestore.store.rulesets.protection(of: database) {
    case .closed: writer.object { _ in }
    case .open: Self.write(Self.openRules, to: &writer)
    case .rules(let ruleset): Self.write(ruleset.source, to: &writer)
    case .broken(_, let source): Self.write(source, to: &writer)
    }
    exchange.respond(json: writer.bytes)
  }

  /// What a server without rules that lets everybody in goes by, written down.
  private static var openRules: SourceText {
    let text = """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} { allow read, write; }
        }
      }

      """
    return SourceText(name: "open.rules", bytes: Array(text.utf8))
  }

  private static func write(_ source: SourceText, to writer: inout JSONWriter) {
    let content = JSONValue.text(String(decoding: source.bytes, as: UTF8.self))
    let file: JSONValue =
      source.name.isEmpty ? ["content": content] : ["content": content, "name": .text(source.name)]
    writer.value(["rules": ["files": [file]]])
  }

  /// Source: docs/spec/protocol.md 7.2.
  private func replaceRules(_ exchange: HTTPExchange, of database: DatabaseID) throws(GRPCStatus) {
    _ = try credentials(exchange, in: database)
    try readBody(exchange) { body throws(GRPCStatus) in
      guard let json = try? JSONReader.read(body), let file = RulesFile(json) else {
        throw GRPCStatus(.invalidArgument, "Payload isn't valid for request.")
      }
      return file
    } then: { [self] exchange, file in
      replaceRules(exchange, of: database, by: file)
    }
  }

  private func replaceRules(_ exchange: HTTPExchange, of database: DatabaseID, by file: RulesFile) {
    let rulesets = firestore.store.rulesets
    let compile = hooks.rules.compile
    let limitsSource = firestore.options.profile.limitsRulesSource
    let texts = firestore.options.profile.errorTexts
    onThread(for: exchange) {
      let compilation = compile(file.content, file.name ?? "firestore.rules", limitsSource)
      do throws(StoreError) {
        if let ruleset = compilation.ruleset { try rulesets.release(ruleset, for: .database(database)) }
      } catch { return RulesAnswer(GRPCStatus(error)) }
      return RulesAnswer(compilation, file, texts)
    } then: { exchange, answer in
      exchange.respond(json: answer.body, status: answer.status)
    }
  }
}

/// The ruleset of a request: one file, and whether errors in it are only reported.
struct RulesFile: Sendable {
  let name: String?
  let content: [UInt8]
  let ignoresErrors: Bool

  init?(_ json: JSONValue) {
    guard let file = json["rules"]?["files"]?.elements?.first, let content = file["content"]?.utf8
    else { return nil }
    name = file["name"]?.text
    self.content = content
    ignoresErrors = (json["ignore_errors"] ?? json["ignoreErrors"])?.boolean == true
  }
}

/// The answer to new rules: their issues, or a refusal.
struct RulesAnswer: Sendable {
  let status: Int
  let body: [UInt8]

  init(_ failure: GRPCStatus) {
    status = failure.code.httpStatus
    body = failure.json
  }

  init(_ compilation: Compilation, _ file: RulesFile, _ texts: ErrorTexts) {
    let issues = Self.issues(compilation)
    if compilation.ruleset == nil, !file.ignoresErrors {
      let failure = GRPCStatus(.invalidArgument, Self.refusal(compilation, texts))
      status = failure.code.httpStatus
      body = failure.json
      return
    }
    var writer = JSONWriter()
    writer.object { object in
      if issues.isEmpty { return }
      object.member("issues") { $0.array(issues) { Self.write($1, fileName: file.name, to: &$0) } }
    }
    status = 200
    body = writer.bytes
  }

  /// Those without a place first, as the official compiler has them.
  private static func issues(_ compilation: Compilation) -> [OfficialIssue] {
    let issues = OfficialIssue.issues(of: compilation.diagnostics, in: compilation.source)
    return issues.filter { $0.position == nil } + issues.filter { $0.position != nil }
  }

  /// Why rules are refused, in the words of the profile.
  private static func refusal(
    _ compilation: Compilation, _ texts: ErrorTexts
  ) -> String {
    switch texts {
    case .production: DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics)
    case .emulator: OfficialIssue.refusal(compilation)
    }
  }

  private static func write(_ issue: OfficialIssue, fileName: String?, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("sourcePosition") {
        $0.object { if let position = issue.position { write(position, fileName: fileName, to: &$0) } }
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
