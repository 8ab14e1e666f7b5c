/// The recording plan gives what the plain plan gives; what it writes down is what tests ask for.

import DocModel
import Testing

@testable import Rules

private let rules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{db}/documents {
    function signedIn() { return request.auth != null; }
    function level(uid) { let user = get(/databases/$(db)/documents/users/$(uid)).data; return user.level; }
    match /users/{uid} {
      // @id users.get
      allow get: if signedIn() && (request.auth.uid == uid || resource.data.open == true
        || level(request.auth.uid) > 3);
      // @id users.list
      allow list: if signedIn() && resource.data.open == true;
      // @id users.create
      allow create: if true;
      allow delete: if false;
      allow update;
    }
  }}
  """

final class HeldDocuments: DocumentAccess {
  private let known: [String: UnsafeMutableRawBufferPointer]

  init(_ documents: [String: Fields]) {
    known = documents.mapValues { fields in
      let bytes = fields.encoded
      let held = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
      held.copyBytes(from: bytes)
      return UnsafeMutableRawBufferPointer(rebasing: held[0..<bytes.count])
    }
    super.init()
  }

  deinit { for held in known.values where !held.isEmpty { held.deallocate() } }

  func view(_ path: String) -> FieldsView? {
    known[path].map { FieldsView(document: UnsafeRawBufferPointer($0)) }
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    view(String(decoding: path, as: UTF8.self))
  }
}

let somebody = AuthFacts(uid: "ann", claims: ["sub": .string("ann")])

func compiledRules(_ text: String) throws -> Ruleset {
  try #require(Ruleset.compile(source: text, name: "test.rules").ruleset)
}

func getRequest(_ path: String, _ documents: HeldDocuments, as auth: AuthFacts? = somebody) -> RuleRequest {
  RuleRequest(
    method: .get, path: ResourcePath(unchecked: path), auth: auth,
    time: Timestamp(seconds: 5, nanoseconds: 0),
    resource: documents.view(path))
}

@Suite("Recorded coverage")
struct RecordingTests {
  private func collected(
    _ asks: [(path: String, auth: AuthFacts?)]
  ) throws -> CoverageReport {
    let ruleset = try compiledRules(rules)
    let documents = HeldDocuments([
      "users/ann": ["level": .integer(4), "open": .boolean(false)],
      "users/bob": ["level": .integer(1), "open": .boolean(true)],
      "users/eve": ["level": .integer(1), "open": .boolean(false)],
    ])
    let coverage = RuleCoverage(ruleset)
    for ask in asks {
      documents.beginRequest()
      let request = getRequest(ask.path, documents, as: ask.auth)
      let decision = ruleset.decide(request, documents: documents)
      coverage.record(request, documents: documents)
      #expect(documents.distinctAccesses == decision.accesses, "recording reads nothing new")
    }
    return coverage.report()
  }

  @Test("an `allow` counts grants, refusals and faults")
  func allows() throws {
    let report = try collected([
      (path: "users/ann", auth: somebody), (path: "users/eve", auth: somebody),
      (path: "users/eve", auth: nil), (path: "users/nobody", auth: AuthFacts(uid: "x", claims: Fields())),
    ])
    let get = try #require(report.allows.first { $0.id == "users.get" })
    #expect(get.granted == 2)
    #expect(get.refused == 1)
    #expect(get.failed == 1)
    #expect(report.operations == 4)
    #expect(report.functions.first { $0.name == "signedIn" }?.calls == 4)
  }

  @Test("a unit is covered when it was seen both ways")
  func units() throws {
    let none = try collected([])
    #expect(none.share.covered == 0)
    let some = try collected([(path: "users/ann", auth: somebody), (path: "users/eve", auth: nil)])
    let signedIn = try #require(some.units.first { $0.text == "signedIn()" })
    #expect(signedIn.isCovered)
    let open = try #require(some.units.first { $0.text == "resource.data.open == true" })
    #expect(open.evaluations == 0)
    #expect(some.share.covered > 0)
    #expect(some.share.covered < some.share.total)
  }

  @Test("an `allow` that is constant has one answer")
  func constants() throws {
    let report = try collected([])
    let granted = try #require(report.units.first { $0.owner == "users.create" })
    #expect(granted.wantsTrue)
    #expect(!granted.wantsFalse)
    let refused = try #require(report.units.first { $0.text == "false" })
    #expect(!refused.wantsTrue)
    let bare = try #require(report.units.first { $0.text.hasPrefix("allow update") })
    #expect(!bare.wantsFalse)
  }

  @Test("a scope takes the rules of a block and the functions that they call")
  func scopes() throws {
    let report = try collected([])
    let scoped = try report.share(scope: ["users"]).get()
    #expect(scoped == report.share)
    #expect(throws: UnknownScope.self) { try report.share(scope: ["userz"]).get() }
  }

  @Test("values beyond the limit are counted and said to be left out")
  func limits() throws {
    let people = (0..<40).map { AuthFacts(uid: "u\($0)", claims: Fields()) }
    let report = try collected(people.map { (path: "users/bob", auth: Optional($0)) })
    #expect(report.isCut)
    let json = String(decoding: OfficialCoverage.json(report), as: UTF8.self)
    #expect(json.contains("\"valuesOmitted\":"))
    #expect(json.contains("\"truncated\":true"))
    func most(_ entries: [CoverageEntry]) -> Int {
      entries.map { max($0.values.count, most($0.children)) }.max() ?? 0
    }
    #expect(most(report.entries) == RuleCoverage.valuesMax)
  }

  @Test("a value that is too large is cut, and says so")
  func largeValues() throws {
    let ruleset = try compiledRules(
      """
      rules_version = '2';
      service cloud.firestore { match /databases/{db}/documents { match /t/{id} {
        allow get: if resource.data.list.size() > 3 && resource.data.text.size() > 3;
      }}}
      """)
    let list = Value.array((0..<5_000).map { .integer($0) })
    let documents = HeldDocuments([
      "t/a": ["list": list, "text": .string(String(repeating: "é", count: 4_000))]
    ])
    let coverage = RuleCoverage(ruleset)
    let request = getRequest("t/a", documents)
    #expect(ruleset.decide(request, documents: documents).isAllowed)
    coverage.record(request, documents: documents)
    let report = coverage.report()
    #expect(report.isCut)
    let json = OfficialCoverage.json(report)
    #expect(json.count < 100_000)
    #expect(String(decoding: json, as: UTF8.self).contains("… (8000 bytes)"))
  }
}
