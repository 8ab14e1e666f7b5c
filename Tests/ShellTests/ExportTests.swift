/// Documents that go to a file and come back, in each format, and snapshots.

import DocModel
import Platform
import TestSupport
import Testing

@testable import Shell

@Suite("Documents to files and back", .serialized)
struct ExportTests {
  private static let values =
    "{id: 5, n: null, b: true, i: 1, d: 2.0, f: 1.5, s: 'text', num: '5', zero: '007', quoted: '\"q\"', comma: 'a, \"b\"', line: 'x\\ny', "
    + "empty: '', ref: '/users/bob', r: /users/bob, t: @2026-03-01T09:00:00.5Z, g: geo(1.5, -2.0), y: bytes('aGk='), "
    + "v: vector[1.0, 2.5], l: [1, 'a, b', {c: [null]}], m: {a: 1, 'b c': {}}, money: '+3', now: '@now', joined: '👩\u{200D}👧'}"

  private func text(_ path: String) throws -> String {
    String(decoding: try ScriptFile.contents(path), as: UTF8.self)
  }

  private func everything(_ talk: Talk) -> [String] {
    ["users | jsonl", "posts | jsonl", "group private | jsonl", "group deep | jsonl"].flatMap {
      talk.run($0).results
    }
  }

  @Test(
    "What is written is read back, with subcollections", arguments: Placement.allCases,
    ["all.jsonl", "all.json", "all.csv", "all.txt"])
  func roundTrip(_ placement: Placement, _ name: String) async throws {
    try await SessionKit.talk(placement) { talk in
      let file = TemporaryFolder()
      let path = file.path + "/" + name
      #expect(talk.run("users/values := " + Self.values, "users/bob/a/b/deep/c := {x: 1}").status == 0)
      let before = everything(talk)
      #expect(before.count == 10)
      #expect(talk.run(":export \(path)").status == 0)
      talk.session.settings.assumesYes = true
      #expect(talk.run(":clear", "users | count").results == ["0"])
      let answer = talk.run(":import \(path)")
      #expect(answer.status == 0, "\(answer.messages)")
      #expect(everything(talk) == before)
    }
  }

  @Test("A place is exported with what is below it, a read without")
  func part() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let path = folder.path + "/part.jsonl"
      for (statements, names) in [
        ([":cd users/bob", ":export \(path)"], ["users/bob/private/keys"]),
        (
          [":cd /users", ":export \(path)"],
          ["alice", "bob", "bob/private/keys", "carol", "dave"].map { "users/" + $0 }
        ),
        ([":cd /", ":export \(path) users where age > 30"], ["users/alice", "users/bob"]),
      ] {
        for statement in statements { #expect(talk.run(statement).status == 0) }
        let found = try text(path).split(separator: "\n").map {
          String($0.dropFirst(13).prefix { $0 != "\"" })
        }
        #expect(found == names)
      }
      #expect(
        talk.run(":as alice", ":export \(path)").messages.first?.hasPrefix(
          "':export FILE' passes by the rules") == true)
    }
  }

  @Test(
    "Files of others",
    arguments: [
      (
        "a.csv", "id,name,age\r\nx,\"O\"\"Hara, \r\nJim\",7\r\ny,007,\r\n",
        [#"{"__name__":"in/x","age":7,"name":"O\"Hara, \r\nJim"}"#, #"{"__name__":"in/y","name":"007"}"#]
      ),
      (
        "a.json", "[\n  {\"id\": \"x\", \"a\": 1},\n  {\"id\": 5, \"b\": [2]}\n]",
        [#"{"__name__":"in/5","b":[2]}"#, #"{"__name__":"in/x","a":1}"#]
      ),
      (
        "a.json", "{\"in/x\": {\"at\": {\"$time\": \"2026-03-01T09:00:00Z\"}}}",
        [#"{"__name__":"in/x","at":{"$time":"2026-03-01T09:00:00Z"}}"#]
      ),
      ("a.jsonl", "{\"id\": \"x\"}\n", [#"{"__name__":"in/x"}"#]),
    ])
  func others(_ name: String, _ contents: String, _ documents: [String]) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let path = folder.path + "/" + name
      #expect(StateFolder.replace(path, with: contents))
      #expect(talk.run(":import \(path) in").status == 0)
      #expect(talk.run("in | jsonl").results == documents)
    }
  }

  @Test(
    "Mistakes of files have their place, and nothing is written",
    arguments: [
      ("a.csv", "id,a\nx,1,2\n", "record 1: 3 cells"), ("a.csv", "id,a\nx,\"1\n", "a quotation has no end"),
      ("a.csv", "a\n1\n", "record 1: expected"),
      ("a.json", "[{\"__name__\": \"in/x\"}, 5]", "element 1: expected"),
      ("a.json", "[{\"a\": }]", "character 8: expected a value"), ("a.json", "5", "expected an array"),
      ("a.jsonl", "{\"__name__\": \"in\"}", "'in' is no document"),
    ])
  func mistakes(_ name: String, _ contents: String, _ message: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let path = folder.path + "/" + name
      #expect(StateFolder.replace(path, with: contents))
      let answer = talk.run(":import \(path)")
      #expect(answer.status == 2)
      #expect(answer.messages.contains { $0.range(ofBytes: message) != nil }, "\(answer.messages)")
      #expect(talk.run("in | count").results == ["0"])
    }
  }

  @Test(
    "A file that is named after the read is no name of a collection",
    arguments: ["posts posts.csv", "posts a.jsonl", "users/bob/posts A.JSON"])
  func swapped(_ arguments: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let words = arguments.split(separator: " ")
      let answer = talk.run(":export \(arguments)")
      #expect(answer.status == 2)
      #expect(answer.messages.last == "the file comes first; write  :export \(words[1]) \(words[0])")
    }
  }

  @Test("A snapshot is gone back to", arguments: Placement.allCases)
  func snapshots(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let before = getenv("XDG_STATE_HOME").map { String(cString: $0) }
      setenv("XDG_STATE_HOME", folder.path, 1)
      defer { if let before { setenv("XDG_STATE_HOME", before, 1) } else { unsetenv("XDG_STATE_HOME") } }
      talk.session.settings.assumesYes = true
      #expect(talk.run(":restore before").status == 1)
      let documents = everything(talk)
      #expect(talk.run(":snapshot").results == [])
      #expect(talk.run(":snapshot before").status == 0)
      #expect(talk.run(":snapshot").results == ["before"])
      let kept = try #require(StateFolder.path("snapshot", project: "demo")) + ".(default).before.jsonl"
      var status = stat()
      #expect(stat(kept, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(
        talk.run("delete users/bob recursive", "create users/new {a: 1}", "update users/alice age = 1").status
          == 0)
      #expect(everything(talk) != documents)
      #expect(talk.run(":restore before").status == 0)
      #expect(everything(talk) == documents)
      #expect(talk.run(":snapshot a/b").status == 2)
      talk.session.settings.assumesYes = false
      #expect(talk.run(":restore before").messages.last?.hasSuffix("say --yes") == true)
      #expect(talk.run(":snapshot before").messages.last?.hasSuffix("say --yes") == true)
      #expect(everything(talk) == documents)
      #expect(
        talk.run(":as alice", ":snapshot x").messages.first
          == "':snapshot' passes by the rules; ':admin' first")
    }
  }
}
