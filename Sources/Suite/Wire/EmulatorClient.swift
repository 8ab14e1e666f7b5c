/// One database of an emulator, ours or the official one, asked as SDKs ask it.

internal import Access
internal import Client
internal import DocModel
internal import DocStore
internal import JSON

/// An emulator that cannot be asked, or whose answer cannot be read.
struct WireFailure: Error {
  let message: String
}

/// What an emulator says to a request.
enum WireAnswer {
  /// With the documents that it sent, by path, and what it counted.
  case allowed([String] = [], count: Int? = nil)
  /// Refused by rules, in the emulator's words.
  case denied(String)
  /// Refused for another reason.
  case failed(String)
}

final class EmulatorClient {
  /// Who asks.
  enum Bearer {
    case nobody, owner
    case token(String)
  }

  let database: DatabaseID
  private let address: HTTPOrigin
  private let client: GRPCClient
  private let messages: RequestMessages

  init(_ address: String, _ database: DatabaseID) throws(WireFailure) {
    self.database = database
    messages = RequestMessages(database: database)
    do throws(HTTPOrigin.Malformed) { self.address = try HTTPOrigin(address) } catch {
      throw WireFailure(message: error.description)
    }
    do throws(ClientFailure) { client = try GRPCClient(self.address) } catch {
      throw WireFailure(message: Self.words(error))
    }
  }

  // MARK: the emulator's own

  func setRules(_ text: [UInt8]) throws(WireFailure) {
    let body = JSONWriter.bytes(of: [
      "rules": ["files": [["name": "firestore.rules", "content": .string(text)]]]
    ])
    let project = PercentEncoding.part(database.project)
    try administrate("PUT", "/emulator/v1/projects/\(project):securityRules", "the rules", body)
  }

  /// Removes every document.
  func clear() throws(WireFailure) {
    let project = PercentEncoding.part(database.project)
    let name = PercentEncoding.part(database.database)
    let path = "/emulator/v1/projects/\(project)/databases/\(name)/documents"
    try administrate("DELETE", path, "to clear the database")
  }

  /// Has a clock that stands go on to a time in microseconds: where it stands then. Nil for an emulator that goes by
  /// the machine's clock.
  func standClock(at time: Int64) throws(WireFailure) -> Int64? {
    let path = "/emulator/v1/clock"
    guard let present = StoreTime(json: try ask("GET", path).body), present.isStanding else { return nil }
    guard present.time < time else { return present.time }
    let body = JSONWriter.bytes(of: ["time": .text(Timestamp(microseconds: time).rfc3339)])
    try administrate("PUT", path, "to move the clock", body)
    return time
  }

  private func administrate(
    _ method: String, _ path: String, _ what: String, _ body: [UInt8] = []
  ) throws(WireFailure) {
    let answer = try ask(method, path, body)
    guard answer.status == 200 else {
      let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
      throw WireFailure(message: "the emulator refuses \(what): \(answer.status) \(text)")
    }
  }

  private func ask(_ method: String, _ path: String, _ body: [UInt8] = []) throws(WireFailure) -> HTTPAnswer {
    var headers = [(name: "Authorization", value: AdministratorKey.clientAuthorization)]
    if !body.isEmpty { headers.append((name: "Content-Type", value: "application/json")) }
    do throws(HTTPFailure) {
      return try HTTPClient(address).wait(HTTPRequest(method, path, headers: headers, body: body))
    } catch {
      throw WireFailure(message: error.text(of: address.authority))
    }
  }

  /// Writes past the rules.
  func store(_ writes: [Write]) throws(WireFailure) {
    for batch in WriteBatch.batches(of: writes, in: database) {
      switch try commit(batch, as: .owner) {
      case .allowed: break
      case .denied(let text), .failed(let text):
        throw WireFailure(message: "the emulator refuses the documents of a case: \(text)")
      }
    }
  }

  // MARK: requests

  func get(
    _ paths: [ResourcePath], transaction: TransactionToken? = nil, as bearer: Bearer
  ) throws(WireFailure) -> WireAnswer {
    try documents("BatchGetDocuments", messages.batchGet(paths, transaction), as: bearer)
  }

