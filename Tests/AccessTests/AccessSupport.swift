/// A guarded store for tests, over the naive engine.

import Access
import DocModel
import DocStore
import Rules
import RulesTools
import TestSupport

let testDatabase = DatabaseID(project: "access")

/// Rules that need what the tests below are about.
let testRules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{db}/documents {
    function profile(uid) { return get(/databases/$(db)/documents/users/$(uid)).data; }
    match /users/{uid} {
      allow get: if request.auth != null && (request.auth.uid == uid || resource.data.open == true
        || profile(request.auth.uid).groups.hasAny(resource.data.groups));
      allow list: if request.auth != null && resource.data.open == true;
      allow write: if request.auth.uid == uid;
    }
    match /posts/{post} {
      allow read: if true;
      allow update: if request.resource.data.likes == resource.data.likes + 1
        && existsAfter(/databases/$(db)/documents/posts/$(post)/likes/$(request.auth.uid));
      match /likes/{uid} {
        allow create: if request.auth.uid == uid && request.resource.data.at == request.time
          && getAfter(/databases/$(db)/documents/posts/$(post)).data.likes
            == get(/databases/$(db)/documents/posts/$(post)).data.likes + 1;
      }
    }
  }}
  """

func guardedStore(
  rules: String? = testRules, isOpen: Bool = false, detail: DenialDetail = .terse
) throws -> GuardedStore<NaiveEngine> {
  let registry = RulesetRegistry(isOpen: isOpen)
  if let rules {
    let compilation = RulesCompiler.compile(source: rules, name: "test.rules")
    if let ruleset = compilation.ruleset { registry.setStandard(ruleset) }
  }
  return GuardedStore(try DocumentStore(engine: NaiveEngine()), rulesets: registry, detail: detail)
}

func user(_ uid: String) -> Credentials { .user(AuthFacts(uid: uid, claims: ["sub": .string(uid)])) }

func set(_ path: String, _ fields: Fields, transforms: [FieldTransform] = []) -> Write {
  Write(ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil), transforms: transforms)
}

extension GuardedStore {
  /// The fields of a document as somebody reads it; nil when there is none.
  func fields(_ path: String, as credentials: Credentials) throws(StoreError) -> Fields? {
    let name = DocumentName(database: testDatabase, path: ResourcePath(unchecked: path))
    return try get(name, as: credentials) { document, _ in document.map { Fields($0.fields) } }
  }

  /// The paths that a query finds.
  func paths(_ query: StructuredQuery, as credentials: Credentials) throws -> [String] {
    var paths: [String] = []
    _ = try run(QueryValidator.validate(query), as: credentials) { row in
      paths.append(String(decoding: row.path, as: UTF8.self))
      return .more
    }
    return paths
  }
}

/// The error of a denial; nil when the body succeeded.
func denial(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch let error as StoreError {
    guard case .permissionDenied(let message) = error else { return "not a denial: \(error.message)" }
    return message
  } catch {
    return "not a denial: \(error)"
  }
}
