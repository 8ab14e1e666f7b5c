/// Lists worked by hand: what logic says, what the service says.

import DocModel
import Rules
import Testing

/// One row.
struct StrictRow: Sendable, CustomTestStringConvertible {
  let number: Int
  /// A condition, or whole `match` blocks.
  let rules: String
  let query: String
  let strict: Bool
  /// Nil where the recorders of the service disagree.
  let mirror: Bool?
  let pattern: String
  let auth: AuthFacts?
  let documents: [String: Fields]
  let functions: String

  init(
    _ number: Int, _ rules: String, _ query: String, _ strict: Bool, _ mirror: Bool?,
    pattern: String = "/posts/{id}", auth: AuthFacts? = me, documents: [String: Fields] = [:],
    functions: String = ""
  ) {
    self.number = number
    self.rules = rules
    self.query = query
    self.strict = strict
    self.mirror = mirror
    self.pattern = pattern
    self.auth = auth
    self.documents = documents
    self.functions = functions
  }

  var testDescription: String { "\(number): \(rules) → \(query)" }

  var source: String {
    // `rd`, `uid` and `…` as the tables write them.
    let body =
      rules.hasPrefix("match ") ? rules : "match \(pattern) { \(functions) allow list: if \(rules); }"
    let text = body.replacing("req.", with: "request.").replacing(
      /\brd\b/.wordBoundaryKind(.simple), with: "resource.data"
    )
    .replacing("$doc", with: "/databases/$(database)/documents").replacing("UID", with: "request.auth.uid")
    return """
      rules_version = '2';
      service cloud.firestore { match /databases/{database}/documents { \(text) } }
      """
  }
}

let me = AuthFacts(uid: "me", claims: Fields([("sub", .string("me"))]))

private func claims(_ claims: Fields) -> AuthFacts { AuthFacts(uid: "me", claims: claims) }

private let tenants = claims(["tenants": .array([.string("t1"), .string("t2")])])
private let orgs = claims(["orgs": .map(["o1": .string("admin"), "o2": .string("user")])])
private let teams: [String: Fields] = [
  "teams/t1": ["open": .boolean(true)], "teams/t2": ["open": .boolean(false)],
]

/// 2026-01-10 12:00 UTC.
let strictTime = Timestamp(seconds: 1_768_046_400, nanoseconds: 0)

