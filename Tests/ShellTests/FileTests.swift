/// Results that go to files and programs, and lines that come from files.

import DocModel
import DocStore
import Platform
import TestSupport
import Testing

@testable import Shell

@Suite("Files of the shell", .serialized, .ownInterruption)
struct FileTests {
  /// As the program does: a reader that goes away is an error of the write, and ends nobody.
  init() { signal(SIGPIPE, SIG_IGN) }

  private func text(_ path: String) throws -> String {
    String(decoding: try ScriptFile.contents(path), as: UTF8.self)
  }

  private func put(_ text: String, _ path: String) throws {
    let sink = try OutputSink.file(Redirection(path: path, appends: true))
    // Without the end of line that the sink adds.
    #expect(sink.write(text))
    try sink.finish()
  }

  @Test(
    "A statement that fails leaves the file that it was to replace", arguments: Placement.allCases,
    [
      "users | jsonl > FILE", "users | csv > FILE", ":export FILE users", "users where > FILE",
      "users/bob | jsonl > FILE",
    ])
  func kept(_ placement: Placement, _ statement: String) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/keep.jsonl"
      try put("kept", file)
      let words = statement.split(separator: " ").map { $0 == "FILE" ? file : String($0) }
      #expect(talk.run(":as anon", words.joined(separator: " ")).status != 0)
      #expect(try text(file) == "kept\n")
      #expect(folder.names == ["keep.jsonl"])
    }
  }

  @Test("A file is replaced when the result is whole; a link stays one, permissions stay")
  func replaced() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let (file, link) = (folder.path + "/file", folder.path + "/link")
      try put("old", file)
      chmod(file, 0o640)
      #expect(symlink(file, link) == 0)
      #expect(talk.run("users | ids > \(link)").status == 0)
      #expect(try text(file) == "alice\nbob\ncarol\ndave\n")
      var state = stat()
      #expect(lstat(link, &state) == 0 && state.st_mode & S_IFMT == S_IFLNK)
      #expect(stat(file, &state) == 0 && state.st_mode & 0o777 == 0o640)
      #expect(talk.run("users | count >> \(file)").status == 0)
      #expect(try text(file) == "alice\nbob\ncarol\ndave\n4\n")
      #expect(talk.run("posts | jsonl > \(folder.path)/new").status == 0)
      #expect(folder.names == ["file", "link", "new"])
    }
  }

  @Test(
    "A link that leads nowhere yet stays one; the file that it names is made", arguments: ["file", "/file"])
  func danglingLink(_ name: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let (file, link) = (folder.path + "/file", folder.path + "/link")
      #expect(symlink(name.hasPrefix("/") ? file : name, folder.path + "/between") == 0)
      #expect(symlink("between", link) == 0)
      #expect(talk.run("users where > \(link)").status != 0)
      #expect(talk.run(":as anon", "users | ids > \(link)").status != 0)
      #expect(folder.names == ["between", "link"])
      #expect(talk.run(":admin", "users | ids > \(link)").status == 0)
      let written = try text(file)
      #expect(written == "alice\nbob\ncarol\ndave\n")
      #expect(folder.names == ["between", "file", "link"])
      var state = stat()
      #expect(lstat(link, &state) == 0 && state.st_mode & S_IFMT == S_IFLNK)
    }
  }

  @Test("A file beside which nothing can be written is replaced all the same, when the result is whole")
  func noDraft() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      // No name that is longer fits.
      let file = folder.path + "/" + String(repeating: "x", count: Int(NAME_MAX) - 2)
      try put(String(repeating: "old", count: 100), file)
      #expect(talk.run(":as anon", "users | ids > \(file)").status == 3)
      #expect(try text(file).hasPrefix("oldold"))
      #expect(talk.run(":admin", "users | ids > \(file)").messages.isEmpty)
      #expect(try text(file) == "alice\nbob\ncarol\ndave\n")
      #expect(folder.names.count == 1)
    }
  }

  @Test(
    "What cannot be written fails the statement",
    arguments: [
      ("users | jsonl > /dev/full", "DATA_LOSS: cannot write `/dev/full`: No space left on device"),
      ("users >> /dev/full", "DATA_LOSS: cannot write `/dev/full`: No space left on device"),
      (":export /dev/full", "DATA_LOSS: cannot write `/dev/full`: No space left on device"),
      (":save /dev/full", "DATA_LOSS: cannot write `/dev/full`: No space left on device"),
      ("users | ! false", "FAILED_PRECONDITION: `false` ended with 1"),
      ("users | jsonl | ! cat > /dev/null; exit 7", "`cat > /dev/null; exit 7` ended with 7"),
      ("users | ! kill -9 $$", "`kill -9 $$` was ended by signal 9"),
      (":! kill -9 $$", "`kill -9 $$` was ended by signal 9"),
      (":! exit 3", "`exit 3` ended with 3"),
    ])
  func lost(_ statement: String, _ message: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      talk.session.history.append("users")
      let answer = talk.run(statement)
      #expect(answer.status == 1)
      #expect(answer.messages.contains { $0.range(ofBytes: message) != nil }, "\(answer.messages)")
    }
  }

  private static let fullCases: [(WriteOutcome, Int32, [String])] = [
    (
      WriteOutcome.failed(ENOSPC), Int32(1),
      ["DATA_LOSS: cannot write the results: No space left on device"]
    ),
    (.closed, 0, []), (.written, 0, []),
  ]

  @Test(
    "Standard output that is full fails the statement, one that nobody reads does not", arguments: fullCases)
  func full(_ outcome: WriteOutcome, _ status: Int32, _ expected: [String]) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let messages = Transcript()
      let console = Console(
        results: { _ in outcome }, messages: { messages.add($0) }, isTerminal: false, isColored: false)
      let session = Session(talk.session.backend, console: console)
      session.settings.showsTiming = false
      for statement in ["users | jsonl", "users", "users/bob", ":ls", ":echo x"] {
        #expect(session.perform(statement) == status, "\(statement)")
        #expect(messages.take() == expected, "\(statement)")
      }
      // What writes nothing is not failed by what was lost before.
      #expect(session.perform(":assert users") == 0)
    }
  }

  @Test("A program that reads a little is no failure")
  func little() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let big = String(repeating: "x", count: 500_000)
      #expect(talk.run("create big/a {t: '\(big)'}", "create big/b {t: '\(big)'}").status == 0)
      #expect(talk.run("big | jsonl | ! head -c 1 > /dev/null").status == 0)
    }
  }

  @Test(
    "A program that Ctrl-C ended interrupts its statement, whether the shell heard of it or not",
    arguments: [
      "users | jsonl | ! kill -INT $$", "users | jsonl | ! exit 130", ":! kill -INT $$", ":! exit 130",
    ])
  func interruptedProgram(_ statement: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      #expect(!Interruption.isRaised)
      let answer = talk.run(statement)
      #expect(answer.status == ShellStatus.interrupted)
      #expect(answer.messages == ["interrupted"])
    }
  }

  @Test(
    "What interrupts a program that goes on is not the shell's",
    arguments: [
      "users | jsonl | ! cat > /dev/null; kill -INT $PPID; sleep 0.1", ":! kill -INT $PPID; sleep 0.1",
    ])
  func deaf(_ statement: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      // Without the shell's own handler the signal would end this process. Whoever started it may have had it ignored.
      var (before, after) = (sigaction(), sigaction())
      #expect(sigaction(SIGINT, nil, &before) == 0)
      let answer = talk.run(statement)
      #expect(answer.status == 0, "\(answer.messages)")
      #expect(!Interruption.isRaised)
      #expect(sigaction(SIGINT, nil, &after) == 0)
      #expect(handler(after) == handler(before))
    }
  }

  private func handler(_ action: sigaction) -> Int {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }

  @Test("Programs begin with the signals of any program")
  func signals() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      var before = sigaction()
      var ignored = sigaction()
      ignored.__sigaction_handler.sa_handler = SIG_IGN
      #expect(sigaction(SIGPIPE, &ignored, &before) == 0)
      defer { sigaction(SIGPIPE, &before, nil) }
      // 128 and SIGPIPE: an error of writing would be told instead.
      #expect(talk.run(":! (yes; echo $? > \(folder.path)/code) | head -1 > /dev/null").status == 0)
      let code = try text(folder.path + "/code")
      #expect(code == "141\n")
    }
  }

  // MARK: lines

  @Test(
    "Lines end with \\n or \\r\\n",
    arguments: [
      ("", [""]), ("a", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b", ""]),
      ("\r\n\r\n", ["", "", ""]),
      ("a\rb", ["a\rb"]), ("é\r\n😀", ["é", "😀"]), ("a\r\r\n", ["a\r", ""]),
    ])
  func lines(_ text: String, _ expected: [String]) {
    #expect(TextLines.of(text) == expected)
  }

  @Test("A script with Windows line ends is run", arguments: ["\n", "\r\n"])
  func windows(_ end: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let script = ["# smoke test", "posts |", "  count", ":as anon", ":expect allow users/bob", ""]
        .joined(separator: end)
      var driver = ScriptDriver(session: talk.session, keepsGoing: false)
      driver.take(text: script, name: nil)
      #expect(driver.status == 6)
      #expect(talk.results.take() == ["3"])
      let folder = TemporaryFolder()
      try put(script, folder.path + "/s.docsh")
      #expect(talk.run(":admin", ":read \(folder.path)/s.docsh").status == 6)
    }
  }

  @Test(
    "What is exported is imported, whatever its line ends", arguments: Placement.allCases, ["\n", "\r\n"])
  func imported(_ placement: Placement, _ end: String) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/all.jsonl"
      #expect(talk.run("create odd/x {t: \"\\udb40\\udc67 \\u001b\", b: bytes('aGk=')}").status == 0)
      #expect(talk.run(":export \(file)").status == 0)
      let before = try text(file)
      #expect(before.utf8.count { $0 == 0x0A } == 9)
      try put(TextLines.of(before).joined(separator: end), folder.path + "/again.jsonl")
      talk.session.settings.assumesYes = true
      #expect(talk.run(":clear", ":import \(folder.path)/again.jsonl").status == 0)
      #expect(talk.run(":export \(file)").status == 0)
      #expect(try text(file) == before)
    }
  }

  @Test("Documents are imported in commits that servers take", arguments: Placement.allCases)
  func batches(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/big.jsonl"
      let text = String(repeating: "x", count: 900_000)
      for number in 0..<14 { try put("{\"__name__\":\"big/d\(number)\",\"t\":\"\(text)\"}", file) }
      #expect(talk.run(":import \(file)").status == 0)
      #expect(talk.run("big | count").results == ["14"])
      talk.session.settings.assumesYes = true
      #expect(talk.run("big | each add copies {t: '\(text)'}", "copies | count").results == ["14"])
    }
  }

  @Test(
    "A mistake in a file is told with its line, before anything is written",
    arguments: [
      ("{\"a\": 1}", "expected {\"__name__\": \"users/bob\", …}"), ("nonsense", "expected a value"),
      ("{\"__name__\": \"users\"}", "'users' is no document"),
    ])
  func mistake(_ line: String, _ message: String) async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/bad.jsonl"
      for number in 0..<300 { try put("{\"__name__\":\"new/d\(number)\"}", file) }
      try put("\n" + line, file)
      let answer = talk.run(":import \(file)")
      #expect(answer.status == 2)
      let told = answer.messages.joined(separator: "\n")
      #expect(
        told.hasPrefix("\(file):302: \(message)") && told.hasSuffix("; nothing was written"),
        "\(told)")
      #expect(talk.run("new | count").results == ["0"])
    }
  }

  @Test("What was written before a failure is told", arguments: Placement.allCases)
  func partly(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/partly.jsonl"
      for number in 0..<250 { try put("{\"__name__\":\"new/d\(number)\"}", file) }
      // A document whose fields are small enough, but not all of them together.
      let half = String(repeating: "x", count: 600_000)
      try put("{\"__name__\":\"new/big\",\"t\":\"\(half)\",\"u\":\"\(half)\"}", file)
      let answer = talk.run(":import \(file)")
      #expect(answer.status == 1)
      #expect(answer.messages.first == "documents written before the failure: 200", "\(answer.messages)")
      #expect(talk.run("new | count").results == ["200"])
    }
  }

  @Test("Errors for programs are JSON and nothing else, with their place")
  func places() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      try put("users | count\n:assert users | count == 5", folder.path + "/inner.docsh")
      var driver = ScriptDriver(session: talk.session, keepsGoing: true)
      driver.take(text: "\n:read \(folder.path)/inner.docsh", name: "outer.docsh")
      #expect(talk.messages.take().prefix(2) == ["\(folder.path)/inner.docsh:2:", "outer.docsh:2:"])
      talk.session.settings.writesJSONErrors = true
      talk.session.console.writesJSON = true
      driver.take(text: "\n:read \(folder.path)/inner.docsh\nusers/ghost", name: "outer.docsh")
      let lines = talk.messages.take()
      #expect(lines.count == 2)
      #expect(lines.first?.range(ofBytes: "\"at\":\"\(folder.path)/inner.docsh:2\"") != nil, "\(lines)")
      #expect(lines.last == "{\"message\":\"users/ghost does not exist\"}")
      #expect(driver.status == 6)
    }
  }

  @Test("What was typed is saved as a script that runs")
  func saved() async throws {
    try await SessionKit.talk(.embedded) { talk in
      let folder = TemporaryFolder()
      let file = folder.path + "/session.docsh"
      for statement in [
        ":as bob", "commit {\n  update users/bob age += 1\n}", "users/bob |\n  ids", ":save \(file)",
      ] {
        talk.session.history.append(statement)
        #expect(talk.run(statement).status == 0)
      }
      let script = try text(file)
      #expect(script == ":as bob\ncommit {\n  update users/bob age += 1\n}\nusers/bob |\n  ids\n")
      let again = talk.run(":admin", ":read \(file)")
      #expect(again.status == 0)
      #expect(again.results == ["bob"])
      #expect(talk.run(":assert users/bob age == 42").status == 0)
    }
  }

  // MARK: transactions that nobody commits

  private static let uncommittedCases: [([String], Int32, [String])] = [
    ([":begin", "delete posts/p1"], Int32(1), ["ABORTED: 1 write of the transaction was not committed"]),
    (
      [":begin", "delete posts/p1", "delete posts/p2"], 1,
      ["ABORTED: 2 writes of the transaction were not committed"]
    ),
    ([":begin", "posts | count"], 0, []), ([":begin readonly"], 0, []),
    ([":begin", "delete posts/p1", ":commit"], 0, []),
  ]

  @Test("Writes of a transaction that is left open are told at the end", arguments: uncommittedCases)
  func uncommitted(_ statements: [String], _ status: Int32, _ expected: [String]) async throws {
    for placement in Placement.allCases {
      try await SessionKit.talk(placement) { talk in
        for statement in statements { #expect(talk.run(statement).status == 0) }
        #expect(talk.session.end(0) == status)
        #expect(talk.messages.take() == expected)
        #expect(talk.session.end(0) == 0)
      }
    }
  }

  // MARK: Ctrl-C

  @Test("Ctrl-C ends a script, also one that goes on after failures")
  func interrupted() async throws {
    try await SessionKit.talk(.embedded) { talk in
      defer { Interruption.clear() }
      var driver = ScriptDriver(session: talk.session, keepsGoing: true)
      driver.take(text: ":echo one", name: nil)
      Interruption.raise()
      driver.take(text: ":echo two\n:echo three", name: nil)
      #expect(talk.results.take() == ["one"])
      #expect(talk.messages.take() == ["interrupted"])
      #expect(driver.status == 130)
      #expect(driver.isOver)
    }
  }

  @Test("Lines of a descriptor")
  func input() throws {
    defer { Interruption.clear() }
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let input = InputLines(ends[0])
    #expect(Console.write(Array("a\r\n\nb".utf8), to: ends[1]))
    #expect(input.next() == .line("a"))
    #expect(input.next() == .line(""))
    Interruption.raise()
    #expect(input.next() == .interrupted)
    Interruption.clear()
    close(ends[1])
    #expect(input.next() == .line("b"))
    #expect(input.next() == .end)
  }
}
