import Access
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
}
