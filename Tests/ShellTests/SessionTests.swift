/// What statements answer, a line a case, on both kinds of stores.

import DocModel
import DocStore
import TestSupport
import Testing

@testable import Shell

private struct Row: Sendable, CustomTestStringConvertible {
  let statements: [String]
  let results: [String]
  /// What the first result begins with, of answers that are too long for a row.
  let beginning: String?
  var status: Int32 = 0
  /// A part of what is said beside the results.
  var message: String?

  init(
    _ statements: String..., results: [String] = [], beginsWith beginning: String? = nil, status: Int32 = 0,
    message: String? = nil
  ) {
    self.statements = statements
    self.results = results
    self.beginning = beginning
    self.status = status
    self.message = message
  }

  var testDescription: String { statements.joined(separator: " ⏎ ") }
}

/// A table of `:cost`.
private func costs(_ rows: (unit: String, count: Int, reason: String)...) -> [String] {
  ResultPrinter.lines(
    .rows(
      columns: ["billed", "count", "for"],
      rows.map { [.string($0.unit), .integer(Int64($0.count)), .string($0.reason)] }), PrintStyle())
}

@Suite("Sessions of the shell", .serialized)
struct SessionTests {
  private static let rows: [Row] = [
    // Reads.
    Row("users | ids", results: ["alice", "bob", "carol", "dave"]),
    Row("users | count", results: ["4"]),
    Row(
      "users where age > 25 order by age desc select name, age",
      results: ["  id     name   age", "  bob    Bob    40", "  alice  Alice  31"]),
    Row("users where groups has 'askew' | ids", results: ["alice", "bob"]),
    Row("users order by age limit last 2 | ids", results: ["alice", "bob"]),
    Row("users order by age start after 25 | ids", results: ["alice", "bob"]),
    Row("users | sum age", results: ["96"]),
    Row("users | avg age", results: ["32.0"]),
    Row("users | first | ids", results: ["alice"]),
    Row("users order by age limit last 2 | first | ids", results: ["alice"]),
    Row("users order by age limit 2 | first | ids", results: ["carol"]),
    Row(
      "users | ids | table id, name",
      results: ["  id     name", "  alice  Alice", "  bob    Bob", "  carol  Carol", "  dave   Dave"]),
    Row("posts | group by by | count", results: ["  by     count", "  alice  2", "  bob    1"]),
    Row("posts | group by by | sum likes", results: ["  by     sum", "  alice  3", "  bob    5"]),
    Row(
      "posts | group by by | sum likes | order by sum desc",
      results: ["  by     sum", "  bob    5", "  alice  3"]),
    Row("posts | group by by | order by documents limit 1", results: ["  by   documents", "  bob  1"]),
    Row("posts | group by by | order by by desc | limit 1 | count", results: ["  by   count", "  bob  1"]),
    Row(
      "posts | group by by | order by likes", status: 2, message: "no column 'likes'; there are by, documents"
    ),
    Row("users where age == 7 | group by name | count order by count", results: ["  name  documents"]),
    Row("posts | group by by", results: ["  by     documents", "  alice  2", "  bob    1"]),
    Row(
      "users where age == 25 | jsonl",
      results: [
        #"{"__name__":"users/carol","age":25,"groups":["chelsea"],"name":"Carol","privacy":"groups"}"#
      ]),
    Row("posts where by == 'bob' | csv", results: ["id,at,by,likes", "p2,1970-01-01T00:00:00Z,bob,5"]),
    Row("users where __name__ in ['bob', 'dave', 'ghost'] | ids", results: ["bob", "dave"]),
    Row("users order by __name__ start after 'bob' | ids", results: ["carol", "dave"]),
    Row(
      "group private where __name__ == 'users/bob/private/keys' | ids", results: ["users/bob/private/keys"]),
    Row("users/ghost", message: "users/ghost does not exist"),
    Row("group private | ids", results: ["users/bob/private/keys"]),
    Row(":cd users/bob", "private | ids", results: ["keys"]),
    Row(":cd users/bob", ":pwd", results: ["/users/bob"]),
    Row(":ls", results: ["posts/", "users/"]),
    Row(":ls users", results: ["alice", "bob", "carol", "dave"]),
    Row(":tree users/bob", results: ["/users/bob", "└ private/", "  └ keys"]),
    Row(":count", results: ["  collection  documents", "  posts       3", "  users       4"]),
    Row(
      ":d posts",
      results: [
        "  field  types      presence  sample", "  at     timestamp  100%      @1970-01-01T00:00:00Z",
        "  by     string     100%      \"alice\"", "  likes  integer    100%      2",
      ]),
    // Writes.
    Row(
      "create users/x {name: 'X', tags: ['a']}", "users/x | jsonl",
      results: [#"{"__name__":"users/x","name":"X","tags":["a"]}"#]),
    Row("create users/bob {}", status: 1, message: "ALREADY_EXISTS"),
    Row("update users/ghost a = 1", status: 1, message: "NOT_FOUND"),
    Row(
      "update users/bob age += 2, name = 'Rob', unset privacy, groups union ['b']", "users/bob | jsonl",
      results: [#"{"__name__":"users/bob","age":42,"groups":["askew","b"],"name":"Rob"}"#]),
    Row("posts/p1 += {meta: {a: 1}}", "posts/p1 += {meta: {b: 2}}", ":assert posts/p1 meta == {a: 1, b: 2}"),
    Row("posts/p1 := {a: 1}", "posts/p1 | jsonl", results: [#"{"__name__":"posts/p1","a":1}"#]),
    Row("delete posts/p1", "posts | ids", results: ["p2", "p3"]),
    Row("commit { delete posts/p1; update posts/p2 likes += 1 }", "posts | sum likes", results: ["7"]),
    Row("commit { delete posts/p1; create posts/p2 {} }", "posts | count", results: ["3"]),
    Row("posts | each update $id likes = 0", status: 2, message: "say --yes"),
    Row(
      "users where age == 25 | each update $id seen = true, self = '$id'", ":assert users/carol seen == true"),
    Row("delete users/bob recursive", status: 2, message: "say --yes"),
    // Identity and rules.
    Row(":as carol", "users/bob", status: 3, message: "small.rules"),
    Row(":as carol", "users/bob", status: 3, message: "\"carol\" == \"bob\""),
    Row(":as carol", "users/bob", status: 3, message: "[\"chelsea\"] ∩ [\"askew\"] = []"),
    Row(":as carol", "users/bob", status: 3, message: "allowed if   own(uid)"),
    Row(":as carol", "users/bob", status: 3, message: "read users/carol  found  by get"),
    Row(":as carol", "users", status: 3, message: "not provable"),
    Row(":as carol", "users", status: 3, message: "add: where privacy == \"public\""),
    Row(":as carol", "users where privacy == 'public' | ids", results: ["dave"]),
    Row(":as alice", "users/bob | ids", results: ["bob"]),
    Row(":as anon", "users/bob", status: 3, message: "signedIn()"),
    Row(
      ":as {uid: \"bob\", claims: {role: \"coach\"}}", "update users/bob age = 1",
      ":assert users/bob age == 1"),
    Row(":as alice", "update users/bob age = 1", status: 3, message: "DENIED update users/bob as alice"),
    Row(":as nobody-known", status: 1, message: "there is no persona 'nobody-known'"),
    Row(":as alice { users/bob | ids }", ":who", results: ["admin: past the rules"]),
    Row(":as alice { users/bob | ids; users/alice | ids }", results: ["bob", "alice"]),
    Row(":as carol", ":can update users/bob {bio: \"x\"}", results: ["no    own(uid)  \"carol\" == \"bob\""]),
    Row(
      ":as bob", ":can update users/bob {bio: \"x\"}", results: ["yes   by @profile.write  small.rules:15"]),
    Row(":as carol", ":can list users", results: ["no    not provable; add: where privacy == \"public\""]),
    Row(":as bob", ":can create posts/p9 {at: @now}", results: ["yes   by @post.create  small.rules:20"]),
    Row(
      ":as bob", ":can create posts/p9 {at: 1}",
      beginsWith: "no    request.resource.data.at == request.time  1 == "),
    Row(":as bob", "create posts/p9 {at: @now}", "posts | count", results: ["4"]),
    Row(":as bob", ":can delete users/bob", results: ["no    no rule is about this path and method"]),
    Row(":can get users/bob", status: 2, message: "administrators pass by the rules"),
    Row(":as carol", "users/bob", ":why", beginsWith: "✗ deny  get /users/bob  as carol"),
    Row(":eval hashing.md5('a').toHexString()", results: ["\"0CC175B9C0F1B6A831C399E269772661\""]),
    Row(":eval 1 + 2", results: ["3"]),
    Row(":as bob", ":eval own('bob')", results: ["true"]),
    Row(":as alice", ":eval me().groups", results: ["[\"askew\"]"]),
    Row(":eval resource.data.name on users/bob", results: ["\"Bob\""]),
    Row(":eval nonsense(", status: 2),
    Row(":eval [1][7]", status: 1, message: "has no value"),
    Row(":expect deny users/bob", status: 2, message: "administrators"),
    Row(":as anon", ":expect deny users/bob"),
    Row(":as anon", ":expect deny:profile.get users/bob"),
    Row(
      ":as anon", ":expect deny:unmatched users/bob", status: 6,
      message: "expected a denial because of unmatched"),
    Row(":as anon", ":expect : users/bob", status: 2, message: "usage: :expect"),
    Row(":as anon", ":expect deny { }", status: 2, message: "':expect deny' has no statement to judge"),
    Row(":as anon", ":expect deny {\n# users/bob\n}", status: 2, message: "has no statement to judge"),
    Row(":as alice", ":expect allow users/bob"),
    Row(":as carol", ":expect allow users/bob", status: 6, message: "expected to be allowed"),
    Row(":as alice", ":expect deny users/bob", status: 6, message: "but the rules allow"),
    Row(":as bob", ":expect allow { create posts/p8 {at: @now} }", ":admin", "posts | count", results: ["3"]),
    Row(
      ":reach carol",
      results: [
        "  collection  documents  get  list  delete", "  posts       3          all  yes   0",
        "  users       4          2    -     0",
      ]),
    Row(
      ":matrix",
      results: [
        "  persona  collection  documents  get  list  delete",
        "  alice    posts       3          all  yes   0",
        "  alice    users       4          3    -     0", "  bob      posts       3          all  yes   0",
        "  bob      users       4          3    -     0", "  carol    posts       3          all  yes   0",
        "  carol    users       4          2    -     0",
      ]),
    Row(":rules diff /nowhere.rules", status: 1, message: "cannot read `/nowhere.rules`"),
    Row(":test", status: 2, message: "there is no suite beside the loaded rules"),
    Row(":test /nowhere.rules-test.yaml", status: 1, message: "/nowhere.rules-test.yaml"),
    Row(":coverage /nowhere.rules-test.yaml", status: 1, message: "/nowhere.rules-test.yaml"),
    // Scripts and variables.
    Row(":let n = users | count", ":assert users | count == $n"),
    Row(":let who = 'bob'", "users/$who | ids", results: ["bob"]),
    Row(":assert users | count == 5", status: 6, message: "it is 4"),
    Row(":assert users | count >= 4"),
    Row(":assert users/bob"),
    Row(":assert users/ghost", status: 6),
    Row(":assert users/bob name == \"Bob\""),
    Row(":assert users/bob age == 40.0"),
    Row(":echo hello  there", results: ["hello  there"]),
    Row(":mode csv", "users where age == 25 select name", results: ["id,name", "carol,Carol"]),
    Row(":mode nonsense", status: 1, message: "is no mode"),
    Row(
      ":columns age, name", "users where age == 25", results: ["  id     age  name", "  carol  25   Carol"]),
    Row(":frobnicate", status: 1, message: "there is no command"),
    Row("users where", status: 2, message: "^"),
    Row(":explain users where age > 30 | count | json", beginsWith: "server  "),
    // Transactions.
    Row(":begin", "update posts/p1 likes = 9", ":commit", ":assert posts/p1 likes == 9"),
    Row(":begin", "update posts/p1 likes = 9", ":rollback", ":assert posts/p1 likes == 2"),
    Row(":begin", "posts | count", "users/bob | ids", ":commit"),
    Row(":begin", ":begin", status: 2, message: "a transaction is under way"),
    Row(":commit", status: 2, message: "no transaction is under way"),
    Row(":begin readonly", "delete posts/p1", status: 2, message: "read-only"),
    Row(":begin", ":clear", status: 2, message: "':clear' is no part of a transaction"),
    Row(":begin", ":import /nowhere.jsonl", status: 2, message: "':import' is no part of a transaction"),
    Row(":begin", ":seed x.yaml", status: 2, message: "':seed' is no part of a transaction"),
    // What a store was asked, and its parts that only servers have.
    Row(":indexes", results: ["{", "  \"indexes\": [],", "  \"fieldOverrides\": []", "}"]),
    Row(":indexes load /nowhere.json", status: 1, message: "cannot read `/nowhere.json`"),
    Row(":indexes drop", status: 2, message: "usage: :indexes"),
    Row(
      ":stats docstore_writes_total",
      results: ["  metric                 value", "  docstore_writes_total  8"]),
    Row(":triggers", status: 1, message: "triggers"),
    Row(":triggers replay greet", status: 2, message: "usage: :triggers"),
    Row(":triggers dead-letters greet", status: 1, message: "triggers"),
    Row(":triggers retry", status: 2, message: "'all' is every ID"),
    Row(":triggers retry 1-a", status: 1, message: "triggers"),
    Row(":triggers discard all", status: 1, message: "triggers"),
    Row(":seed x.yaml", status: 1, message: "this shell cannot seed"),
    Row(":seed", status: 2, message: "usage: :seed"),
    Row(":as alice", ":seed x.yaml", status: 2, message: "':admin' first"),
    Row(":indexes unused", status: 1, message: "no indexes are loaded"),
    Row(":indexes unused /nowhere.json", status: 1, message: "cannot read `/nowhere.json`"),
    // What ends a shell ends the rest of its line, too.
    Row(":as alice { :echo before; :exit 3; :echo behind }", results: ["before"]),
    // Costs.
    Row(":cost", status: 1, message: "nothing was read or written yet"),
    Row("users where age > 25 | ids", ":cost", results: costs(("reads", 2, "documents of the result"))),
    Row(":cost users/ghost", results: costs(("reads", 1, "a document, there or not"))),
    Row(":cost users where age > 99", results: costs(("reads", 1, "a query without results"))),
    Row(
      ":cost users offset 2",
      results: costs(
        ("reads", 2, "documents of the result"), ("reads", 2, "documents that 'offset' passed over"))),
    Row(":cost users offset 9", results: costs(("reads", 4, "documents that 'offset' passed over"))),
    Row(":cost users | count", results: costs(("reads", 1, "4 index entries, 1,000 a read"))),
    Row(":cost users | avg age", results: costs(("reads", 1, "4 index entries, 1,000 a read"))),
    Row(
      ":as alice", "users/bob | ids", ":cost",
      results: costs(
        ("reads", 1, "a document, there or not"), ("reads", 1, "users/alice, asked for by the rules"))),
    Row(
      "commit { delete posts/p1; update posts/p2 likes += 1; create posts/q {} }", ":cost",
      results: costs(("writes", 2, "documents written, changed or not"), ("deletes", 1, "documents deleted"))),
    Row(":cost users | each delete $id", status: 2, message: "changes nothing"),
    // Live.
    Row(":watch users where age > 30 until current | ids", status: 2),
    Row(
      ":watch posts where by == 'bob' until current",
      results: ["added     posts/p2  {at: @1970-01-01T00:00:00Z, by: \"bob\", likes: 5}"]),
    Row(":as carol", ":watch users until current", status: 3, message: "DENIED list users as carol"),
    // Files.
    Row(":rules show", beginsWith: "rules_version = '2';"),
    Row(":rules load /nowhere.rules", status: 1, message: "cannot read `/nowhere.rules`"),
    Row(":use other", "users | count", results: ["0"]),
    Row(":clear", status: 2, message: "say --yes"),
  ]

  /// Servers with rules begin transactions for administrators only.
  private static let ownRows: [Row] = [
    Row(
      ":as {uid: \"mallory\"} { :begin; update users/bob name = 'HACKED' }", status: 1,
      message: "which is rolled back; 1 write of the transaction was not committed"),
    Row(
      ":as {uid: \"mallory\"} { :begin; update users/bob name = 'HACKED' }", ":commit", status: 2,
      message: "no transaction is under way"),
    Row(
      ":as {uid: \"mallory\"} { :begin; update users/bob name = 'HACKED'; users where }", status: 2,
      message: "1 write of the transaction was not committed"),
    Row(
      ":as {uid: \"mallory\"} { :begin; update users/bob name = 'HACKED'; users where }", ":commit",
      status: 2,
      message: "no transaction is under way"),
    Row(":as alice { :begin readonly }", status: 1, message: "the block ends in a transaction of alice"),
    Row(":as bob { :begin; update users/bob age = 1; :commit }", ":assert users/bob age == 1"),
  ]

  @Test("Statements, in process", arguments: rows + ownRows)
  private func embedded(_ row: Row) async throws { try await check(row, .embedded) }

  @Test("Statements, behind a port", arguments: rows)
  private func remote(_ row: Row) async throws { try await check(row, .remote) }

  private func check(_ row: Row, _ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      var answer: (status: Int32, results: [String], messages: [String]) = (0, [], [])
      for statement in row.statements { answer = talk.run(statement) }
      #expect(answer.status == row.status, "\(answer.messages)")
      if let message = row.message {
        #expect(answer.messages.contains { $0.range(ofBytes: message) != nil }, "\(answer.messages)")
      } else if row.status == 0 {
        #expect(answer.messages == [])
      }
      if let beginning = row.beginning {
        #expect(answer.results.first?.hasPrefix(beginning) == true, "\(answer.results)")
      } else {
        #expect(answer.results == row.results)
      }
    }
  }

  @Test("Destructive statements are done when somebody says yes", arguments: Placement.allCases)
  func asked(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      talk.session.ask = { _ in false }
      #expect(talk.run("delete users/bob recursive").status == 130)
      #expect(talk.run("users/bob | ids").results == ["bob"])
      talk.session.ask = { _ in true }
      #expect(talk.run("delete users/bob recursive").status == 0)
      #expect(talk.run("users | ids").results == ["alice", "carol", "dave"])
      #expect(talk.run("group private | count").results == ["0"])
      #expect(talk.run("posts | each update $id likes = 0", "posts | sum likes").results == ["0"])
      #expect(talk.run(":clear", ":ls").results == [])
    }
  }

  @Test("A transaction shows one state", arguments: Placement.allCases)
  func oneState(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      #expect(talk.run(":begin readonly", "posts/p1 | jsonl").status == 0)
      _ = try talk.session.backend.commit(
        [Write(ResourcePath(unchecked: "posts/p1"), .delete)], as: .administrator, in: nil)
      #expect(talk.run("posts | ids").results == ["p1", "p2", "p3"])
      #expect(talk.run(":commit", "posts | ids").results == ["p2", "p3"])
    }
  }

  @Test("Where no personas are known, a name is a uid", arguments: Placement.allCases)
  func unknownPersonas(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      talk.session.personas = []
      #expect(talk.run(":as dave", ":who").results.first?.hasPrefix("dave: uid \"dave\"") == true)
      #expect(talk.run("users/bob").status == 3)
      #expect(talk.run("users/dave | ids").results == ["dave"])
    }
  }

  @Test(
    "Personas of suites that nobody named are known where they can be read",
    arguments: [
      ("a", "alice carol"), ("a b", "alice carol bob"), ("broken a", "alice carol"), ("missing", ""),
    ])
  func foundSuites(_ names: String, _ known: String) async throws {
    let folder = TemporaryFolder()
    for (name, text) in [
      ("a", "rules: r.rules\npersonas:\n  alice: {uid: a1}\n  carol: {uid: c1}\n"),
      ("b", "personas:\n  bob: {uid: b1}\n  alice: {uid: a2}\n"), ("broken", "personas: {alice: [\n"),
    ] { try writeFile("\(folder.path)/\(name)", text) }
    var options = ShellOptions()
    options.foundSuites = names.split(separator: " ").map { "\(folder.path)/\($0)" }
    let asked = options
    try await SessionKit.talk(.remote) { talk in
      let session = try ShellProgram.session(
        asked, .remote(talk.session.backend.location), Console.standard())
      #expect(session.personas.map(\.name).joined(separator: " ") == known)
      #expect(session.personas.first?.uid == (known.isEmpty ? nil : "a1"))
      // Two suites have an alice, and not the same one.
      let contested = session.contestedPersonas.map { "\($0.name) of \($0.suite)" }
      #expect(contested == (names == "a b" ? ["alice of \(folder.path)/a"] : []))
    }
  }

  @Test("Every command is in :help, and has help of its own", arguments: CommandTable.all.map(\.name))
  func help(_ name: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let overview = talk.run(":help").results
      #expect(overview.contains { $0.hasPrefix("  :\(name) ") })
      let own = talk.run(":help \(name)")
      #expect(own.status == 0)
      #expect(own.results.contains { $0.range(ofBytes: "for example  :\(name)") != nil })
    }
  }

  @Test("What was typed is searched")
  func history() async throws {
    try await SessionKit.talk(.embedded) { talk in
      talk.session.history = [":as bob", "update users/bob\n  age = 7"]
      #expect(talk.run(":history age").results == ["update users/bob", "  age = 7"])
      #expect(talk.run(":history").results == [":as bob", "update users/bob", "  age = 7"])
    }
  }

  @Test("A live query shows what is added, changed and removed", arguments: Placement.allCases)
  func live(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      var seen: [String] = []
      var step = 0
      let admin = Caller.administrator
      let target = try #require(try Self.target("posts where by == 'bob'", talk))
      var view = WatchView(style: PrintStyle())
      // What changes the store needs a connection of its own while ours listens.
      let writer: any Backend =
        placement == .embedded
        ? talk.session.backend
        : try RemoteBackend(talk.session.backend.location, database: SessionKit.database)
      let steps = ["create posts/q {by: 'bob'}", "update posts/q by = 'x'", "delete posts/p2"]
      try talk.session.backend.watch(target, as: admin) { (event) throws(ShellError) in
        seen += view.lines(event).map { $0.split(separator: "{").first.map(String.init) ?? "" }
        if case .current = event { view.wasCurrent = true }
        guard view.wasCurrent, view.changes == step else { return true }
        if step == steps.count { return false }
        guard case .writes(let writes) = try StatementParser.parse(steps[step], talk.session.language),
          case .write(let write)? = writes.actions.first
        else { return false }
        step += 1
        _ = try writer.commit([write], as: admin, in: nil)
        return true
      }
      #expect(
        seen == ["added     posts/p2  ", "added     posts/q  ", "removed   posts/q", "removed   posts/p2"])
    }
  }

  private static func target(_ text: String, _ talk: Talk) throws -> ReadStatement.Target? {
    guard case .read(let read) = try StatementParser.parse(text, talk.session.language) else { return nil }
    return read.target
  }
}
