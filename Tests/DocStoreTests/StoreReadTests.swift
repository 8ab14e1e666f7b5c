/// Scans, collections, names in order, read times, retention, clearing.

import DocModel
import DocStore
import EngineLMDB
import Platform
import TestSupport
import Testing

@Suite("reads")
struct StoreReadTests {
  let test: TestStore

  init() throws { test = try TestStore() }

  func put(_ paths: [String]) throws {
    try test.store.commitAndWait(test.database, paths.map { .set($0, [:]) })
  }

  @Test("a collection comes in order of names, numeric ids first, in both directions")
  func nameOrder() throws {
    let ordered = [
      "c/__id-5__", "c/__id3__", "c/__id10__", "c/!", "c/a", "c/a\u{0}", "c/a\u{0}b", "c/a!", "c/aa", "c/b",
      "c/\u{FF5E}", "c/\u{10000}",
    ]
    try put(ordered.shuffled() + ["c/a/s/x", "c-b/x", "b/x", "d/x", "c\u{0}/x"])
    #expect(try test.collection("c") == ordered)
    #expect(try test.collection("c", .reverse) == ordered.reversed())
    #expect(try test.collection("c/a/s") == ["c/a/s/x"])
    #expect(try test.collection("none") == [])
    #expect(try test.fields("c/__id10__") == [:])
  }

  @Test("bounds cut a collection where they stand in the order of names")
  func bounds() throws {
    try put(["c/a", "c/b", "c/c", "b/x", "d/x"])
    func bound(_ path: String, _ isInclusive: Bool) -> NameBound {
      NameBound(ResourcePath(unchecked: path), isInclusive: isInclusive)
    }
    let all = ["c/a", "c/b", "c/c"]
    #expect(try test.collection("c", from: bound("c/b", true)) == ["c/b", "c/c"])
    #expect(try test.collection("c", from: bound("c/b", false)) == ["c/c"])
    #expect(try test.collection("c", to: bound("c/b", true)) == ["c/a", "c/b"])
    #expect(try test.collection("c", to: bound("c/b", false), .reverse) == ["c/a"])
    #expect(try test.collection("c", from: bound("c/b", true), to: bound("c/b", true)) == ["c/b"])
    #expect(try test.collection("c", from: bound("c/b", false), to: bound("c/b", true)) == [])
    #expect(try test.collection("c", from: bound("c/aa", true), to: bound("c/bb", true)) == ["c/b"])
    // Other collections, and documents below this one's.
    #expect(try test.collection("c", from: bound("b/x", true)) == all)
    #expect(try test.collection("c", from: bound("d/x", true)) == [])
    #expect(try test.collection("c", to: bound("d/x", false)) == all)
    #expect(try test.collection("c", to: bound("b/x", true)) == [])
    #expect(try test.collection("c", from: bound("c/b/s/x", true)) == ["c/c"])
    #expect(try test.collection("c", to: bound("c/b/s/x", false)) == ["c/a", "c/b"])
  }

