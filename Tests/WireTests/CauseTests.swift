/// `docstore-cause`: whom it is believed from, on every way to write; and where administration runs.

import Access
import DocModel
import DocStore
import FirestoreProtos
import NIOPosix
import SwiftProtobuf
import Synchronization
import Testing

import struct Foundation.Data

@testable import Wire

@Suite("causes of writes, and administration") struct CauseTests {
  struct Writer: Sendable, CustomTestStringConvertible {
    let token: String?
    let author: CommitAuthor
    let isBelieved: Bool

    var testDescription: String { "\(author)" }
  }

  static let writers = [
    Writer(token: "owner", author: .administrator, isBelieved: true),
    Writer(
      token: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.", author: .user("alice"), isBelieved: false),
    Writer(token: nil, author: .anonymous, isBelieved: false),
  ]

  private static let write = Google_Firestore_V1_Write.with {
    $0.update.name = ServiceHarness.root + "/c/a"
    $0.update.fields["n"] = .with { $0.integerValue = 1 }
  }

  /// What a client sends to write c/a, for each method that writes.
  static let messages: [String: [any SwiftProtobuf.Message & Sendable]] = [
    "Commit": [
      Google_Firestore_V1_CommitRequest.with {
        $0.database = ServiceHarness.database
        $0.writes = [write]
      }
    ],
    "BatchWrite": [
      Google_Firestore_V1_BatchWriteRequest.with {
        $0.database = ServiceHarness.database
        $0.writes = [write]
      }
    ],
    "CreateDocument": [
      Google_Firestore_V1_CreateDocumentRequest.with {
        $0.parent = ServiceHarness.root
        $0.collectionID = "c"
        $0.documentID = "a"
      }
    ],
    "UpdateDocument": [Google_Firestore_V1_UpdateDocumentRequest.with { $0.document = write.update }],
    "Write": [
      Google_Firestore_V1_WriteRequest.with { $0.database = ServiceHarness.database },
      Google_Firestore_V1_WriteRequest.with {
        $0.streamToken = Data("0".utf8)
        $0.writes = [write]
      },
    ],
  ]

  private func sources(_ store: DocumentStore<some StorageEngine>) throws -> [CommitSource?] {
    var sources: [CommitSource?] = []
    let database = try ResourceNameParser.database(ServiceHarness.database)
    try store.changes(database, after: 0, isHeld: true) { _, _, source in
      sources.append(source)
      return .more
    }
    return sources
  }

  @Test(
    "a cause goes with the commit when an administrator says it, and with nobody else's",
    arguments: messages.keys.sorted(), writers)
  func calls(method: String, writer: Writer) throws {
    let harness = try ServiceHarness(isOpen: true)
    let id = harness.open(method, token: writer.token, extra: [("docstore-cause", "why")])
    let messages = try #require(Self.messages[method])
    for (index, message) in messages.enumerated() {
      try harness.say(message, on: id, ends: index == messages.count - 1)
    }
    let status = harness.receive(on: id) { $0.isClosed }.status
    // Only servers may.
    if method == "BatchWrite", !writer.isBelieved { return #expect(status == "7") }
    #expect(status == "0")
    let origin = writer.isBelieved ? CommitOrigin("why") : nil
    #expect(
      try sources(harness.service.store.store) == [CommitSource(author: writer.author, origin: origin)])
  }

  @Test("the same over REST", arguments: writers)
  func rest(writer: Writer) async throws {
    let bench = try await HTTPBench()
    let authorization = writer.token.map { ["Authorization: Bearer " + $0] } ?? []
    let answer = bench.ask(
      "PATCH", "/v1/" + ServiceHarness.root + "/c/a", "{}", headers: authorization + ["docstore-cause: why"])
    #expect(answer.status == 200, "\(answer.body)")
    let origin = writer.isBelieved ? CommitOrigin("why") : nil
    #expect(try sources(bench.store) == [CommitSource(author: writer.author, origin: origin)])
    await bench.server.stop()
  }

  @Test("administration, which may read much and wait for the disk, runs on no event loop")
  func administration() async throws {
    let loops = Loops()
    let bench = try await HTTPBench { options in
      options.administration = { request, answer in
        loops.note()
        guard request.path.last == "ours" else { return false }
        answer(EmulatorAnswer(status: 200, body: Array("{}\n".utf8)))
        return true
      }
    }
    #expect(bench.ask("PUT", "/emulator/v1/projects/-/ours", "{}").status == 200)
    #expect(bench.ask("PUT", "/emulator/v1/projects/-/others", "{}").status == 404)
    #expect(loops.wereThere == [false, false])
    await bench.server.stop()
  }
}

/// Whether each call came on an event loop.
private final class Loops: Sendable {
  private let noted = Mutex<[Bool]>([])

  var wereThere: [Bool] { noted.withLock { $0 } }

  func note() {
    let isThere = MultiThreadedEventLoopGroup.currentEventLoop != nil
    noted.withLock { $0.append(isThere) }
  }
}
