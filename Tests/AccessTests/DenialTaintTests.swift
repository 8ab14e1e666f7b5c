/// What a client is told of a refusal, tried by taint: every stored value has a mark, thousands of requests are refused by
/// rules that put stored values into every kind of message, and no mark may come out. Source: docs/denials.md.

import Access
import DocModel
import DocStore
import Rules
import TestSupport
import Testing

/// Documents whose every value has a mark.
enum Taint {
  static let marks = ["TAINT", "taint", "4815162342", "48151.6", "2037-11-23", "VEFJTlQ"]

  static let fields: Fields = [
    "s": .string("TAINT-s"), "n": .integer(4_815_162_342), "f": .double(48_151.625),
    "t": .timestamp(Timestamp(seconds: 2_142_547_200, nanoseconds: 0)),
    "b": .bytes(Array("TAINT".utf8)),
    "r": .reference("projects/access/databases/(default)/documents/vault/taint-ref"),
    "l": .array([.string("TAINT-l"), .string("[TAINT")]), "m": .map(["k": .string("TAINT-k")]),
    "p": .string("[TAINT"), "yes": .boolean(true),
  ]

  static let paths = ["secrets/a", "vault/v", "vault/w", "vault/taint-id"]

  static func found(in message: String) -> String? { marks.first { message.contains($0) } }
}

/// Makes rules and requests out of templates.
struct TaintAuthor {
  var random: SeededRandom

  private mutating func one<T>(of choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  /// A stored value.
  private mutating func secret() -> String {
    let document = one(of: [
      "resource.data", "request.resource.data", "get(\(other)).data", "getAfter(\(other)).data",
      "get(\(own)).data", "getAfter(\(own)).data", "look()", "get(\(other))['data']",
    ])
    let member = one(of: ["s", "n", "f", "t", "b", "r", "l", "m", "p", "m.k", "l[0]", "l[1]", "yes"])
    return "\(document).\(member)"
  }

  private var other: String { "/databases/$(d)/documents/secrets/a" }
  private var own: String { "/databases/$(d)/documents/vault/v" }

  /// A question whose answer, or the message of its failure, holds stored values.
  private mutating func question() -> String {
    let (a, b) = (secret(), secret())
    let field = one(of: ["s", "n", "l", "x", "m.k"])
    return one(of: [
      "resource.data.\(field) == \(a)", "resource.data.\(field) in [\(a), \(b)]",
      "\(a) in resource.data.\(field)", "resource.data.\(field) < \(a)", "resource.data.\(field) >= \(a)",
      "resource.data.\(field).hasAny([\(a), \(b)])", "resource.data.\(field) != \(a)", "id == \(a)",
      "{}[\(a)] == 1", "{}[string(\(a))] == 1", "request.auth.token[\(a)] == 1",
      "resource.data[\(a)] == 1", "request.resource.data[\(a)] == 1", "int(\(a)) == 1", "float(\(a)) < 1.0",
      "'a'.matches(\(a))", "\(a).matches('[')", "\(a).split(\(b))[9] == ''", "\(a)[7] == \(b)",
      "get(/databases/$(d)/documents/secrets/$(\(a))).data.x == 1", "exists(/$(\(a)))",
      "path(string(\(a))).bind({}) == null", "duration.value(1, \(a)) == null",
      "timestamp.value(\(a)) == null",
      "timestamp.date(\(a), 1, 1) == null", "latlng.value(\(a), 1) == null", "\(a) + \(b) == 1",
      "\(a) / 0 == 1", "\(a)", "!\(a)", "\(a).size() == 77", "\(a).nope == 1", "nope(\(a))",
      "'a'.replace(\(a), \(b)) == 'c'", "\(a)[\(b)] == 1", "debug(\(a)) == 1", "hashing.md5(\(a)) == 1",
      "\(a).diff(\(b)).affectedKeys() == 1", "(\(a)).toSet().size() == \(b)", "request.time > \(a)",
      "request.query.limit < \(a)", "same(\(a), \(b))", "resource == null", "resource.data == \(a)",
    ])
  }

  private mutating func condition(_ depth: Int = 2) -> String {
    guard depth > 0 else { return question() }
    let (a, b) = (condition(depth - 1), condition(depth - 1))
    return one(of: [
      a, a, "(\(a)) && (\(b))", "(\(a)) || (\(b))", "!(\(a))", "(\(a)) ? (\(b)) : false",
      "request.auth == null && (\(a))",
    ])
  }

  mutating func rules() -> String {
    let allows = ["get", "list", "create", "update", "delete", "write", "read"].map {
      "    allow \($0): if \(condition());"
    }
    return """
      rules_version = '2';
      service cloud.firestore { match /databases/{d}/documents {
        function look() { return get(/databases/$(d)/documents/secrets/a).data; }
        function same(a, b) { let c = a; return c == b || c[b]; }
        match /vault/{id} {
      \(allows.joined(separator: "\n"))
        }
      } }
      """
  }

  mutating func credentials() -> Credentials { one(of: [.anonymous, user("u")]) }

  mutating func path() -> String { one(of: ["vault/v", "vault/w", "vault/none"]) }

  mutating func write() -> Write {
    let path = ResourcePath(unchecked: path())
    let fields: Fields = ["x": .integer(1), "s": .string("mine")]
    let mask = FieldPath.field("x").map { [$0] } ?? []
    let precondition: Precondition = one(of: [.none, .none, .exists(true), .exists(false)])
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return Write(path, .delete, precondition: precondition)
    case 1: return Write(path, .update(fields: fields.encoded, mask: mask), precondition: precondition)
    default: return Write(path, .update(fields: fields.encoded, mask: nil), precondition: precondition)
    }
  }

