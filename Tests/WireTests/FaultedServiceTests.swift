/// Injected faults as clients see them over gRPC, and how they are set over HTTP. Streams: `FaultedStreamTests`.

import Access
import DocModel
import DocStore
import FirestoreProtos
import SwiftProtobuf
import Synchronization
import Testing

@testable import Faults
@testable import Wire

@Suite("injected faults")
struct FaultedServiceTests {
  private typealias H = ServiceHarness
  private static let alice = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."
  private static let database = FaultKit.database

  private static func query(_ group: Bool = false) -> Google_Firestore_V1_StructuredQuery {
    .with { query in
      query.from = [
        .with {
          $0.collectionID = "c"
          $0.allDescendants = group
        }
      ]
    }
  }

  private static let document = Google_Firestore_V1_Document.with { $0.name = H.root + "/c/a" }
  private static let write = Google_Firestore_V1_Write.with { $0.update = document }

  /// A method, what it is called in rules, where it is about, and a request.
  private static func requests() throws -> [(
    method: String, call: String, place: String?, message: [UInt8]
  )] {
    [
      (
        "GetDocument", "get", "c/a",
        try Google_Firestore_V1_GetDocumentRequest.with { $0.name = H.root + "/c/a" }.bytes
      ),
      (
        "BatchGetDocuments", "get", "c/a",
        try Google_Firestore_V1_BatchGetDocumentsRequest.with {
          $0.database = H.database
          $0.documents = [H.root + "/x/y", H.root + "/c/a"]
        }.bytes
      ),
      (
        "ListDocuments", "query", "c",
        try Google_Firestore_V1_ListDocumentsRequest.with {
          $0.parent = H.root
          $0.collectionID = "c"
        }.bytes
      ),
      (
        "RunQuery", "query", "c",
        try Google_Firestore_V1_RunQueryRequest.with {
          $0.parent = H.root
          $0.structuredQuery = query()
        }.bytes
      ),
      (
        "RunQuery", "query", "**/c",
        try Google_Firestore_V1_RunQueryRequest.with {
          $0.parent = H.root + "/x/y"
          $0.structuredQuery = query(true)
        }.bytes
      ),
      (
        "PartitionQuery", "query", "**/c",
        try Google_Firestore_V1_PartitionQueryRequest.with {
          $0.parent = H.root
          $0.structuredQuery = query(true)
          $0.partitionCount = 2
        }.bytes
      ),
      (
        "RunAggregationQuery", "count", "x/y/c",
        try Google_Firestore_V1_RunAggregationQueryRequest.with {
          $0.parent = H.root + "/x/y"
          $0.structuredAggregationQuery.structuredQuery = query()
          $0.structuredAggregationQuery.aggregations = [.with { $0.count = .init() }]
        }.bytes
      ),
      (
        "CreateDocument", "commit", "c/new",
        try Google_Firestore_V1_CreateDocumentRequest.with {
          $0.parent = H.root
          $0.collectionID = "c"
          $0.documentID = "new"
        }.bytes
      ),
      (
        "UpdateDocument", "commit", "c/a",
        try Google_Firestore_V1_UpdateDocumentRequest.with { $0.document = document }.bytes
      ),
      (
        "DeleteDocument", "commit", "c/a",
        try Google_Firestore_V1_DeleteDocumentRequest.with { $0.name = H.root + "/c/a" }.bytes
      ),
      (
        "Commit", "commit", "c/a",
        try Google_Firestore_V1_CommitRequest.with {
          $0.database = H.database
          $0.writes = [.with { $0.delete = H.root + "/x/y" }, write]
        }.bytes
      ),
      (
        "BatchWrite", "commit", "c/a",
        try Google_Firestore_V1_BatchWriteRequest.with {
          $0.database = H.database
          $0.writes = [write]
        }.bytes
      ),
      (
        "ListCollectionIds", "collections", "x/y",
        try Google_Firestore_V1_ListCollectionIdsRequest.with { $0.parent = H.root + "/x/y" }.bytes
      ),
      ("BeginTransaction", "begin", nil, try TransactionServiceTests.begin.bytes),
      (
        "Rollback", "rollback", nil,
        try TransactionServiceTests.rollback([0x11, 1, 0, 0, 0, 0, 0, 0, 0]).bytes
      ),
    ]
  }

