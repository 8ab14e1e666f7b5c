/// The language, a line a case.

import Client
import DocModel
import DocStore
import Testing

@testable import Shell

private var context: LanguageContext {
  LanguageContext(
    database: DatabaseID(project: "demo"), now: 1_772_355_600_000_000,
    variables: ["who": .string("bob"), "n": .integer(3)])
}

private struct Row: CustomTestStringConvertible {
  let text: String
  let meaning: String
  var place = ""

  init(_ text: String, _ meaning: String, at place: String = "") {
    self.text = text
    self.meaning = meaning
    self.place = place
  }

  var testDescription: String { text }
}

@Suite("The shell's language")
struct LanguageTests {
  private static let rows: [Row] = [
    Row("", "empty"),
    Row("users", "query |users"),
    Row("users/bob", "get users/bob"),
    Row("/users/bob", "get users/bob", at: "posts/p1"),
    Row("likes", "query posts/p1|likes", at: "posts/p1"),
    Row("bob", "get users/bob", at: "users"),
    Row("users/bob/posts", "query users/bob|posts"),
    Row("users/$who", "get users/bob"),
    Row("\"users/a b\"", "get users/a b"),
    Row("group posts", "query |**/posts"),
    Row("group posts limit 1", "query users/bob|**/posts limit 1", at: "users/bob"),
    Row("**/posts", "query |**/posts"),
    Row("/group", "query |group"),
    Row(
      "studios where rating >= 4.5 && isClaimed == false order by rating desc limit 3 select name, rating",
      "query |studios where (rating GREATER_THAN_OR_EQUAL 4.5 and isClaimed EQUAL false) order rating desc limit 3 select name,rating"
    ),
    Row("u where a == 1 || b == 2", "query |u where (a EQUAL 1 or b EQUAL 2)"),
    Row(
      "u where (a == 1 || b == 2) && c > 3", "query |u where ((a EQUAL 1 or b EQUAL 2) and c GREATER_THAN 3)"),
    Row("u where tags has 'x'", "query |u where tags ARRAY_CONTAINS \"x\""),
    Row("u where tags has any ['x','y']", "query |u where tags ARRAY_CONTAINS_ANY [\"x\", \"y\"]"),
    Row("u where a in [1,2]", "query |u where a IN [1, 2]"),
    Row("u where a not in [1]", "query |u where a NOT_IN [1]"),
    Row("u where a == null", "query |u where a isNull"),
    Row("u where a != NaN", "query |u where a isNotNaN"),
    Row("u where at > @2026-03-01T09:00Z", "query |u where at GREATER_THAN @2026-03-01T09:00:00Z"),
    Row("u where at > @2026-03-01", "query |u where at GREATER_THAN @2026-03-01T00:00:00Z"),
    Row("u where at > @now-1d", "query |u where at GREATER_THAN @2026-02-28T09:00:00Z"),
    Row("u where at > @now-1d12h", "query |u where at GREATER_THAN @2026-02-27T21:00:00Z"),
    Row("u where r == /users/bob", "query |u where r EQUAL /users/bob"),
    Row("u where n == $n", "query |u where n EQUAL 3"),
    Row("u where a == 1 where b == 2", "query |u where (a EQUAL 1 and b EQUAL 2)"),
    Row("u order by a, b desc", "query |u order a asc order b desc"),
    Row("u order by a limit last 2", "query |u order a desc limit 2 last"),
    Row("u order by a start at 1", "query |u order a asc start before 1"),
    Row("u order by a start after 1", "query |u order a asc start after 1"),
    Row("u order by a end at 1, 2", "query |u order a asc end after 1,2"),
    Row("u order by a end before 1", "query |u order a asc end before 1"),
    Row("u offset 4", "query |u offset 4"),
    Row("u near v vector[1, 2] by cosine limit 5", "query |u near v cosine 5"),
    Row("users | count", "query |users | count"),
    Row("users|ids|first", "query |users | ids | first"),
    Row("users | ids | table id, username", "query |users | ids | table id, username"),
    Row("users | table", "query |users | table"),
    Row("posts | group by source.id | count", "query |posts | group by source.id | count"),
    Row("u | sum a.b | json", "query |u | sum a.b | json"),
    Row("users | jsonl | ! head -1", "query |users | jsonl | ! head -1"),
    Row("users | csv > out.csv", "query |users | csv > out.csv"),
    Row("users >> out.txt", "query |users >> out.txt"),
    Row("users | each update $id seen = true", "query |users | each update $id seen = true"),
    Row("create users/x {name: \"X\"}", "set users/x {name: \"X\"} if not there"),
    Row(
      "create users/x {at: @now, a: {b: @now, c: 1}}", "set users/x {a: {c: 1}} time a.b time at if not there"
    ),
    Row("users/x := {a: 1}", "set users/x {a: 1}"),
    Row("users/x:={}", "set users/x {}"),
    Row("x := {}", "set users/x {}", at: "users"),
    Row("users/x += {a: {b: 1}, c: {}}", "set users/x {a: {b: 1}, c: {}} mask a.b,c"),
    Row("update users/x a = 1, b.c = 'y'", "set users/x {a: 1, b: {c: \"y\"}} mask a,b.c if there"),
    Row("update users/x n += 2, m -= 1.5", "set users/x {} mask  inc n 2 inc m -1.5 if there"),
    Row("update users/x at = @now", "set users/x {} mask  time at if there"),
    Row("update users/x unset a, unset b.c", "set users/x {} mask a,b.c if there"),
    Row("update users/x t union [1, 2], u remove [3]", "set users/x {} mask  union t 2 remove u 1 if there"),
    Row("delete users/x", "delete users/x"),
    Row("delete users/x recursive", "delete all users/x"),
    Row("add users {a: 1}", "add users {a: 1} if not there"),
    Row(
      "commit {\n  update posts/p1 stats.likeCount += 1\n  create posts/p1/likes/a {userId: 'a'}\n}",
      "set posts/p1 {} mask  inc stats.likeCount 1 if there; set posts/p1/likes/a {userId: \"a\"} if not there"
    ),
    Row("commit { delete a/b; c/d := {} }", "delete a/b; set c/d {}"),
    Row(":as alice", "command as [alice]"),
    Row(".mode json", "command mode [json]"),
    Row("\\d users", "command d [users]"),
    Row(":! ls -l", "command ! [ls -l]"),
    Row(":help", "command help []"),
  ]

