/// The Write stream: handshake, tokens, order, and how it ends.
///
/// Source: docs/spec/streams.md section 2.

import Access
import DocModel
import DocStore
import FirestoreProtos
import SwiftProtobuf
import Testing

import struct Foundation.Data

@testable import Wire

private typealias Request = Google_Firestore_V1_WriteRequest
private typealias Response = Google_Firestore_V1_WriteResponse

@Suite struct WriteStreamTests {
  private static let handshake = Request.with { $0.database = ServiceHarness.database }

  private static func batch(_ writes: (String, Int64)..., exists: Bool? = nil) -> Request {
    .with { request in
      request.streamToken = Data("0".utf8)
      request.writes = writes.map { path, number in
        .with {
          $0.update.name = ServiceHarness.root + "/" + path
          $0.update.fields["n"] = .with { $0.integerValue = number }
          if let exists { $0.currentDocument.exists = exists }
        }
      }
    }
  }

  private func responses(_ received: Received) throws -> [Response] {
    try received.messages.map { try Response(serializedBytes: $0) }
  }

  @Test("batches are answered in order, each with its own token")
  func order() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Write")
    try harness.say(Self.handshake, on: stream)
    for number in 1...5 { try harness.say(Self.batch(("c/a", Int64(number))), on: stream) }
    let answers = try responses(harness.receive(on: stream) { $0.messages.count == 6 })
    #expect(!answers[0].streamID.isEmpty && answers[0].writeResults.isEmpty && !answers[0].hasCommitTime)
    #expect(
      answers.map { String(decoding: $0.streamToken, as: UTF8.self) } == ["0", "1", "2", "3", "4", "5"])
    #expect(answers.dropFirst().allSatisfy { $0.writeResults.count == 1 && $0.streamID.isEmpty })
    let times = answers.dropFirst().map { $0.commitTime.seconds * 1_000_000_000 + Int64($0.commitTime.nanos) }
    #expect(times == times.sorted() && Set(times).count == 5)
  }

  @Test("an empty batch is answered and ends the stream well")
  func end() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Write")
    try harness.say(Self.handshake, on: stream)
    try harness.say(Self.batch(("c/a", 1)), on: stream)
    try harness.say(Request.with { $0.streamToken = Data("1".utf8) }, on: stream)
    let received = harness.receive(on: stream) { $0.isClosed }
    #expect(received.status == "0")
    #expect(try responses(received).last?.streamToken == Data("2".utf8))
  }

  @Test(
    "what a stream writes belongs to what made the client open it, and to who it is", arguments: [nil, "why"])
  func origin(cause: String?) throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Write", extra: cause.map { [("docstore-cause", $0)] } ?? [])
    try harness.say(Self.handshake, on: stream)
    for number in 1...2 { try harness.say(Self.batch(("c/a", Int64(number))), on: stream) }
    _ = harness.receive(on: stream) { $0.messages.count == 3 }
    var sources: [CommitSource?] = []
    let database = try ResourceNameParser.database(ServiceHarness.database)
    try harness.service.store.store.changes(database, after: 0, isHeld: true) { _, _, source in
      sources.append(source)
      return .more
    }
    let expected = CommitSource(author: .administrator, origin: cause.map { CommitOrigin($0) })
    #expect(sources == [expected, expected])
  }

  @Test("half-close lets what was sent finish")
  func halfClose() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Write")
    try harness.say(Self.handshake, on: stream)
    try harness.say(Self.batch(("c/a", 1)), on: stream, ends: true)
    let received = harness.receive(on: stream) { $0.isClosed }
    #expect(received.status == "0" && received.messages.count == 2)
  }

  @Test("a refused batch ends the stream, and nothing behind it is applied")
  func refusal() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Write")
    try harness.say(Self.handshake, on: stream)
    try harness.say(Self.batch(("c/a", 1)), on: stream)
    try harness.say(Self.batch(("c/none", 1), exists: true), on: stream)
    try harness.say(Self.batch(("c/b", 1)), on: stream)
    let received = harness.receive(on: stream) { $0.isClosed }
    #expect(received.status == "5" && received.messages.count == 2)
    let get = try harness.call(
      "GetDocument", Google_Firestore_V1_GetDocumentRequest.with { $0.name = ServiceHarness.root + "/c/b" })
    #expect(get.status == "5")
  }

  @Test(
    "an improper first request is refused in the service's words",
    arguments: [
      (Request(), "'database' must be set on an initial write request."),
      (
        Self.batch(("c/a", 1)), "'writes' must not be set on an initial write request."
      ),
      (
        Request.with {
          $0.database = ServiceHarness.database
          $0.streamID = "1"
        }, "Resuming streams is not supported, do not set stream ID."
      ),
      (
        Request.with {
          $0.database = ServiceHarness.database
          $0.streamToken = Data("1".utf8)
        }, "Resuming streams is not supported, 'stream_token' must not be set on an initial write request."
      ),
    ] as [(Google_Firestore_V1_WriteRequest, String)])
  func handshakeFaults(first: Google_Firestore_V1_WriteRequest, text: String) throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Write")
    try harness.say(first, on: stream)
    let received = harness.receive(on: stream) { $0.isClosed }
    #expect(received.status == "3" && received.messages.isEmpty)
    #expect(received.message == text)
  }

  @Test("another database in a later request ends the stream")
  func otherDatabase() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Write")
    try harness.say(Self.handshake, on: stream)
    var batch = Self.batch(("c/a", 1))
    batch.database = "projects/p/databases/other"
    try harness.say(batch, on: stream)
    let received = harness.receive(on: stream) { $0.isClosed }
    #expect(received.status == "3")
    #expect(
      received.message
        == "Request specified a database (projects/p/databases/other) that did not match the expected "
        + "database (projects/p/databases/(default))")
  }
}
