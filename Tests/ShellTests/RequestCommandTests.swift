/// What was asked of a store: shown, explained afterwards, judged under other rules.

import DocModel
import Platform
import Requests
import Testing
import Wire

@testable import Shell

@Suite("Requests of the past", .serialized, .ownInterruption)
struct RequestCommandTests {
  /// Runs `body` with the path of rules under which a public profile is nobody's but its owner's.
  private static func candidate<R>(_ body: (String) throws -> R) throws -> R {
    let path = "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/docsh-\(getpid())-candidate.rules"
    let stream = try #require(fopen(path, "w"))
    let rules = SessionKit.rules.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line).range(ofBytes: "&& (own(uid)") == nil ? String(line) : "            && own(uid);"
    }
    fputs(rules.joined(separator: "\n"), stream)
    fclose(stream)
    defer { unlink(path) }
    return try body(path)
  }

  /// Columns from the second on: the first is the time.
  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").dropFirst().map(String.init)
  }

  @Test("refusals and, once somebody asked, everything is shown", arguments: Placement.allCases)
  func tail(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      _ = talk.run(":as carol", "users/bob")
      let first = try #require(talk.run(":tail requests 1").results.first)
      #expect(
        Self.words(first).dropFirst() == [
          "carol", "get", "users/bob", "deny", "small.rules:10", "@profile.get",
        ])
      _ = talk.run(":as bob", "users/bob", "posts where by == 'alice' | ids")
      // Of what was, the newest lines; a server keeps what its administrators ask, too.
      let lines = talk.run(":tail 2").results.map(Self.words)
      #expect(lines.count == 2)
      #expect(
        lines.map { Array($0.dropFirst()) } == [
          ["bob", "get", "users/bob", "allow", "small.rules:10", "@profile.get"],
          ["bob", "list", "posts", "allow", "small.rules:18", "@/posts/{post}", "read"],
        ])
      let json = talk.run(":mode jsonl", ":tail requests 1").results
      #expect(json.count == 1)
      #expect(json[0].range(ofBytes: "\"user\":\"bob\"") != nil, "\(json)")
      #expect(talk.run(":tail nothing").status == 2)
      #expect(talk.run(":tail 0").status == 2)
    }
  }

  @Test("writes are shown once somebody asked for them", arguments: Placement.allCases)
  func writes(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      if placement == .embedded {
        #expect(talk.run(":tail writes").results.isEmpty)
      } else {
        // The first question begins it, and there is nothing yet.
        _ = try talk.session.backend.requests(.list(.writes, after: 0, last: 1))
      }
      _ = talk.run(":admin", "create posts/new {by: 'x'}", "delete posts/new")
      let lines = talk.run(":tail writes 2").results.map(Self.words)
      #expect(lines.map { Array($0.dropFirst()) } == [["create", "posts/new"], ["delete", "posts/new"]])
    }
  }

  @Test(
    "a request is explained afterwards, on the documents of its time, under other rules if asked",
    arguments: Placement.allCases)
  func why(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      _ = talk.run(":as carol", "users/bob")
      let id = Self.words(talk.run(":tail requests 1").results[0])[0]
      _ = talk.run(":admin", "update users/bob privacy = 'public'")
      let past = talk.run(":why \(id)")
      #expect(past.status == 0, "\(past.messages)")
      #expect(
        past.results.first?.range(ofBytes: "✗ deny  get /users/bob  as carol") != nil, "\(past.results)")
      #expect(past.results.contains { $0.range(ofBytes: "\"groups\"") != nil }, "\(past.results)")
      try Self.candidate { path in
        let other = talk.run(":why \(id) --rules \(path)")
        #expect(other.status == 0, "\(other.messages)")
        #expect(other.results.contains { $0.range(ofBytes: "own(uid)") != nil })
        #expect(!other.results.contains { $0.range(ofBytes: "resource.data.privacy") != nil })
      }
      #expect(talk.run(":why ffff").status == 1)
      #expect(talk.run(":why \(id) --rules").status == 2)
      #expect(talk.run(":why \(id) --rules nowhere.rules").status != 0)
    }
  }

  @Test("other rules judge what was asked and what is asked from then on", arguments: Placement.allCases)
  func shadow(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      #expect(talk.run(":rules shadow off").status == 1)
      _ = try talk.session.backend.requests(.list(.requests, after: 0, last: 1))
      _ = talk.run(":as carol", "users/dave")
      try Self.candidate { path in
        let begun = talk.run(":rules shadow \(path)")
        #expect(begun.status == 0, "\(begun.messages)")
        #expect(begun.results.count == 2, "\(begun.results)")
        #expect(begun.results[0].hasPrefix("allow → deny"), "\(begun.results)")
        #expect(begun.results[0].range(ofBytes: "users/dave") != nil)
        #expect(begun.results[1].hasSuffix("candidate.rules: 1 request judged, 1 would change"))
        // Nothing changes for the owner; a public profile would.
        #expect(talk.run("users/carol").messages.isEmpty)
        let other = talk.run("users/dave")
        #expect(other.messages.count == 1 && other.messages[0].hasPrefix("allow → deny"), "\(other.messages)")
        // Ctrl-C ends a statement; what was asked until then is judged after the next one.
        Interruption.raise()
        #expect(talk.session.perform("users/dave") == ShellStatus.interrupted)
        #expect(talk.messages.take() == ["interrupted"])
        Interruption.clear()
        #expect(talk.session.shadow != nil)
        let ended = talk.run(":rules shadow off")
        #expect(ended.results[0].hasSuffix("3 requests judged, 2 would change"), "\(ended.results)")
        #expect(talk.run("users/dave").messages.isEmpty)
      }
      #expect(talk.run(":rules shadow nowhere.rules").status != 0)
    }
  }
}