  mutating func query() -> StructuredQuery {
    var query = StructuredQuery(database: testDatabase, collection: ResourcePath(unchecked: "vault"))
    query.filter = one(of: [
      nil, .field("x", .equal, .integer(1)), .field("s", .in, .array([.string("a"), .string("b")])),
      .field("n", .lessThan, .integer(5)), .field("l", .arrayContains, .string("a")),
      .field("__name__", .equal, .reference("projects/access/databases/(default)/documents/vault/v")),
      .any([.field("x", .equal, .integer(1)), .field("s", .equal, .string("z"))]),
    ])
    query.limit = one(of: [nil, 3])
    return query
  }
}

@Suite("What a client is told of a refusal")
struct DenialTaintTests {
  private func tainted(_ rules: String, _ detail: DenialDetail) throws -> GuardedStore<NaiveEngine> {
    let store = try guardedStore(rules: rules, detail: detail)
    for path in Taint.paths { try store.commitAndWait(testDatabase, [set(path, Taint.fields)], as: .admin) }
    return store
  }

  private func words(_ store: GuardedStore<NaiveEngine>, _ kind: Int, _ author: inout TaintAuthor) -> String?
  {
    let credentials = author.credentials()
    switch kind % 4 {
    case 0:
      let path = author.path()
      return denial { _ = try store.fields(path, as: credentials) }
    case 1:
      let query = author.query()
      return denial { _ = try store.paths(query, as: credentials) }
    case 2:
      let paths = [author.path(), author.path()].map { ResourcePath(unchecked: $0) }
      return denial { try store.getAll(paths, in: testDatabase, as: credentials) { _, _, _ in } }
    default:
      let writes = [author.write(), author.write()].prefix(author.path() == "vault/v" ? 2 : 1)
      return denial { try store.commitAndWait(testDatabase, Array(writes), as: credentials) }
    }
  }

  @Test("no stored value is in what a client is told, and the official words would hold many")
  func taint() throws {
    var author = TaintAuthor(random: SeededRandom(seed: 15))
    var refused = 0
    for _ in 0..<125 {
      let rules = author.rules()
      let store = try tainted(rules, .explained)
      for kind in 0..<80 {
        guard let message = words(store, kind, &author), !message.isEmpty else { continue }
        refused += 1
        let mark = Taint.found(in: message)
        #expect(mark == nil, "\(mark ?? "") in \(message)\n\(rules)")
        if mark != nil { return }
      }
    }
    #expect(refused > 5_000)
    var leaks = 0
    for _ in 0..<20 {
      let store = try tainted(author.rules(), .official)
      for kind in 0..<40 where words(store, kind, &author).flatMap(Taint.found) != nil { leaks += 1 }
    }
    #expect(leaks > 20, "the fixtures tell too little")
  }

