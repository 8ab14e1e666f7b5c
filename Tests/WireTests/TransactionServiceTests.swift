/// Transactions as clients see them: how they begin, what they are answered, what ends them.

import Access
import DocModel
import DocStore
import FirestoreProtos
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing

@testable import Wire

@Suite("transactions over the wire")
struct TransactionServiceTests {
  typealias H = ServiceHarness
  typealias Commit = Google_Firestore_V1_CommitRequest

  static let begin = Google_Firestore_V1_BeginTransactionRequest.with { $0.database = H.database }
  static let over = "The referenced transaction has expired or is no longer valid."
  static let readOnlyText = "Cannot modify entities in a read-only transaction."

  static func commit(_ path: String? = nil, _ n: Int64 = 1, _ token: [UInt8] = []) -> Commit {
    .with {
      $0.database = H.database
      $0.transaction.append(contentsOf: token)
      guard let path else { return }
      $0.writes = [
        .with {
          $0.update.name = H.root + "/" + path
          $0.update.fields["n"] = .with { $0.integerValue = n }
        }
      ]
    }
  }

  static func get(_ path: String, _ token: [UInt8]) -> Google_Firestore_V1_GetDocumentRequest {
    .with {
      $0.name = H.root + "/" + path
      if !token.isEmpty { $0.transaction.append(contentsOf: token) }
    }
  }

  static func rollback(_ token: [UInt8]) -> Google_Firestore_V1_RollbackRequest {
    .with {
      $0.database = H.database
      $0.transaction.append(contentsOf: token)
    }
  }

  static func token(of received: Received) throws -> [UInt8] {
    let message = try #require(received.messages.first)
    return Array(try Google_Firestore_V1_BeginTransactionResponse(serializedBytes: message).transaction)
  }

  // MARK: statuses

  enum Ending: CaseIterable { case committed, rolledBack, failed, wroteReadOnly, unknown, malformed }

  /// Status and words of a read and a commit after an ending, and the status of a rollback.
  static let endings: [(Ending, ProfileName, status: String, text: String, rollback: String)] = [
    (.committed, .production, "10", over, "10"), (.committed, .emulator, "10", over, "0"),
    (.rolledBack, .production, "10", over, "0"), (.rolledBack, .emulator, "10", over, "0"),
    (.failed, .production, "3", over, "0"), (.failed, .emulator, "10", over, "0"),
    (.wroteReadOnly, .production, "3", over, "0"), (.wroteReadOnly, .emulator, "0", "", "10"),
    (.unknown, .production, "3", "Transaction is invalid or expired.", "3"),
    (.unknown, .emulator, "3", "Transaction is invalid or expired.", "3"),
    (.malformed, .production, "3", "Invalid transaction.", "3"),
    (.malformed, .emulator, "3", "Invalid transaction.", "3"),
  ]

