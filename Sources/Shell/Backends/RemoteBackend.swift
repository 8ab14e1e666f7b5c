/// A running server, over its port: ours or any other that speaks Firestore's gRPC.

import Access
import Client
import DocModel
import DocStore
import Indexes
import JSON
import Requests

final class RemoteBackend: Backend {
  var database: DatabaseID
  let location: String
  private let address: HTTPOrigin
  private var client: GRPCClient
  /// Once the server has said that its clock does not stand.
  private var followsMachine = false

  init(_ location: String, database: DatabaseID) throws(ShellError) {
    self.database = database
    self.location = location
    do throws(HTTPOrigin.Malformed) { address = try HTTPOrigin(location) } catch {
      throw .usage(error.description)
    }
    client = try Self.connect(address)
  }

  private static func connect(_ address: HTTPOrigin) throws(ShellError) -> GRPCClient {
    do throws(ClientFailure) { return try GRPCClient(address) { Interruption.isRaised } } catch {
      throw ShellError(error)
    }
  }

  private var messages: RequestMessages { RequestMessages(database: database) }

  /// What routes a request to its database, as clients send it.
  private var routing: [(String, String)] {
    [("google-cloud-resource-prefix", database.resourceName)]
  }

  private func call(
    _ method: String, _ message: [UInt8], as caller: Caller, waits: Bool = false,
    _ onMessage: (UnsafeRawBufferPointer) throws(ClientFailure) -> Bool
  ) throws(ShellError) {
    do throws(ClientFailure) {
      try client.call(
        method, message, authorization: caller.authorization, headers: routing, waits: waits, onMessage)
    } catch {
      throw ShellError(error, isConnected: client.isConnected)
    }
  }

  /// One request of plain HTTP as administrator: what only emulators answer, such as their rules.
  private func ask(_ method: String, _ path: String, body: [UInt8] = []) throws(ShellError) -> HTTPAnswer {
    var headers = [(name: "Authorization", value: AdministratorKey.clientAuthorization)]
    if !body.isEmpty { headers.append((name: "Content-Type", value: "application/json")) }
    do throws(HTTPFailure) {
      return try HTTPClient(address).wait(
        HTTPRequest(method, path, headers: headers, body: body), isGivenUp: { Interruption.isRaised })
    } catch {
      if error == .cancelled { throw ShellError(.interrupted, "interrupted") }
      throw ShellError(.connection, error.text(of: location))
    }
  }

  // MARK: reading

  func document(
    _ path: ResourcePath, as caller: Caller, in transaction: TransactionToken?
  ) throws(ShellError) -> ShellDocument? {
    var found: ShellDocument?
    do throws(ShellError) {
      try call("GetDocument", messages.getDocument(path, transaction), as: caller) {
        (bytes) throws(ClientFailure) in
        found = try AnswerReader.document(bytes, path: path)
        return true
      }
    } catch {
      if error.kind == .failed(code: "NOT_FOUND") { return nil }
      throw error
    }
    return found
  }

  func run(
    _ query: StructuredQuery, as caller: Caller, in transaction: TransactionToken?,
    _ visit: (ShellDocument) -> Bool
  ) throws(ShellError) -> ReadStatistics {
    var metrics = ReadStatistics()
    let message = try checking { () throws(InvalidArgument) in try messages.runQuery(query, transaction) }
    try call("RunQuery", message, as: caller) { (bytes) throws(ClientFailure) in
      guard let message = try AnswerReader.field(1, of: bytes) else { return true }
      metrics.documentsRead += 1
      return visit(try AnswerReader.document(message, path: nil))
    }
    return metrics
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [Aggregation], as caller: Caller,
    in transaction: TransactionToken?
  ) throws(ShellError) -> [Value] {
    var fields = Fields()
    let message = try checking { () throws(InvalidArgument) in
      try messages.runAggregation(query, aggregations, transaction)
    }
    try call("RunAggregationQuery", message, as: caller) { (bytes) throws(ClientFailure) in
      // Results by alias have the shape of a document's fields.
      if let result = try AnswerReader.field(1, of: bytes) { fields = try AnswerReader.fields(result) }
      return true
    }
    return aggregations.indices.map { fields["f\($0)"] ?? .null }
  }