  func run(
    _ query: StructuredQuery, counts: Bool, transaction: TransactionToken? = nil, as bearer: Bearer
  ) throws(WireFailure) -> WireAnswer {
    let message: [UInt8]
    do throws(InvalidArgument) {
      message =
        counts
        ? try messages.runAggregation(query, [Aggregation(alias: "f0", .count(upTo: nil))], transaction)
        : try messages.runQuery(query, transaction)
    } catch {
      // The suite's reader has validated the query.
      throw WireFailure(message: error.message)
    }
    return counts ? try count(message, as: bearer) : try documents("RunQuery", message, as: bearer)
  }

  /// Field 1 of each message of the answer is a document, where there is one.
  private func documents(
    _ method: String, _ message: [UInt8], as bearer: Bearer
  ) throws(WireFailure) -> WireAnswer {
    var paths: [String] = []
    return try call(method, message, as: bearer) { (answer) throws(ClientFailure) in
      if let document = try AnswerReader.field(1, of: answer),
        let name = try AnswerReader.field(1, of: document)
      {
        paths.append(AnswerReader.path(name).text)
      }
    } ?? .allowed(paths)
  }

  private func count(_ message: [UInt8], as bearer: Bearer) throws(WireFailure) -> WireAnswer {
    var count: Int?
    return try call("RunAggregationQuery", message, as: bearer) { (answer) throws(ClientFailure) in
      guard let result = try AnswerReader.field(1, of: answer) else { return }
      if case .integer(let number)? = try AnswerReader.fields(result)["f0"] { count = Int(number) }
    } ?? .allowed(count: count)
  }

  func commit(
    _ writes: [Write], transaction: TransactionToken? = nil, as bearer: Bearer
  ) throws(WireFailure) -> WireAnswer {
    try call("Commit", messages.commit(writes, transaction), as: bearer) ?? .allowed()
  }

  func begin(as bearer: Bearer) throws(WireFailure) -> TransactionToken {
    var token: [UInt8] = []
    let refusal = try call("BeginTransaction", messages.begin(readOnly: false), as: bearer) {
      (answer) throws(ClientFailure) in
      if let found = try AnswerReader.field(1, of: answer) { token = Array(found) }
    }
    guard refusal == nil, !token.isEmpty else {
      throw WireFailure(message: "the emulator begins no transaction: \(refusal ?? .allowed())")
    }
    return TransactionToken(bytes: token)
  }

  func rollBack(_ transaction: TransactionToken, as bearer: Bearer) throws(WireFailure) {
    _ = try call("Rollback", messages.rollBack(transaction), as: bearer)
  }

  /// The emulator's refusal; nil when it grants.
  private func call(
    _ method: String, _ message: [UInt8], as bearer: Bearer,
    _ onMessage: (UnsafeRawBufferPointer) throws(ClientFailure) -> Void = { (_) throws(ClientFailure) in }
  ) throws(WireFailure) -> WireAnswer? {
    let authorization: String? =
      switch bearer {
      case .nobody: nil
      case .owner: AdministratorKey.clientAuthorization
      case .token(let text): "Bearer " + text
      }
    do throws(ClientFailure) {
      let routing = [("google-cloud-resource-prefix", database.resourceName)]
      try client.call(method, message, authorization: authorization, headers: routing) {
        (answer) throws(ClientFailure) in
        try onMessage(answer)
        return true
      }
      return nil
    } catch {
      switch error {
      case .status(ClientFailure.permissionDenied, let words): return .denied(words)
      case .status: return .failed(Self.words(error))
      case .connection, .interrupted: throw WireFailure(message: Self.words(error))
      }
    }
  }

  private static func words(_ failure: ClientFailure) -> String {
    switch failure {
    case .connection(let text): text
    case .status(let code, let message): "\(ClientFailure.name(of: code)) \(message)"
    case .interrupted: "interrupted"
    }
  }
}
