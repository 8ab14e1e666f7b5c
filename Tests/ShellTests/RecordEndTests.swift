/// Recordings whose requests end early, and files that recordings leave alone.

import Client
import DocModel
import DocStore
import Platform
import Rules
import Suite
import TestSupport
import Testing

@testable import Shell

@Suite("Recorded suites and what ends early", .serialized, .ownInterruption)
struct RecordEndTests {
  private static func text(_ path: String) throws -> String {
    String(decoding: try ScriptFile.contents(path), as: UTF8.self)
  }

  /// A session over the same store whose results are taken by `reader`.
  private func session(
    _ talk: Talk, _ messages: Transcript, _ reader: @escaping ([UInt8]) -> WriteOutcome
  ) -> Session {
    let session = Session(
      talk.session.backend,
      console: Console(
        results: reader, messages: { messages.add($0) }, isTerminal: false, isColored: false))
    session.tools = suiteTools
    session.settings.showsTiming = false
    return session
  }

  @Test("A result of which only a part was read is not told as the whole", arguments: Placement.allCases)
  func part(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/s.rules-test.yaml"
      let messages = Transcript()
      let session = session(talk, messages) { _ in .closed }
      for statement in [
        ":record \(file)", ":as {uid: 'alice'}", "posts | jsonl", "posts/p3 | ids", ":record off",
      ] {
        #expect(session.perform(statement) == 0, "\(statement)")
      }
      let text = try Self.text(file)
      #expect(text.range(ofBytes: "    list: posts\n    expect: {allow: true, by: ") != nil, "\(text)")
      #expect(text.range(ofBytes: "returns") == nil, "\(text)")
      #expect(try Suite.load(path: file).run().failedCount == 0)
      #expect(messages.take().filter { $0.range(ofBytes: "fails") != nil } == [])
    }
  }

  @Test("A live query that Ctrl-C ends is recorded", arguments: Placement.allCases)
  func live(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/s.rules-test.yaml"
      let messages = Transcript()
      let session = session(talk, messages) { line in
        // The user has seen enough.
        if line.starts(with: "added".utf8) { Interruption.raise() }
        return .written
      }
      defer { Interruption.clear() }
      for statement in [
        ":record \(file)", ":as {uid: 'alice'}", "posts/p1 | ids", ":watch posts where by == 'alice'",
      ] {
        #expect(session.perform(statement) == 0, "\(statement)")
      }
      #expect(!Interruption.isRaised)
      #expect(session.perform(":record off") == 0)
      let said = messages.take()
      #expect(said.contains("2 cases; `docsh test \(file)` runs them"), "\(said)")
      let text = try Self.text(file)
      #expect(text.range(ofBytes: "    listen:\n") != nil, "\(text)")
      #expect(try Suite.load(path: file).run().failedCount == 0)
    }
  }

  @Test("A case that another one's documents would fail says less, or becomes one to do")
  func settled() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/s.rules-test.yaml"
      let recorder = try Recorder(
        file, try SessionKit.ruleset(), named: "small.rules", source: Array(SessionKit.rules.utf8),
        database: SessionKit.database, now: 2, suites: try #require(suiteTools.suites))
      let persona = recorder.persona(
        try Caller(name: "ann", .map(["uid": .string("ann")]), database: SessionKit.database, now: 2))
      func add(_ name: String, _ request: String, _ expectations: [String]) throws {
        let paths = name == "all" ? ["posts/a"] : ["posts/a", "posts/b"]
        let documents = paths.map { path in
          ShellDocument(
            path: ResourcePath(unchecked: path), fields: ["n": .integer(1)], createTime: 1, updateTime: 1)
        }
        try recorder.learn(Dictionary(uniqueKeysWithValues: documents.map { ($0.path, $0) }))
        let wanted = RecordedCase(
          name: name, persona: persona, request: [request], expectation: expectations[0],
          seen: documents.map { ($0.path, $0.fields) })
        #expect(try recorder.add(wanted, expectations: expectations, time: 2) == nil)
      }
      try add("all", "list: posts", ["{allow: true, returns: [posts/a]}", "allow"])
      try add("only", "list: {from: posts, limit: 9}", ["{allow: true, returns: [posts/a, posts/b]}"])
      try add("one", "get: posts/b", ["allow"])
      #expect(try Suite.load(path: file).run().failedCount == 1)
      #expect(try recorder.settle() == [])
      let text = try Self.text(file)
      #expect(text.range(ofBytes: "    list: posts\n    expect: allow\n") != nil, "\(text)")
      #expect(try Suite.load(path: file).run().failedCount == 0)
      #expect(recorder.caseCount == 3)
    }
  }

  @Test("A file that is there stays as it is until something is recorded")
  func untouched() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/s.rules-test.yaml"
      let stream = try #require(fopen(file, "w"))
      fputs("keep me\n", stream)
      fclose(stream)
      talk.session.settings.assumesYes = true
      #expect(talk.run(":record \(file)", "users | ids").status == 0)
      #expect(try Self.text(file) == "keep me\n")
      #expect(talk.run(":record").results == ["0 cases in \(file)"])
      #expect(talk.run(":record off").status == 0)
      #expect(try Self.text(file) == "keep me\n")
      #expect(folder.names == ["s.rules-test.yaml"])
      #expect(talk.run(":record \(file)", ":as alice", "users/bob | ids").status == 0)
      #expect(talk.run(":record").results == ["1 case in \(file)"])
      #expect(try Self.text(file).range(ofBytes: "alice may get users/bob") != nil)
      talk.session.console.isQuiet = false
      #expect(talk.run(":record off").messages == ["1 case; `docsh test \(file)` runs it"])
    }
  }

  @Test("A suite behind a link is written behind it, with its permissions, and the link stays")
  func link() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let (file, link) = (folder.path + "/real.yaml", folder.path + "/s.rules-test.yaml")
      try writeFile(file, "mine\n")
      #expect(chmod(file, 0o640) == 0)
      #expect(symlink("real.yaml", link) == 0)
      talk.session.settings.assumesYes = true
      let answer = talk.run(":record \(link)", ":as alice", "users/bob | ids", ":record off")
      #expect(answer.status == 0, "\(answer.messages)")
      #expect(try Self.text(file).range(ofBytes: "alice may get users/bob") != nil)
      var state = stat()
      #expect(lstat(link, &state) == 0 && state.st_mode & S_IFMT == S_IFLNK)
      #expect(stat(file, &state) == 0 && state.st_mode & 0o777 == 0o640)
      #expect(folder.names == ["real.yaml", "s.rules-test.yaml"])
    }
  }

  @Test("Where a suite cannot be written, that is told at once", arguments: ["nowhere/s", "folder"])
  func unwritable(_ name: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      #expect(mkdir(folder.path + "/folder.rules-test.yaml", 0o755) == 0)
      let answer = talk.run(":record \(folder.path)/\(name).rules-test.yaml")
      #expect(answer.status == 1)
      #expect(answer.messages.contains { $0.range(ofBytes: "cannot write") != nil }, "\(answer.messages)")
      #expect(talk.session.recorder == nil)
    }
  }
}
