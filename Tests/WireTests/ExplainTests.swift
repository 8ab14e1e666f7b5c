import DocModel
import FirestoreProtos
import JSON
import SwiftProtobuf
import Testing

@testable import Wire

@Suite("explain_options")
struct ExplainTests {
  typealias H = ServiceHarness

  private func harness() throws -> H {
    let harness = try H()
    try harness.set(["c/a": 1, "c/b": 2, "c/c": 2, "c/d": 3])
    return harness
  }

  private var twos: Google_Firestore_V1_StructuredQuery {
    .with {
      $0.from = [.with { $0.collectionID = "c" }]
      $0.where.fieldFilter.field.fieldPath = "n"
      $0.where.fieldFilter.op = .equal
      $0.where.fieldFilter.value.integerValue = 2
    }
  }

  private func query(analyze: Bool) throws -> [Google_Firestore_V1_RunQueryResponse] {
    let request = Google_Firestore_V1_RunQueryRequest.with {
      $0.parent = H.root
      $0.structuredQuery = twos
      $0.explainOptions.analyze = analyze
    }
    return try harness().call("RunQuery", request).messages.map { try .init(serializedBytes: $0) }
  }

  private func isIndexOfN(_ summary: Google_Firestore_V1_PlanSummary) -> Bool {
    summary.indexesUsed.map { $0.fields.mapValues(\.stringValue) } == [
      ["query_scope": "Collection", "properties": "(n ASC, __name__ ASC)"]
    ]
  }

  @Test("a plan comes alone: no documents, no read time, no statistics")
  func plan() throws {
    let answers = try query(analyze: false)
    #expect(answers.count == 1)
    let answer = try #require(answers.first)
    #expect(!answer.hasDocument && !answer.hasReadTime && !answer.explainMetrics.hasExecutionStats)
    #expect(isIndexOfN(answer.explainMetrics.planSummary))
  }

