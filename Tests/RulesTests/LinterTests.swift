import Rules
import Testing

@Suite("what the linter finds")
struct LinterTests {
  /// The finding stands at the mark, and nothing else is said.
  @Test(
    "one mistake, one finding",
    arguments: [
      ("rules-unknown-field", "allow read: if request.«data».x == 1;"),
      ("rules-unknown-field", "allow read: if request.auth.«email» == 'x';"),
      ("rules-unknown-field", "allow read: if request.auth.«id» == b;"),
      ("rules-unknown-field", "allow read: if resource.«owner» == b;"),
      ("rules-unknown-field", "allow list: if request.query.«status» == 1;"),
      ("rules-unknown-field", "allow create: if request.resource.«owner» == b;"),
      ("rules-unknown-field", "allow read: if get(/databases/$(database)/documents/x/y).«role» == b;"),
      ("rules-unknown-field", "function f(d) { return d.«owner» == b; } allow read: if f(resource);"),
      (
        "rules-unknown-field",
        "function f() { let d = get(/databases/$(database)/documents/x/y); return d.«owner» == b; } allow read: if f();"
      ),
      ("rules-length-member", "allow read: if resource.data.x.«length» == 1;"),
      ("rules-relative-path", "allow read: if exists(«/users/x»);"),
      (
        "rules-relative-path",
        "function p(id) { return «/users/$(id)»; } allow read: if get(p(b)).data.x == 1;"
      ),
      ("rules-placeholder-in-path", "allow read: if exists(/databases/$(database)/documents/rooms«/{b}»);"),
      ("rules-path-names-collection", "allow read: if exists(«/databases/$(database)/documents/rooms»);"),
      ("rules-request-resource-on-read", "allow get: if «request.resource».data.x == 1;"),
      ("rules-query-outside-list", "allow get: if «request.query».limit == 1;"),
      ("rules-null-access", "allow create: if «resource.data».x == 1;"),
      ("rules-null-access", "allow delete: if «request.resource.data».x == 1;"),
      ("rules-no-such-member", "allow read: if request.time.«year» == 2024;"),
      ("rules-no-such-member", "function f(t) { return t.«seconds» == 1; } allow read: if f(request.time);"),
      ("rules-no-such-method", "allow read: if request.time.«size»() == 1;"),
      ("rules-no-such-method", "allow create: if request.resource.data.«hasOnly»(['a']);"),
      ("rules-no-such-method", "function f(x) { return x.«keys»() == []; } allow read: if f('a');"),
      (
        "rules-no-such-method",
        "function f(l, m) { return l.«union»(m).size() == 1; } allow read: if f([b], [b]);"
      ),
      ("rules-wrong-type", "function f(x) { return b.matches(«x»); } allow read: if f(1);"),
      ("rules-wrong-type", "function f(x) { return 'a' in «x»; } allow read: if f(1);"),
      ("rules-wrong-type", "allow read: if request.auth != null && «request.auth.uid»;"),
      ("rules-no-operator", "allow read: if request.time «<» 5;"),
      ("rules-no-operator", "allow read: if b «<» 5;"),
      ("rules-not-comparable", "function f(x) { return x «==» 'a'; } allow read: if f(1);"),
      ("rules-request-method", "allow read, write: if request.method == «'read'»;"),
      ("rules-comparison-chain", "allow read: if 1 < resource.data.x «<» 5;"),
      ("rules-comparison-chain", "allow read: if b == resource.data.x «==» resource.data.y;"),
      ("rules-swapped-in", "allow read: if «['a', 'b'] in resource.data.role»;"),
      ("rules-swapped-in", "function f(l, s) { return «l in s»; } allow read: if f([b], b);"),
      ("rules-never-of-type", "allow read: if request.time is «int» || b == 'x';"),
      ("rules-never-grants", "allow read: if «b == 'x' && false»;"),
      ("rules-never-grants", "allow create, delete: if «request.method != 'delete'»;"),
      (
        "rules-never-grants",
        "function new() { return request.resource.data; } allow create, delete: if «new().x == 1»;"
      ),
      (
        "rules-never-grants-method", "allow write: if «request.method == 'create' && b == 'x'»;"
      ),
      ("rules-never-grants-method", "allow write: if «request.resource.data.x is string»;"),
      ("rules-always-true", "allow read: if «b == 'x' || true»;"),
      ("rules-always-true", "function f() { return true; } allow read: if «f()»;"),
      ("rules-open-change", "«allow» write;"), ("rules-open-change", "«allow» delete: if true;"),
      ("rules-open-write", "«allow» create: if true;"),
      ("rules-owner-handover", "allow update: if «resource.data.owner == request.auth.uid»;"),
      (
        "rules-owner-handover",
        "function own() { return request.auth.uid == resource.data.by.id; } allow update: if «own() || b == 'x'»;"
      ),
      (
        "rules-owner-handover",
        "allow update: if «resource.data.owner == request.auth.uid && request.resource.data.text is string»;"
      ),
      (
        "rules-owner-handover",
        "allow update: if «resource.data.owner == request.auth.uid && request.resource.data.owner is string»;"
      ),
      (
        "rules-owner-handover",
        "function ok(d) { return d.keys().hasAll(['owner', 'text']) && 'owner' in d && d.owner is string && d.text.size() < 9; } "
          + "allow update: if «resource.data.owner == request.auth.uid && ok(request.resource.data)»;"
      ),
      ("rules-open-until", "allow read: if «request.time < timestamp.date(2024, 1, 5)»;"),
      ("rules-contradiction", "allow read: if b == 'x' && «b == 'y'»;"),
      ("rules-tautology", "allow read: if b != 'x' || «b != 'y'»;"),
      ("rules-same-operands", "allow read: if resource.data.a «==» resource.data.a;"),
      ("rules-overruled", "allow read: if b == 'x'; «allow» get: if b == 'x' && resource.data.y == 1;"),
      ("rules-overruled", "allow read: if b == 'x'; «allow» get: if b == 'x';"),
      ("rules-match-names-collection", "match /sub { allow «read»: if b == 'x'; }"),
    ] as [(String, String)])
  func finding(id: String, code: String) throws {
    let marked = try #require(MarkedSource("match /a/{b} { \(code) }"))
    let diagnostics = Sample.check(Sample.file(declarations: marked.text), remarks: true).diagnostics
    let offset = Sample.head.utf8.count
    #expect(diagnostics.map(\.id) == [id], "\(diagnostics.map(\.message))")
    #expect(
      diagnostics.first?.span == Span(start: Int32(marked.start + offset), end: Int32(marked.end + offset)))
    #expect(diagnostics.first?.officialText == nil && diagnostics.first?.severity != .error)
  }

  @Test(
    "rules that do what they say are left alone",
    arguments: [
      "function f(x) { return x.size() > 1; } allow read: if f(b);",
      "allow read: if request.auth.uid == b && resource.data.x == 1;",
      "allow list: if request.query.limit <= 10 && request.time > timestamp.date(2020, 1, 1);",
      "allow read: if get(/databases/$(database)/documents/x/$(b)).data.y == 1;",
      "allow read: if 1 == 1.0 && b == 'x';",
      "function ok(d) { return d.owner == request.auth.uid; } "
        + "allow update: if resource.data.owner == request.auth.uid && ok(request.resource.data);",
      "allow update: if resource.data.owner == request.auth.uid "
        + "&& request.resource.data.diff(resource.data).affectedKeys().hasOnly(['text']);",
      "function p(id) { return /databases/$(database)/documents/a/$(id); } allow read: if exists(p(b));",
      "match /c/{b} { allow read: if b == 'x'; }", "allow read: if resource.data.length == 1;",
      "function f(request) { return request.foo; } allow read: if f({'foo': true});",
      "allow write: if resource == null || resource.data.owner == b;",
      "allow write: if request.method == 'delete' ? resource.data.o == b : request.resource.data.o == b;",
      "allow create, update: if request.resource.data.keys().hasOnly(['a']);",
      "function own(r) { return r.data.owner == b; } allow update: if own(resource) && own(request.resource);",
      "allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['a']);",
      "allow update: if resource.data.owner == request.auth.uid && request.resource.data.owner == resource.data.owner;",
      "allow update: if resource.data.owner == request.auth.uid && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['a']);",
      "function kept(d) { return d.owner == request.auth.uid; } allow update: if kept(resource.data) && kept(request.resource.data);",
      "allow delete: if resource.data.owner == request.auth.uid;",
      "allow read: if b == 'x' == true;", "allow read, write: if false;",
      "allow read: if b == 'x' || b == 'y';", "allow read: if b != 'x' && b != 'y';",
      "allow read: if request.time < resource.data.until;",
      "allow read: if request.auth != null && 'a' in request.auth.token.get('groups', []);",
      "allow update: if request.resource.data.n == resource.data.n + 1;",
      "allow update: if request.time < resource.data.at + duration.value(1, 'd');",
      "allow get: if resource == null || resource.data.x == 1;",
      "function f() { return request.method in ['create', 'update'] && request.resource.data.x == 1 || b == 'x'; } allow read: if f();",
      "function f() { return request.method == 'create' ? request.resource.data.x == 1 : b == 'x'; } allow get: if f();",
      "match /sub { allow read: if false; }",
      "match /c/{p=**} { allow read: if exists(/databases/$(database)/documents/c/d/$(p)); }",
      "match /{p=**} { function f(q) { return exists(/databases/$(database)/documents/$(q)); } allow read: if f(p); }",
      "function f(q) { let p = path(q); return exists(/databases/$(database)/documents/$(p)); } allow read: if f(b);",
      "allow read: if timestamp.value('2024-01-01T00:00:00Z') < resource.data.until;",
      "allow read: if request.auth != null && timestamp.value(resource.data.at) < request.time;",
      "allow read; match /posts/{p} { allow read: if p == 'x'; }",
      "allow read: if request['auth']['uid'] == b;",
      "allow read: if request.auth.uid == b; match /c/{d} { allow read: if request.auth.uid == b && d == 'x'; }",
      "function same() { return request.auth.uid == b; } allow get: if same(); match /c/{b} { allow get: if same() && b == 'y'; }",
    ])
  func silent(code: String) {
    let diagnostics = Sample.check(
      Sample.file(declarations: "match /a/{b} { \(code) }"), remarks: true
    ).diagnostics
    #expect(diagnostics.isEmpty, "\(diagnostics.map(\.message))")
  }

  @Test("a wide statement above makes stricter ones pointless, and is shown")
  func overruled() throws {
    let source = Sample.file(
      declarations: """
        function signedIn() { return request.auth != null; }
        match /{document=**} { allow read, write: if signedIn(); }
        match /users/{uid} {
          allow read: if signedIn();
          allow create, update: if request.auth.uid == uid;
          allow delete: if false;
        }
        match /other/{id} { allow read: if id == 'x'; }
        """)
    let found = Sample.check(source, remarks: true)
    let overruled = found.diagnostics.filter { $0.id == "rules-overruled" }
    #expect(found.diagnostics.count == 4 && found.diagnostics[0].id == "rules-signed-in-database")
    #expect(overruled.map { found.source.position(of: $0.span?.start ?? 0).line } == [5, 6, 7])
    #expect(
      overruled.map(\.message) == [
        "this `allow` changes nothing: another one grants these documents already",
        "this `allow` changes nothing: another one grants these documents already",
        "this `allow` refuses nothing: another one grants these documents already",
      ])
  }

  @Test("an open database, and blocks where no document is")
  func frames() {
    let ids = { (code: String) in
      Sample.check("rules_version = '2';\nservice cloud.firestore { \(code) }", remarks: true).diagnostics
        .map(\.id)
    }
    #expect(
      ids("match /databases/{database}/documents { match /{document=**} { allow read, write: if true; } }")
        == ["rules-open-database"])
    let signedIn = "request.auth != null"
    for (condition, isFound) in [
      (signedIn, true), ("request.auth.uid != null", true), ("(\(signedIn)) && \(signedIn)", true),
      ("\(signedIn) && request.auth.token.admin == true", false),
      ("\(signedIn) || request.time == null", false),
    ] {
      let found = ids(
        "match /databases/{database}/documents { match /{document=**} { allow read, write: if \(condition); } }"
      )
      #expect(found.contains("rules-signed-in-database") == isFound, "\(condition): \(found)")
    }
    #expect(ids("match /users/{uid} { allow read; }") == ["rules-outside-documents"])
    #expect(ids("match /databases/{database}/documents { allow read; }") == ["rules-match-names-collection"])
    #expect(ids("match /databases/{database} { match /documents/{d=**} { allow read; } }").isEmpty)
    #expect(ids("match /{all=**} { allow read; }").isEmpty)
  }

  @Test("the linter knows that Storage's request is another")
  func storage() {
    let source =
      "rules_version = '2'; service firebase.storage { match /b/{bucket}/o { match /{f=**} { allow write: if request.resource.size < 5 && resource.contentType.matches('image/.*'); } } }"
    #expect(Sample.check(source, remarks: true).diagnostics.isEmpty)
  }

  @Test("a ruleset that calls through twenty functions, each twice, is linted in bounded time")
  func bounded() {
    var code = ""
    for number in 0..<20 {
      code += "function f\(number)(x) { return f\(number + 1)(x) || f\(number + 1)(x); } "
    }
    code += "function f20(x) { return x == 1; } match /a/{b} { allow read: if f0(b); }"
    let clock = ContinuousClock()
    let time = clock.measure { _ = Sample.check(Sample.file(declarations: code), remarks: true) }
    #expect(time < .seconds(30))
  }
}