  @Test("every method is affected by its word, and by its place")
  func methods() throws {
    for request in try Self.requests() {
      let harness = try H()
      let ask = { harness.call(request.method, request.message).status }
      let before = ask()
      #expect(before != "14", "\(request.method)")
      for call in InjectedFault.Call.allCases where call.rawValue != request.call {
        try FaultKit.set("UNAVAILABLE on \(call)", harness)
      }
      try FaultKit.set("UNAVAILABLE under elsewhere", harness)
      #expect(ask() != "14", "\(request.method) is affected by words of other calls")
      _ = harness.service.faults.clear(Self.database, number: nil)
      try FaultKit.set(
        "UNAVAILABLE on \(request.call)" + (request.place.map { " under \($0)" } ?? ""), harness)
      #expect(ask() == "14", "\(request.method)")
      _ = harness.service.faults.clear(Self.database, number: nil)
      #expect(ask() != "14", "\(request.method) after the fault")
    }
  }

  @Test("a commit that fails by a fault changes nothing, and its client is told by which fault")
  func commit() throws {
    let harness = try H()
    try FaultKit.set("UNAVAILABLE on commit", harness)
    let answer = try harness.call("Commit", TransactionServiceTests.commit("c/a"))
    #expect(answer.status == "14" && answer.message == "injected by fault 1: UNAVAILABLE on commit")
    #expect(try harness.call("GetDocument", TransactionServiceTests.get("c/a", [])).status == "5")
    #expect(FaultKit.metrics(harness) == ["UNAVAILABLE on commit: 1 of 1"])
  }