  func collectionIDs(under parent: ResourcePath) throws(ShellError) -> [String] {
    var ids: [String] = []
    var token = ""
    repeat {
      var next = ""
      try call(
        "ListCollectionIds", messages.listCollectionIDs(parent, pageToken: token), as: .administrator
      ) { (bytes) throws(ClientFailure) in
        try AnswerReader.each(of: bytes) { number, value in
          if number == 1 { ids.append(String(decoding: value, as: UTF8.self)) }
          if number == 2 { next = String(decoding: value, as: UTF8.self) }
        }
        return true
      }
      token = next
    } while !token.isEmpty
    return ids
  }

  func explain(_ query: StructuredQuery, as caller: Caller) throws(ShellError) -> [String] {
    var indexes: [String] = []
    let message = try checking { () throws(InvalidArgument) in
      try messages.runQuery(query, nil, explains: true)
    }
    try call("RunQuery", message, as: caller) { (bytes) throws(ClientFailure) in
      guard let metrics = try AnswerReader.field(11, of: bytes),
        let plan = try AnswerReader.field(1, of: metrics)
      else { return true }
      try AnswerReader.each(of: plan) { number, index in
        if number == 1, let text = AnswerReader.structText(index) { indexes.append(text) }
      }
      return true
    }
    return indexes.isEmpty ? ["reads documents without an index"] : indexes.map { "index " + $0 }
  }

  // MARK: writing

  func commit(
    _ writes: [Write], as caller: Caller, in transaction: TransactionToken?
  ) throws(ShellError) -> Int64 {
    var time: Int64 = 0
    try call("Commit", messages.commit(writes, transaction), as: caller) { (bytes) throws(ClientFailure) in
      if let stamp = try AnswerReader.field(2, of: bytes) { time = try AnswerReader.microseconds(stamp) }
      return true
    }
    return time
  }

  func deleteAll(_ path: ResourcePath) throws(ShellError) -> Int? {
    try administrate(
      "DELETE",
      "/documents/" + path.text.split(separator: "/").map { Self.escaped(String($0)) }.joined(separator: "/"))
    return nil
  }

  func clear() throws(ShellError) { try administrate("DELETE", "/documents") }

  func begin(readOnly: Bool, as caller: Caller) throws(ShellError) -> TransactionToken {
    var token: [UInt8] = []
    try call("BeginTransaction", messages.begin(readOnly: readOnly), as: caller) {
      (bytes) throws(ClientFailure) in
      if let found = try AnswerReader.field(1, of: bytes) { token = Array(found) }
      return true
    }
    return TransactionToken(bytes: token)
  }

  func rollBack(_ transaction: TransactionToken, as caller: Caller) throws(ShellError) {
    try call("Rollback", messages.rollBack(transaction), as: caller) { (_) throws(ClientFailure) in true }
  }

  // MARK: watching

