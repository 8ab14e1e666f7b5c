/// Structures under random changes, looked at whole behind each, and against the plainest thing that does the same.

import DocModel
import TestSupport
import Testing

@testable import DocStore

@Suite("what structures state of themselves")
struct InvariantTests {
  private final class Member: Identified {
    var identity: ObjectIdentifier { ObjectIdentifier(self) }
  }

  private static func random() -> SeededRandom {
    let seed = testSeed()
    print("SEED=\(seed)")
    return SeededRandom(seed: seed)
  }

  @Test("a list of members is a set, and each is where its place says")
  func members() {
    var random = Self.random()
    let members = (0..<40).map { _ in Member() }
    var list = MemberList<Member>()
    var model: Set<ObjectIdentifier> = []
    for _ in 0..<2_000 {
      let member = members[Int.random(in: 0..<members.count, using: &random)]
      if random.next() % 2 == 0 {
        list.insert(member)
        model.insert(member.identity)
      } else {
        list.remove(member.identity)
        model.remove(member.identity)
      }
      list.checkInvariants()
      #expect(Set(list.all.map(\.identity)) == model && list.all.count == model.count)
    }
  }

  private static func query(limit: Int, offset: Int) throws -> NormalizedQuery {
    var query = StructuredQuery(
      database: QueryTestSource.database, collection: ResourcePath(unchecked: "c"))
    query.limit = limit
    query.offset = offset
    return try QueryValidator.validate(query)
  }

  @Test("a window holds the first documents of a result, in order", arguments: [(1, 0), (3, 2), (20, 5)])
  func window(limit: Int, offset: Int) throws {
    var random = Self.random()
    var window = LimitWindow(try Self.query(limit: limit, offset: offset))
    var model: Set<[UInt8]> = []
    window.append([], isEnd: true)
    for _ in 0..<1_000 {
      let number = UInt8.random(in: 0..<80, using: &random)
      let key = [number, 0]
      if model.contains(key), random.next() % 3 != 0 {
        model.remove(key)
        _ = window.remove(key)
      } else if !model.contains(key) {
        model.insert(key)
        _ = window.insert(WindowEntry(key: key, path: ResourcePath(unchecked: "c/\(number)")))
      }
      let sorted = model.sorted { $0.lexicographicallyPrecedes($1) }
      if let shortage = window.shortage {
        let more = sorted.drop { key in
          window.entries.last.map { !$0.key.lexicographicallyPrecedes(key) } ?? false
        }.prefix(shortage).map { WindowEntry(key: $0, path: ResourcePath(unchecked: "c/x")) }
        window.append(Array(more), isEnd: more.count < shortage)
      }
      window.checkInvariants()
      #expect(window.entries.map(\.key) == Array(sorted.prefix(window.entries.count)))
      if window.isComplete { #expect(window.entries.count == sorted.count) }
    }
  }

  @Test("rows beyond what is needed are let go, the last in order first", arguments: [1, 2, 7, 64])
  func rows(capacity: Int) {
    var random = Self.random()
    for count in [0, 1, capacity - 1, capacity, capacity + 1, 300] {
      var rows = SortedRows(capacity: capacity)
      var model: [[UInt8]] = []
      for _ in 0..<count {
        let key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard !model.contains(key) else { continue }
        model.append(key)
        guard rows.hasRoom(for: key) else { continue }
        let document = StoredDocument(createTime: 1, updateTime: 1, fields: .none)
        rows.insert(PendingRow(bytes: key, keyCount: 4, document: document))
        rows.checkInvariants()
      }
      let expected = model.sorted { $0.lexicographicallyPrecedes($1) }.prefix(capacity)
      #expect(rows.sorted().map(\.bytes) == Array(expected))
    }
  }

  @Test("a batch takes back what a refused commit had planned, and counts what is left")
  func batch() {
    var random = Self.random()
    let batch = MutationBatch()
    var kept: [[UInt8]] = []
    for round in 0..<200 {
      let mark = batch.mark
      let isKept = random.next() % 2 == 0
      for index in 0..<Int.random(in: 0..<8, using: &random) {
        let key = Array("\(round).\(index)".utf8)
        switch random.next() % 3 {
        case 0: batch.put(.documents, key, [UInt8](repeating: 7, count: index * 5_000))
        case 1: batch.remove(.documents, key)
        default: batch.removeRange(.documents, KeyRange(lower: key, upper: key + [0]), limit: 1)
        }
        if isKept { kept.append(key) }
      }
      if !isKept { batch.rollback(to: mark) }
      batch.checkInvariants()
    }
    #expect(batch.mutations.map { Array($0.key) } == kept)
    batch.reset()
    batch.checkInvariants()
    #expect(batch.byteCount == 0)
  }

  @Test("the log of commits keeps what a read under way may have missed, and nothing else")
  func log() {
    var random = Self.random()
    var log = CommitLog()
    var version: Int64 = 0
    var reads: [(began: UInt64, seen: Int64)] = []
    let path = ResourcePath(unchecked: "c/d")
    for _ in 0..<3_000 {
      switch random.next() % 4 {
      case 0: reads.append((log.beginRead(), version))
      case 1 where !reads.isEmpty:
        log.endRead(reads.remove(at: Int.random(in: 0..<reads.count, using: &random)).began)
      case 2:
        version += 1
        log.appendClearing(QueryTestSource.database, version)
      default: log.endBatch()
      }
      log.checkInvariants()
      for read in reads {
        #expect(log.hasChange(QueryTestSource.database, path, above: read.seen) == (version > read.seen))
      }
    }
  }

  @Test("the clock gives versions that rise, and no read time a later commit falls below")
  func clock() {
    var random = Self.random()
    let clock = CommitClock(
      committed: 5,
      environment: Environment(now: { 10 }, random: { 4 }))
    var committed: Int64 = 5
    var greatest: Int64 = 5
    var planned: Int64?
    for _ in 0..<1_000 {
      switch random.next() % 3 {
      case 0:
        let version = clock.nextVersion()
        #expect(version > greatest)
        greatest = version
        planned = version
      case 1:
        let isWritten = random.next() % 4 != 0
        clock.endBatch(committed: isWritten ? planned : nil)
        if isWritten, let planned { committed = planned }
        planned = nil
      default:
        let time = clock.readTime(seen: committed)
        #expect(time >= committed)
        if planned == nil { greatest = max(greatest, time) }
      }
    }
  }
}
