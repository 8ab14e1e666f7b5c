import Access
import DocModel
import DocStore
import FirestoreProtos
import Rules
import SwiftProtobuf
import Testing

@testable import Wire

@Suite("google.firestore.v1.Firestore")
struct FirestoreServiceTests {
  typealias H = ServiceHarness

  func get(_ path: String, mask: [String]? = nil) -> Google_Firestore_V1_GetDocumentRequest {
    .with {
      $0.name = H.root + "/" + path
      if let mask { $0.mask.fieldPaths = mask }
    }
  }

  @Test("what is committed is got, under both names of the service")
  func commitAndGet() throws {
    let harness = try H()
    try harness.set(["c/a": 1])
    let request: [UInt8] = try get("c/a").serializedBytes()
    for service in ["google.firestore.v1.Firestore", "google.firestore.v1beta1.Firestore"] {
      let answer = harness.call("GetDocument", request, service: service)
      let document = try Google_Firestore_V1_Document(serializedBytes: try #require(answer.messages.first))
      #expect(document.fields["n"]?.integerValue == 1)
      #expect(document.createTime == document.updateTime)
    }
    let missing = try harness.call("GetDocument", get("c/b"))
    #expect(missing.status == "5" && missing.message == "Document \"\(H.root)/c/b\" not found.")
  }

  @Test(
    "of several faults the first in the order of judgement is told",
    arguments: [
      // name, token, mask: status
      ("c", "nonsense", ["a b"], "3", "lacks \"/\""),
      ("c/d", "nonsense", ["a b"], "16", "authentication credential"),
      ("c/d", nil, ["a b"], "3", "Invalid property path"),
      ("c/d", nil, ["a"], "7", "Missing or insufficient permissions."),
    ] as [(String, String?, [String], String, String)])
  func orderOfJudgement(path: String, token: String?, mask: [String], status: String, text: String) throws {
    let answer = try H().call("GetDocument", get(path, mask: mask), token: token)
    #expect(answer.status == status)
    #expect(answer.message?.contains(text) == true)
  }

  @Test("rules decide for users, and the administrator passes")
  func rules() throws {
    let harness = try H()
    try harness.set(["c/alice": 1])
    let source = """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{d}/documents/c/{id} { allow get: if request.auth.uid == id; }
      }
      """
    harness.rulesets.setStandard(try #require(Ruleset.compile(source: source, name: "t").ruleset))
    func status(_ claims: String?) throws -> String? {
      try harness.call("GetDocument", get("c/alice"), token: claims.map { TokenReaderTests.token($0) }).status
    }
    #expect(try status(#"{"sub":"alice"}"#) == "0")
    #expect(try status(#"{"sub":"bob"}"#) == "7")
    #expect(try status(nil) == "7")
    #expect(try harness.call("GetDocument", get("c/alice")).status == "0")
  }

  @Test("BatchGet answers in the order asked, found and missing, at one read time")
  func batchGet() throws {
    let harness = try H()
    try harness.set(["c/a": 1, "c/b": 2])
    for filler in [0, 200] {  // on the event loop, and on a thread
      let names = (["c/b", "c/x", "c/a"] + (0..<filler).map { "c/y\($0)" }).map { H.root + "/" + $0 }
      let request = Google_Firestore_V1_BatchGetDocumentsRequest.with {
        $0.database = H.database
        $0.documents = names
      }
      let answer = try harness.call("BatchGetDocuments", request)
      let responses = try answer.messages.map {
        try Google_Firestore_V1_BatchGetDocumentsResponse(serializedBytes: $0)
      }
      #expect(responses.map { $0.missing.isEmpty ? $0.found.name : $0.missing } == names)
      #expect(Set(responses.map { $0.readTime.nanos }).count == 1)
      #expect(answer.status == "0")
    }
  }

  @Test("a query gives documents in order, skipped results first and alone, and something when empty")
  func runQuery() throws {
    let harness = try H()
    try harness.set(["c/a": 3, "c/b": 1, "c/d": 2])
    func run(_ change: (inout Google_Firestore_V1_StructuredQuery) -> Void) throws
      -> [Google_Firestore_V1_RunQueryResponse]
    {
      let request = Google_Firestore_V1_RunQueryRequest.with {
        $0.parent = H.root
        $0.structuredQuery.from = [.with { $0.collectionID = "c" }]
        $0.structuredQuery.orderBy = [.with { $0.field.fieldPath = "n" }]
        change(&$0.structuredQuery)
      }
      return try harness.call("RunQuery", request).messages.map { try .init(serializedBytes: $0) }
    }
    #expect(try run { _ in }.map { String($0.document.name.suffix(1)) } == ["b", "d", "a"])
    let offset = try run { $0.offset = 2 }
    #expect(
      offset.count == 2 && offset[0].skippedResults == 2 && !offset[0].hasDocument
        && offset[1].document.name.hasSuffix("a"))
    let empty = try run { $0.from[0].collectionID = "none" }
    #expect(empty.count == 1 && empty[0].hasReadTime && !empty[0].hasDocument)
  }

  @Test("a result larger than the batches and windows arrives whole")
  func largeResult() throws {
    let harness = try H()
    try harness.set(Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("c/\($0)", Int64($0)) }))
    let request = Google_Firestore_V1_RunQueryRequest.with {
      $0.parent = H.root
      $0.structuredQuery.from = [.with { $0.collectionID = "c" }]
    }
    let answer = try harness.call("RunQuery", request)
    #expect(answer.messages.count == 5_000 && answer.status == "0")
  }

  @Test("metadata and batches are the administrator's")
  func administrators() throws {
    let harness = try H(isOpen: true)
    let ids = Google_Firestore_V1_ListCollectionIdsRequest.with { $0.parent = H.root }
    let batch = Google_Firestore_V1_BatchWriteRequest.with { $0.database = H.database }
    let list = Google_Firestore_V1_ListDocumentsRequest.with {
      $0.parent = H.root
      $0.collectionID = "c"
      $0.showMissing = true
    }
    #expect(
      try harness.call("ListCollectionIds", ids, token: nil).message
        == "Missing or insufficient permissions.")
    #expect(
      try harness.call("BatchWrite", batch, token: nil).message
        == "Missing or insufficient permissions.")
    #expect(try harness.call("ListDocuments", list, token: nil).status == "7")
    #expect(try harness.call("ListCollectionIds", ids).status == "0")
    #expect(try harness.call("BatchWrite", batch).status == "0")
    #expect(try harness.call("ListDocuments", list).status == "0")
  }

  @Test("collection ids come in pages")
  func collectionIDs() throws {
    let harness = try H()
    try harness.set(["a/x": 1, "b/x": 1, "c/x": 1])
    var request = Google_Firestore_V1_ListCollectionIdsRequest.with {
      $0.parent = H.root
      $0.pageSize = 2
    }
    let first = try Google_Firestore_V1_ListCollectionIdsResponse(
      serializedBytes: try #require(harness.call("ListCollectionIds", request).messages.first))
    #expect(first.collectionIds == ["a", "b"])
    request.pageToken = first.nextPageToken
    let second = try Google_Firestore_V1_ListCollectionIdsResponse(
      serializedBytes: try #require(harness.call("ListCollectionIds", request).messages.first))
    #expect(second.collectionIds == ["c"] && second.nextPageToken.isEmpty)
    request.pageToken = "!"
    #expect(try harness.call("ListCollectionIds", request).status == "3")
  }

  @Test("a batch is not atomic")
  func batchWrite() throws {
    let harness = try H()
    let request = Google_Firestore_V1_BatchWriteRequest.with {
      $0.database = H.database
      $0.writes = [
        .with { $0.update.name = H.root + "/c/a" },
        .with {
          $0.update.name = H.root + "/c/b"
          $0.currentDocument.exists = true
        },
      ]
    }
    let response = try Google_Firestore_V1_BatchWriteResponse(
      serializedBytes: try #require(harness.call("BatchWrite", request).messages.first))
    #expect(response.status.map(\.code) == [0, 5])
    #expect(try harness.call("GetDocument", get("c/a")).status == "0")
    let twice = Google_Firestore_V1_BatchWriteRequest.with {
      $0.database = H.database
      $0.writes = [request.writes[0], request.writes[0]]
    }
    #expect(
      try harness.call("BatchWrite", twice, token: nil).message
        == "the same document cannot be written more than once in a single request")
  }

  @Test("create, update with a mask, delete")
  func singleWrites() throws {
    let harness = try H()
    let create = Google_Firestore_V1_CreateDocumentRequest.with {
      $0.parent = H.root
      $0.collectionID = "c"
      $0.documentID = "a"
      $0.document.fields["x"] = .with { $0.integerValue = 1 }
    }
    let created = try Google_Firestore_V1_Document(
      serializedBytes: try #require(harness.call("CreateDocument", create).messages.first))
    #expect(created.name == H.root + "/c/a" && created.fields["x"]?.integerValue == 1)
    #expect(try harness.call("CreateDocument", create).message == "Document already exists: \(H.root)/c/a")
    var nameless = create
    nameless.documentID = ""
    let unnamed = try Google_Firestore_V1_Document(
      serializedBytes: try #require(
        harness.call("CreateDocument", nameless).messages.first))
    #expect(unnamed.name.utf8.count == (H.root + "/c/").utf8.count + 20)
    let update = Google_Firestore_V1_UpdateDocumentRequest.with {
      $0.document.name = H.root + "/c/a"
      $0.document.fields["y"] = .with { $0.integerValue = 2 }
      $0.updateMask.fieldPaths = ["y"]
      $0.mask.fieldPaths = ["x"]
    }
    let updated = try Google_Firestore_V1_Document(
      serializedBytes: try #require(harness.call("UpdateDocument", update).messages.first))
    #expect(updated.fields.keys.sorted() == ["x"] && updated.createTime != updated.updateTime)
    let delete = Google_Firestore_V1_DeleteDocumentRequest.with { $0.name = H.root + "/c/a" }
    #expect(try harness.call("DeleteDocument", delete).status == "0")
    #expect(try harness.call("GetDocument", get("c/a")).status == "5")
  }

  @Test("a transaction is begun, committed once, and then over")
  func transactions() throws {
    let harness = try H()
    let begin = Google_Firestore_V1_BeginTransactionRequest.with { $0.database = H.database }
    let token = try Google_Firestore_V1_BeginTransactionResponse(
      serializedBytes: try #require(harness.call("BeginTransaction", begin).messages.first)
    ).transaction
    let commit = Google_Firestore_V1_CommitRequest.with {
      $0.database = H.database
      $0.transaction = token
    }
    #expect(try harness.call("Commit", commit).status == "0")
    #expect(try harness.call("Commit", commit).status == "10")
    let broken = Google_Firestore_V1_RollbackRequest.with { $0.database = H.database }
    #expect(try harness.call("Rollback", broken).message == "Invalid transaction.")
  }

  @Test("end users may begin transactions that only read", arguments: [nil, "e30.eyJzdWIiOiJhIn0."])
  func endUserTransactions(token: String?) throws {
    let harness = try H(isOpen: true)
    let readWrite = Google_Firestore_V1_BeginTransactionRequest.with { $0.database = H.database }
    var readOnly = readWrite
    readOnly.options.readOnly = .init()
    let refused = try harness.call("BeginTransaction", readWrite, token: token)
    #expect(refused.status == "7" && refused.message == "Missing or insufficient permissions.")
    #expect(try harness.call("BeginTransaction", readOnly, token: token).status == "0")
    var reading = Google_Firestore_V1_BatchGetDocumentsRequest.with {
      $0.database = H.database
      $0.documents = [H.root + "/c/a"]
      $0.newTransaction.readWrite = .init()
    }
    #expect(try harness.call("BatchGetDocuments", reading, token: token).status == "7")
    reading.newTransaction.readOnly = .init()
    #expect(try harness.call("BatchGetDocuments", reading, token: token).status == "0")
  }

  @Test(
    "bytes that are no message are refused",
    arguments: [
      "GetDocument", "Commit", "RunQuery", "ListDocuments", "BeginTransaction", "BatchGetDocuments",
    ])
  func unreadable(method: String) throws {
    let answer = try H().call(method, [0x0A, 0x05, 0x01])
    #expect(answer.status == "3" && answer.message == "the request is not a valid message")
  }
}
