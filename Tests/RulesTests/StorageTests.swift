/// Rules of files: what their conditions see, and what they grant.

import DocModel
import Testing

@testable import Rules

/// Documents of several databases, by full name.
private final class CrossServiceDocuments: DocumentAccess {
  private var documents: [String: UnsafeMutableRawBufferPointer] = [:]
  private(set) var names: [String] = []

  init(_ documents: [String: Fields]) {
    super.init()
    for (name, fields) in documents {
      let bytes = fields.encoded
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
      buffer.copyBytes(from: bytes)
      self.documents[name] = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<bytes.count])
    }
  }

  deinit { for buffer in documents.values { buffer.deallocate() } }

  override func document(named name: UnsafeRawBufferPointer) -> FieldsView? {
    names.append(String(decoding: name, as: UTF8.self))
    return documents[names[names.count - 1]].map { FieldsView(document: UnsafeRawBufferPointer($0)) }
  }
}

private func storageRules(
  _ condition: String, method: RuleMethod = .get, pattern: String = "/{file=**}", version: Int = 2,
  functions: String = ""
) -> String {
  """
  rules_version = '\(version)';
  service firebase.storage {
    \(functions)
    match /b/{bucket}/o { match \(pattern) { allow \(method.name): if \(condition); } }
  }
  """
}

private let stored: StorageObject = {
  var object = StorageObject(
    name: "images/cat.png", bucket: "pets", size: 1_024, contentType: "image/png",
    metadata: ["owner": "alice", "visibility": "public"], generation: 7, metageneration: 2,
    timeCreated: Timestamp(seconds: 1_700_000_000, nanoseconds: 0),
    updated: Timestamp(seconds: 1_700_000_100, nanoseconds: 0))
  object.md5Hash = "1B2M2Y8AsgTpgAmY7PhCfg=="
  object.crc32c = "AAAAAA=="
  object.etag = "CAc="
  object.contentDisposition = "inline"
  object.contentEncoding = "gzip"
  object.contentLanguage = "en"
  return object
}()

private func request(
  _ method: RuleMethod, path: String = "images/cat.png", auth: AuthFacts? = alice
) -> StorageRequest {
  var new = stored
  new.size = 2_048
  new.contentType = nil
  let isWritten = method == .create || method == .update
  return StorageRequest(
    method: method, bucket: "pets", path: path, auth: auth, time: testTime,
    resource: method == .create || method == .list ? nil : stored, newResource: isWritten ? new : nil,
    parameters: ["alt": "media"])
}

/// True, false, or a fault, told by the condition and its negation.
private func verdict(
  _ condition: String, _ method: RuleMethod = .get, pattern: String = "/{file=**}", functions: String = "",
  documents: [String: Fields] = [:]
) throws -> Verdict {
  func isAllowed(_ text: String) throws -> Bool {
    let ruleset = try compiled(
      storageRules(text, method: method, pattern: pattern, functions: functions))
    let access = CrossServiceDocuments(documents)
    return ruleset.decide(request(method), documents: access).isAllowed
  }
  if try isAllowed("(\(condition))") { return .yes }
  return try isAllowed("!(\(condition))") ? .no : .fault
}

@Suite("Rules of files")
struct StorageTests {
  @Test(
    "the file as it is",
    arguments: [
      "resource.name == 'images/cat.png'", "resource.bucket == 'pets'", "resource.generation == 7",
      "resource.metageneration == 2", "resource.size == 1024 && resource.size is int",
      "resource.timeCreated == timestamp.value(1700000000000)",
      "resource.updated > resource.timeCreated && resource.updated is timestamp",
      "resource.md5Hash == '1B2M2Y8AsgTpgAmY7PhCfg=='", "resource.crc32c == 'AAAAAA=='",
      "resource.etag == 'CAc='", "resource.contentDisposition == 'inline'",
      "resource.contentEncoding == 'gzip'", "resource.contentLanguage == 'en'",
      "resource.contentType.matches('image/.*')", "resource.metadata.owner == request.auth.uid",
      "resource.metadata['visibility'] == 'public'",
      "resource.metadata.keys().hasOnly(['owner', 'visibility'])",
      "!('data' in resource)", "resource.keys().size() == 15", "resource != null",
    ])
  func resource(condition: String) throws {
    #expect(try verdict(condition) == .yes)
    #expect(try verdict(condition, .delete) == .yes)
  }

