/// Transactions whose calls come to several servers.

import DocModel
import DocStore
import Platform
import TestSupport
import Testing

@testable import EnginePostgres

@Suite("transactions that move between servers", .serialized, .enabled(if: PostgresCluster.shared != nil))
struct MovedTransactionTests {
  private static let database = DatabaseID(project: "demo-moves")
  private let address: PostgresAddress
  private let stores: [DocumentStore<PostgresEngine>]

  init() throws {
    let address = try PostgresAddress(try #require(PostgresCluster.shared).database())
    self.address = address
    stores = try (0..<3).map { _ in try DocumentStore(engine: PostgresEngine.open(address, isShared: true)) }
  }

  private func path(_ text: String) -> ResourcePath { ResourcePath(unchecked: text) }

  private func write(_ n: Int64, at name: String) -> Write {
    Write(path(name), .update(fields: Fields([("n", .integer(n))]).encoded, mask: nil))
  }

  /// As a server does whom a call with a token reaches.
  private func transaction(
    _ token: [UInt8], at server: Int, of caller: CommitAuthor = .system
  ) throws -> TransactionID {
    let isHere = Monitor(false)
    stores[server].bring(token) { isHere.change { $0 = true } }
    isHere.wait { $0 ? () : nil }
    return try stores[server].transaction(token, in: Self.database, of: caller)
  }

  private func begin(at server: Int, _ options: TransactionOptions = .readWrite) throws -> [UInt8] {
    try stores[server].waitUntilCurrent()
    return stores[server].token(
      of: try stores[server].beginTransaction(Self.database, options), in: Self.database)
  }

  private func value(_ name: String, _ token: [UInt8], at server: Int) throws -> Int64? {
    try stores[server].waitUntilCurrent()
    let id = try transaction(token, at: server)
    return try stores[server].read(Self.database, at: .transaction(id)) { (view) throws(StoreError) in
      try view.document(path(name))?.fields.value(named: "n")?.integer
    }
  }

  private func scan(_ collection: String, _ token: [UInt8], at server: Int) throws {
    try stores[server].waitUntilCurrent()
    let id = try transaction(token, at: server)
    try stores[server].read(Self.database, at: .transaction(id)) { (view) throws(StoreError) in
      try view.scanCollection(path(collection), .forward) { _, _ in .more }
    }
  }

  private func commit(_ writes: [Write], _ token: [UInt8], at server: Int) throws {
    let id = try transaction(token, at: server)
    try stores[server].commitAndWait(Self.database, writes, transaction: id)
  }

  private func close() { for store in stores { store.close() } }

  /// What a case does, a letter and the server: read the document, query the collection, write the document or another one
  /// beside the transaction, write another collection; the last word commits.
  static let cases: [(steps: String, isTaken: Bool)] = [
    ("r0 c1", true), ("r0 c2", true), ("r0 r1 c2", true), ("r0 r1 r0 r1 c0", true), ("c1", true),
    ("r0 w1 c1", false), ("r0 w2 c1", false), ("r0 r1 w0 c1", false), ("r0 r1 w2 c1", false),
    ("r0 r1 r0 w2 c0", false), ("r0 r1 w0 r2 c0", false), ("r0 o0 c1", true), ("r0 o1 c1", true),
    ("r0 r1 o2 c2", true), ("w0 r1 c2", true), ("w1 r0 c2", true), ("q0 c1", true), ("q0 w2 c1", false),
    ("q0 o1 c1", false), ("q0 q1 o2 c0", false), ("q0 e0 c1", true), ("q0 e1 q2 c1", true),
    ("r0 q1 e2 c0", true), ("r0 q1 o2 c0", false), ("o0 q1 c0", true),
    // Who writes where it is waits for it.
    ("r0 r1 w1 c1", true), ("r0 w0 c0", true),
  ]

  @Test("it is taken or given up as on one server", arguments: cases)
  func moves(_ steps: String, _ isTaken: Bool) throws {
    defer { close() }
    try stores[0].commitAndWait(Self.database, [write(1, at: "c/doc")])
    let token = try begin(at: 0)
    for step in steps.split(separator: " ") {
      let server = try #require(step.last?.wholeNumberValue)
      switch step.first {
      case "r": _ = try? value("c/doc", token, at: server)
      case "q": try? scan("c", token, at: server)
      case "w": try writeBeside("c/doc", at: server)
      case "o": try writeBeside("c/other", at: server)
      case "e": try writeBeside("elsewhere/doc", at: server)
      default:
        let outcome = Result { try commit([write(7, at: "written/doc")], token, at: server) }
        #expect((try? outcome.get()) != nil ? isTaken : !isTaken, "\(steps): \(outcome)")
      }
    }
  }

  /// Without waiting for the transaction, as it would on the server that has it.
  private func writeBeside(_ name: String, at server: Int) throws {
    let isOver = Monitor(false)
    try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes) {
      _ = try? stores[server].commitAndWait(Self.database, [write(2, at: name)])
      isOver.change { $0 = true }
    }
    _ = isOver.wait(atMost: 300) { $0 ? () : nil }
  }

