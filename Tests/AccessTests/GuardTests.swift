/// One guard for reads, queries and commits.

import Access
import DocModel
import DocStore
import Rules
import Testing

private let bare = "Missing or insufficient permissions."

@Suite("The guard")
struct GuardTests {
  private func seeded(_ store: GuardedStore<some StorageEngine>) throws {
    try store.commitAndWait(
      testDatabase,
      [
        set("users/alice", ["groups": .array([.string("askew")])]),
        set("users/bob", ["groups": .array([.string("askew"), .string("studio")])]),
        set("users/carol", ["groups": .array([.string("chelsea")])]),
        set("users/dora", ["open": .boolean(true), "groups": .array([])]),
        set("posts/p", ["likes": .integer(0)]),
      ], as: .admin)
  }

  @Test(
    "without rules users are denied, unless the store is open", arguments: [(false, false), (true, true)])
  func noRules(isOpen: Bool, isAllowed: Bool) throws {
    let store = try guardedStore(rules: nil, isOpen: isOpen)
    try seeded(store)
    #expect((denial { _ = try store.fields("users/bob", as: user("bob")) } == nil) == isAllowed)
    #expect(
      (denial { try store.commitAndWait(testDatabase, [set("a/b", [:])], as: user("bob")) } == nil)
        == isAllowed)
    #expect(try store.fields("users/bob", as: .admin) != nil)
  }

  @Test(
    "a get is judged on the document it answers with, and on what the rule looks up",
    arguments: [
      ("alice", "users/bob", true), ("carol", "users/bob", false), ("bob", "users/bob", true),
      ("carol", "users/dora", true), ("nobody", "users/bob", false), ("alice", "users/missing", false),
      ("missing", "users/missing", true),
    ])
  func get(uid: String, path: String, isAllowed: Bool) throws {
    let store = try guardedStore()
    try seeded(store)
    #expect((denial { _ = try store.fields(path, as: user(uid)) } == nil) == isAllowed)
    #expect(denial { _ = try store.fields(path, as: .anonymous) } == bare)
    #expect(denial { _ = try store.fields(path, as: .admin) } == nil)
  }

  @Test("one denied document refuses a batch of reads before anything is handed out")
  func batch() throws {
    let store = try guardedStore()
    try seeded(store)
    var seen = 0
    let paths = ["users/dora", "users/bob"].map { ResourcePath(unchecked: $0) }
    let message = denial {
      try store.getAll(paths, in: testDatabase, as: user("carol")) { _, _, _ in seen += 1 }
    }
    #expect(message == bare)
    #expect(seen == 0)
    try store.getAll(paths, in: testDatabase, as: user("alice")) { _, _, _ in seen += 1 }
    #expect(seen == 2)
  }

  @Test(
    "short work is done at once; what is much work to read or to judge is left alone",
    arguments: [
      ("small/a", true), ("small/missing", true), ("large/a", false), ("pattern/a", false),
      ("looked/a", false),
      ("long/a", false),
    ])
  func shortWork(path: String, isShort: Bool) throws {
    let twice = "(request.auth.uid + request.auth.uid).size() > 0"
    let store = try guardedStore(
      rules: """
        rules_version = '2';
        service cloud.firestore { match /databases/{db}/documents {
          function all() { return \(Array(repeating: twice, count: 30).joined(separator: " && ")); }
          match /small/{id} { allow get: if true; }
          match /large/{id} { allow get: if true; }
          match /pattern/{id} { allow get: if resource.data.text.matches(resource.data.pattern); }
          match /looked/{id} { allow get: if get(/databases/$(db)/documents/large/a).data.size() >= 0; }
          match /long/{id} { allow get: if all(); }
        }}
        """)
    let large = Fields([("text", .string(String(repeating: "x", count: 100_000)))])
    let pattern = String(repeating: "(x?y?z?){1,20}", count: 4) + "w|.*"
    try store.commitAndWait(
      testDatabase,
      [
        set("small/a", [:]), set("large/a", large), set("looked/a", [:]), set("long/a", [:]),
        set(
          "pattern/a",
          ["text": .string(String(repeating: "x", count: 20_000)), "pattern": .string(pattern)]),
      ], as: .admin)
    let name = DocumentName(database: testDatabase, path: ResourcePath(unchecked: path))
    let evaluations = store.metrics.documentsRead
    var found: [Bool] = []
    let isRead = try store.getShortly(name, as: user("alice")) { document, _ in
      found.append(document != nil)
    }
    #expect(isRead == isShort)
    #expect(found == (isShort ? [path != "small/missing"] : []))
    // What was left alone was not counted, and is judged as ever elsewhere.
    #expect(store.metrics.documentsRead == evaluations + (isShort ? 1 : 0))
    let whole = try store.get(name, as: user("alice")) { document, _ in document != nil }
    #expect(whole == (path != "small/missing"))
    var seen = 0
    let isDone = try store.getShortly(
      [name.path], in: testDatabase, as: user("alice"), begin: { seen += 10 }, { _, _, _ in seen += 1 })
    #expect(isDone == isShort)
    #expect(seen == (isShort ? 11 : 0))
  }

  @Test("a query is allowed for its shape, whatever is stored")
  func query() throws {
    let store = try guardedStore()
    let all = StructuredQuery(database: testDatabase, collection: ResourcePath(unchecked: "users"))
    var open = all
    open.filter = .field("open", .equal, .boolean(true))
    #expect(denial { _ = try store.paths(all, as: user("alice")) } == bare)
    #expect(try store.paths(open, as: user("alice")) == [])
    try seeded(store)
    #expect(denial { _ = try store.paths(all, as: user("alice")) } == bare)
    #expect(try store.paths(open, as: user("alice")) == ["users/dora"])
    #expect(try store.paths(all, as: .admin).count == 4)
  }

  /// Source: the official emulator.
  @Test(
    "what no index can serve is told to those whom the rules grant the query; too many disjuncts to everybody",
    arguments: [
      (.all([]), ["a", "a"], "order by clause cannot contain duplicate fields a", false),
      (.all([]), ["__name__", "a"], "order by clause cannot contain more fields after the key", false),
      (
        .all([
          .field("__name__", .equal, .reference("projects/access/databases/(default)/documents/users/a")),
          .field("a", .lessThan, .integer(1)),
        ]), [],
        "Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities.",
        false
      ),
      (
        .any((0..<31).map { .field("f\($0)", .equal, .null) }), [],
        "Too many disjunctions after normalization. Result had 31 disjunctions which is more than the maximum of 30",
        true
      ),
    ] as [(StructuredQuery.Filter, [String], String, Bool)])
  func lateErrors(filter: StructuredQuery.Filter, orders: [String], message: String, isFirst: Bool) throws {
    let rules = """
      service cloud.firestore { match /databases/{db}/documents/users/{uid} {
        allow list: if request.auth.uid == 'alice';
      }}
      """
    let store = try guardedStore(rules: rules)
    var query = StructuredQuery(database: testDatabase, collection: ResourcePath(unchecked: "users"))
    query.orders = orders.map { StructuredQuery.Order($0) }
    query.filter = filter
    let normalized = try QueryValidator.validateForm(query)
    func answer(_ credentials: Credentials) -> String? {
      denial { _ = try store.run(normalized, as: credentials) { _ in .more } }
    }
    #expect(answer(user("bob")) == (isFirst ? "not a denial: " + message : bare))
    #expect(answer(.admin) == "not a denial: " + message)
    #expect(answer(user("alice")) == "not a denial: " + message)
  }

  @Test("new rules hold for the next request, for their database alone")
  func replacement() throws {
    let store = try guardedStore()
    try seeded(store)
    #expect(denial { _ = try store.fields("users/bob", as: .anonymous) } == bare)
    let open = "service cloud.firestore { match /databases/{db}/documents { match /{d=**} { allow read; } } }"
    let ruleset = try #require(Ruleset.compile(source: open, name: "open.rules").ruleset)
    store.rulesets.replace(DatabaseID(project: "another"), with: ruleset)
    store.rulesets.replace(DatabaseID(project: testDatabase.project, database: "audit"), with: ruleset)
    #expect(denial { _ = try store.fields("users/bob", as: .anonymous) } == bare)
    store.rulesets.replace(testDatabase, with: ruleset)
    #expect(denial { _ = try store.fields("users/bob", as: .anonymous) } == nil)
  }

  @Test("what was released for a database wins over its name's rules, and those over the rules of all")
  func precedence() throws {
    func rules(_ name: String) throws -> Ruleset {
      try #require(Ruleset.compile(source: testRules, name: name).ruleset)
    }
    func guarding(_ registry: RulesetRegistry, _ database: String, of project: String = "p") -> String {
      switch registry.protection(of: DatabaseID(project: project, database: database)) {
      case .rules(let ruleset): ruleset.source.name
      case .broken: "broken"
      case .closed: "closed"
      case .open: "open"
      }
    }
    let registry = RulesetRegistry()
    #expect(guarding(registry, "(default)") == "closed")
    #expect(guarding(RulesetRegistry(isOpen: true), "audit") == "open")
    registry.setStandard(try rules("audit"), ofDatabase: "audit")
    #expect(guarding(registry, "audit") == "audit")
    #expect(guarding(registry, "(default)") == "closed")
    registry.setStandard(try rules("all"))
    #expect(guarding(registry, "audit") == "audit")
    #expect(guarding(registry, "(default)") == "all")
    registry.replace(DatabaseID(project: "p", database: "audit"), with: try rules("released"))
    #expect(guarding(registry, "audit") == "released")
    #expect(guarding(registry, "audit", of: "q") == "audit")
    #expect(guarding(registry, "other") == "all")
    registry.replace(DatabaseID(project: "q", database: "audit"), with: try rules("released"))
    registry.setStandard(.rules(try rules("saved")), ofDatabase: nil, insteadOfReleasesIn: "p")
    #expect(guarding(registry, "other") == "saved")
    #expect(guarding(registry, "audit") == "audit")
    #expect(guarding(registry, "audit", of: "q") == "released")
    registry.setStandard(.rules(try rules("saved too")), ofDatabase: "audit", insteadOfReleasesIn: "q")
    #expect(guarding(registry, "audit", of: "q") == "saved too")
  }

  @Test("a database without rules says so, and how to give it some")
  func withoutRules() throws {
    let store = try guardedStore(rules: nil, detail: .explained)
    let message = try #require(denial { _ = try store.fields("users/bob", as: user("bob")) })
    #expect(message.hasPrefix(bare + " No rules are loaded for database `(default)` of project"))
    #expect(message.contains("--rules FILE"))
    let terse = try guardedStore(rules: nil, detail: .terse)
    #expect(denial { _ = try terse.fields("users/bob", as: user("bob")) } == bare)
    let open = try guardedStore(rules: nil, isOpen: true)
    #expect(denial { _ = try open.fields("users/bob", as: .anonymous) } == nil)
  }

  @Test("a limit that ended an evaluation is named, with the expression that crossed it")
  func limits() throws {
    let gets = (0...10).map { "exists(/databases/$(d)/documents/u/d\($0))" }.joined(separator: " || ")
    let rules = """
      service cloud.firestore { match /databases/{d}/documents { match /a/{b} {
        allow get: if \(gets);
      } } }
      """
    let message = try #require(
      denial { _ = try guardedStore(rules: rules, detail: .explained).fields("a/b", as: .anonymous) })
    let lines = message.split(separator: "\n")
    #expect(message.hasPrefix(bare + "\nevaluation error at L2:17 for 'get' @ L2"))
    let column = 17 + gets.count - "exists(/databases/$(d)/documents/u/d10)".count
    #expect(
      lines.last
        == "test.rules:2:\(column): over the limit of 10 distinct documents for one operation, in `exists(/databases/$(d)/documents/u/d10)`"
    )
    let official = try guardedStore(rules: rules, detail: .official)
    let words = try #require(denial { _ = try official.fields("a/b", as: .anonymous) })
    #expect(words.hasPrefix("\nService call error.") && !words.contains("over the limit"))
  }

  @Test("a refusal says why, unless it is asked to be terse")
  func detail() throws {
    let store = try guardedStore(detail: .explained)
    try seeded(store)
    let message = try #require(denial { _ = try store.fields("users/bob", as: user("carol")) })
    #expect(message.hasPrefix(bare))
    #expect(message.contains("for 'get' @ L"))
    let unmatched = try #require(denial { _ = try store.fields("other/x", as: user("carol")) })
    #expect(unmatched.contains("No matching allow statements"))
    let official = try guardedStore(detail: .official)
    #expect(
      denial { _ = try official.fields("other/x", as: user("carol")) } == "No matching allow statements")
    let terse = try guardedStore(detail: .terse)
    #expect(denial { _ = try terse.fields("other/x", as: user("carol")) } == bare)
  }
}