  @Test("what is answered after each ending", arguments: endings.indices)
  func ending(index: Int) throws {
    let (ending, name, status, text, rollback) = Self.endings[index]
    let profile = ServiceProfile(name)
    let harness = try H(isOpen: true, profile: profile)
    harness.service.store.store.setTransactionPolicy(profile.transactionPolicy)
    try harness.set(["c/a": 1])
    let token = try self.token(after: ending, harness)
    let read = try harness.call("GetDocument", Self.get("c/a", token))
    #expect(read.status == status && read.message ?? "" == text, "\(ending) \(name)")
    // Ends the transaction where it is still open.
    let commit = try harness.call("Commit", Self.commit(nil, 1, token))
    #expect(commit.status == status && commit.message ?? "" == text, "\(ending) \(name)")
    let rolledBack = try harness.call("Rollback", Self.rollback(token)).status
    #expect(
      rolledBack == (ending == .wroteReadOnly && name == .emulator ? "0" : rollback), "\(ending) \(name)")
  }

  private func token(after ending: Ending, _ harness: H) throws -> [UInt8] {
    var begin = Self.begin
    if ending == .wroteReadOnly { begin.options.readOnly = .init() }
    let token = try Self.token(of: try harness.call("BeginTransaction", begin))
    switch ending {
    case .committed: #expect(try harness.call("Commit", Self.commit("c/b", 1, token)).status == "0")
    case .rolledBack: #expect(try harness.call("Rollback", Self.rollback(token)).status == "0")
    case .failed:
      var commit = Self.commit("c/a", 2, token)
      commit.writes[0].currentDocument.exists = false
      #expect(try harness.call("Commit", commit).status == "6")
    case .wroteReadOnly:
      let refused = try harness.call("Commit", Self.commit("c/a", 2, token))
      #expect(refused.status == "3" && refused.message == Self.readOnlyText)
    case .unknown: return [0x11, 1, 0, 0, 0, 0, 0, 0, 0]
    case .malformed: return [0x11, 1]
    }
    return token
  }

  @Test("a refused commit leaves its transaction open")
  func refused() throws {
    let harness = try H()
    let token = try Self.token(of: try harness.call("BeginTransaction", Self.begin))
    var invalid = Self.commit("c/a", 1, token)
    invalid.writes[0].verify = H.root + "/c/a"
    #expect(try harness.call("Commit", invalid).status == "3")
    #expect(try harness.call("Commit", Self.commit("c/a", 1, token)).status == "0")
  }

  // MARK: reads that begin a transaction

  @Test("the transaction that a read begins comes first and alone; without a mode it only reads")
  func newTransactions() throws {
    let harness = try H()
    try harness.set(["c/a": 1])
    typealias Options = Google_Firestore_V1_TransactionOptions
    for (options, writes) in [
      (Options(), "3"), (.with { $0.readOnly = .init() }, "3"), (.with { $0.readWrite = .init() }, "0"),
      (.with { $0.readWrite.concurrencyMode = .optimistic }, "0"),
    ] {
      // One after the other: what one has read would hold up the next.
      for begin in [batchGet, query, aggregation] {
        let token = try begin(harness, options)
        #expect(try harness.call("Commit", Self.commit("c/b", 1, token)).status == writes)
      }
    }
  }

  private func batchGet(_ harness: H, _ options: Google_Firestore_V1_TransactionOptions) throws -> [UInt8] {
    let request = Google_Firestore_V1_BatchGetDocumentsRequest.with {
      $0.database = H.database
      $0.documents = [H.root + "/c/a", H.root + "/c/none"]
      $0.newTransaction = options
    }
    let messages = try harness.call("BatchGetDocuments", request).messages.map {
      try Google_Firestore_V1_BatchGetDocumentsResponse(serializedBytes: $0)
    }
    #expect(messages.count == 3 && messages[0].result == nil && !messages[0].hasReadTime)
    #expect(messages[1].transaction.isEmpty && messages[1].found.name == H.root + "/c/a")
    return Array(messages[0].transaction)
  }

  private func query(_ harness: H, _ options: Google_Firestore_V1_TransactionOptions) throws -> [UInt8] {
    let request = Google_Firestore_V1_RunQueryRequest.with {
      $0.parent = H.root
      $0.structuredQuery.from = [.with { $0.collectionID = "nothing" }]
      $0.newTransaction = options
    }
    let messages = try harness.call("RunQuery", request).messages.map {
      try Google_Firestore_V1_RunQueryResponse(serializedBytes: $0)
    }
    #expect(messages.count == 2 && !messages[0].hasReadTime && messages[1].transaction.isEmpty)
    return Array(messages[0].transaction)
  }

  private func aggregation(
    _ harness: H, _ options: Google_Firestore_V1_TransactionOptions
  ) throws -> [UInt8] {
    let request = Google_Firestore_V1_RunAggregationQueryRequest.with {
      $0.parent = H.root
      $0.structuredAggregationQuery.structuredQuery.from = [.with { $0.collectionID = "c" }]
      $0.structuredAggregationQuery.aggregations = [.with { $0.count = .init() }]
      $0.newTransaction = options
    }
    let messages = try harness.call("RunAggregationQuery", request).messages.map {
      try Google_Firestore_V1_RunAggregationQueryResponse(serializedBytes: $0)
    }
    #expect(messages.count == 2 && !messages[0].hasResult && messages[1].hasResult)
    return Array(messages[0].transaction)
  }

  // MARK: calls and connections that end

  @Test("the end of a connection ends its transactions, and who waited for them goes on")
  func connectionLost() throws {
    let harness = try ClientsHarness()
    let gone = try harness.connect()
    let other = try harness.connect()
    let token = try Self.token(of: try harness.call(gone, "BeginTransaction", Self.begin))
    _ = try harness.call(gone, "GetDocument", Self.get("c/a", token))
    let waiting = try other.request("Commit", Self.commit("c/a"))
    other.exchange()
    try eventually("the commit waits") { harness.store.lockWaitCount == 1 }
    gone.connection.loseConnection()
    try harness.run(until: other.client.streams[waiting]?.isClosed == true) { other.exchange() }
    #expect(other.client.streams[waiting]?.status == "0")
    #expect(try harness.call(other, "Commit", Self.commit(nil, 1, token)).message == Self.over)
  }

  @Test("a refused commit leaves its transaction to the connection, whose end ends it")
  func refusedThenLost() throws {
    let harness = try ClientsHarness()
    let gone = try harness.connect()
    let other = try harness.connect()
    let token = try Self.token(of: try harness.call(gone, "BeginTransaction", Self.begin))
    _ = try harness.call(gone, "GetDocument", Self.get("c/a", token))
    var tooLarge = Self.commit("c/b", 1, token)
    tooLarge.writes[0].update.fields["text"] = .with {
      $0.stringValue = String(repeating: "x", count: 1 << 21)
    }
    #expect(try harness.call(gone, "Commit", tooLarge).status == "3")
    let waiting = try other.request("Commit", Self.commit("c/a"))
    other.exchange()
    try eventually("the commit waits") { harness.store.lockWaitCount == 1 }
    gone.connection.loseConnection()
    try harness.run(until: other.client.streams[waiting]?.isClosed == true) { other.exchange() }
    #expect(other.client.streams[waiting]?.status == "0")
  }

  private static let large = Google_Firestore_V1_Value.with {
    $0.stringValue = String(repeating: "x", count: 300_000)
  }

  enum End: CaseIterable { case cancelled, connectionLost, late }
  enum Waiting: CaseIterable { case commit, batchWrite, update, writeStream, largeOnWriteStream }

  @Test("a write whose call is over does not wait any longer", arguments: End.allCases, Waiting.allCases)
  func callOver(end: End, waits: Waiting) throws {
    let harness = try ClientsHarness()
    let holder = try harness.connect()
    let waiter = try harness.connect()
    let token = try Self.token(of: try harness.call(holder, "BeginTransaction", Self.begin))
    _ = try harness.call(holder, "GetDocument", Self.get("c/a", token))
    let commit = Self.commit("c/a")
    let stream: Int32
    switch waits {
    case .commit: stream = try waiter.request("Commit", commit, timeout: "1S")
    case .batchWrite:
      let batch = Google_Firestore_V1_BatchWriteRequest.with {
        $0.database = H.database
        $0.writes = commit.writes
      }
      stream = try waiter.request("BatchWrite", batch, timeout: "1S")
    case .update:
      let update = Google_Firestore_V1_UpdateDocumentRequest.with { $0.document = commit.writes[0].update }
      stream = try waiter.request("UpdateDocument", update, timeout: "1S")
    case .writeStream, .largeOnWriteStream:
      let handshake = Google_Firestore_V1_WriteRequest.with { $0.database = H.database }
      stream = try waiter.request("Write", handshake, timeout: "1S", ends: false)
      let batch = Google_Firestore_V1_WriteRequest.with {
        $0.writes = commit.writes
        // Above 256 KiB a batch is checked on another thread.
        if waits == .largeOnWriteStream { $0.writes[0].update.fields["s"] = Self.large }
      }
      waiter.client.append(stream, framed(try batch.serializedBytes()), ends: false)
    }
    waiter.exchange()
    // What a thread has read comes back to the connection first.
    if waits == .largeOnWriteStream { try harness.runOnce() }
    try eventually("the commit waits") { harness.store.lockWaitCount == 1 }
    switch end {
    case .cancelled: waiter.client.reset(stream)
    case .connectionLost: waiter.connection.loseConnection()
    case .late:
      harness.clock.nanoseconds.store(1_000_000_000, ordering: .relaxed)
      waiter.connection.expire()
    }
    waiter.exchange()
    #expect(harness.store.lockWaitCount == 0)
    #expect(try harness.call(holder, "Commit", Self.commit(nil, 1, token)).status == "0")
    #expect(try harness.call(holder, "GetDocument", Self.get("c/a", [])).status == "5")
  }

  @Test("a large commit whose call is cancelled while it is checked writes nothing")
  func cancelledWhileChecked() throws {
    let harness = try ClientsHarness()
    let writer = try harness.connect()
    var commit = Self.commit("c/a")
    commit.writes[0].update.fields["s"] = Self.large
    let stream = try writer.request("Commit", commit)
    writer.exchange()
    writer.client.reset(stream)
    writer.exchange()
    // What the thread that checks brings back, if it had begun, is run with the answers to those behind it.
    let other = try harness.connect()
    for name in ["c/b", "c/d"] {
      var later = Self.commit(name)
      later.writes[0].update.fields["s"] = Self.large
      #expect(try harness.call(other, "Commit", later).status == "0")
    }
    #expect(try harness.call(writer, "GetDocument", Self.get("c/a", [])).status == "5")
  }
}
