import DocModel
import DocStore
import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import Wire

/// What we write by hand, read by the generated types.
@Suite("answers, written by hand")
struct AnswerTests {
  let fields = (["a": .integer(1), "b": .map(["c": .string("x")])] as Fields).encoded

  func withAnswer<Result>(_ body: (DocumentAnswer) throws -> Result) rethrows -> Result {
    try fields.withUnsafeBytes { fields in
      try Array("c/d".utf8).withUnsafeBytes { path in
        let document = StoredDocument(
          createTime: 1_500_000, updateTime: 2_000_001, fields: FieldsView(document: fields))
        return try body(
          DocumentAnswer(root: "projects/p/databases/d/documents", path: path, document, fields: fields))
      }
    }
  }

  @Test("a document has its name, fields and times, and says its length beforehand")
  func document() throws {
    try withAnswer { answer in
      #expect(answer.message.count == answer.byteCount)
      let document = try Google_Firestore_V1_Document(serializedBytes: answer.message)
      #expect(document.name == "projects/p/databases/d/documents/c/d")
      #expect(document.fields["a"]?.integerValue == 1)
      #expect(document.fields["b"]?.mapValue.fields["c"]?.stringValue == "x")
      #expect(document.createTime.seconds == 1 && document.createTime.nanos == 500_000_000)
      #expect(document.updateTime.seconds == 2 && document.updateTime.nanos == 1_000)
    }
  }

  @Test("found, missing, query results and transactions")
  func reads() throws {
    try withAnswer { answer in
      let found = try Google_Firestore_V1_BatchGetDocumentsResponse(
        serializedBytes: Answers.found(answer, readTime: 7_000_000))
      #expect(found.found.fields.count == 2 && found.readTime.seconds == 7)
      let result = try Google_Firestore_V1_RunQueryResponse(
        serializedBytes: Answers.queryResult(answer, readTime: 1, skipped: 4))
      #expect(
        result.document.name.hasSuffix("c/d") && result.skippedResults == 4 && result.readTime.nanos == 1_000)
    }
    let missing = try Google_Firestore_V1_BatchGetDocumentsResponse(
      serializedBytes: Answers.missing("n", readTime: 0))
    #expect(missing.missing == "n" && missing.hasReadTime)
    let transaction = try Google_Firestore_V1_RunQueryResponse(
      serializedBytes: Answers.queryTransaction([1, 2]))
    #expect(Array(transaction.transaction) == [1, 2] && !transaction.hasReadTime)
  }

  @Test("a commit has one result a write and its time")
  func commit() throws {
    let result = CommitResult(
      commitTime: 3_000_000,
      results: [
        WriteResult(updateTime: 3_000_000, transformResults: [Value.integer(4).encoded, Value.null.encoded]),
        WriteResult(updateTime: nil),
      ])
    let response = try Google_Firestore_V1_CommitResponse(serializedBytes: Answers.commit(result))
    #expect(response.commitTime.seconds == 3)
    #expect(response.writeResults.count == 2)
    #expect(response.writeResults[0].transformResults.map(\.integerValue) == [4, 0])
    #expect(response.writeResults[0].hasUpdateTime && !response.writeResults[1].hasUpdateTime)
  }

  @Test("a batch has a result and a status a write, also for failures")
  func batch() throws {
    let response = try Google_Firestore_V1_BatchWriteResponse(
      serializedBytes: Answers.batchWrite([
        .success(WriteResult(updateTime: 1)), .failure(GRPCStatus(.notFound, "gone")),
      ]))
    #expect(response.writeResults.count == 2 && response.writeResults[0].hasUpdateTime)
    #expect(response.status.map(\.code) == [0, 5] && response.status[1].message == "gone")
  }

  @Test("lists hold documents and names of missing ones")
  func list() throws {
    var list = ListAnswer(root: "projects/p/databases/d/documents")
    withAnswer { list.append($0) }
    Array("c/z".utf8).withUnsafeBytes { list.append(missing: $0) }
    let response = try Google_Firestore_V1_ListDocumentsResponse(
      serializedBytes: list.message(nextPageToken: "t"))
    #expect(
      response.documents.map(\.name) == [
        "projects/p/databases/d/documents/c/d", "projects/p/databases/d/documents/c/z",
      ])
    #expect(!response.documents[1].hasCreateTime && response.nextPageToken == "t")
    let ids = try Google_Firestore_V1_ListCollectionIdsResponse(
      serializedBytes: Answers.collectionIDs(["a", "b"], nextPageToken: ""))
    #expect(ids.collectionIds == ["a", "b"] && ids.nextPageToken.isEmpty)
  }
}
