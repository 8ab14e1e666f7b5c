/// Sessions that are recorded: what the suite says, and that it passes.

import DocModel
import DocStore
import Platform
import Rules
import Suite
import Testing

@testable import Shell

@Suite("Recorded suites", .serialized)
struct RecordTests {
  private struct Row: Sendable, CustomTestStringConvertible {
    let statements: [String]
    /// Parts of the recorded suite, in order.
    let parts: [String]
    var message: String?

    init(_ statements: String..., parts: [String], message: String? = nil) {
      self.statements = statements
      self.parts = parts
      self.message = message
    }

    var testDescription: String { statements.joined(separator: " ⏎ ") }
  }

  private static let rows: [Row] = [
    Row(
      ":as carol", "users/bob",
      parts: [
        "personas:\n  carol: {uid: carol}\n", "  users/bob:\n    age: 40\n    groups: [askew]\n",
        "  users/carol:\n",
        "  - name: carol may not get users/bob\n    as: carol\n    get: users/bob\n",
        "    expect: {deny: condition, at: profile.get, because: ",
      ]),
    Row(
      ":as alice", "users/bob",
      parts: [
        "  users/alice:\n", "  - name: alice may get users/bob\n",
        "    expect: {allow: true, by: profile.get}\n",
      ]),
    Row(
      ":as anon", "users/ghost",
      parts: ["  anon: null\n", "fixtures: {}\n", "    as: anon\n    get: users/ghost\n    expect: {deny: "]),
    Row(
      ":as carol", "users",
      parts: ["    list: users\n", "    expect: {deny: unprovable, missing: 'privacy == \"public\"'}\n"]),
    Row(
      ":as carol", "users where privacy == 'public' order by name desc limit 5 select name | ids",
      parts: [
        "  users/dave:\n    groups: []\n    name: Dave\n    privacy: public\n",
        "    list:\n      from: users\n      where: ['privacy == \"public\"']\n      order: [name desc]\n      limit: 5\n"
          + "      select: [name]\n    expect: {allow: true, by: profile.list, returns: [users/dave]}\n",
      ]),
    Row(
      ":as alice", "group posts where likes >= 2 || by == 'bob' order by likes start after 2 | ids",
      parts: [
        "      group: posts\n      where: ['(likes >= 2 || by == \"bob\")']\n      order: [likes]\n      start: {after: [2]}\n"
      ], message: ""),
    Row(":as bob", "posts | count", parts: ["    count: posts\n    expect: {allow: true, by: "]),
    Row(
      ":as bob", "update users/bob age += 1, name = 'Rob', unset privacy, groups union ['z']", "users/bob",
      parts: [
        "    update: users/bob\n    data:\n      age: {$inc: 1}\n      groups: {$union: [z]}\n      name: Rob\n"
          + "      privacy: {$absent: true}\n    expect: {allow: true, by: profile.write}\n",
        "    given:\n      users/bob: {age: 41, groups: [askew, z], name: Rob, privacy: {$absent: true}}\n    get: users/bob\n",
      ]),
    Row(
      ":as bob", "create posts/p9 {at: @now, n: {m: @now, k: 1.0}}",
      parts: [
        "    create: posts/p9\n    data:\n      at: {$serverTime: true}\n      \"n\": {k: 1.0, m: {$serverTime: true}}\n"
      ]),
    Row(
      ":as bob", "create posts/p9 {at: 1}",
      parts: [
        "    expect: {deny: condition, at: post.create, because: \"request.resource.data.at == request.time\"}\n"
      ]),
    Row(
      ":as bob", "users/bob += {meta: {a: '${x}', b: 'yes', c: \"it's\"}}",
      parts: [
        "    merge: users/bob\n    data:\n      meta.a: \"$${x}\"\n      meta.b: \"yes\"\n      meta.c: \"it's\"\n"
      ]),
    Row(":as bob", "users/bob := {}", parts: ["    set: users/bob\n    data: {}\n"]),
    Row(":as bob", "delete users/bob", parts: ["    delete: users/bob\n    expect: {deny: unmatched}\n"]),
    Row(
      ":as bob", "commit { update users/bob age = 1; create posts/p9 {at: 1} }",
      parts: [
        "    commit:\n      - update: users/bob\n        data:\n          age: 1\n      - create: posts/p9\n        data:\n"
          + "          at: 1\n    expect: {deny: condition, write: 1, at: post.create, because: "
      ]),
    Row(
      "create users/new {privacy: 'public', n: 1}", ":as carol", "users/new", ":admin", "delete users/new",
      ":as carol",
      "users/new",
      parts: [
        "    given:\n      users/new: {\"n\": 1, privacy: public}\n    get: users/new\n    expect: {allow: true",
        "  - name: carol may not get users/new\n    as: carol\n    get: users/new\n",
      ]),
    Row(
      ":as carol", "users/dave", ":admin", "delete users/dave", ":as carol",
      "users where privacy == 'public'",
      parts: ["    given:\n      users/dave: {$absent: true}\n    list:\n", "returns: []}\n"]),
    Row(
      ":as anon", ":expect deny:profile.get users/bob", parts: ["    expect: {deny: true, at: profile.get}\n"]
    ),
    Row(
      ":as alice", ":expect allow { users/bob; users/alice }",
      parts: ["    get: users/bob\n    expect: allow\n", "users/alice\n    expect: allow\n"]),
    Row(
      ":as alice", ":expect deny users/bob",
      parts: ["    expect: deny\n    todo: the rules decide otherwise"],
      message: "a case to do"),
    Row(":as alice", "users/bob", "users/bob", parts: ["cases:\n  - name: alice may get users/bob\n"]),
    Row(
      ":as {uid: \"x\", claims: {role: \"coach\"}}", "posts/p1",
      parts: ["  x: {claims: {role: coach}, uid: x}\n", "    as: x\n"]),
    Row(
      ":as alice", ":watch posts/p1 until current", parts: ["    listen: posts/p1\n    expect: {allow: true"]),
    Row(":as alice", ":begin", "posts/p1", ":rollback", parts: ["    get: posts/p1\n"]),
    Row(
      ":as alice", "posts/p1", "posts offset 1", parts: ["    get: posts/p1\n"],
      message: "suites have no 'offset'"),
    Row(
      ":as alice", "posts/p1", "create posts/p1 {at: @now}", parts: ["    get: posts/p1\n"],
      message: "ALREADY_EXISTS is no verdict"),
  ]

