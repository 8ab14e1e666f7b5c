/// One request as text, explained: what `docsh rules explain` asks.

import DocModel
import DocStore
import EngineLMDB
import Rules
import Suite
import Testing

@Suite("explaining a request that is written down")
struct RequestExplainerTests {
  static let database = DatabaseID(project: "demo")
  static let rules = """
    rules_version = '2';
    service cloud.firestore { match /databases/{db}/documents {
      match /users/{id} {
        allow get: if request.auth.uid == id || resource.data.open == true;
        allow list: if resource.data.open == true;
        allow create: if request.resource.data.name is string;
        allow update: if request.resource.data.n == resource.data.n + 1;
        allow delete: if exists(/databases/$(db)/documents/editors/$(request.auth.uid));
      }
    }}
    """

  struct Bench {
    let store: DocumentStore<LMDBEngine>
    let ruleset: Ruleset

    init() throws {
      store = try DocumentStore(engine: try LMDBEngine.ephemeral())
      ruleset = try #require(
        Ruleset.compile(source: RequestExplainerTests.rules, name: "test.rules").ruleset)
      let fields: Fields = ["open": .boolean(false), "n": .integer(1)]
      try store.commitAndWait(
        RequestExplainerTests.database,
        [Write(ResourcePath(unchecked: "users/bob"), .update(fields: fields.encoded, mask: nil))])
    }

    func explain(_ method: String, _ change: (inout RequestText) -> Void) throws -> [DetailedExplanation] {
      var text = RequestText(method: method)
      change(&text)
      return try RequestExplainer.explain(
        text, rules: ruleset, store: store, database: RequestExplainerTests.database)
    }

    func stored(_ path: String) throws -> Fields? {
      try store.read(RequestExplainerTests.database) { view throws(StoreError) in
        try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) }
      }
    }
  }

  typealias Change = @Sendable (inout RequestText) -> Void

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let method: String
    let isAllowed: Bool
    let change: Change
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "own profile", method: "get", isAllowed: true) {
      $0.path = "users/bob"
      $0.auth = "{uid: bob}"
    },
    Row(name: "a profile of somebody else", method: "get", isAllowed: false) {
      $0.path = "/users/bob"
      $0.auth = "{uid: ann}"
    },
    Row(name: "nobody", method: "get", isAllowed: false) { $0.path = "users/bob" },
    Row(name: "a stored document that is said", method: "get", isAllowed: true) {
      $0.path = "users/eve"
      $0.resource = "{open: true}"
    },
    Row(name: "a query that proves it", method: "list", isAllowed: true) {
      $0.query = "{from: users, where: [open == true]}"
    },
    Row(name: "a whole collection", method: "list", isAllowed: false) { $0.path = "users" },
    Row(name: "a new document", method: "create", isAllowed: true) {
      $0.path = "users/new"
      $0.data = "{name: x}"
    },
    Row(name: "a new document with a wrong field", method: "create", isAllowed: false) {
      $0.path = "users/new"
      $0.data = "{name: 1}"
    },
    Row(name: "a change by one", method: "update", isAllowed: true) {
      $0.path = "users/bob"
      $0.data = "{n: 2}"
    },
    Row(name: "a change by two", method: "update", isAllowed: false) {
      $0.path = "users/bob"
      $0.data = "{n: 3}"
    },
    Row(name: "a deletion without the right", method: "delete", isAllowed: false) {
      $0.path = "users/bob"
      $0.auth = "{uid: ann}"
    },
  ]

  @Test("the verdict is the rules', and each rule that was tried is told", arguments: rows)
  func verdict(row: Row) throws {
    let explained = try Bench().explain(row.method, row.change)
    #expect(explained.count == 1)
    let first = try #require(explained.first)
    #expect(first.explanation.isAllowed == row.isAllowed)
    #expect(!first.rules.isEmpty)
    #expect(first.rules.allSatisfy { $0.condition != nil })
  }

  @Test("a write that is refused leaves nothing behind; one that is allowed is written")
  func writes() throws {
    let bench = try Bench()
    _ = try bench.explain("update") {
      $0.path = "users/bob"
      $0.data = "{n: 9}"
    }
    #expect(try bench.stored("users/bob")?["n"] == .integer(1))
    _ = try bench.explain("update") {
      $0.path = "users/bob"
      $0.data = "{n: 2}"
    }
    #expect(try bench.stored("users/bob") == ["open": .boolean(false), "n": .integer(2)])
  }

  @Test("documents that rules read are told, found or not")
  func reads() throws {
    let explained = try Bench().explain("delete") {
      $0.path = "users/bob"
      $0.auth = "{uid: ann}"
    }
    let read = try #require(explained.first?.documents.first)
    #expect(read.path == "editors/ann")
    #expect(read.functions == ["exists"])
    #expect(read.isFoundBefore == false)
  }

  @Test(
    "what cannot be asked is told with the option that is wrong",
    arguments: [
      ("get", nil, nil, "say which document: --path"),
      ("get", "users", nil, "'users' is no document"),
      ("get", "users//x", nil, "'users//x' is no path"),
      ("gte", "users/bob", nil, "'gte' is no method"),
      ("list", nil, nil, "say what to list"),
      ("create", "users/new", "[1]", "the fields of a document are a map"),
      ("create", "users/new", "{a: ", "--data"),
      ("create", "users/bob", "{name: x}", ""),
    ] as [(String, String?, String?, String)])
  func refusals(method: String, path: String?, data: String?, message: String) throws {
    let bench = try Bench()
    do {
      let explained = try bench.explain(method) {
        $0.path = path
        $0.data = data
      }
      // A document that is there already is no question of rules: they are told all the same.
      #expect(message.isEmpty && explained.count == 1)
    } catch let error as RequestTextError {
      #expect(error.description.contains(message))
    }
  }
}
