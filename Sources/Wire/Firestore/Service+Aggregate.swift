/// RunAggregationQuery.

internal import Access
internal import DocModel
internal import DocStore

extension FirestoreService {
  /// One message with all results. Judged as the query it is over, as a list.
  /// Source: docs/spec/protocol.md 1.14; docs/spec/production-differences.md A1 to A5.
  @Sendable
  func runAggregationQuery(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      let request = try RunQueryRequest(aggregation: bytes)
      let parent = try Self.parent(request.parent)
      let credentials = try authorize(parent.database)
      guard let sent = request.query else {
        throw GRPCStatus(.invalidArgument, "Only structured aggregation queries are supported.")
      }
      let read = try AggregationReader.read(sent)
      try self.checkCount(read.aggregations.count)
      // Faults of the form come first, those of the query's meaning after those of the aggregations.
      let inner = try QueryReader.read(read.query, database: parent.database, parent: parent.path)
      let query = try Self.checked { () throws(InvalidArgument) in
        try AggregationQuery.validate(read.aggregations) { (added) throws(InvalidArgument) in
          var query = try QueryValidator.validateForm(inner, adding: added)
          if self.options.profile.errorTexts == .production { query.refuseZeroVectors() }
          return query
        }
      }
      return SentRead(
        content: query, consistency: request.consistency, explain: request.explain, credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      try run(sent, call)
    }
  }

  private func run(_ sent: SentRead<AggregationQuery>, _ call: ServerCall) throws(GRPCStatus) {
    let (query, credentials, explain) = (sent.content, sent.credentials, sent.explain)
    let (time, token) = try readTime(sent.consistency, in: query.query.database, as: credentials)
    let piece = AnswerPiece { [self] stream throws(GRPCStatus) in
      let answer = try aggregate(query, as: credentials, at: time, explain)
      if let token { _ = stream.send(Answers.queryTransaction(token)) }
      _ = stream.send(answer)
      return nil
    }
    try inTurn(time, in: query.query.database, at: EmptyCollection(), call) {
      [threads, options] (call) throws(GRPCStatus) in
      ResultStream(call, threads: threads, unsentBytesMax: options.unsentBytesMax).run(piece)
    }
  }

  /// The service gives a machine the two numbers, too. Source: docs/spec/production-differences.md L14.
  private func checkCount(_ count: Int) throws(GRPCStatus) {
    guard count > QueryLimits.aggregationsMax, options.profile.errorTexts == .production else { return }
    let info = ErrorInfo(
      reason: "TOO_MANY_AGGREGATIONS", domain: ErrorInfo.firestore,
      metadata: [
        ("actual_aggregations", String(count)), ("max_aggregations", String(QueryLimits.aggregationsMax)),
      ])
    throw GRPCStatus(AggregationErrors.tooMany(count)).with(info.detail)
  }

  private func aggregate(
    _ query: AggregationQuery, as credentials: Credentials, at time: ReadTime, _ explain: ExplainChoice
  ) throws(GRPCStatus) -> [UInt8] {
    var explained: ExplainedRun?
    if explain != .none {
      let plan = try Self.stored { () throws(StoreError) in
        try store.explain(query.query, as: credentials, at: time)
      }
      if explain == .plan { return Answers.aggregationExplanation(plan.indexesUsed(by: query.query)) }
      explained = ExplainedRun(query.query)
    }
    let (outcome, readTime) = try Self.stored { () throws(StoreError) in
      try store.aggregate(query, as: credentials, at: time)
    }
    let answer = Answers.aggregation(outcome.results, readTime: readTime)
    explained?.add(outcome.plan, outcome.run)
    return explained.map { Answers.explained(answer, $0.indexes, $0.aggregationMetrics) } ?? answer
  }
}

/// `StructuredAggregationQuery` from the wire, unchecked.
enum AggregationReader {
  static func read(
    _ message: UnsafeRawBufferPointer
  ) throws(GRPCStatus) -> (query: UnsafeRawBufferPointer, aggregations: [Aggregation]) {
    var query = WireCursor.empty
    var aggregations: [Aggregation] = []
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): query = try fields.message()
      case MessageFields.tag(3): aggregations.append(try aggregation(try fields.message()))
      default: try fields.skip(tag)
      }
    }
    return (query, aggregations)
  }

  private static func aggregation(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Aggregation {
    var aggregation = Aggregation(.unset)
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): aggregation.operation = .count(upTo: try upTo(try fields.message()))
      case MessageFields.tag(2): aggregation.operation = .sum(field: try field(try fields.message()))
      case MessageFields.tag(3): aggregation.operation = .average(field: try field(try fields.message()))
      case MessageFields.tag(7): aggregation.alias = try fields.text()
      default: try fields.skip(tag)
      }
    }
    return aggregation
  }

  /// `Count`, whose bound is a `google.protobuf.Int64Value`.
  private static func upTo(_ count: UnsafeRawBufferPointer) throws(GRPCStatus) -> Int64? {
    var upTo: Int64?
    try MessageFields.each(MessageFields.tag(1), of: count) { fields throws(GRPCStatus) in
      upTo = try MessageFields.int64Value(try fields.message())
    }
    return upTo
  }

  /// `Sum` and `Avg`: their first field is a `FieldReference`.
  private static func field(_ function: UnsafeRawBufferPointer) throws(GRPCStatus) -> String {
    var path = ""
    try MessageFields.each(MessageFields.tag(1), of: function) { fields throws(GRPCStatus) in
      path = try QueryReader.fieldReference(try fields.message())
    }
    return path
  }
}

extension Answers {
  /// `RunAggregationQueryResponse`
  static func aggregation(_ results: [(alias: String, value: Value)], readTime: Int64) -> [UInt8] {
    var writer = WireWriter(reserving: results.count * 32 + 32)
    writer.message(1) { result in
      for named in results {
        result.message(2) { entry in
          entry.field(1, text: named.alias)
          entry.field(2, bytes: named.value.encoded)
        }
      }
    }
    writer.timestamp(3, Timestamp(microseconds: readTime))
    return writer.bytes
  }
}