  @Test("A statement means what it says", arguments: rows)
  private func meaning(_ row: Row) throws {
    var context = context
    context.place = ResourcePath(unchecked: row.place)
    #expect(describe(try StatementParser.parse(row.text, context)) == row.meaning)
  }

  private static let mistakes: [Row] = [
    Row("users where", "expected a field@11"),
    Row("users limit ten", "expected a number that is not negative, such as 10@12"),
    Row("users where a like", "expected a value@18"),
    Row("users where a ~ 1", "expected a comparison@14"),
    Row("users where a == bob", "expected a value@17"),
    Row("users limit -1", "expected a number that is not negative@12"),
    Row("users limit last 3", "'limit last' needs an 'order by'@18"),
    Row("users order a", "expected 'by' after 'order'@12"),
    Row("users start 1", "expected 'at' or 'after'@12"),
    Row("users/bob where a == 1", "a document takes no clauses@10"),
    Row("users frobnicate", "expected a clause@6"),
    Row("users | frobnicate", "expected a stage@8"),
    Row("users || count", "'||' belongs into 'where'@6"),
    Row("users/$nobody", "there is no variable '$nobody'@0"),
    Row("create users {}", "'users' is no document@7"),
    Row("create users/x", "expected the fields@14"),
    Row("create users/x {a: [@now]}", "a list cannot hold the server's time@26"),
    Row("add users/x {}", "'users/x' is no collection@4"),
    Row("update users/x a", "expected =, +=, -=, union or remove@16"),
    Row("update users/x a += 'x'", "expected a number@20"),
    Row("commit { users }", "expected a write@9"),
    Row("commit { delete a/b", "expected '}'@19"),
    Row("users | each users", "expected a write@13"),
    Row("users | each update $id x", "expected =, +=@25"),
  ]

  @Test("A mistake is told with its place", arguments: mistakes)
  private func mistake(_ row: Row) throws {
    let parts = row.meaning.split(separator: "@").map(String.init)
    let error = #expect(throws: ShellError.self) { try StatementParser.parse(row.text, context) }
    #expect(error?.kind == .syntax)
    #expect(error?.status == 2)
    #expect(error?.message.range(ofBytes: parts[0]) != nil, "\(error?.message ?? "")")
    let caret = error?.details.last?.dropFirst(2).count { $0 == " " }
    #expect(caret == Int(parts[1]), "\(error?.details ?? [])")
  }

  @Test(
    "What goes on in the next line",
    arguments: [
      ("users", true), ("users |", false), ("users where a == 1 &&", false), ("commit {", false),
      ("commit { delete a/b }", true), ("create a/b {x: [1,", false), ("users select a,", false),
      ("users where a ==", false), (":as alice {", false), (":echo a,", true), ("a/b := {x: '{'}", true),
      ("a/b := {x: \"it's\"}", true), (":! echo {", true), ("users where name == 'it", true),
      ("u where n == 'it\n&& a == [", false), ("a/b := {x: 'it\n}", true), ("a/b := {x: 'it\\\n}", false),
    ])
  func continuation(_ text: String, _ isComplete: Bool) {
    #expect(InputScanner.isComplete(text) == isComplete)
  }