/// Source: docs/spec/list-query-authorization.md section 5.
let strictRows: [StrictRow] = [
  StrictRow(1, "true", "posts", true, true),
  StrictRow(2, "req.auth != null", "posts", true, true),
  StrictRow(3, "req.auth != null", "posts", false, false, auth: nil),
  StrictRow(
    4, "req.auth.token.role == 'staff'", "posts", true, true, auth: claims(["role": .string("staff")])),
  StrictRow(5, "req.auth.token.role == 'staff'", "posts", false, false),
  StrictRow(6, "rd.author == UID", "posts", false, false),
  StrictRow(7, "rd.author == UID", "posts where author == 'me'", true, true),
  StrictRow(8, "rd.author == UID", "posts where author == 'you'", false, false),
  StrictRow(9, "rd.author == UID", "posts where author in ['me']", true, true),
  StrictRow(10, "rd.author == UID", "posts where author in ['me', 'you']", false, false),
  StrictRow(11, "rd.author == UID", "posts where author == 'me', n > 3", true, true),
  StrictRow(12, "rd.author == UID", "posts order author asc", false, false),
  StrictRow(13, "rd.published == true || rd.author == UID", "posts where published == true", true, true),
  StrictRow(
    14, "rd.published == true || rd.author == UID", "posts where or(published == true, author == 'me')", true,
    true),
  StrictRow(
    15, "rd.published == true || rd.author == UID", "posts where or(published == true, n == 1)", false, false),
  StrictRow(
    16, "rd.published == true && rd.lang in ['en', 'de']", "posts where published == true, lang in ['en']",
    true, true),
  StrictRow(17, "rd.x > 5", "posts where x > 5", true, true),
  StrictRow(18, "rd.x > 5", "posts where x >= 5", false, false),
  StrictRow(19, "rd.x < 10", "posts where x < 5", true, true),
  StrictRow(20, "rd.x > 5", "posts where x in [6, 42]", true, true),
  StrictRow(21, "rd.x > 5", "posts where x in [1, 6]", false, false),
  StrictRow(22, "rd.x >= 1 && rd.x <= 10", "posts where x >= 2, x <= 8", true, true),
  StrictRow(23, "rd.x == 5", "posts where x >= 5, x <= 5", true, false),
  StrictRow(24, "rd.x > 5", "posts where x >= 5.5", true, false),
  StrictRow(25, "rd.x != 3", "posts where x > 3", true, true),
  StrictRow(26, "rd.x is number", "posts where x > 0", true, false),
  StrictRow(27, "rd.x < 5 || rd.x >= 5", "posts where x > 0", true, false),
  StrictRow(28, "rd.x < 5 || rd.x >= 5", "posts order x asc", false, false),
  StrictRow(29, "rd.createdAt < req.time", "posts where createdAt < @2026-01-09T00:00:00Z", true, true),
  StrictRow(30, "rd.expiresAt > req.time", "posts where expiresAt > @2026-01-09T00:00:00Z", false, false),
  StrictRow(31, "UID in rd.members", "posts where members array-contains 'me'", true, true),
  StrictRow(32, "UID in rd.members", "posts where members array-contains-any ['me', 'you']", false, false),
  StrictRow(33, "rd.members.hasAny([UID, 'all'])", "posts where members array-contains 'me'", true, nil),
  StrictRow(34, "rd.members.hasAll(['me', 'you'])", "posts where members array-contains 'me'", false, false),
  StrictRow(35, "rd.role in ['a', 'b']", "posts where role in ['a', 'b']", true, true),
  StrictRow(
    36, "rd.tenant in req.auth.token.tenants", "posts where tenant == 't1'", true, true, auth: tenants),
  StrictRow(
    37, "rd.tenant in req.auth.token.tenants", "posts where tenant in ['t1', 't3']", false, false,
    auth: tenants),
  StrictRow(
    38, "req.auth.token.orgs[rd.org] == 'admin'", "posts where org == 'o1'", true, true, auth: orgs),
  StrictRow(39, "rd.status != 'deleted'", "posts where status not-in ['deleted', 'draft']", true, true),
  StrictRow(40, "rd.published == true", "posts where published != false", false, false),
  StrictRow(41, "!(rd.hidden == true)", "posts where hidden != true", true, false),
  StrictRow(42, "!(rd.hidden == true)", "posts where hidden == false", true, true),
  StrictRow(43, "rd.deletedAt == null", "posts where deletedAt == null", true, true),
  StrictRow(44, "rd.deletedAt == null", "posts", false, false),
  StrictRow(45, "!('secret' in rd)", "posts", false, true),
  StrictRow(46, "!rd.keys().hasAny(['secret'])", "posts", false, true),
  StrictRow(47, "rd.keys().hasAll(['a', 'b'])", "posts where a == 1, b > 2", true, true),
  StrictRow(48, "rd.keys().hasAll(['rank'])", "posts order rank desc", true, false),
  StrictRow(49, "rd.get('vis', 'private') == 'public'", "posts where vis == 'public'", true, true),
  StrictRow(50, "rd.get('private', false) == false", "posts", false, nil),
  StrictRow(51, "rd.size() < 5", "posts where a == 1", false, true),
  StrictRow(52, "resource != null", "posts", true, true),
  StrictRow(53, "uid == UID", "users/me/notes", true, true, pattern: "/users/{uid}/notes/{n}"),
  StrictRow(54, "uid == UID", "users/you/notes", false, false, pattern: "/users/{uid}/notes/{n}"),
  StrictRow(55, "uid == UID", "users", false, false, pattern: "/users/{uid}"),
  StrictRow(
    56, "uid == UID", "users where __name__ == 'me'", true, true, pattern: "/users/{uid}",
    documents: ["users/me": ["a": .integer(1)]]),
  StrictRow(
    57, "uid == UID", "users where __name__ in ['me', 'you']", false, false, pattern: "/users/{uid}",
    documents: ["users/me": [:], "users/you": [:]]),
  StrictRow(58, "id >= 'm'", "posts where __name__ >= 'n'", true, false),
  StrictRow(59, "true", "settings", false, false, pattern: "/settings/public"),
  StrictRow(
    60, "match /c/{id} { allow list: if id != 'a'; } match /c/a { allow list: if true; }", "c", true, false),
  StrictRow(61, "true", "group posts", true, true, pattern: "/{path=**}/posts/{p}"),
  StrictRow(62, "true", "group posts", false, false, pattern: "/forums/{f}/posts/{p}"),
  StrictRow(
    63, "rd.author == UID", "group posts where author == 'me'", true, true, pattern: "/{path=**}/posts/{p}"),
  StrictRow(64, "path[0] == 'users'", "group posts", false, false, pattern: "/{path=**}/posts/{p}"),
  StrictRow(
    65, "UID in get($doc/rooms/$(room)).data.members", "rooms/r1/msgs", true, true,
    pattern: "/rooms/{room}/msgs/{m}", documents: ["rooms/r1": ["members": .array([.string("me")])]]),
  StrictRow(
    66, "get($doc/teams/$(rd.team)).data.open == true", "posts where team == 't1'", true, true,
    documents: teams),
  StrictRow(
    67, "get($doc/teams/$(rd.team)).data.open == true", "posts where team in ['t1', 't2']", false, false,
    documents: teams),
  StrictRow(68, "exists($doc/teams/$(rd.team))", "posts", false, false),
  StrictRow(
    69, "exists($doc/members/$(rd.team + '_' + UID))", "posts where team == 't1'", true, true,
    documents: ["members/t1_me": [:]]),
  StrictRow(
    70, "req.query.limit <= 10 && rd.published == true", "posts where published == true limit 10", true, true),
  StrictRow(71, "req.query.limit <= 10", "posts", false, false),
  StrictRow(72, "req.query.limit == null", "posts", true, true),
  StrictRow(73, "req.query.offset == 0", "posts limit 3", true, true),
  StrictRow(74, "req.query.orderBy.createdAt == 'DESC'", "posts order createdAt desc", true, true),
  StrictRow(75, "rd.kind == 'open' ? true : rd.author == UID", "posts where kind == 'open'", true, true),
  StrictRow(
    76, "rd.kind == 'open' ? true : rd.author == UID", "posts where kind != 'open', author == 'me'", true,
    false),
  StrictRow(
    77, "canSee(rd)", "posts where author == 'me'", true, true,
    functions: "function canSee(d) { let u = UID; return d.author == u || d.author == 'system'; }"),
  StrictRow(78, "match /posts/{id} { allow get: if true; }", "posts", false, false),
  StrictRow(
    79, "match /posts/{id} { allow list: if rd.a == 1; } match /posts/{x} { allow read: if rd.b == 2; }",
    "posts where or(a == 1, b == 2)", true, true),
  StrictRow(80, "rd.a == rd.b", "posts where a == 'k', b == 'k'", true, true),
  StrictRow(81, "rd.a == rd.b", "posts where a == 'k'", false, false),
  StrictRow(82, "rd.meta.public == true", "posts where meta.public == true", true, true),
  StrictRow(83, "rd.roles[UID] == 'owner'", "posts where roles.me == 'owner'", true, true),
  StrictRow(84, "UID in rd.roles", "posts order roles.me asc", true, false),
  StrictRow(85, "rd.x == 3", "posts where x == 1, x == 2", true, false),
]
