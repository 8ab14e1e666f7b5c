/// Seeding a running server over its REST form, as an administrator: ours, and the official emulator.

import Access
import DocModel
import DocStore
import Seeder
import Triggers
import Wire

/// Reads and writes the documents of one database of a server.
struct RemoteDocuments {
  /// `host:port`
  let address: String
  let database: DatabaseID
  /// Whether the server's triggers hear of what is written here; servers of other makes take no notice.
  var startsTriggers = true

  /// LIMIT: documents that are asked for at once.
  private static let documentsMax = 300

  /// The documents that are there.
  func documents(_ paths: [ResourcePath]) throws(SeedSinkError) -> [ResourcePath: RESTClient.Found] {
    var documents: [ResourcePath: RESTClient.Found] = [:]
    var rest = paths[...]
    var count = Self.documentsMax
    while !rest.isEmpty {
      let some = Array(rest.prefix(count))
      // Large documents are asked for in smaller groups.
      guard let found = try ask(some) else {
        guard some.count > 1 else { throw SeedSinkError("\(some[0]) is too large to be compared") }
        count = some.count / 2
        continue
      }
      for document in found { documents[document.path] = document }
      rest = rest.dropFirst(some.count)
    }
    return documents
  }

  /// Nil when the answer is too large.
  private func ask(_ paths: [ResourcePath]) throws(SeedSinkError) -> [RESTClient.Found]? {
    let answer: ClientAnswer
    do throws(HTTPFailure) {
      answer = try call("batchGet", RESTClient.batchGet(database, paths))
    } catch {
      if error.isTooLarge { return nil }
      throw SeedSinkError(error.description)
    }
    guard answer.status == 200 else { throw refusal(answer) }
    do throws(RESTClient.Unreadable) {
      return try RESTClient.found(answer.body)
    } catch {
      throw SeedSinkError("what `\(address)` answers is no answer of the service")
    }
  }

  /// Commits writes, in several commits when they are large. The status of the first that fails; nil when
  /// all succeed.
  func commit(_ writes: [Write]) throws(SeedSinkError) -> String? {
    for body in RESTClient.commits(of: writes.map { RESTClient.write(database, $0) }) {
      let answer: ClientAnswer
      do throws(HTTPFailure) {
        answer = try call("commit", body)
      } catch {
        throw SeedSinkError(error.description)
      }
      if answer.status == 200 { continue }
      guard let status = RESTClient.refusal(answer.body)?.status else { throw refusal(answer) }
      switch status {
      case "ALREADY_EXISTS", "NOT_FOUND", "FAILED_PRECONDITION", "ABORTED": return status
      default: throw refusal(answer)
      }
    }
    return nil
  }

  private func call(_ verb: StaticString, _ body: [UInt8]) throws(HTTPFailure) -> ClientAnswer {
    var headers = [
      ("Authorization", AdministratorKey.clientAuthorization), ("Content-Type", "application/json"),
    ]
    if !startsTriggers { headers.append((EventCause.header, CommitOrigin.withoutTriggers.text)) }
    return try PlainHTTP.send(
      ClientRequest(method: "POST", target: RESTClient.path(database, verb), headers: headers, body: body),
      to: address)
  }

  private func refusal(_ answer: ClientAnswer) -> SeedSinkError {
    guard let refusal = RESTClient.refusal(answer.body) else {
      return SeedSinkError("`\(address)` answers \(answer.status); is it a Firestore emulator?")
    }
    return SeedSinkError("`\(address)` refuses: \(refusal.status): \(refusal.message)")
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