  @Test(
    "Comments",
    arguments: [
      ("users -- all", "users "), ("-- all", ""), ("# all", ""), ("users/a--b", "users/a--b"),
      ("a/b := {x: ' -- '}", "a/b := {x: ' -- '}"), (":! ls -- x", ":! ls -- x"),
      ("users | ! grep -- x", "users | ! grep -- x"), ("u | count -- x | ! y", "u | count "),
      ("update a/b n --1", "update a/b n --1"),
    ])
  func comments(_ line: String, _ kept: String) {
    #expect(InputScanner.withoutComment(line) == kept)
  }

  @Test(
    "Statements of one line have semicolons between them",
    arguments: [
      ("users", ["users"]), ("users; posts | count", ["users", " posts | count"]),
      ("commit { delete a/b; delete a/c }; users", ["commit { delete a/b; delete a/c }", " users"]),
      ("a/b := {x: ';'}; users", ["a/b := {x: ';'}", " users"]),
      ("update users/a `a;b` = 1; users", ["update users/a `a;b` = 1", " users"]),
      (":! echo a; echo b", [":! echo a; echo b"]), ("  .! echo a; echo b", ["  .! echo a; echo b"]),
      ("users; :! echo a; echo b", ["users", " :! echo a; echo b"]),
      ("users | ! cat; echo b", ["users | ! cat; echo b"]), ("users |!cat; echo b", ["users |!cat; echo b"]),
      ("users | count; users | ! cat; ls", ["users | count", " users | ! cat; ls"]),
      (":as bob { users | ! cat; ls }; :who", [":as bob { users | ! cat; ls }", " :who"]),
      ("u where a == ':!'; users", ["u where a == ':!'", " users"]),
      ("a/b := {x: 'it\\'s;'}; users", ["a/b := {x: 'it\\'s;'}", " users"]),
      // A bracket that closes nothing holds nothing, as for comments and for programs.
      ("users); posts", ["users)", " posts"]), ("users); :! a; b", ["users)", " :! a; b"]),
    ])
  func parts(_ line: String, _ parts: [String]) {
    #expect(Session.parts(line) == parts)
  }

  @Test("A statement of many lines is read once")
  func long() {
    var assembler = StatementAssembler()
    #expect(assembler.take("create a/b {x: [") == nil)
    for number in 0..<50_000 where assembler.take("  \(number), 'it\\'s', \"]\",") != nil {
      Issue.record("it is no statement yet")
    }
    #expect(!assembler.isComplete)
    #expect(assembler.take("]}") == nil)
    #expect(assembler.isComplete)
    let piece = assembler.take("users")
    #expect(piece?.text.utf8.count { $0 == 0x0A } == 50_001)
    #expect(assembler.takeRest()?.text == "users")
    #expect(!assembler.isOpen)
  }

  @Test(
    "Where one statement ends and the next begins",
    arguments: [
      (
        "# head\nusers\ncommit {\n  delete a/b\n}\n\nusers |\n count",
        ["2: users", "3: commit {⏎  delete a/b⏎}", "7: users |⏎ count"]
      ),
      (
        "users\nwhere a == 1\n  order by a\n| count\nposts",
        ["1: users⏎where a == 1⏎  order by a⏎| count", "5: posts"]
      ),
      ("users\n-- of them\nwhere a == 1", ["1: users⏎where a == 1"]),
      ("users\n\nwhere", ["1: users", "3: where"]),
      ("where\nlimit\norder", ["1: where", "2: limit", "3: order"]),
      ("users\nselect a\nselect a from b", ["1: users⏎select a", "3: select a from b"]),
      ("select a\nfrom users\nwhere b = 1\n  and c = 2", ["1: select a⏎from users⏎where b = 1⏎  and c = 2"]),
      ("update users\nset a = 1\nset users/x {}", ["1: update users⏎set a = 1", "3: set users/x {}"]),
      ("users\ngroup likes\nusers\n| group by a", ["1: users", "2: group likes", "3: users⏎| group by a"]),
      (
        "db.collection('a')\n  .where('b', '==', 1)\n  .get()\n.mode json",
        ["1: db.collection('a')⏎  .where('b', '==', 1)⏎  .get()", "4: .mode json"]
      ),
      (":echo a\nwhere a == 1", ["1: :echo a", "2: where a == 1"]),
      ("users where a == 1\nstart at 1\nend users", ["1: users where a == 1⏎start at 1", "3: end users"]),
    ])
  func assembling(_ text: String, _ pieces: [String]) {
    let found = StatementAssembler.pieces(text).map { piece in
      "\(piece.line): "
        + piece.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "⏎")
    }
    #expect(found == pieces)
  }
}
