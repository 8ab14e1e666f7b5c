/// The past: for an hour a read at one time gives the same bytes, whatever is written, tidied or opened anew
/// meanwhile; then it is refused.
///
/// Source: docs/spec/protocol.md 1.10.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@Suite struct ReadTimeTests {
  @Test("a read at a time, repeated, gives the same bytes for an hour, and is refused afterwards")
  func hour() async throws {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = ListenRandom(seed: seed)
    let server = try RestartedStore()
    let queries = random.targets(8)
    var taken: [(time: Int64, bytes: [UInt8])] = []
    var repeated = 0
    var refused = 0
    // Two and a half hours, a minute and a few microseconds at a time.
    for minute in 0..<150 {
      server.clock.advance(seconds: 60)
      try server.commit(random.commit(size: 1 + Int(random.next() % 6)))
      let time = try server.test().store.read(QueryTestSource.database) { (view) throws(StoreError) in
        view.readTime
      }
      taken.append((time, try Self.everything(server, at: time, queries)))
      if minute % 20 == 19 { _ = try await server.test().store.tidy() }
      if minute % 50 == 49 { try server.restart() }
      for moment in [taken[Int(random.next() % UInt64(taken.count))], taken[max(0, minute - 59)]] {
        let label = "SEED=\(seed) minute \(minute), a state of \(moment.time)"
        if server.clock.now - moment.time <= Retention.seconds * 1_000_000 {
          #expect(try Self.everything(server, at: moment.time, queries) == moment.bytes, "\(label)")
          repeated += 1
        } else {
          #expect(
            storeError { _ = try Self.everything(server, at: moment.time, queries) }
              == .failedPrecondition(.readTimeTooOld), "\(label)")
          refused += 1
        }
      }
    }
    #expect(repeated > 50 && refused > 10, "\(repeated) repeated, \(refused) refused")
  }

  /// Everything that a read at a time shows: all documents, and the answers to queries in their order.
  private static func everything(
    _ server: RestartedStore, at time: Int64, _ queries: [(Int32, TargetSelection)]
  ) throws -> [UInt8] {
    try server.test().store.read(QueryTestSource.database, at: .at(time)) { (view) throws(StoreError) in
      var bytes: [UInt8] = []
      func add(_ path: UnsafeRawBufferPointer, _ document: StoredDocument) {
        bytes.append(contentsOf: path)
        withUnsafeBytes(of: (document.createTime, document.updateTime)) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: document.fields.bytes)
      }
      try view.scanDescendants(of: .root) { path, document in
        add(path, document)
        return .more
      }
      for case .query(let query) in queries.map(\.1) {
        _ = try QueryExecutor.run(query, on: view) { row in
          add(row.path, row.document)
          return .more
        }
      }
      return bytes
    }
  }
}
