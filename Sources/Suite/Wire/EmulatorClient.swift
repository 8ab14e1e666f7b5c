/// One database of an emulator, ours or the official one, asked over its REST API.

internal import Access
internal import DocModel
internal import DocStore
internal import JSON

/// What an emulator says to a request.
enum WireAnswer {
  case allowed(JSONValue?)
  /// Refused by rules, in the emulator's words.
  case denied(String)
  /// Refused for another reason.
  case failed(String)
}

final class EmulatorClient {
  /// What `Authorization` holds.
  enum Bearer {
    case nobody, owner
    case token(String)
  }

  private let connection: HTTPConnection
  let database: DatabaseID
  private let root: String

  init(_ address: String, _ database: DatabaseID) throws(WireFailure) {
    connection = try HTTPConnection(address)
    self.database = database
    root =
      "/v1/projects/\(PercentEncoding.part(database.project))/databases/\(PercentEncoding.part(database.database))/documents"
  }

  // MARK: the emulator's own

  func setRules(_ text: [UInt8]) throws(WireFailure) {
    let body = JSONWriter.bytes(of: [
      "rules": ["files": [["name": "firestore.rules", "content": .string(text)]]]
    ])
    let path = "/emulator/v1/projects/\(PercentEncoding.part(database.project)):securityRules"
    let answer = try connection.send(
      "PUT", path, body: body, authorization: AdministratorKey.clientAuthorization)
    guard answer.status == 200 else { throw refused("the rules", answer) }
  }

  /// Removes every document.
  func clear() throws(WireFailure) {
    let path = "/emulator" + root
    let answer = try connection.send("DELETE", path, authorization: AdministratorKey.clientAuthorization)
    guard answer.status == 200 else { throw refused("to clear the database", answer) }
  }

  /// LIMIT: writes of one commit. Source: the service's own.
  private static let writesMax = 500

  /// Writes past the rules.
  func store(_ writes: [Write]) throws(WireFailure) {
    var rest = writes[...]
    while !rest.isEmpty {
      switch try commit(Array(rest.prefix(Self.writesMax)), as: .owner) {
      case .allowed: rest = rest.dropFirst(Self.writesMax)
      case .denied(let text), .failed(let text):
        throw WireFailure(message: "the emulator refuses the documents of a case: \(text)")
      }
    }
  }

  private func refused(_ what: String, _ answer: HTTPAnswer) -> WireFailure {
    WireFailure(message: "the emulator refuses \(what): \(answer.status) \(Self.words(answer))")
  }

  // MARK: requests

  func get(_ paths: [ResourcePath], transaction: String? = nil, as bearer: Bearer) throws(WireFailure)
    -> WireAnswer
  {
    let names = paths.map { DocumentName(database: database, path: $0).resourceName }
    return try post(":batchGet", as: bearer) { object in
      object.member("documents") { $0.array(names) { $0.string($1) } }
      if let transaction { object.member("transaction") { $0.string(transaction) } }
    }
  }

  func run(
    _ query: StructuredQuery, counts: Bool, transaction: String? = nil, as bearer: Bearer
  ) throws(WireFailure) -> WireAnswer {
    let parent = query.parent.text.split(separator: "/").map { "/" + PercentEncoding.part(String($0)) }
      .joined()
    return try post(parent + (counts ? ":runAggregationQuery" : ":runQuery"), as: bearer) { object in
      if counts {
        object.member("structuredAggregationQuery") { Self.count(query, &$0) }
      } else {
        object.member("structuredQuery") { WireJSON.query(query, &$0) }
      }
      if let transaction { object.member("transaction") { $0.string(transaction) } }
    }
  }

  private static func count(_ query: StructuredQuery, _ writer: inout JSONWriter) {
    writer.object { object in
      object.member("structuredQuery") { WireJSON.query(query, &$0) }
      object.member("aggregations") { writer in
        writer.value([["alias": "count", "count": [:]]])
      }
    }
  }

  func commit(
    _ writes: [Write], transaction: String? = nil, as bearer: Bearer
  ) throws(WireFailure) -> WireAnswer {
    try post(":commit", as: bearer) { object in
      object.member("writes") { $0.array(writes) { WireJSON.write($1, in: database, &$0) } }
      if let transaction { object.member("transaction") { $0.string(transaction) } }
    }
  }

  /// The id of a new transaction.
  func begin(as bearer: Bearer) throws(WireFailure) -> String {
    let answer = try post(":beginTransaction", as: bearer) { object in
      object.member("options") { $0.value(["readWrite": [:]]) }
    }
    guard case .allowed(let json?) = answer, let id = json["transaction"]?.text else {
      throw WireFailure(message: "the emulator begins no transaction: \(answer)")
    }
    return id
  }

  func rollBack(_ transaction: String, as bearer: Bearer) throws(WireFailure) {
    _ = try post(":rollback", as: bearer) { $0.member("transaction") { $0.string(transaction) } }
  }

  private func post(
    _ suffix: String, as bearer: Bearer, _ body: (inout JSONWriter.ObjectWriter) -> Void
  ) throws(WireFailure) -> WireAnswer {
    let authorization: String? =
      switch bearer {
      case .nobody: nil
      case .owner: AdministratorKey.clientAuthorization
      case .token(let text): "Bearer " + text
      }
    return Self.meaning(
      of: try connection.send(
        "POST", root + suffix, body: WireJSON.object(body), authorization: authorization))
  }

  // MARK: answers

  /// What cannot be read is as good as no answer.
  static func meaning(of answer: HTTPAnswer) -> WireAnswer {
    switch answer.status {
    case 200: .allowed(try? JSONReader.read(answer.body))
    case 403: .denied(words(answer))
    default: .failed("\(answer.status) \(words(answer))")
    }
  }

  /// The message of an error, which of a stream is the first element of a list.
  private static func words(_ answer: HTTPAnswer) -> String {
    let json = try? JSONReader.read(answer.body)
    return json?.oneOrMore.first?["error"]?["message"]?.text
      ?? String(decoding: answer.body.prefix(300), as: UTF8.self)
  }
}
