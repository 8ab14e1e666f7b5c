/// `docsh seed FILE --check --rules FILE`: as whom, what is denied, and how it is told.

import ArgumentParser
import DocModel
import Rules
import Seeder
import Testing
import YAML

@testable import docsh

@Suite("a seed's documents against the rules")
struct SeedRulesCheckTests {
  private static let database = DatabaseID(project: "demo")
  /// 2026-03-01T00:00:00Z
  private static let now: Int64 = 1_772_323_200_000_000

  private static let rules = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{db}/documents {
        match /users/{uid} {
          allow create: if request.auth.uid == uid && request.resource.data.name is string;
          match /notes/{note} {
            allow create: if request.auth.uid == uid && exists(/databases/$(db)/documents/users/$(uid));
          }
        }
        match /payments/{id} {
          allow create: if request.auth.uid == request.resource.data.userId
            && request.resource.data.createdAt == request.time;
        }
        match /plans/{plan} { allow create: if request.auth.token.role == 'admin'; }
        match /once/{id} {
          allow create: if !exists(/databases/$(db)/documents/once/$(id))
            && existsAfter(/databases/$(db)/documents/once/$(id));
        }
        match /stamped/{id} { allow create: if request.resource.data.at == request.time; }
      }
    }
    """

  private static func report(
    _ documents: String, as users: [String], at times: [String] = [], explains: Bool = false
  ) async throws -> SeedRulesReport {
    let source = YAMLSource(name: "seed.yaml", text: "version: 1\ndocuments:\n" + documents)
    var writes = SeedCollector()
    _ = try await Seeder(checking: source, database: database).write(to: &writes)
    let ruleset = try #require(Ruleset.compile(source: rules, name: "app.rules").ruleset)
    var check = SeedRulesCheck(
      ruleset, database, as: try SeedAuthors(users, database, now: now),
      at: try SeedTimes(times, database, now: now), explains: explains)
    return check.run(writes.writes)
  }

  @Test(
    "a document is judged as whom --as names for it",
    arguments: [
      ("  users/ann: {name: Ann}\n", ["ann"], [], 1, []),
      ("  users/ann: {name: Ann}\n", ["bob"], [], 1, ["users/ann as bob"]),
      ("  users/ann: {name: Ann}\n", ["anon"], [], 1, ["users/ann as nobody"]),
      (
        "  users/ann: {name: Ann}\n  users/bob: {name: 7}\n", ["/users/{uid}=${uid}"], [], 2,
        ["users/bob as bob"]
      ),
      ("  users/ann: {name: Ann}\n  users/ann/notes/n: {}\n", ["/users/{uid}/{path=**}=${uid}"], [], 2, []),
      ("  users/ann/notes/n: {}\n", ["/users/{uid}/{path=**}=${uid}"], [], 1, ["users/ann/notes/n as ann"]),
      (
        "  users/ann: {name: Ann}\n  users/ann/notes/n: {}\n", ["/users/{uid}/**=${uid}", "bob"], [], 2,
        []
      ),
      ("  plans/a: {}\n", ["{uid: olga, claims: {role: admin}}"], [], 1, []),
      (
        "  plans/a: {}\n", ["/plans/{plan}={uid: olga, claims: {role: \"${data.by}\"}}"], [], 1,
        ["plans/a"]
      ),
      ("  plans/a: {by: admin}\n", ["/plans/{plan}={uid: olga, claims: {role: \"${data.by}\"}}"], [], 1, []),
      ("  plans/a: {}\n  users/ann: {name: Ann}\n", ["/users/{uid}=${uid}"], [], 1, []),
      // The first pattern that fits; the one for all is the last.
      ("  users/ann: {name: Ann}\n", ["bob", "/users/ann=ann", "/users/{uid}=carl"], [], 1, []),
      // The document's own field; one that has none, or no text in it.
      (
        "  payments/p: {userId: ann, createdAt: {$serverTime: true}}\n", ["/payments/{id}=${data.userId}"],
        [], 1, []
      ),
      ("  payments/p: {}\n", ["/payments/{id}=${data.userId}"], [], 1, ["payments/p"]),
      ("  payments/p: {userId: 7}\n", ["/payments/{id}=${data.userId}"], [], 1, ["payments/p"]),
      // The request's time.
      ("  stamped/a: {at: {$time: 2026-01-05T09:00:00Z}}\n", ["ann"], [], 1, ["stamped/a as ann"]),
      ("  stamped/a: {at: {$time: 2026-01-05T09:00:00Z}}\n", ["ann"], ["2026-01-05T09:00:00Z"], 1, []),
      ("  stamped/a: {at: {$time: 2026-01-05T09:00:00Z}}\n", ["ann"], ["${data.no}", "${data.at}"], 1, []),
      ("  stamped/a: {at: 5}\n", ["ann"], ["${data.no}", "${data.at}"], 1, ["stamped/a as ann"]),
      ("  stamped/a: {at: {$serverTime: true}}\n", ["ann"], [], 1, []),
      // Rules see all other documents, and the document itself only after the commit.
      ("  once/a: {}\n", ["ann"], [], 1, []),
      ("  lost/a: {}\n", ["ann"], [], 1, ["lost/a as ann"]),
    ] as [(String, [String], [String], Int, [String])])
  func judges(
    documents: String, users: [String], times: [String], judged: Int, denied: [String]
  ) async throws {
    let report = try await Self.report(documents, as: users, at: times)
    #expect(report.judged == judged)
    let examples = report.denials.map { $0.example.text + ($0.user.map { " as \($0)" } ?? "") }
    #expect(examples == denied)
  }

  @Test("denials of one collection for the same reason are one paragraph")
  func report() async throws {
    let documents = """
        users/ann: {name: Ann}
        users/bob: {name: 7}
        users/eve: {name: [e]}
        users/kim: {}
        plans/basic: {}
        lost/a: {}
      """
    let report = try await Self.report(
      documents, as: ["/users/{uid}=${uid}", "/lost/{id}=ann", "/user/{uid}=${uid}"])
    #expect(
      report.text(width: 110, isColored: false) == """
        users: 2 of 4 documents denied, such as users/bob as bob
          /users/{uid} create (line 5): `request.resource.data.name is string` is false

        users: 1 of 4 documents denied, such as users/kim as kim
          /users/{uid} create (line 5): `request.resource.data.name is string` has no value, for `request.resource.data.name` in line 5

        lost: 1 of 1 document denied, such as lost/a as ann
          no `allow` is about this path and method

        no document fits --as /user/{uid}
        no --as is about plans (1)
        5 documents asked about, 4 denied
        """)
  }

  @Test("an example can be told with the value of every expression")
  func explains() async throws {
    let report = try await Self.report("  users/bob: {name: 7}\n", as: ["bob"], explains: true)
    let text = report.text(width: 110, isColored: false)
    #expect(text.contains("✗ deny  create /users/bob  as bob"))
    #expect(text.contains("request.resource.data.name is string"))
  }

  @Test(
    "what --as cannot be",
    arguments: [
      (
        ["users/{uid}=${uid}"],
        "--as `users/{uid}=${uid}`: a pattern begins with a slash: --as '/users/{uid}=${uid}'"
      ),
      (
        ["/users/{uid}"],
        "--as `/users/{uid}`: a user stands behind the pattern: --as '/users/{uid}=${uid}', in single quotes"
      ),
      (
        ["/users/{uid}="],
        "--as `/users/{uid}=`: a user stands behind the pattern: --as '/users/{uid}=${uid}', in single quotes"
      ),
      (
        ["/users/{uid}=uid"],
        "--as `/users/{uid}=uid`: what the path says is written `${uid}`, in single quotes"
      ),
      (["/users=ann"], "Path pattern \"users\" names a collection, not documents."),
      (["ann", "bob"], "--as is given twice for all documents"),
      (["/a/{x}=ann", "/a/{x}=bob"], "--as is given twice for `/a/{x}`"),
      (["{uid: 5}"], "--as `{uid: 5}`: a persona is null or {uid: \"x\", claims: {role: \"coach\"}}"),
      (["{claims: {}}"], "--as `{claims: {}}`: a persona is null or {uid: \"x\", claims: {role: \"coach\"}}"),
      (
        ["/a/{x}={uid: \"${x}\", claim: {}}"],
        "--as `{uid: \"${x}\", claim: {}}`: 'claim' is no part of a persona; there are uid, claims, provider, email_verified, email, phone_number, name, picture, and claims takes any others"
      ),
      (["admin"], "--as admin: an administrator passes by the rules; write the uid of a user"),
      (["/a/{x}=${y}"], "--as:1:1: error: no value is called 'y' here; known: data, x\n  ${y}\n  ^"),
    ] as [([String], String)])
  func refuses(options: [String], message: String) {
    let error = #expect(throws: InvalidArgument.self) {
      try SeedAuthors(options, Self.database, now: Self.now)
    }
    #expect(error?.message == message)
  }

  @Test(
    "the options belong together",
    arguments: [
      ("a.yaml --check --rules a.rules --as ann", true),
      ("a.yaml --check --rules a.rules --as ann --explain", true),
      ("a.yaml --check --rules a.rules", false), ("a.yaml --check --as ann", false),
      ("a.yaml --rules a.rules --as ann --data-dir d", false), ("a.yaml --check --at 2026-03-01", false),
      ("a.yaml --check", true),
    ])
  func options(line: String, isAccepted: Bool) {
    let words = line.split(separator: " ").map(String.init)
    #expect(((try? SeedFileCommand.parse(words)) != nil) == isAccepted)
  }
}
