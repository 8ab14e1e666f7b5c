import Access
import DocModel
import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import Wire

@Suite("PartitionQuery, ExecutePipeline and streams")
struct PartitionAndPipelineTests {
  typealias H = ServiceHarness

  private func partition(count: Int64, hasQuery: Bool = true) -> Google_Firestore_V1_PartitionQueryRequest {
    .with {
      $0.parent = H.root
      $0.partitionCount = count
      guard hasQuery else { return }
      $0.structuredQuery.from = [
        .with {
          $0.collectionID = "c"
          $0.allDescendants = true
        }
      ]
    }
  }

  @Test("cursors are references")
  func cursors() throws {
    let harness = try H()
    try harness.set(Dictionary(uniqueKeysWithValues: (0..<300).map { ("c/d\(1_000 + $0)", 1) }))
    let answer = try harness.call("PartitionQuery", partition(count: 1))
    let response = try Google_Firestore_V1_PartitionQueryResponse(
      serializedBytes: try #require(answer.messages.first))
    #expect(response.partitions.map { $0.values.map(\.referenceValue) } == [[H.root + "/c/d1150"]])
  }

  @Test("servers alone may cut, and a query must be there")
  func refusals() throws {
    let harness = try H(isOpen: true)
    let user = try harness.call("PartitionQuery", partition(count: 1), token: nil)
    #expect(user.status == "7" && user.message == "Missing or insufficient permissions.")
    let none = try harness.call("PartitionQuery", partition(count: 1, hasQuery: false))
    #expect(none.status == "3" && none.message == "Query is required.")
    let zero = try harness.call("PartitionQuery", partition(count: 0))
    #expect(zero.status == "3" && zero.message == "Partition count must be greater than zero.")
  }

  @Test("pipelines need another edition, whoever asks, and say so as each service does")
  func pipelines() throws {
    let request = Google_Firestore_V1_ExecutePipelineRequest.with { $0.database = H.database }
    let production = try H().call("ExecutePipeline", request, token: "nonsense")
    #expect(production.status == "9" && production.headers["grpc-status-details-bin"] != nil)
    let emulator = try H(profile: .emulator).call("ExecutePipeline", request, token: "nonsense")
    #expect(emulator.status == "3")
    #expect(emulator.message == "ExecutePipeline requires the Database Edition to be `enterprise`.")
    let old = try H().call(
      "ExecutePipeline", try request.serializedBytes(), service: "google.firestore.v1beta1.Firestore")
    #expect(old.status == "12")
  }

  @Test("the labels of a batch are no transaction")
  func labels() throws {
    let request = Google_Firestore_V1_BatchWriteRequest.with {
      $0.database = H.database
      $0.labels = ["team": "a"]
      $0.writes = [.with { $0.update.name = H.root + "/c/a" }]
    }
    let answer = try H().call("BatchWrite", request)
    #expect(answer.status == "0")
    let response = try Google_Firestore_V1_BatchWriteResponse(
      serializedBytes: try #require(answer.messages.first))
    #expect(response.status.map(\.code) == [0])
  }

  @Test("a list of values to try may hold arrays, and so may an array to compare with")
  func arraysInLists() throws {
    func query(_ operation: Google_Firestore_V1_StructuredQuery.FieldFilter.Operator)
      -> Google_Firestore_V1_RunQueryRequest
    {
      .with {
        $0.parent = H.root
        $0.structuredQuery.from = [.with { $0.collectionID = "c" }]
        $0.structuredQuery.where.fieldFilter = .with {
          $0.field.fieldPath = "l"
          $0.op = operation
          $0.value.arrayValue.values = [.with { $0.arrayValue.values = [.with { $0.integerValue = 1 }] }]
        }
      }
    }
    let harness = try H()
    let commit = Google_Firestore_V1_CommitRequest.with {
      $0.database = H.database
      $0.writes = [
        .with {
          $0.update.name = H.root + "/c/a"
          $0.update.fields["l"] = .with { $0.arrayValue.values = [.with { $0.integerValue = 1 }] }
        }
      ]
    }
    _ = try harness.call("Commit", commit)
    let found = try harness.call("RunQuery", query(.in))
    let response = try Google_Firestore_V1_RunQueryResponse(
      serializedBytes: try #require(found.messages.first))
    #expect(response.document.name == H.root + "/c/a")
    #expect(try harness.call("RunQuery", query(.notIn)).status == "0")
    #expect(try harness.call("RunQuery", query(.equal)).status == "0")
  }

  @Test("a name asked for twice is answered once")
  func duplicates() throws {
    let harness = try H()
    try harness.set(["c/a": 1, "c/b": 2])
    let request = Google_Firestore_V1_BatchGetDocumentsRequest.with {
      $0.database = H.database
      $0.documents = ["b", "a", "b"].map { H.root + "/c/" + $0 }
    }
    let names = try harness.call("BatchGetDocuments", request).messages.map {
      try Google_Firestore_V1_BatchGetDocumentsResponse(serializedBytes: $0).found.name
    }
    #expect(names == [H.root + "/c/b", H.root + "/c/a"])
  }

  @Test("a new document is named by its parent and id alone, and reserved names are no paths of masks")
  func names() throws {
    let create = Google_Firestore_V1_CreateDocumentRequest.with {
      $0.parent = H.root
      $0.collectionID = "c"
      $0.document.name = "x"
    }
    #expect(try H().call("CreateDocument", create).message == "document.name must not be set")
    let update = Google_Firestore_V1_UpdateDocumentRequest.with {
      $0.document.name = H.root + "/c/a"
      $0.updateMask.fieldPaths = ["a.__x__"]
    }
    #expect(try H().call("UpdateDocument", update).message == "Invalid reserved name in field path __x__")
  }

  @Test("a time to read at has no part of a microsecond")
  func precision() throws {
    let request = Google_Firestore_V1_GetDocumentRequest.with {
      $0.name = H.root + "/c/a"
      $0.readTime.nanos = 1_001
    }
    let answer = try H().call("GetDocument", request)
    #expect(
      answer.status == "3" && answer.message == "timestamp cannot have more than microseconds precision")
  }
}