  @Test("money that is moved by calls to whichever server is neither made nor lost")
  func keepsSums() throws {
    defer { close() }
    let count = 4
    try stores[0].commitAndWait(Self.database, (0..<count).map { write(100, at: "accounts/\($0)") })
    let taken = Monitor(0)
    try runThreads(6) { index in
      var random = SeededRandom(seed: UInt64(index))
      for _ in 0..<25 {
        let (one, other) = (Int(random.next() % 4), Int(random.next() % 3))
        let (from, to) = ("accounts/\(one)", "accounts/\((one + other + 1) % 4)")
        func server() -> Int { Int(random.next() % 3) }
        let token = try begin(at: server())
        do {
          let a = try value(from, token, at: server()) ?? 0
          let b = try value(to, token, at: server()) ?? 0
          try commit([write(a - 1, at: from), write(b + 1, at: to)], token, at: server())
          taken.change { $0 += 1 }
        } catch StoreError.aborted {
          // As clients do; it has no locks then, wherever it is.
          let last = server()
          if let id = try? transaction(token, at: last) { try? stores[last].rollBack(id, in: Self.database) }
        }
      }
    }
    for store in stores {
      try store.waitUntilCurrent()
      let sum = try (0..<count).reduce(Int64(0)) { sum, index in
        try sum
          + store.read(Self.database) { (view) throws(StoreError) in
            try view.document(path("accounts/\(index)"))?.fields.value(named: "n")?.integer ?? 0
          }
      }
      #expect(sum == Int64(100 * count))
    }
    #expect(taken.withLock { $0 } > 20)
  }

  private func tokenOfOneThatEnds() throws -> [UInt8] {
    let store = try DocumentStore(engine: PostgresEngine.open(address, isShared: true))
    defer { store.close() }
    return store.token(of: try store.beginTransaction(Self.database), in: Self.database)
  }

  @Test("one that only reads is known to every server, one of a server that has ended is given up")
  func knowsTokens() throws {
    defer { close() }
    try stores[0].commitAndWait(Self.database, [write(1, at: "c/doc")])
    let reading = try begin(at: 0, .readOnly)
    try stores[1].commitAndWait(Self.database, [write(2, at: "c/doc")])
    for server in 0..<3 { #expect(try value("c/doc", reading, at: server) == 1) }
    let token = try begin(at: 2)
    #expect {
      _ = try transaction(token, at: 1, of: .user("somebody else"))
    } throws: { error in
      if case StoreError.invalid = error { true } else { false }
    }
    let last = try tokenOfOneThatEnds()
    #expect(throws: StoreError.aborted(.transactionOver)) { try commit([write(1, at: "c/x")], last, at: 0) }
    // A retry that names it begins anew.
    #expect(throws: Never.self) { try begin(at: 0, TransactionOptions(.readWrite(retrying: last))) }
  }

  @Test("an altered token asks nobody for anything, whichever of its bytes is another one")
  func asksNobodyForAlteredTokens() throws {
    defer { close() }
    try stores[0].commitAndWait(Self.database, [write(1, at: "c/doc")])
    let options: [TransactionOptions] = [.readWrite, .readOnly]
    for token in try options.map({ try begin(at: 0, $0) }) {
      for place in token.indices {
        for bit in 0..<8 {
          var altered = token
          altered[place] ^= 1 << bit
          #expect(!stores[1].isElsewhere(altered))
        }
      }
    }
    // One that reads at a time that its client chose, made one that writes: its last bytes are known.
    var forged = try begin(at: 0, .readOnly)
    forged[16] ^= 1
    #expect(!stores[1].isElsewhere(forged))
    #expect(stores[1].isElsewhere(try begin(at: 0)))
  }

  @Test("one that has read too much to move is given up, and its locks are free")
  func givesUpLargeOnes() throws {
    defer { close() }
    try stores[0].commitAndWait(Self.database, [write(1, at: "c/doc")])
    let token = try begin(at: 0)
    let id = try stores[0].transaction(token, in: Self.database)
    try stores[0].read(Self.database, at: .transaction(id)) { (view) throws(StoreError) in
      for n in 0..<6_000 { _ = try view.document(path("c/\(n)")) }
      _ = try view.document(path("c/doc"))
    }
    #expect(throws: StoreError.aborted(.transactionOver)) { try commit([write(1, at: "c/x")], token, at: 1) }
    try stores[0].commitAndWait(Self.database, [write(2, at: "c/doc")])
  }
}