  @Test(
    "the file as it will be",
    arguments: [
      (RuleMethod.create, "resource == null", Verdict.yes),
      (.create, "request.resource.size < 5 * 1024 * 1024", .yes),
      (.create, "request.resource.contentType == null", .yes),
      (.create, "request.resource.contentType.matches('image/.*')", .fault),
      (.update, "request.resource.size == resource.size * 2", .yes),
      (.update, "request.resource.metadata == resource.metadata", .yes),
      (.update, "request.resource.md5Hash != resource.md5Hash", .no),
      (.delete, "request.resource == null", .yes), (.delete, "request.resource.size < 5", .fault),
      (.get, "request.resource == null", .yes), (.list, "resource == null", .yes),
      (.list, "resource.size > 0", .fault),
    ])
  func newResource(method: RuleMethod, condition: String, expected: Verdict) throws {
    #expect(try verdict(condition, method) == expected)
  }

  @Test(
    "the request",
    arguments: [
      "request.auth.uid == 'alice'", "request.auth.token.email_verified", "request.method == 'get'",
      "request.time == timestamp.value(1772355600000)", "request.path == /b/pets/o/images/cat.png",
      "request.path[3] == 'images'", "request.params.alt == 'media'", "bucket == 'pets'",
      "file == path('images/cat.png')", "request.keys().hasAll(['auth', 'path', 'resource', 'time'])",
      "request.resource == null && resource.size > 0", "request.auth != null",
    ])
  func request_(condition: String) throws { #expect(try verdict(condition) == .yes) }

  @Test("members of documents are none of files")
  func foreignMembers() throws {
    for condition in ["resource.data.a == 1", "resource.id == 'x'", "request.query.limit == 1"] {
      #expect(try verdict(condition) == .fault)
    }
    #expect(try verdict("request.resource.data.a == 1", .create) == .fault)
    #expect(try verdict("get(/databases/(default)/documents/a/b) == null") == .fault)
  }

  @Test(
    "read is get and list, write is create, update and delete",
    arguments: [
      ("read", [RuleMethod.get, .list]), ("write", [.create, .update, .delete]), ("get", [.get]),
      ("list", [.list]), ("create", [.create]), ("update", [.update]), ("delete", [.delete]),
    ])
  func methods(written: String, granted: [RuleMethod]) throws {
    let source = storageRules("true").replacing("allow get", with: "allow \(written)")
    let ruleset = try compiled(source)
    for method in RuleMethod.allCases {
      let decision = ruleset.decide(request(method), documents: DocumentAccess())
      #expect(decision.isAllowed == granted.contains(method))
    }
  }

  @Test(
    "patterns are matched below /b/{bucket}/o",
    arguments: [
      ("/images/{name}", "images/cat.png", true), ("/images/{name}", "images/a/cat.png", false),
      ("/images/{name=**}", "images/a/cat.png", true), ("/{file}", "cat.png", true),
      ("/{file}", "images/cat.png", false), ("/images/cat.png", "images/cat.png", true),
      ("/{all=**}", "", true), ("/images/{name}", "images//cat.png", true),
    ])
  func patterns(pattern: String, path: String, isMatched: Bool) throws {
    let ruleset = try compiled(storageRules("true", pattern: pattern))
    #expect(ruleset.decide(request(.get, path: path), documents: DocumentAccess()).isAllowed == isMatched)
  }

  @Test("a name of more segments than can be matched is denied")
  func longName() throws {
    let ruleset = try compiled(storageRules("true"))
    let name = Array(repeating: "a", count: 400).joined(separator: "/")
    let decision = ruleset.decide(request(.get, path: name), documents: DocumentAccess())
    #expect(decision.reason == .unmatched)
  }

  @Test("version 1 grants no lists")
  func version1() throws {
    let source = storageRules("true", version: 1).replacing("allow get", with: "allow read")
    let ruleset = try compiled(source)
    #expect(ruleset.decide(request(.get), documents: DocumentAccess()).isAllowed)
    #expect(!ruleset.decide(request(.list), documents: DocumentAccess()).isAllowed)
  }
}

@Suite("Rules of files that read documents")
struct StorageDocumentTests {
  private static let users: [String: Fields] = [
    "databases/(default)/documents/users/alice": [
      "role": .string("editor"), "teams": .array([.string("a")]),
    ],
    "databases/audit/documents/flags/x": ["on": .boolean(true)],
  ]