  @Test("calls are counted from when the fault is set, of its caller alone")
  func turns() throws {
    let harness = try H(isOpen: true)
    try FaultKit.set("ABORTED on commit 2-3 of alice", harness)
    try FaultKit.set("INTERNAL on get 1", harness)
    let commit = TransactionServiceTests.commit("c/a")
    #expect(try (0..<2).map { _ in try harness.call("Commit", commit).status } == ["0", "0"])
    let statuses = try (0..<5).map { _ in
      try harness.call("Commit", commit, token: Self.alice).status
    }
    #expect(statuses == ["0", "10", "10", "0", "0"])
    #expect(
      FaultKit.metrics(harness) == [
        "ABORTED on commit 2-3 of alice: 2 of 3, over", "INTERNAL on get 1: 0 of 0",
      ])
    #expect(try harness.call("GetDocument", TransactionServiceTests.get("c/a", [])).status == "13")
    #expect(!harness.service.faults.areSet)
  }

  @Test("nobody and administrators have words of their own")
  func callers() throws {
    for (who, token) in [("anon", nil), ("admin", "owner"), ("alice", Self.alice)] {
      let harness = try H(isOpen: true)
      try FaultKit.set("UNAVAILABLE of \(who)", harness)
      for other in [nil, "owner", Self.alice] {
        let status = harness.call(
          "GetDocument", try TransactionServiceTests.get("c/a", []).bytes, token: other
        ).status
        #expect(status == (other == token ? "14" : "5"), "\(who)")
      }
    }
  }

  @Test("the oldest fault answers; a broken request or header is told as without faults")
  func order() throws {
    let harness = try H()
    try FaultKit.set("INTERNAL on get", harness)
    try FaultKit.set("UNAVAILABLE", harness)
    #expect(try harness.call("GetDocument", TransactionServiceTests.get("c/a", [])).status == "13")
    #expect(harness.call("GetDocument", [0xFF]).status == "3")
    #expect(
      try harness.call("GetDocument", TransactionServiceTests.get("c/a", []), token: "x").status
        == "16")
    #expect(FaultKit.metrics(harness) == ["INTERNAL on get: 1 of 1", "UNAVAILABLE: 0 of 1"])
  }

  @Test("ABORTED ends the transaction of a call; any other status leaves it open")
  func transactions() throws {
    for (code, again) in [("ABORTED", "10"), ("UNAVAILABLE", "0"), ("DEADLINE_EXCEEDED", "0")] {
      for call in ["commit", "get"] {
        let harness = try H()
        try harness.set(["c/a": 1])
        let token = try TransactionServiceTests.token(
          of: try harness.call("BeginTransaction", TransactionServiceTests.begin))
        try FaultKit.set("\(code) on \(call) 1", harness)
        let struck =
          call == "commit"
          ? try harness.call("Commit", TransactionServiceTests.commit("c/a", 2, token))
          : try harness.call("GetDocument", TransactionServiceTests.get("c/a", token))
        #expect(struck.message?.hasPrefix("injected by fault 1") == true)
        #expect(
          try harness.call("Commit", TransactionServiceTests.commit("c/a", 3, token)).status
            == again,
          "\(code)")
      }
    }
  }

  @Test("delays add up to a limit, then the call is carried out, or fails if it is to")
  func delays() throws {
    let delays = FaultKit.Delays()
    let harness = try H(faultTimer: delays.timer)
    try FaultKit.set("delay 800ms on get, commit", harness)
    try FaultKit.set("delay 2s on get", harness)
    #expect(try harness.call("Commit", TransactionServiceTests.commit("c/a")).status == "0")
    #expect(try harness.call("GetDocument", TransactionServiceTests.get("c/a", [])).status == "0")
    try FaultKit.set("delay 60s on get", harness)
    try FaultKit.set("UNAVAILABLE on get", harness)
    #expect(try harness.call("GetDocument", TransactionServiceTests.get("c/a", [])).status == "14")
    #expect(delays.milliseconds.withLock { $0 } == [800, 2_800, 60_000])
  }

  @Test("the standard timer wakes a call")
  func timer() throws {
    let harness = try H()
    try FaultKit.set("delay 1ms", harness)
    #expect(try harness.call("Commit", TransactionServiceTests.commit("c/a")).status == "0")
  }

  // MARK: over HTTP

  private static let place = "/emulator/v1/projects/p/databases/(default):faults"
  private static let owner = "Authorization: Bearer owner"
  private static let get = "/v1/projects/p/databases/(default)/documents/c/a"

  @Test(
    "administrators set, list and clear them over HTTP; REST is affected, too, the administration is not"
  )
  func administration() async throws {
    let bench = try await HTTPBench()
    try bench.set("c/a")
    let rule = #"{"rule":"unavailable on get 1-2"}"#
    for headers in [[], ["Authorization: Bearer \(Self.alice)"]] {
      #expect(bench.ask("POST", Self.place, rule, headers: headers).status == 403)
      #expect(bench.ask("GET", Self.place, headers: headers).status == 403)
    }
    let ask = { (method: String, rest: String, body: String) in
      bench.ask(method, Self.place + rest, body, headers: [Self.owner])
    }
    #expect(ask("POST", "", rule).body == #"{"number":1,"rule":"UNAVAILABLE on get 1-2"}"#)
    let other = "/v1/projects/p/databases/other/documents/c/a"
    #expect(bench.ask("GET", other).status == 404)
    let struck = bench.ask("GET", Self.get)
    #expect(struck.status == 503 && struck.body.contains("injected by fault 1"))
    #expect(
      ask("GET", "", "").body
        == #"{"faults":[{"number":1,"rule":"UNAVAILABLE on get 1-2","matched":1,"struck":1,"isOver":false}]}"#
    )
    #expect(ask("DELETE", "?number=2", "").status == 404)
    #expect(ask("DELETE", "?number=x", "").status == 400)
    #expect(ask("DELETE", "?number=1", "").body == #"{"cleared":1}"#)
    #expect(bench.ask("GET", Self.get).status == 200)
    let wrong = ask("POST", "", #"{"rule":"ABORTED on comit"}"#)
    #expect(wrong.status == 400 && wrong.body.contains("column 12: there is no call `comit`"))
    #expect(ask("POST", "", "{}").status == 400)
    await bench.server.stop()
  }

  @Test("there is a limit, which faults that are over do not count for; a reset clears all")
  func limit() async throws {
    let bench = try await HTTPBench()
    try bench.set("c/a")
    let add = { (rule: String) in
      bench.ask("POST", Self.place, "{\"rule\":\"\(rule)\"}", headers: [Self.owner]).status
    }
    #expect(add("UNAVAILABLE on get 1") == 200)
    for _ in 1..<FaultInjector.faultsMax { #expect(add("UNAVAILABLE of nobody-there") == 200) }
    #expect(add("UNAVAILABLE on get") == 429)
    #expect(bench.ask("GET", Self.get).status == 503)
    #expect(add("UNAVAILABLE on get") == 200)
    #expect(bench.ask("GET", Self.get).status == 503)
    #expect(bench.ask("POST", "/reset").status == 200)
    #expect(
      bench.ask("GET", Self.place, headers: [Self.owner]).body == #"{"faults":[]}"#)
    #expect(bench.ask("GET", Self.get).status == 404)
    await bench.server.stop()
  }
}

extension SwiftProtobuf.Message {
  fileprivate var bytes: [UInt8] {
    get throws { try serializedBytes() }
  }
}

extension String {
  fileprivate func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    let bytes = Array(utf8)
    guard bytes.count >= wanted.count else { return false }
    return (0...bytes.count - wanted.count).contains {
      bytes[$0..<$0 + wanted.count] == wanted[...]
    }
  }
}