  @Test("long ids and long collection paths keep the order of names, and bounds hold among them")
  func folding() throws {
    let stem = String(repeating: "m", count: 400)
    let long = ["\(stem)a", "\(stem)b", "\(stem)b\u{0}", "\(stem)ba", "\(stem)c"]
    let ids = ["a", String(stem.prefix(100))] + long + ["\(stem.dropLast(300))n", "z"]
    let deep = "c/" + String(repeating: "d", count: 1_400) + "/" + String(repeating: "s", count: 1_400)
    for collection in ["c", deep] {
      let ordered = ids.map { "\(collection)/\($0)" }
      try put(ordered.shuffled())
      #expect(try test.collection(collection) == ordered)
      #expect(try test.collection(collection, .reverse) == ordered.reversed())
      for (index, path) in ordered.enumerated() {
        #expect(try test.fields(path) == [:])
        for isInclusive in [true, false] {
          let bound = NameBound(ResourcePath(unchecked: path), isInclusive: isInclusive)
          let from = Array(ordered[(isInclusive ? index : index + 1)...])
          #expect(try test.collection(collection, from: bound) == from)
          #expect(try test.collection(collection, from: bound, .reverse) == from.reversed())
          #expect(
            try test.collection(collection, to: bound) == Array(ordered[..<(isInclusive ? index + 1 : index)])
          )
        }
      }
      try test.commit(.delete(ordered[3]))
      #expect(try test.collection(collection).count == ordered.count - 1)
      try put([ordered[3]])
    }
    let under = try test.collect { (view, visit) throws(StoreError) in
      try view.scanDescendants(of: ResourcePath(unchecked: deep).parent, visit)
    }
    #expect(under.count == ids.count)
  }

  @Test("groups, children and descendants")
  func scopes() throws {
    try put([
      "posts/1", "users/a/posts/2", "users/a/posts/2/posts/3", "users/b/posts/4", "users/b/other/5",
      "posts-x/6",
    ])
    func group(_ id: String, _ parent: String) throws -> Set<String> {
      Set(
        try test.collect { (view, visit) throws(StoreError) in
          try view.scanGroup(id, under: ResourcePath(unchecked: parent), visit)
        })
    }
    #expect(
      try group("posts", "") == ["posts/1", "users/a/posts/2", "users/a/posts/2/posts/3", "users/b/posts/4"])
    #expect(try group("posts", "users/a") == ["users/a/posts/2", "users/a/posts/2/posts/3"])
    #expect(try group("none", "") == [])
    let children = try test.collect { (view, visit) throws(StoreError) in
      try view.scanChildren(of: ResourcePath(unchecked: "users/b"), visit)
    }
    #expect(Set(children) == ["users/b/posts/4", "users/b/other/5"])
    let below = try test.collect { (view, visit) throws(StoreError) in
      try view.scanDescendants(of: ResourcePath(unchecked: "users/a"), visit)
    }
    #expect(Set(below) == ["users/a/posts/2", "users/a/posts/2/posts/3"])
  }

  @Test("collection ids count phantom parents, in byte order")
  func collectionIDs() throws {
    try put(["a/1", "a-b/1", "a/1/x/1", "b/ghost/y/1/z/1", "a!/1", "c/1/only/1"])
    func ids(_ parent: String, at time: ReadTime = .newest) throws -> [String] {
      try test.store.read(test.database, at: time) { (view) throws(StoreError) in
        try view.collectionIDs(under: ResourcePath(unchecked: parent))
      }
    }
    #expect(try ids("") == ["a", "a!", "a-b", "b", "c"])
    #expect(try ids("a/1") == ["x"])
    #expect(try ids("b/ghost") == ["y"])
    #expect(try ids("b/ghost/y/1") == ["z"])
    #expect(try ids("none/1") == [])
    let before = ReadTime.at(test.clock.now + 1)
    try test.commit(.delete("a!/1"), .delete("c/1/only/1"))
    try put(["new/1"])
    #expect(try ids("") == ["a", "a-b", "b", "new"])
    #expect(try ids("", at: before) == ["a", "a!", "a-b", "b", "c"])
  }

  @Test("missing documents are those with documents below them only")
  func missingDocuments() throws {
    try put(["u/b/p/1", "u/a/p/1/q/1", "u/c", "u/c/p/1", "u/__id7__/p/1", "v/x/p/1"])
    let missing = try test.store.read(test.database) { (view) throws(StoreError) in
      try view.missingDocumentIDs(in: ResourcePath(unchecked: "u"))
    }
    #expect(missing == ["__id7__", "a", "b"])
  }

  @Test("a visitor that stops gets nothing more", arguments: [ScanDirection.forward, .reverse])
  func stops(_ direction: ScanDirection) throws {
    let stem = String(repeating: "m", count: 300)
    try put((0..<10).map { "c/\(stem)\($0)" } + ["c/a", "c/z"])
    for limit in 1...12 {
      let count = try test.store.read(test.database) { (view) throws(StoreError) in
        var count = 0
        try view.scanCollection(ResourcePath(unchecked: "c"), direction) { _, _ in
          count += 1
          return count < limit ? .more : .stop
        }
        return count
      }
      #expect(count == limit)
    }
  }

  // MARK: read times

  @Test("read times outside the kept hour and the present are refused with the service's words")
  func readTimeBounds() throws {
    try test.set("c/a", [:])
    let now = test.clock.now
    func message(_ time: Int64) -> String? {
      storeError { _ = try test.fields("c/a", at: .at(time)) }?.message
    }
    #expect(message(now + 1_000_000) == "The requested 'read_time' cannot be in the future.")
    #expect(message(-1) == "Only timestamps past epoch are supported.")
    #expect(message(now - 3_600_000_001) == "The requested 'read_time' is too old.")
    #expect(message(now - 3_599_000_000) == nil)
  }

  @Test("the past stays as it was while documents change, vanish and come back")
  func past() throws {
    try test.set("c/a", ["n": .integer(1)])
    var times: [Int64] = [try test.set("c/b", ["n": .integer(1)]).commitTime]
    times.append(try test.set("c/a", ["n": .integer(2)]).commitTime)
    times.append(try test.commit(.delete("c/b"), .set("c/0", [:])).commitTime)
    times.append(try test.set("c/b", ["n": .integer(3)]).commitTime)
    let expected: [[(String, Int64?)]] = [
      [("c/a", 1), ("c/b", 1)], [("c/a", 2), ("c/b", 1)], [("c/0", nil), ("c/a", 2)],
      [("c/0", nil), ("c/a", 2), ("c/b", 3)],
    ]
    for (time, documents) in zip(times, expected) {
      #expect(try test.collection("c", at: .at(time)) == documents.map(\.0))
      #expect(try test.collection("c", .reverse, at: .at(time)) == documents.map(\.0).reversed())
      for (path, number) in documents {
        #expect(try test.fields(path, at: .at(time)) == (number.map { ["n": .integer($0)] } ?? [:]))
      }
    }
    #expect(try test.fields("c/b", at: .at(times[2])) == nil)
    #expect(try test.collection("c", at: .at(times[0] - 2)) == [])
  }

  @Test("no commit ever falls at or below a read time that was given out")
  func readTimesBindTheClock() throws {
    try test.set("c/a", [:])
    test.clock.advance(seconds: 10)
    let readTime = try test.store.read(test.database) { (view) throws(StoreError) in view.readTime }
    #expect(readTime == test.clock.now)
    test.clock.advance(seconds: -5)
    #expect(try test.set("c/a", ["x": .null]).commitTime > readTime)
  }

  @Test("a view holds exactly the commits at or below its read time, whatever is in flight")
  func viewsAreExact() throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let database = DatabaseID(project: "demo-exact")
    let path = ResourcePath(unchecked: "c/n")
    let versions = Monitor<[Int64]>([])
    let seen = Monitor<[(readTime: Int64, version: Int64)]>([])
    try runThreads(4) { thread in
      for index in 0..<300 {
        if thread < 2 {
          let write = Write.set("c/n", ["by": .integer(Int64(thread)), "n": .integer(Int64(index))])
          let version = try store.commitAndWait(database, [write]).commitTime
          versions.change { $0.append(version) }
        } else {
          let pair = try store.read(database) { (view) throws(StoreError) in
            (view.readTime, try view.document(path)?.updateTime ?? 0)
          }
          let again = try store.read(database, at: .at(pair.0)) { (view) throws(StoreError) in
            try view.document(path)?.updateTime ?? 0
          }
          if again != pair.1 { throw StoreError.storage(.conflict) }
          seen.change { $0.append(pair) }
        }
      }
    }
    let sorted = versions.withLock { $0.sorted() }
    for (readTime, version) in seen.withLock({ $0 }) {
      #expect(sorted.last { $0 <= readTime } ?? 0 == version)
    }
  }

  @Test("history beyond an hour is collected, the present is not, and the floor holds")
  func retention() async throws {
    for index in 0..<1_500 { try test.set("c/d\(index % 7)", ["n": .integer(Int64(index))]) }
    test.clock.advance(seconds: 1_800)
    let half = try test.set("c/d0", ["n": .integer(-1)]).commitTime
    func count(_ keyspace: Keyspace) throws -> Int {
      try test.store.engine.read { (view) throws(StorageError) in
        var count = 0
        try view.scan(keyspace, .all, .forward) { _, _ in
          count += 1
          return .more
        }
        return count
      }
    }
    #expect(try count(.documentHistory) == 1_494)
    test.clock.advance(seconds: 1_801)
    try await test.store.tidy()
    #expect(try count(.documentHistory) == 1)
    #expect(try count(.changes) == 1)
    #expect(try test.collection("c").count == 7)
    #expect(try test.fields("c/d0", at: .at(half - 1)) == ["n": .integer(1_498)])
    test.clock.advance(seconds: 1_800)
    #expect(storeError { _ = try test.fields("c/d0", at: .at(half)) } == .failedPrecondition(.readTimeTooOld))
    try await test.store.tidy()
    #expect(try count(.documentHistory) == 0)
  }

  // MARK: clearing

  @Test("clearing empties one database at once; its keys go later, others stay")
  func clear() async throws {
    let other = DatabaseID(project: "demo-test", database: "other")
    try put((0..<2_500).map { "c/\($0)" })
    try test.store.commitAndWait(other, [.set("c/a", [:])])
    let version = try await test.store.clear(test.database)
    #expect(try test.collection("c") == [])
    #expect(try test.set("c/new", [:]).commitTime > version)
    try await test.store.tidy()
    let keys = try test.store.engine.read { (view) throws(StorageError) in
      var count = 0
      for keyspace in Keyspace.allCases where keyspace != .catalog {
        try view.scan(keyspace, .all, .forward) { _, _ in
          count += 1
          return .more
        }
      }
      return count
    }
    // Two documents, and their two changes.
    #expect(keys == 4)
    #expect(try test.collection("c") == ["c/new"])
  }

  /// Which generation a database has is remembered of the one that was asked for last.
  @Test("of two databases that are read in turns, each shows what is its own, cleared and written anew")
  func databasesInTurns() async throws {
    let databases = ["one", "two"].map { DatabaseID(project: "demo-test", database: $0) }
    var expected: [[String]] = [[], []]
    for round in 0..<12 {
      let turn = round % 2
      if round % 3 == 2 {
        _ = try await test.store.clear(databases[turn])
        expected[turn] = []
      } else {
        try test.store.commitAndWait(databases[turn], [.set("c/r\(10 + round)", [:])])
        expected[turn].append("c/r\(10 + round)")
      }
      // The one that has changed is read first, and the one that changes next was read last.
      for index in [turn, 1 - turn] {
        let found = try test.store.read(databases[index]) { (view) throws(StoreError) in
          var found: [String] = []
          for number in 10..<22 where try view.document(ResourcePath(unchecked: "c/r\(number)")) != nil {
            found.append("c/r\(number)")
          }
          return found
        }
        #expect(found == expected[index])
      }
    }
  }

  @Test("deleting a subtree takes a document or a collection with all below it")
  func deleteSubtree() async throws {
    try put((0..<1_200).map { "u/a/p/\($0)" } + ["u/a", "u/b", "u/ab/p/1", "v/1"])
    #expect(try await test.store.deleteSubtree(test.database, ResourcePath(unchecked: "u/a")) == 1_201)
    #expect(try test.collection("u") == ["u/b"])
    #expect(try await test.store.deleteSubtree(test.database, ResourcePath(unchecked: "u")) == 2)
    #expect(try await test.store.deleteSubtree(test.database, .root) == 1)
    #expect(try await test.store.deleteSubtree(test.database, .root) == 0)
  }
}
