/// Seeding a running server, as an administrator: ours, and the official emulator.

import Access
import Client
import DocModel
import DocStore
import Seeder
import Triggers

/// Reads and writes the documents of one database of a server.
struct RemoteDocuments {
  /// A document as the server has it.
  struct Found {
    /// The stored form.
    let fields: [UInt8]
    /// Microseconds since the epoch.
    let updateTime: Int64
  }

  let database: DatabaseID
  /// `host:port`, as somebody wrote it.
  let address: String
  /// Whether the server's triggers hear of what is written here; servers of other makes take no notice.
  var startsTriggers: Bool
  /// There from the first request on.
  private var connection: GRPCClient?
  private var messages: RequestMessages { RequestMessages(database: database) }

  /// LIMIT: documents that are asked for at once.
  private static let documentsMax = 300

  init(address: String, database: DatabaseID, startsTriggers: Bool = true) {
    self.address = address
    self.database = database
    self.startsTriggers = startsTriggers
  }

  /// The documents that are there.
  mutating func documents(_ paths: [ResourcePath]) throws(SeedSinkError) -> [ResourcePath: Found] {
    var documents: [ResourcePath: Found] = [:]
    var rest = paths[...]
    while !rest.isEmpty {
      try call("BatchGetDocuments", messages.batchGet(Array(rest.prefix(Self.documentsMax)))) {
        (answer) throws(ClientFailure) in
        guard let found = try AnswerReader.field(1, of: answer),
          let name = try AnswerReader.field(1, of: found)
        else { return true }
        let time = try AnswerReader.field(4, of: found)
        documents[AnswerReader.path(name)] = Found(
          fields: try AnswerReader.storedFields(found),
          updateTime: try time.map { (stamp) throws(ClientFailure) in try AnswerReader.microseconds(stamp) }
            ?? 0)
        return true
      }
      rest = rest.dropFirst(Self.documentsMax)
    }
    return documents
  }

  /// Commits writes, in several commits when they are large. The status of the first that fails; nil when
  /// all succeed.
  mutating func commit(_ writes: [Write]) throws(SeedSinkError) -> String? {
    for batch in WriteBatch.batches(of: writes, in: database) {
      do throws(ClientFailure) {
        try send("Commit", messages.commit(batch, nil)) { (_) throws(ClientFailure) in true }
      } catch {
        guard case .status(let code, _) = error else { throw failure(error) }
        let status = ClientFailure.name(of: code)
        switch status {
        case "ALREADY_EXISTS", "NOT_FOUND", "FAILED_PRECONDITION", "ABORTED": return status
        default: throw failure(error)
        }
      }
    }
    return nil
  }

  private mutating func call(
    _ method: String, _ message: [UInt8],
    _ onMessage: (UnsafeRawBufferPointer) throws(ClientFailure) -> Bool
  ) throws(SeedSinkError) {
    do throws(ClientFailure) { try send(method, message, onMessage) } catch { throw failure(error) }
  }

  private mutating func send(
    _ method: String, _ message: [UInt8],
    _ onMessage: (UnsafeRawBufferPointer) throws(ClientFailure) -> Bool
  ) throws(ClientFailure) {
    if connection == nil { connection = try connect() }
    guard let client = connection else { return }
    var headers = [("google-cloud-resource-prefix", database.resourceName)]
    if !startsTriggers { headers.append((EventCause.header, CommitOrigin.withoutTriggers.text)) }
    try client.call(
      method, message, authorization: AdministratorKey.clientAuthorization, headers: headers, onMessage)
  }

  private func connect() throws(ClientFailure) -> GRPCClient {
    let server: HTTPOrigin
    do throws(HTTPOrigin.Malformed) { server = try HTTPOrigin(address) } catch {
      throw .connection(error.description)
    }
    return try GRPCClient(server)
  }

  private func failure(_ failure: ClientFailure) -> SeedSinkError {
    switch failure {
    case .connection(let text): SeedSinkError(text)
    case .status(let code, let message):
      SeedSinkError("`\(address)` refuses: \(ClientFailure.name(of: code)): \(message)")
    case .interrupted: SeedSinkError("interrupted")
    }
  }
}

extension RemoteDocuments: SeedSink {
  mutating func write(_ batch: [SeedWrite]) async throws(SeedSinkError) -> SeedOutcome {
    let stored = try documents(batch.map(\.path))
    var outcome = SeedOutcome()
    var writes: [Write] = []
    for write in batch {
      if let document = stored[write.path] {
        if document.fields.withUnsafeBytes({ write.isSame(as: FieldsView(document: $0)) }) {
          outcome.unchanged += 1
          continue
        }
        outcome.updated += 1
      } else {
        outcome.created += 1
      }
      writes.append(
        Write(
          write.path, .update(fields: write.fields, mask: nil),
          transforms: write.serverTimes.map { FieldTransform($0, .serverTime) }))
    }
    if let status = try commit(writes) { throw SeedSinkError("`\(address)` refuses: \(status)") }
    return outcome
  }

  /// Each batch is answered before the next one.
  mutating func finish() -> SeedOutcome { SeedOutcome() }
}

extension RemoteDocuments: StudioTarget {
  mutating func studios(_ paths: [ResourcePath]) async throws(SeedSinkError) -> [StoredStudio?] {
    let stored = try documents(paths)
    return paths.map { path in
      stored[path].map { StoredStudio(fields: Fields(encoded: $0.fields), updateTime: $0.updateTime) }
    }
  }

  mutating func commit(_ writes: [StudioWrite]) async throws(SeedSinkError) -> Bool {
    try commit(writes.map { Write($0) }) == nil
  }
}
