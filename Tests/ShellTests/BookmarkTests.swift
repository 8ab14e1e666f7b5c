/// Reads with names, in a folder of state of their own.

import DocModel
import Platform
import Testing

@testable import Shell

@Suite("Bookmarks", .serialized)
struct BookmarkTests {
  /// Runs `body` with a folder of state, which is removed afterwards.
  private static func state<R>(_ body: (String) throws -> R) throws -> R {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/state-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let before = getenv("XDG_STATE_HOME").map { String(cString: $0) }
    setenv("XDG_STATE_HOME", folder, 1)
    defer {
      if let before { setenv("XDG_STATE_HOME", before, 1) } else { unsetenv("XDG_STATE_HOME") }
      for file in ["bookmarks-demo", "history-demo"] { unlink(folder + "/docsh/" + file) }
      rmdir(folder + "/docsh")
      rmdir(folder)
    }
    return try body(folder + "/docsh")
  }

  @Test("A bookmark is kept for the next session, runs where it was made, and can be deleted")
  func kept() async throws {
    try await SessionKit.talk(.embedded) { talk in
      try Self.state { folder in
        #expect(talk.run(":bookmark").results == [])
        #expect(talk.run(":bookmark old = users where age > 25 order by age | ids").status == 0)
        #expect(talk.run(":cd users/bob", ":bookmark keys = private | ids").status == 0)
        #expect(talk.run(":bookmark keys", ":cd /", ":bookmark keys").results == ["keys"])
        #expect(talk.run(":bookmark old").results == ["alice", "bob"])
        let listed = [
          "keys  private | ids  (in /users/bob)", "old   users where age > 25 order by age | ids",
        ]
        #expect(talk.run(":bookmark").results == listed)
        // Another session reads them anew, and another project has its own.
        let next = try Talk(talk.session.backend)
        #expect(next.run(":bookmark").results == listed)
        #expect(next.run(":bookmark old = users | count", ":bookmark old").results == ["4"])
        #expect(talk.run(":bookmark delete keys").status == 0)
        #expect(talk.run(":bookmark").results == ["old  users | count"])
        var status = stat()
        #expect(stat(folder + "/bookmarks-demo", &status) == 0 && status.st_mode & 0o777 == 0o600)
        talk.session.use(DatabaseID(project: "other"))
        #expect(talk.run(":bookmark").results == [])
      }
    }
  }

  @Test(
    "What is no bookmark is said to be none",
    arguments: [
      (":bookmark nobody", "there is no bookmark 'nobody'"), (":bookmark a b = users", "letters, digits"),
      (":bookmark delete nobody", "there is no bookmark"), (":bookmark x = create users/y {}", "^"),
      (":bookmark a/b = users", "letters, digits"), (":bookmark x =", "expected a path"),
    ])
  func mistakes(_ statement: String, _ message: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      try Self.state { _ in
        let answer = talk.run(statement)
        #expect(answer.status == (message.hasPrefix("there is no") ? 1 : 2))
        #expect(answer.messages.contains { $0.range(ofBytes: message) != nil }, "\(answer.messages)")
      }
    }
  }
}