  @Test("words that were found before are those that a ruleset of its own finds")
  func keptWords() throws {
    var author = TaintAuthor(random: SeededRandom(seed: 16))
    var compared = 0
    for _ in 0..<12 {
      let rules = author.rules()
      let warm = try tainted(rules, .explained)
      for kind in 0..<80 {
        var twin = author
        let kept = words(warm, kind, &author)
        #expect(try words(tainted(rules, .explained), kind, &twin) == kept, "\(rules)")
        if kept != nil { compared += 1 }
        // A write that is allowed changes what is stored in one of the two.
        if kept == nil, kind % 4 == 3 { break }
      }
    }
    #expect(compared > 300)
  }

  @Test(
    "a filter that would help is told when it is the client's own or the rules', not when it is stored",
    arguments: [
      ("resource.data.code == get(/databases/$(d)/documents/secrets/a).data.s", nil),
      ("resource.data.code in get(/databases/$(d)/documents/secrets/a).data.l", nil),
      ("get(/databases/$(d)/documents/secrets/a).data.s in resource.data.code", nil),
      ("resource.data.code < get(/databases/$(d)/documents/secrets/a).data.n", nil),
      ("resource.data.code == {'TAINT-s': 'no'}[get(/databases/$(d)/documents/secrets/a).data.s]", nil),
      ("resource.data.code == request.auth.uid", "allowed with where code == \"u\""),
      ("resource.data.code == 'open'", "allowed with where code == \"open\""),
      (
        "get(/databases/$(d)/documents/secrets/a).data.yes && resource.data.code == request.auth.uid",
        "allowed with where code == \"u\""
      ),
    ] as [(String, String?)])
  func advice(condition: String, advice: String?) throws {
    let rules = """
      rules_version = '2';
      service cloud.firestore { match /databases/{d}/documents { match /vault/{id} {
        allow read: if \(condition);
      } } }
      """
    let store = try tainted(rules, .explained)
    let query = StructuredQuery(database: testDatabase, collection: ResourcePath(unchecked: "vault"))
    let message = try #require(denial { _ = try store.paths(query, as: user("u")) })
    #expect(Taint.found(in: message.replacing("{'TAINT-s': 'no'}", with: "")) == nil, "\(message)")
    #expect(!message.contains("\"no\""))
    if let advice {
      #expect(message.hasSuffix("\n" + advice), "\(message)")
    } else {
      #expect(!message.contains("allowed with"), "\(message)")
    }
  }

  @Test(
    "whether a hidden document exists is not told: a write that may be both is named as both",
    arguments: [
      "allow write: if false;",
      "allow create: if resource == null && false; allow update: if resource.data.n == 1;",
      "allow create, update: if request.auth.uid == id;",
      "allow read, write: if resource.data.s == request.auth.uid;",
      "allow get: if resource != null && false; allow write: if get(/databases/$(d)/documents/secrets/b).data.n == 1;",
      "allow get, delete: if resource == null || resource.data.n == 1;",
    ])
  func existence(allow: String) throws {
    let rules = """
      rules_version = '2';
      service cloud.firestore { match /databases/{d}/documents { match /vault/{id} {
        \(allow)
      } } }
      """
    let store = try tainted(rules, .explained)
    let mask = FieldPath.field("x").map { [$0] } ?? []
    let fields: Fields = ["x": .integer(1)]
    func told(_ path: String) -> [String?] {
      let path = ResourcePath(unchecked: path)
      let writes = [
        Write(path, .update(fields: fields.encoded, mask: nil)),
        Write(path, .update(fields: fields.encoded, mask: mask)),
        Write(path, .update(fields: fields.encoded, mask: nil), precondition: .exists(true)),
        Write(path, .update(fields: fields.encoded, mask: nil), precondition: .exists(false)),
        Write(path, .delete),
      ]
      return writes.map { write in denial { try store.commitAndWait(testDatabase, [write], as: user("u")) } }
        + [denial { _ = try store.fields(path.text, as: user("u")) }]
    }
    // A verdict of its own tells, whatever the words: such rows are those of both refused.
    for (there, missing) in zip(told("vault/v"), told("vault/none")) where there != nil && missing != nil {
      #expect(there == missing)
    }
    let both = try #require(told("vault/v")[0])
    if allow.contains("create") || allow.contains("write") {
      #expect(both.contains("for 'create' @ L"), "\(both)")
      #expect(both.contains("for 'update' @ L"), "\(both)")
    }
  }
}