  @Test("an analysis gives the documents, the last with the statistics of reading them")
  func analysis() throws {
    let answers = try query(analyze: true)
    #expect(answers.map(\.hasDocument) == [true, true])
    #expect(answers.map(\.hasExplainMetrics) == [false, true])
    let metrics = try #require(answers.last?.explainMetrics)
    #expect(isIndexOfN(metrics.planSummary))
    let stats = metrics.executionStats
    #expect(stats.resultsReturned == 2 && stats.readOperations == 2)
    #expect(stats.executionDuration.nanos > 0 || stats.executionDuration.seconds > 0)
    let debug = stats.debugStats.fields
    #expect(debug["index_entries_scanned"]?.stringValue == "2")
    #expect(debug["documents_scanned"]?.stringValue == "2")
    #expect(
      debug["billing_details"]?.structValue.fields.mapValues(\.stringValue) == [
        "documents_billable": "2", "index_entries_billable": "0", "small_ops": "0", "min_query_cost": "0",
      ])
  }

  @Test("without a document the statistics come with the read time; documents passed over come first")
  func shortResults() throws {
    func analyzed(offset: Int32, limit: Int32) throws -> [Google_Firestore_V1_RunQueryResponse] {
      let request = Google_Firestore_V1_RunQueryRequest.with {
        $0.parent = H.root
        $0.structuredQuery = twos
        $0.structuredQuery.offset = offset
        $0.structuredQuery.limit.value = limit
        $0.explainOptions.analyze = true
      }
      return try harness().call("RunQuery", request).messages.map { try .init(serializedBytes: $0) }
    }
    for (offset, limit, documents, skipped) in [
      (0, 0, [false], [0]), (5, 1, [false], [2]), (1, 5, [false, true], [1, 0]),
      (0, 5, [true, true], [0, 0]),
    ] as [(Int32, Int32, [Bool], [Int32])] {
      let answers = try analyzed(offset: offset, limit: limit)
      #expect(answers.map(\.hasDocument) == documents && answers.map(\.skippedResults) == skipped)
      #expect(!answers.contains { !$0.hasReadTime })
      #expect(answers.map(\.hasExplainMetrics) == answers.indices.map { $0 == answers.count - 1 })
    }
  }

  @Test("the statistics come once, however many pieces an answer has")
  func pieces() throws {
    let harness = try H(unsentBytesMax: 500)
    let documents = (0..<60).map { ("c/d\(10_000 + $0)", Int64(2)) }
    try harness.set(Dictionary(uniqueKeysWithValues: documents))
    let request = Google_Firestore_V1_RunQueryRequest.with {
      $0.parent = H.root
      $0.structuredQuery = twos
      $0.explainOptions.analyze = true
    }
    let answers: [Google_Firestore_V1_RunQueryResponse] = try harness.call("RunQuery", request).messages
      .map { try .init(serializedBytes: $0) }
    #expect(answers.map { String($0.document.name.suffix(8)) } == documents.map { "\($0.0)" })
    #expect(answers.firstIndex(where: \.hasExplainMetrics) == 59)
    #expect(answers.last?.explainMetrics.executionStats.resultsReturned == 60)
  }

  @Test("a vector search names the vector index, with the fields that narrow it", arguments: [false, true])
  func vector(analyze: Bool) throws {
    let request = Google_Firestore_V1_RunQueryRequest.with {
      $0.parent = H.root
      $0.structuredQuery = twos
      $0.structuredQuery.from[0].allDescendants = true
      $0.structuredQuery.findNearest = .with {
        $0.vectorField.fieldPath = "v"
        $0.queryVector.mapValue.fields = [
          "__type__": .with { $0.stringValue = "__vector__" },
          "value": .with {
            $0.arrayValue.values = [.with { $0.doubleValue = 1 }, .with { $0.doubleValue = 2 }]
          },
        ]
        $0.distanceMeasure = .euclidean
        $0.limit.value = 1
      }
      $0.explainOptions.analyze = analyze
    }
    let messages = try harness().call("RunQuery", request).messages
    let message = try #require(messages.last)
    let answer = try Google_Firestore_V1_RunQueryResponse(serializedBytes: message)
    #expect(
      answer.explainMetrics.planSummary.indexesUsed.map { $0.fields.mapValues(\.stringValue) } == [
        ["query_scope": "Collection group", "properties": "(n ASC, __name__ ASC, v VECTOR<2>)"]
      ])
  }

  @Test("a count is explained with the entries it read", arguments: [false, true])
  func aggregation(analyze: Bool) throws {
    let request = Google_Firestore_V1_RunAggregationQueryRequest.with {
      $0.parent = H.root
      $0.structuredAggregationQuery.structuredQuery = twos
      $0.structuredAggregationQuery.aggregations = [.with { $0.count = .init() }]
      $0.explainOptions.analyze = analyze
    }
    let messages = try harness().call("RunAggregationQuery", request).messages
    let answer = try Google_Firestore_V1_RunAggregationQueryResponse(
      serializedBytes: try #require(messages.first))
    #expect(messages.count == 1)
    #expect(isIndexOfN(answer.explainMetrics.planSummary))
    #expect(answer.hasResult == analyze)
    guard analyze else { return }
    let stats = answer.explainMetrics.executionStats
    #expect(stats.resultsReturned == 1 && stats.readOperations == 1)
    #expect(stats.debugStats.fields["index_entries_scanned"]?.stringValue == "2")
    #expect(stats.debugStats.fields["documents_scanned"]?.stringValue == "0")
  }

  @Test(
    "sums are explained with the index that the service adds them up from",
    arguments: [
      ([], ["n"], "(n ASC, __name__ ASC)", 4), (["n"], ["n"], "(n ASC, __name__ ASC)", 2),
      ([], ["n", "m"], "(m ASC, n ASC, __name__ ASC)", 0), (["n"], ["m"], "(n ASC, m ASC, __name__ ASC)", 0),
    ] as [([String], [String], String, Int)])
  func sums(filtered: [String], added: [String], index: String, entries: Int) throws {
    let request = Google_Firestore_V1_RunAggregationQueryRequest.with {
      $0.parent = H.root
      $0.structuredAggregationQuery.structuredQuery = twos
      if filtered.isEmpty { $0.structuredAggregationQuery.structuredQuery.clearWhere() }
      $0.structuredAggregationQuery.aggregations = added.map { field in
        .with { $0.sum.field.fieldPath = field }
      }
      $0.explainOptions.analyze = true
    }
    let messages = try harness().call("RunAggregationQuery", request).messages
    let answer = try Google_Firestore_V1_RunAggregationQueryResponse(
      serializedBytes: try #require(messages.first))
    let metrics = answer.explainMetrics
    #expect(metrics.planSummary.indexesUsed.map { $0.fields["properties"]?.stringValue } == [index])
    let debug = metrics.executionStats.debugStats.fields
    #expect(debug["index_entries_scanned"]?.stringValue == String(entries))
    #expect(debug["documents_scanned"]?.stringValue == "0")
    #expect(metrics.executionStats.readOperations == 1)
  }

  @Test("whoever may not list gets no explanation")
  func denied() throws {
    let request = Google_Firestore_V1_RunQueryRequest.with {
      $0.parent = H.root
      $0.structuredQuery = twos
      $0.explainOptions.analyze = false
    }
    #expect(try harness().call("RunQuery", request, token: nil).status == "7")
  }

  @Test("in JSON statistics are texts and the duration has its unit")
  func json() throws {
    var writer = WireWriter()
    writer.message(11) { metrics in
      metrics.message(2) { stats in
        stats.field(1, varint: 2)
        stats.message(3) { $0.field(2, varint: 1_500) }
      }
    }
    guard case .message(let shape) = RESTMethod.runQuery.answer else {
      Issue.record("not a message")
      return
    }
    var json = JSONWriter()
    writer.bytes.withUnsafeBytes { json.message($0, shape) }
    #expect(
      String(decoding: json.bytes, as: UTF8.self)
        == #"{"explainMetrics":{"executionStats":{"resultsReturned":"2","executionDuration":"0.000001500s"}}}"#
    )
  }
}