@Suite("The guard of commits")
struct CommitGuardTests {
  private let likes = FieldPath.field("at")

  private func like(_ uid: String) throws -> Write {
    let at = try #require(likes)
    return set("posts/p/likes/\(uid)", [:], transforms: [FieldTransform(at, .serverTime)])
  }

  private func count(_ likes: Int64) -> Write { set("posts/p", ["likes": .integer(likes)]) }

  @Test("a like and its counter are allowed together, in either order, and neither alone")
  func together() throws {
    let store = try guardedStore()
    try store.commitAndWait(testDatabase, [count(0)], as: .admin)
    #expect(denial { try store.commitAndWait(testDatabase, [try like("a")], as: user("a")) } == bare)
    #expect(denial { try store.commitAndWait(testDatabase, [count(1)], as: user("a")) } == bare)
    #expect(
      denial { try store.commitAndWait(testDatabase, [count(2), try like("a")], as: user("a")) } == bare)
    #expect(try store.fields("posts/p/likes/a", as: .admin) == nil)
    #expect(
      denial { try store.commitAndWait(testDatabase, [count(1), try like("a")], as: user("a")) } == nil)
    #expect(
      denial { try store.commitAndWait(testDatabase, [try like("b"), count(2)], as: user("b")) } == nil)
    #expect(try store.fields("posts/p", as: .admin) == ["likes": .integer(2)])
  }

  @Test("one refused write refuses the whole commit")
  func wholeCommit() throws {
    let store = try guardedStore()
    let writes = [set("users/alice", ["n": .integer(1)]), set("users/bob", ["n": .integer(1)])]
    #expect(denial { try store.commitAndWait(testDatabase, writes, as: user("alice")) } == bare)
    #expect(try store.fields("users/alice", as: .admin) == nil)
    #expect(denial { try store.commitAndWait(testDatabase, [writes[0]], as: user("alice")) } == nil)
  }

  @Test("rules come before preconditions")
  func order() throws {
    let store = try guardedStore()
    let write = Write(
      ResourcePath(unchecked: "users/bob"), .update(fields: [], mask: nil), precondition: .exists(true))
    #expect(denial { try store.commitAndWait(testDatabase, [write], as: user("alice")) } == bare)
    let own = Write(
      ResourcePath(unchecked: "users/alice"), .update(fields: [], mask: nil), precondition: .exists(true))
    #expect(throws: StoreError.self) { try store.commitAndWait(testDatabase, [own], as: user("alice")) }
    #expect(
      denial { try store.commitAndWait(testDatabase, [own], as: user("alice")) }?.hasPrefix("not a denial")
        == true)
  }
}