  func watch(
    _ target: ReadStatement.Target, as caller: Caller, _ visit: (WatchEvent) throws(ShellError) -> Bool
  ) throws(ShellError) {
    let message = try checking { () throws(InvalidArgument) in try messages.listen(target) }
    var failure: ShellError?
    try call("Listen", message, as: caller, waits: true) { (bytes) throws(ClientFailure) in
      guard let event = try AnswerReader.event(bytes) else { return true }
      do throws(ShellError) { return try visit(event) } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
  }

  // MARK: rules

  /// A part of an address.
  static func escaped(_ text: String) -> String { PercentEncoding.part(text) }

  @discardableResult
  func administrate(
    _ method: String, _ suffix: String, body: [UInt8] = []
  ) throws(ShellError) -> [UInt8] {
    let path =
      "/emulator/v1/projects/\(Self.escaped(database.project))/databases/\(Self.escaped(database.database))\(suffix)"
    let answer = try ask(method, path, body: body)
    guard answer.status == 200 else {
      let json = try? JSONReader.read(answer.body)
      let message = json?["error"]?["message"]?.text ?? "the server answers \(answer.status)"
      let code = answer.status == 400 ? "INVALID_ARGUMENT" : "UNIMPLEMENTED"
      throw ShellError(.failed(code: json?["error"]?["status"]?.text ?? code), message)
    }
    return answer.body
  }

  /// What was read of an answer; fails where nothing could be.
  func told<R>(_ what: String, _ read: R?) throws(ShellError) -> R {
    if let read { return read }
    throw ShellError(.connection, "what \(location) answers tells nothing of \(what)")
  }

  func rules() throws(ShellError) -> (name: String, source: [UInt8])? {
    let body = try administrate("GET", ":securityRules")
    guard let json = try? JSONReader.read(body), let file = json["rules"]?["files"]?.elements?.first,
      let content = file["content"]?.utf8
    else { return nil }
    return (file["name"]?.text ?? "firestore.rules", content)
  }

  /// Rules as requests of the HTTP interface carry them.
  static func body(_ rules: CandidateRules) -> [UInt8] {
    let content = JSONValue.text(String(decoding: rules.source, as: UTF8.self))
    return JSONWriter.bytes(of: ["rules": ["files": [["name": .text(rules.name), "content": content]]]])
  }

  func replaceRules(_ name: String, _ source: [UInt8]) throws(ShellError) {
    try administrate("PUT", ":securityRules", body: Self.body(CandidateRules(name: name, source: source)))
  }

  // MARK: administration

  func askedShapes() throws(ShellError) -> ObservedShapes {
    let asked = try told("indexes", IndexAnswer.read(try administrate("GET", ":indexes")))
    return ObservedShapes(shapes: asked.asked, isComplete: asked.isComplete)
  }

  func definedIndexes() throws(ShellError) -> DefinedIndexes? {
    let json = try? JSONReader.read(try administrate("GET", ":indexes"))
    guard let text = json?["definitions"]?.text else { return nil }
    return IndexFile.read(Array(text.utf8)).file.indexes
  }

  func replaceIndexes(_ indexes: DefinedIndexes, _ source: [UInt8]) throws(ShellError) {
    try administrate("PUT", ":indexes", body: source)
  }

  func metrics() throws(ShellError) -> [(name: String, value: String)] {
    let answer = try ask("GET", "/metrics")
    guard answer.status == 200 else {
      throw ShellError(.failed(code: "UNIMPLEMENTED"), "\(location) has no metrics (status \(answer.status))")
    }
    var metrics: [(name: String, value: String)] = []
    for line in String(decoding: answer.body, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#")
    {
      // Labels may hold blanks, values hold none.
      guard let blank = line.lastIndex(of: " ") else { continue }
      metrics.append((String(line[..<blank]), String(line[line.index(after: blank)...])))
    }
    return metrics.filter { $0.name.range(ofBytes: "_bucket{") == nil }
  }

  func triggers(_ method: String, _ rest: String) throws(ShellError) -> JSONValue {
    let answer = try ask(method, "/emulator/v1/projects/-/triggers" + rest)
    let json = try? JSONReader.read(answer.body)
    if answer.status == 200, let json { return json }
    if let message = json?["error"]?["message"]?.text { throw .failed(message) }
    if answer.status == 404 {
      throw ShellError(.failed(code: "UNIMPLEMENTED"), "\(location) does not know of triggers")
    }
    throw .failed("\(location) answers \(answer.status)")
  }

  // MARK: time

  func clock() throws(ShellError) -> StoreTime {
    if followsMachine { return StoreTime(time: Environment.system.now(), isStanding: false) }
    let told = StoreTime(json: try ask("GET", "/emulator/v1/clock").body)
    if let told, told.isStanding { return told }
    // Other servers know nothing of clocks that stand.
    followsMachine = true
    return try clock()
  }

  func moveClock(_ text: String) throws(ShellError) -> StoreTime {
    let answer = try ask("PUT", "/emulator/v1/clock", body: JSONWriter.bytes(of: ["time": .text(text)]))
    if answer.status == 200 { return try told("its clock", StoreTime(json: answer.body)) }
    let error = (try? JSONReader.read(answer.body))?["error"]
    let message =
      error?["message"]?.text ?? "\(location) has no clock that can be moved (status \(answer.status))"
    throw ShellError(.failed(code: error?["status"]?.text ?? "UNIMPLEMENTED"), message)
  }

  func reconnect() throws(ShellError) {
    client = try Self.connect(address)
    // It may be another server.
    followsMachine = false
  }
}

extension ShellError {
  init(_ failure: ClientFailure, isConnected: Bool = true) {
    switch failure {
    case .connection(let text):
      self.init(.connection, text + (isConnected ? "" : "; ':reconnect' builds it anew"))
    case .status(ClientFailure.permissionDenied, let message): self.init(.denied, message)
    case .status(ClientFailure.unavailable, let message): self.init(.connection, message)
    case .status(let code, let message): self.init(.failed(code: ClientFailure.name(of: code)), message)
    case .interrupted: self.init(.interrupted, "interrupted")
    }
  }
}