  private static func folder<R>(_ body: (String) throws -> R) throws -> R {
    var template = Array(
      "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/record-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["s.rules-test.yaml", "small.rules"] { unlink(path + "/" + name) }
      rmdir(path)
    }
    return try body(path)
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try ScriptFile.contents(path), as: UTF8.self)
  }

  @Test("What personas do becomes cases that pass, in process", arguments: rows)
  private func embedded(_ row: Row) async throws { try await check(row, .embedded) }

  @Test("What personas do becomes cases that pass, behind a port", arguments: rows)
  private func remote(_ row: Row) async throws { try await check(row, .remote) }

  private func check(_ row: Row, _ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      try Self.folder { folder in
        let file = folder + "/s.rules-test.yaml"
        #expect(talk.run(":record \(file)").status == 0)
        var said: [String] = []
        for statement in row.statements { said += talk.run(statement).messages }
        said += talk.run(":record off").messages
        let text = try Self.text(file)
        var rest = text
        for part in row.parts {
          let range = rest.range(ofBytes: part)
          #expect(range != nil, "\(part)\n in \n\(text)\n\(said)")
          if let range { rest = String(rest[range.upperBound...]) }
        }
        if let message = row.message {
          #expect(message.isEmpty || said.contains { $0.range(ofBytes: message) != nil }, "\(said)")
        } else {
          #expect(!said.contains { $0.range(ofBytes: "ecorded") != nil }, "\(said)")
        }
        let report = try Suite.load(path: file).run()
        #expect(report.failedCount == 0, "\(ReportFormat.pretty.text([report]))\n\(text)")
        #expect(text.range(ofBytes: folder) == nil)
      }
    }
  }

  @Test("Two recordings of one session are one text, and name the rules beside them by their path")
  func stable() async throws {
    var texts: [String] = []
    for _ in 0..<2 {
      try await SessionKit.talk(.embedded) { talk in
        try Self.folder { folder in
          let rules = folder + "/small.rules"
          let plain = SessionKit.rules.split(separator: "\n").map(String.init).filter {
            $0.range(ofBytes: "request.time") == nil
          }
          let stream = try #require(fopen(rules, "w"))
          fputs(plain.joined(separator: "\n"), stream)
          fclose(stream)
          #expect(talk.run(":rules load \(rules)").status == 0)
          let file = folder + "/s.rules-test.yaml"
          _ = talk.run(
            ":record \(file)", ":as carol", "users/bob", "users/dave", ":as alice", "users/bob", ":record off"
          )
          texts.append(try Self.text(file))
        }
      }
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0].range(ofBytes: "\nrules: small.rules\n") != nil, "\(texts[0])")
    #expect(texts[0].range(ofBytes: "clock") == nil)
  }

  @Test(
    "A recording ends when the rules change, is no other file's end, and leaves nothing when nothing was asked"
  )
  func ends() async throws {
    try await SessionKit.talk(.embedded) { talk in
      try Self.folder { folder in
        let file = folder + "/s.rules-test.yaml"
        #expect(talk.run(":record \(folder)/s.yaml").status == 2)
        #expect(talk.run(":record off").status == 2)
        #expect(talk.run(":record \(file)").status == 0)
        #expect(talk.run(":record \(file)").status == 2)
        #expect(talk.run(":record").results == ["0 cases in \(file)"])
        #expect(talk.run(":record off").status == 0)
        #expect(access(file, F_OK) != 0)
        #expect(talk.run(":record \(file)", ":as alice", "users/bob").status == 0)
        try talk.session.backend.replaceRules("other.rules", Array((SessionKit.rules + "// other\n").utf8))
        #expect(
          talk.run("users/bob").messages.contains { $0.range(ofBytes: "the rules are others now") != nil })
        #expect(talk.session.recorder == nil)
        // What is there is not written over unasked.
        #expect(talk.run(":record \(file)").status == 2)
        #expect(try Self.text(file).range(ofBytes: "alice may get users/bob") != nil)
      }
    }
  }
}
