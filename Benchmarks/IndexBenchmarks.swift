/// Queries by indexes in process, on the ephemeral engine: `docstore-bench --only-indexes [documents]`.

import DocModel
import DocStore
import EngineLMDB

struct IndexBenchmarkResult {
  let documents: Int
  let buildSeconds: Double
  /// The first 20 documents by an order, without an index and with it.
  let scannedMicroseconds: Double
  let indexedMicroseconds: Double
  /// 20 of a third of the documents by a second field, with a composite.
  let compositeMicroseconds: Double
  /// 20 documents by two equalities, joined.
  let joinedMicroseconds: Double
  /// A count of a tenth of the documents from entries.
  let countMicroseconds: Double
  /// A commit of one document while its collection keeps none of the indexes, and while it keeps four.
  let plainWriteMicroseconds: Double
  let keptWriteMicroseconds: Double
}

private func definition(_ fields: (String, IndexDefinition.Mode)...) -> IndexDefinition {
  IndexDefinition(
    collectionID: "readings", scope: .collection,
    fields: fields.compactMap { path, mode in
      FieldPath.field(path).map { IndexDefinition.Field($0, mode) }
    })
}

private func reading(_ number: Int) -> [UInt8] {
  let fields: Fields = [
    // Scattered, so that the order is not that of the names.
    "at": .integer(Int64(number &* 7_919 % 1_000_003)), "kind": .integer(Int64(number % 10)),
    "area": .string("area_\(number % 3)"), "label": .string("reading number \(number)"),
  ]
  return fields.encoded
}

func indexBenchmark(documents: Int) throws -> IndexBenchmarkResult {
  // Nothing is built unless it is asked for.
  let store = try DocumentStore(
    engine: LMDBEngine.ephemeral(), options: StoreOptions(indexBuilding: .never))
  defer { store.close() }
  let database = DatabaseID(project: "bench")
  for start in stride(from: 0, to: documents, by: 500) {
    try store.commitAndWait(
      database,
      (start..<min(start + 500, documents)).map { number in
        Write(ResourcePath(unchecked: "readings/r\(number)"), .update(fields: reading(number), mask: nil))
      })
  }

  func microseconds(rounds: Int, _ body: () throws -> Void) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<rounds {
      let start = monotonicNanoseconds()
      try body()
      times.append(Double(monotonicNanoseconds() - start) / 1e3)
    }
    return median(times)
  }

  func rows(_ change: (inout StructuredQuery) -> Void) throws -> NormalizedQuery {
    var query = StructuredQuery(database: database, collection: ResourcePath(unchecked: "readings"))
    query.limit = 20
    change(&query)
    return try QueryValidator.validate(query)
  }

  func run(_ query: NormalizedQuery) throws {
    let run = try store.read(database) { (view) throws(StoreError) in
      try QueryExecutor.run(query, on: view) { _ in .more }
    }
    precondition(run.delivered == 20, "every query finds 20 documents")
  }

  func write(_ rounds: Int) throws -> Double {
    var number = documents
    return try microseconds(rounds: rounds) {
      number += 1
      let path = ResourcePath(unchecked: "readings/r\(number % documents)")
      try store.commitAndWait(database, [Write(path, .update(fields: reading(number), mask: nil))])
    }
  }

  let ordered = try rows { $0.orders = [.init("at", .descending)] }
  let composite = try rows { query in
    query.filter = .field("area", .equal, .string("area_1"))
    query.orders = [.init("at")]
  }
  let joined = try rows { query in
    query.filter = .all([.field("area", .equal, .string("area_1")), .field("kind", .equal, .integer(4))])
  }
  let counted = try AggregationQuery.validate([Aggregation(.count(upTo: nil))]) {
    (added) throws(InvalidArgument) in
    var query = StructuredQuery(database: database, collection: ResourcePath(unchecked: "readings"))
    query.filter = .field("kind", .equal, .integer(4))
    return try QueryValidator.validate(query, adding: added)
  }

  let plainWrite = try write(2_000)
  let scanned = try microseconds(rounds: 3) { try run(ordered) }
  let start = monotonicNanoseconds()
  try store.buildIndexes([definition(("at", .ascending))], in: database)
  let build = Double(monotonicNanoseconds() - start) / 1e9
  try store.buildIndexes(
    [
      definition(("area", .ascending)), definition(("kind", .ascending)),
      definition(("area", .ascending), ("at", .ascending)),
    ], in: database)
  return IndexBenchmarkResult(
    documents: documents, buildSeconds: build, scannedMicroseconds: scanned,
    indexedMicroseconds: try microseconds(rounds: 2_000) { try run(ordered) },
    compositeMicroseconds: try microseconds(rounds: 2_000) { try run(composite) },
    joinedMicroseconds: try microseconds(rounds: 2_000) { try run(joined) },
    countMicroseconds: try microseconds(rounds: 20) {
      let outcome = try store.read(database) { (view) throws(StoreError) in
        try AggregationExecutor.run(counted, on: view)
      }
      precondition(outcome.run.documentsRead == 0, "counted from entries")
    },
    plainWriteMicroseconds: plainWrite, keptWriteMicroseconds: try write(2_000))
}

func reportIndexes(documents: Int) throws {
  say("queries by indexes, in process, \(documents) documents")
  let result = try indexBenchmark(documents: documents)
  row("first 20 by an order, scanned", "\(rounded(result.scannedMicroseconds)) us")
  row("first 20 by an order, indexed", "\(rounded(result.indexedMicroseconds, 1)) us")
  row("first 20 by a composite", "\(rounded(result.compositeMicroseconds, 1)) us")
  row("first 20 by two joined equalities", "\(rounded(result.joinedMicroseconds, 1)) us")
  row("count of a tenth", "\(rounded(result.countMicroseconds)) us")
  row("building one index", "\(rounded(result.buildSeconds, 2)) s")
  row("write of one document, no index", "\(rounded(result.plainWriteMicroseconds, 1)) us")
  row("write of one document, four indexes", "\(rounded(result.keptWriteMicroseconds, 1)) us")
}
