/// Conformance rows v269 to v317: requests, documents, functions, queries. Form: docs/spec/rules-language.md section 10.

import DocModel
import Rules

let conformanceRows5: [ConformanceRow] = [
  ConformanceRow("v269", "request.auth == null", .yes),
  ConformanceRow("v270", "request.auth != null && request.auth.uid == 'alice'", .no),
  ConformanceRow("v271", "request.auth.uid == 'alice'", .fault),
  ConformanceRow("v272", "request.auth.uid == 'alice'", .yes, isAlice: true),
  ConformanceRow("v273", "request.auth.token.email_verified", .yes, isAlice: true),
  ConformanceRow("v274", "request.auth.token.admin == true", .fault, isAlice: true),
  ConformanceRow("v275", "request.auth.token.get('admin', false) == false", .yes, isAlice: true),
  ConformanceRow("v276", "'role' in request.auth.token", .yes, isAlice: true),
  ConformanceRow("v277", "request.auth.token.firebase.sign_in_provider == 'password'", .yes, isAlice: true),
  ConformanceRow("v278", "request.method == 'get'", .yes),
  ConformanceRow("v279", "request.resource == null", .fault),
  ConformanceRow("v280", "request.query.limit == null", .fault),
  ConformanceRow("v281", "resource == null", .yes, isMissing: true),
  ConformanceRow("v282", "resource.data.n == 1", .fault, isMissing: true),
  ConformanceRow("v283", "resource.id == id && resource.__name__ == request.path", .yes),
  ConformanceRow("v284", "resource == null", .yes, method: .create),
  ConformanceRow(
    "v285", "request.resource.data.keys().hasOnly(['a', 'b'])", .yes, method: .create, new: ["a": .integer(1)]
  ),
  ConformanceRow("v286", "request.resource.id == 'x'", .yes, method: .create),
  ConformanceRow(
    "v287", "request.resource.data.diff(resource.data).affectedKeys().hasOnly(['b'])", .yes, method: .update,
    data: ["a": .integer(1), "b": .integer(1)], new: ["a": .integer(1), "b": .integer(2)]),
  ConformanceRow("v288", "request.resource == null", .yes, method: .delete),
  ConformanceRow("v289", "resource.data.get('opt', 'none') == 'none'", .yes),
  ConformanceRow(
    "v290", "resource.data.ref == /databases/(default)/documents/users/alice", .yes,
    data: ["ref": .reference("projects/demo/databases/(default)/documents/users/alice")]),
  ConformanceRow("v291", "resource.data.n == 1 && resource.data.n is float", .yes, data: ["n": .double(1.0)]),
  ConformanceRow("v292", "resource.data.z == null", .yes, data: ["z": .null]),
  ConformanceRow(
    "v293", "exists(/databases/$(database)/documents/users/alice)", .yes,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v294", "exists(/databases/$(database)/documents/users/nobody)", .no,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v295", "get(/databases/$(database)/documents/users/alice).data.role == 'admin'", .yes,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v296", "get(/databases/$(database)/documents/users/alice).id == 'alice'", .yes,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v297", "get(/databases/$(database)/documents/users/nobody) == null", .yes,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v298", "get(/databases/$(database)/documents/users/nobody).data.role == 'admin'", .fault,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v299", "get(/databases/$(database)/documents/users/nobody).data.role == 'admin' || true", .yes,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v300", "getAfter(/databases/$(database)/documents/users/alice).data.n == 1", .yes,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v301", "existsAfter(/databases/$(database)/documents/users/alice)", .yes,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow(
    "v302", "get('users/alice') == null", .fault,
    documents: ["users/alice": ["role": .string("admin"), "n": .integer(1)]]),
  ConformanceRow("v303", "ok()", .yes, functions: "function ok() { return true; }"),
  ConformanceRow("v304", "first(1, 1 / 0) == 1", .yes, functions: "function first(a, b) { return a; }"),
  ConformanceRow("v305", "lazy()", .yes, functions: "function lazy() { let bad = 1 / 0; return true; }"),
  ConformanceRow(
    "v306", "strict()", .fault, functions: "function strict() { let bad = 1 / 0; return bad == 0; }"),
  ConformanceRow("v307", "twice(4) == 8", .yes, functions: "function twice(n) { let d = n * 2; return d; }"),
  ConformanceRow("v308", "sameDoc()", .yes, functions: "function sameDoc() { return id == 'x'; }"),
  ConformanceRow("v309", "one(1, 2)", .fault, functions: "function one(a) { return a == 1; }"),
  ConformanceRow("v310", "request.query.limit <= 10", .yes, method: .list, limit: 10),
  ConformanceRow("v311", "request.query.limit <= 10", .no, method: .list, limit: 11),
  ConformanceRow("v312", "request.query.limit <= 10", .fault, method: .list),
  ConformanceRow("v313", "request.query.limit == null", .yes, method: .list),
  ConformanceRow("v314", "request.query.offset == 0", .yes, method: .list),
  ConformanceRow("v315", "request.query.orderBy is map", .yes, method: .list),
  ConformanceRow("v316", "request.query.orderBy == null", .no, method: .list),
  ConformanceRow("v317", "request.query.orderBy.n == 'ASC'", .yes, method: .list, orderBy: ["n"]),
]