  @Test(
    "firestore.get and firestore.exists read documents of any database",
    arguments: [
      ("firestore.get(/databases/(default)/documents/users/$(request.auth.uid)).data.role == 'editor'", .yes),
      ("firestore.exists(/databases/(default)/documents/users/alice)", .yes),
      ("firestore.exists(/databases/(default)/documents/users/bob)", .no),
      ("firestore.get(/databases/(default)/documents/users/bob) == null", .yes),
      ("firestore.get(/databases/(default)/documents/users/bob).data.role == 'x'", .fault),
      ("firestore.get(/databases/audit/documents/flags/x).data.on", .yes),
      ("firestore.get(/databases/(default)/documents/users/alice).id == 'alice'", .yes),
      ("'a' in firestore.get(/databases/(default)/documents/users/alice).data.teams", .yes),
      ("firestore.get(/users/alice).data.role == 'editor'", .fault),
      ("firestore.get('users/alice').data.role == 'editor'", .fault),
      ("firestore.getAfter(/databases/(default)/documents/users/alice) == null", .fault),
      ("isEditor(request.auth.uid)", .yes),
    ] as [(String, Verdict)])
  func access(condition: String, expected: Verdict) throws {
    let functions = """
      function isEditor(uid) {
        return firestore.get(/databases/(default)/documents/users/$(uid)).data.role == 'editor';
      }
      """
    #expect(try verdict(condition, functions: functions, documents: Self.users) == expected)
  }

  private static func reads(_ names: [String]) -> String {
    names.map { "!firestore.exists(/databases/(default)/documents/u/\($0))" }.joined(separator: " && ")
  }

  @Test("two distinct documents may be read, each as often as one likes")
  func limit() throws {
    #expect(try verdict(Self.reads(["a", "b", "a", "b", "a"])) == .yes)
    #expect(try verdict(Self.reads(["a", "b", "c"])) == .fault)
    #expect(try verdict("(\(Self.reads(["a", "b", "c"]))) || true") == .yes)
    let ruleset = try compiled(storageRules(Self.reads(["a", "b", "c"])))
    let access = CrossServiceDocuments([:])
    let explanation = ruleset.explain(request(.get), documents: access)
    #expect(explanation.limits.map(\.maximum) == [2])
    #expect(explanation.limits.first?.text == "firestore.exists(/databases/(default)/documents/u/c)")
    #expect(access.names.count == 2)
  }

  @Test("a compiler's warning for documents' functions, and none for the package")
  func warnings() {
    func official(_ condition: String) -> [String] {
      let compilation = Ruleset.compile(source: storageRules(condition), name: "storage.rules")
      return OfficialIssue.issues(of: compilation.diagnostics, in: compilation.source).map(\.description)
    }
    #expect(official("get(/a/b) == null") == ["Invalid function name: get."])
    #expect(official("firestore.exists(/databases/(default)/documents/a/b)").isEmpty)
    // What stands in the arguments is read all the same.
    #expect(
      official("exists(/databases/$(database)/documents/a/b)") == [
        "Invalid function name: exists.", "Invalid variable name: database.",
      ])
  }

  @Test("a parameter that only a missing function reads is not unused")
  func parameterOfMissingFunction() {
    let source = storageRules(
      "isSeller(request.auth.uid)",
      functions: "function isSeller(user) { return get(/users/$(user)) != null; }")
    let compilation = Ruleset.compile(source: source, name: "storage.rules")
    #expect(compilation.diagnostics.map(\.id) == ["rules-unknown-function"])
  }

  @Test("one file may hold the rules of both services, and functions for both")
  func bothServices() throws {
    let source = """
      rules_version = '2';
      function isAlice() { return request.auth.uid == 'alice' && resource != null; }
      service cloud.firestore {
        match /databases/{d}/documents { match /a/{b} { allow get: if isAlice() && resource.data.n == 1; } }
      }
      service firebase.storage {
        match /b/{bucket}/o { match /images/{name} { allow get: if isAlice() && resource.size == 1024; } }
      }
      """
    let ruleset = try compiled(source)
    #expect(ruleset.hasStorageRules)
    let documents = MemoryDocuments()
    let circumstances = Circumstances(auth: alice, data: ["n": .integer(1)], path: "a/b")
    for _ in 0..<2 {
      #expect(ruleset.decide(circumstances.request(documents), documents: documents).isAllowed)
      #expect(ruleset.decide(request(.get), documents: documents).isAllowed)
      #expect(!ruleset.decide(request(.get, auth: nil), documents: documents).isAllowed)
    }
  }

  @Test("an explanation names the rule and what it says")
  func explained() throws {
    let ruleset = try compiled(storageRules("resource.size < 1000", pattern: "/images/{name}"))
    let explanation = ruleset.explain(request(.get), documents: DocumentAccess())
    #expect(!explanation.isAllowed)
    #expect(explanation.message == "\nfalse for 'get' @ L4")
    #expect(explanation.allows.first?.id == "/images/{name} get")
    #expect(explanation.allows.first?.deciding.last?.text == "resource.size < 1000")
    let none = try compiled(rules("true"))
    #expect(!none.hasStorageRules)
    #expect(none.decide(request(.get), documents: DocumentAccess()).reason == .unmatched)
  }
}
