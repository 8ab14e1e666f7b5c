/// The store in process: point reads and commits, on the ephemeral engine.

import DocModel
import DocStore
import EngineLMDB

struct StoreBenchmarkResult {
  let nanosecondsPerGet: Double
  let documentsPerSecond: Double
}

/// Documents of about 600 bytes, as `spec` measurements use them.
func benchmarkFields(_ number: Int) -> [UInt8] {
  let fields: Fields = [
    "id": .string("user_\(number)"), "displayName": .string("Reader number \(number)"),
    "bio": .string(String(repeating: "slow flows and strong coffee ", count: 12)),
    "isProfilePublic": .boolean(number % 2 == 0), "level": .integer(Int64(number % 9)),
    "rating": .double(Double(number % 50) / 10),
    "privacySettings": .map(["avatarPrivacy": .string("groups-only"), "showJoinedGroups": .string("public")]),
    "joinedCommunities": .array([.string("area_\(number % 20)"), .string("studio_\(number % 50)")]),
    "createdAt": .timestamp(Timestamp(seconds: 1_767_225_600 + Int64(number), nanoseconds: 0)),
    "lastSearchArea": .string("Askew"), "username": .string("reader#\(number)"), "thumbnailUrl": .null,
  ]
  return fields.encoded
}

/// Commits 500-document batches, then reads documents by name.
func storeBenchmark(batches: Int = 60, gets: Int = 300_000) throws -> StoreBenchmarkResult {
  let store = try DocumentStore(engine: LMDBEngine.ephemeral())
  defer { store.close() }
  let database = DatabaseID(project: "bench")
  let writes = (0..<batches).map { batch in
    (0..<500).map { index in
      let number = batch * 500 + index
      return Write(
        ResourcePath(unchecked: "users/user_\(number &* 7_919 % (batches * 500))"),
        .update(fields: benchmarkFields(number), mask: nil))
    }
  }
  var rates: [Double] = []
  for batch in writes {
    let start = monotonicNanoseconds()
    try store.commitAndWait(database, batch)
    rates.append(500e9 / Double(monotonicNanoseconds() - start))
  }
  let paths = (0..<1_024).map { ResourcePath(unchecked: "users/user_\($0 * 29 % (batches * 500))") }
  var times: [Double] = []
  for _ in 0..<5 {
    var found = 0
    let start = monotonicNanoseconds()
    for index in 0..<gets {
      try store.read(database) { (view) throws(StoreError) in
        if try view.document(paths[index & 1_023]) != nil { found += 1 }
      }
    }
    times.append(Double(monotonicNanoseconds() - start) / Double(gets))
    precondition(found == gets, "every document must be there")
  }
  return StoreBenchmarkResult(nanosecondsPerGet: median(times), documentsPerSecond: median(rates))
}

func median(_ numbers: [Double]) -> Double {
  guard !numbers.isEmpty else { return .nan }
  let sorted = numbers.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
