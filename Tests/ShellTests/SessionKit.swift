/// A session over a small store, in process or behind a port, that remembers what it said.

import Access
import DocModel
import DocStore
import EngineLMDB
import Rules
import RulesTools
import Synchronization
import Wire

@testable import Shell

/// Lines as they were written.
final class Transcript: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ bytes: [UInt8]) -> WriteOutcome {
    let text = String(decoding: bytes.dropLast(), as: UTF8.self)
    lines.withLock { $0 += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    return .written
  }

  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

enum Placement: String, CaseIterable, Sendable {
  case embedded, remote
}

/// What a test talks to.
struct Talk {
  let session: Session
  let results = Transcript()
  let messages = Transcript()

  /// - Parameter terminal: columns and rows of one; nil for none.
  init(_ backend: any Backend, terminal: (columns: Int, rows: Int)? = nil) throws {
    let (results, messages) = (results, messages)
    let console = Console(
      results: { results.add($0) }, messages: { messages.add($0) }, isTerminal: terminal != nil,
      isColored: false, size: terminal)
    console.isQuiet = true
    session = Session(backend, console: console)
    session.settings.showsTiming = false
    session.tools = suiteTools
    session.personas = try ["alice", "bob", "carol"].map { name in
      try Caller(name: name, .map(["uid": .string(name)]), database: backend.database, now: session.now)
    }
  }

  /// Runs statements one after the other; the last one's status, results and messages.
  func run(_ statements: String...) -> (status: Int32, results: [String], messages: [String]) {
    var status: Int32 = 0
    for statement in statements {
      _ = results.take()
      _ = messages.take()
      // As at a prompt: what was asked of the statement before is over.
      Interruption.clear()
      status = session.perform(statement)
    }
    return (status, results.take(), messages.take())
  }
}

enum SessionKit {
  static let database = DatabaseID(project: "demo")

  static let rules = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{db}/documents {
        function signedIn() { return request.auth != null; }
        function own(uid) { return signedIn() && request.auth.uid == uid; }
        function me() { return get(/databases/$(db)/documents/users/$(request.auth.uid)).data; }
        // @id profile
        match /users/{uid} {
          // @id profile.get
          allow get: if signedIn()
            && (own(uid) || resource.data.privacy == 'public' || me().groups.hasAny(resource.data.groups));
          // @id profile.list
          allow list: if signedIn() && resource.data.privacy == 'public';
          // @id profile.write
          allow create, update: if own(uid);
        }
        match /posts/{post} {
          allow read: if signedIn();
          // @id post.create
          allow create: if signedIn() && request.resource.data.at == request.time;
        }
      }
    }
    """

  private static let documents: [(String, Fields)] = [
    (
      "users/alice",
      [
        "name": .string("Alice"), "privacy": .string("groups"), "groups": .array([.string("askew")]),
        "age": .integer(31),
      ]
    ),
    (
      "users/bob",
      [
        "name": .string("Bob"), "privacy": .string("groups"), "groups": .array([.string("askew")]),
        "age": .integer(40),
      ]
    ),
    (
      "users/carol",
      [
        "name": .string("Carol"), "privacy": .string("groups"), "groups": .array([.string("chelsea")]),
        "age": .integer(25),
      ]
    ),
    ("users/dave", ["name": .string("Dave"), "privacy": .string("public"), "groups": .array([])]),
    ("users/bob/private/keys", ["k": .integer(1)]),
    (
      "posts/p1",
      ["by": .string("alice"), "likes": .integer(2), "at": .timestamp(Timestamp(microseconds: 0))]
    ),
    ("posts/p2", ["by": .string("bob"), "likes": .integer(5), "at": .timestamp(Timestamp(microseconds: 0))]),
    (
      "posts/p3",
      ["by": .string("alice"), "likes": .integer(1), "at": .timestamp(Timestamp(microseconds: 0))]
    ),
  ]

  static func store() throws -> DocumentStore<LMDBEngine> {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    try store.commitAndWait(
      database,
      try documents.map { path, fields in
        Write(ResourcePath(unchecked: path), .update(fields: try Canonicalizer.fields(fields), mask: nil))
      })
    return store
  }

  static func ruleset() throws -> Ruleset {
    let compilation = RulesCompiler.compile(source: rules, name: "small.rules")
    guard let ruleset = compilation.ruleset else { throw ShellError.failed("the rules do not compile") }
    return ruleset
  }

  /// Runs `body` with a session; the server, if there is one, is stopped afterwards.
  static func talk<R>(_ placement: Placement, _ body: (Talk) throws -> R) async throws -> R {
    let store = try store()
    defer { store.close() }
    let ruleset = try ruleset()
    switch placement {
    case .embedded:
      return try body(
        Talk(EmbeddedBackend(store, database: database, location: "here", rules: ruleset)))
    case .remote:
      let rulesets = RulesetRegistry()
      rulesets.setStandard(ruleset)
      var options = FirestoreServerOptions()
      options.server.port = 0
      options.rules.compile = { RulesCompiler.compile(source: $0, name: $1, limitsSource: $2) }
      options.rules.explanation = { ExplainText.text($0, width: $1) }
      let server = try await FirestoreServer.start(
        GuardedStore(store, rulesets: rulesets, indexes: IndexGate(), feed: RequestFeed()), options
      ) {}
      let result: Result<R, any Error>
      do { result = .success(try body(Talk(RemoteBackend("\(server.address)", database: database)))) } catch {
        result = .failure(error)
      }
      await server.stop()
      return try result.get()
    }
  }
}
