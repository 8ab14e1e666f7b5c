/// Operators evaluate all their operands, also after one has failed: what the others cost and which documents
/// they ask for counts.
///
/// Costs and counts are the official emulator's, version 1.19.9.

import DocModel
import Testing

@testable import Rules

/// An expression that fails or is false, and what it takes from the budget.
private let costs: [(String, Int)] = [
  ("{}.a == {}.b", 5),
  ("{}.a != {}.b", 5),
  ("{}.a < {}.b", 5),
  ("{}.a >= {}.b", 5),
  ("{}.a + {}.b == 1", 7),
  ("{}.a - {}.b == 1", 7),
  ("{}.a * {}.b == 1", 7),
  ("{}.a / {}.b == 1", 7),
  ("{}.a % {}.b == 1", 7),
  ("{}.a in {}.b", 5),
  ("{}.a in [{}.b]", 6),
  ("[{}.a] == [{}.b]", 7),
  ("{}.a[{}.b]", 5),
  ("{}.a[{}.b:{}.c]", 7),
  ("[1][{}.a:{}.b] == []", 9),
  ("1[{}.a:{}.b] == []", 8),
  ("1[{}.a]", 4),
  ("null[{}.a]", 4),
  ("[1][null:{}.a]==[]", 8),
  ("{'a':1}[{}.a:{}.b]==[]", 10),
  ("[{}.a,{}.b]==[]", 7),
  ("[{}.a,{}.b,{}.c]==[]", 9),
  ("[1,{}.a,{}.b,{}.c]==[]", 10),
  ("[{}.a,1]==[]", 6),
  ("[{}.a,1,{}.b]==[]", 8),
  ("[{}.a,[{}.b]]==[]", 8),
  ("{{}.a:{}.b}=={}", 7),
  ("{{}.a:{}.b,{}.c:{}.d}=={}", 11),
  ("{'a':{}.a,'b':{}.b}=={}", 9),
  ("{1:{}.a}=={}", 6),
  ("{'a':{}.a,1:{}.b}=={}", 9),
  ("{1:{}.a,'b':{}.b}=={}", 9),
  ("{1:1,{}.a:{}.b}=={}", 9),
  ("{{}.a:1,1:{}.b}=={}", 9),
  ("{1:1,null:2}=={}", 7),
  ("{'a':1,{}.a:2,{}.b:3}=={}", 11),
  ("{}.a.hasAny({}.b)", 5),
  ("[1].hasAny({}.a)", 5),
  ("(1).hasAny({}.a)", 4),
  ("null.hasAny({}.a)", 4),
  ("(1).foo({}.a)", 4),
  ("null.foo({}.a)", 4),
  ("{}.a.foo({}.b)", 5),
  ("'a'.replace({}.a,{}.b)==''", 8),
  ("{}.a.replace({}.b,{}.c)==''", 9),
  ("[1].join({}.a,{}.b)", 7),
  ("[1].join(1,{}.a)", 6),
  ("(1).join({}.a,{}.b)", 6),
  ("math.pow({}.a,{}.b)==1", 7),
  ("math.abs({}.a,{}.b)", 5),
  ("math.abs(1,{}.a)", 4),
  ("nofn({}.a,{}.b)", 5),
  ("nofn({}.a)", 3),
  ("math.nofn({}.a)", 3),
  ("nons.foo({}.a)", 4),
  ("nons.x == {}.a", 5),
  ("nons == {}.a", 4),
  ("{}.a == nons", 4),
  ("exists({}.a)", 3),
  ("exists({}.a,{}.b)", 5),
  ("get({}.a)==1", 5),
  ("exists(/databases/$({}.a)/documents/$({}.b)/$({}.c))", 10),
  ("exists(/databases/$({}.a)/documents/$(null)/x)", 8),
  ("exists(/databases/$(null)/documents/$({}.a)/x)", 8),
  ("string({}.a)", 3),
  ("int({}.a)==1", 5),
  ("/a/$({}.a)/$({}.b)==1", 8),
  ("/a/$(null)/$({}.b)==1", 7),
  ("/a/$([])/$({}.b)==1", 7),
  ("/a/$({}.a)/$([])==1", 7),
  ("/a/$([])/$(1)==1", 6),
  ("!{}.a", 3),
  ("!({}.a=={}.b)", 6),
  ("-{}.a=={}.b", 6),
  ("-({}.a+{}.b)==1", 8),
  ("{}.a is int", 4),
  ("({}.a == {}.b) is bool", 7),
  ("{}.a ? {}.b : {}.c", 4),
  ("({}.a + 1) ? {}.b : {}.c", 6),
  ("1 ? {}.a : {}.b", 3),
  ("{}.a.x == {}.b", 6),
  ("{}.a.x.y == {}.b", 7),
  ("[{}.a == {}.b]==[]", 8),
  ("{}.a == [{}.b,{}.c]", 8),
  ("[{}.a,{}.b]=={}.c", 8),
  ("{'a':1}.get({}.a,{}.b)==1", 10),
  ("{'a':1}.diff({}.a).affectedKeys().hasOnly({}.b)", 10),
  ("{}.a.diff({}.b).affectedKeys().hasOnly({}.c)", 9),
  ("(1).diff({}.a).affectedKeys().hasOnly({}.b)", 8),
  ("{}.diff(1).affectedKeys().hasOnly({}.b)", 7),
  ("{}.diff({}).foo().hasOnly({}.b)", 7),
  ("(1).keys().hasOnly({}.b)", 5),
  ("{}.a.keys().hasOnly({}.b)", 6),
  ("{}.a.keys().hasOnly([{}.b,{}.c])", 9),
  ("null.keys().hasOnly({}.a)", 5),
  ("{}.a.matches({}.b)", 5),
  ("'a'.matches({}.a)", 4),
  ("(1).matches({}.a)", 4),
  ("[1].toSet().hasAny({}.a)", 6),
  ("{}.a && {}.b", 6),
  ("{}.a || {}.b", 6),
  ("{}.a && {}.b && {}.c", 10),
  ("{}.a || {}.b || {}.c", 10),
  ("{}.a || ({}.b && {}.c)", 10),
  ("({}.a || {}.b) && {}.c", 10),
  ("[{}.a || {}.b]==[]", 9),
  ("{}.a || [{}.b,1]=={}.c", 11),
  ("{}.a || [1,{}.b]=={}.c", 11),
  ("{}.a || [{}.b]=={}.c", 10),
  ("{}.a || ({}.b == [{}.c,1])", 11),
  ("{}.a && [{}.b,1]=={}.c", 11),
  ("{}.a || {{}.b:1}=={}.c", 11),
  ("{}.a || {'a':{}.b,'c':1}=={}.c", 13),
  ("{}.a || {'a':{}.b,'c':1}=={}", 12),
  ("{}.a || [{}.b,1] == []", 10),
  ("{}.a || [[{}.b],1] == []", 11),
  ("{}.a || [[{}.b,1]] == []", 11),
  ("{}.a || [1].hasAny([{}.b,1])", 11),
  ("{}.a || 'x'.replace({}.b,'')==''", 11),
  ("{}.a || math.pow({}.b,1)==1", 10),
  ("{}.a || {}.b.foo([{}.c,1])", 11),
  ("{}.a || [1,2][{}.b]==1", 12),
  ("{}.a || [{}.b,1][0]==1", 12),
  ("[{}.b,1]==[] || {}.a", 10),
  ("[{}.b,1]==[] || [{}.a,1]==[]", 14),
  ("{}.a || ([{}.b,1]==[] || {}.c)", 14),
  ("{}.a || [{}.b,{}.c]==[]", 11),
  ("{}.a || [{}.b,{}.c,1]==[]", 12),
  ("([{}.a,1]==[]) || [{}.b,1]==[] || {}.c", 18),
  ("{1:1+1,2:2+2}=={}", 11),
  ("{1+1:{}.a}=={}", 8),
  ("null.foo(1+1)", 5),
  ("1[1+1]", 5),
  ("1[1+1:2+2]", 8),
  ("1 in (1+1)", 5),
  ("(1+1) in 1", 5),
  ("nons.foo(1+1)", 5),
  ("nofn(1+1)", 4),
  ("math.nofn(1+1)", 4),
  ("math.abs(1,1+1)", 5),
  ("exists(1+1)", 4),
  ("exists(1,2+2)", 5),
  ("get()", 1),
  ("exists(/a/$(1+1)/$({}.a)/$(2+2))", 11),
  ("'a'.matches('b')", 3),
  ("{}.a.matches('b')", 4),
  ("(1).matches('b')", 3),
  ("{}.a.keys().hasOnly(['a','b'])", 7),
  ("{}.a.diff(1+1).affectedKeys().hasOnly(['a','b'])", 11),
  ("{}.a ? 1+1 : 2+2", 4),
  ("false ? true : {}.a", 7),
  ("1 ? 2+2: 3+3", 3),
  ("-{}.a", 3),
  ("{}.a.x.y.z", 5),
  ("get(1).data.x == 1", 6),
  ("get({}.a).data.x == 1", 7),
  ("debug({}.a)", 3),
  ("duration.value({}.a,1+1)", 6),
  ("path({}.a)", 3),
  ("(/a/{x}).bind({}.a)", 5),
  ("(/a/{x}).x", 3),
  ("'a'[1]", 3),
  ("'a'[{}.a:1+1]", 7),
  ("'abc'[5:{}.a]", 5),
  ("({}.a && {}.b) && {}.c", 10),
  ("{}.a || ({}.b || {}.c)", 10),
  ("(1 == 2) && {}.a", 4),
  ("(1==1) && {}.a", 7),
  ("1 && {}.a", 5),
  ("{}.a && 1", 5),
  ("(/a/{x}/{y}/b).bind({}.a)", 6),
  ("/{x} == {}.a", 4),
  ("[1,2][:1] == {}.a", 9),
  ("[1,2][0:] == {}.a", 9),
  ("timestamp.date(1,{}.a,{}.b) == {}.c", 9),
]

/// Failing expressions, each with a document access, `GET`, beside the error, and whether it is made.
private let accesses: [(String, Bool)] = [
  ("{}.e == GET", true),
  ("2 == GET", true),
  ("{}.e < GET", true),
  ("{}.e + GET == 1", true),
  ("{}.e * GET == 1", true),
  ("{}.e in [ GET]", true),
  ("GET in {}.e", true),
  ("[{}.e, GET] == []", true),
  ("{'a': {}.e, 'b': GET} == {}", true),
  ("{{}.e: GET} == {}", true),
  ("{}.e.hasAny([GET])", true),
  ("[1].hasAny([{}.e, GET])", true),
  ("'a'.replace({}.e, string(GET)) == ''", true),
  ("math.pow({}.e, GET) == 1", true),
  ("{}.e[GET] == 1", true),
  ("[1][GET] == 1", true),
  ("{}.e[GET:2] == []", true),
  ("({}.e ? true : GET == 1)", false),
  ("({}.e ? GET == 1 : true)", false),
  ("({}.e && GET == 2)", true),
  ("({}.e || GET == 2)", true),
  ("(0 && GET == 2)", true),
  ("(0 || GET == 2)", true),
  ("exists(/databases/$(database)/documents/$({}.e)/$(string(GET)))", true),
  ("f({}.e, GET)", true),
  ("h(GET)", true),
  ("null.foo(GET)", true),
  ("(1).foo(GET)", true),
  ("nofn(GET)", true),
  ("get({}.e).x == GET", true),
  ("duration.value({}.e, string(GET)) == 1", true),
  ("hashing.md5({}.e) == GET", true),
  ("{}.e != GET", true),
  ("[1].join(GET) == 1", true),
  ("{}.get({}.e, GET) == 9", true),
  ("1 / 0 == GET", true),
  ("k()", true),
  ("(false && GET == 2)", false),
  ("{1: GET} == {}", true),
  ("(1)[GET] == 1", true),
  ("(1)[GET:2] == []", true),
  ("math.abs(1, GET) == 1", true),
  ("nons.foo(GET)", true),
  ("GET in 1", true),
  ("null[GET] == 1", true),
  ("{'a': {}.e}[string(GET)] == 1", true),
  ("({}.e == GET).x", true),
  ("!({}.e == GET)", true),
  ("[null.x, GET] == []", true),
  ("[1].hasAny([1], GET)", true),
  ("{'a': {}.e, string(GET): 1} == {}", true),
  ("-({}.e + GET) == 1", true),
  ("(/a/{x}).bind({}.e, GET) == 1", true),
  ("nothing == GET", true),
  ("({}.e.hasAny([GET, 1]))", true),
  ("({}.e.keys().hasOnly([GET]))", true),
  ("[1][{}.e:GET] == []", true),
  ("({}.e.diff({'a':GET}).affectedKeys().hasOnly(['a']))", true),
  ("({}.e.matches(string(GET)))", true),
  ("[][0] == GET", true),
]

@Suite("Evaluator: operands beside an error")
struct StrictOperandTests {
  @Test("cost what they cost", arguments: costs)
  func cost(expression: String, expected: Int) throws {
    let ruleset = try compiled(rules(expression))
    let documents = MemoryDocuments()
    let decision = ruleset.decide(Circumstances().request(documents), documents: documents)
    #expect(!decision.isAllowed)
    #expect(decision.expressions == expected)
  }

  @Test("ask for their documents", arguments: accesses)
  func access(expression: String, isMade: Bool) throws {
    let access = "get(/databases/$(database)/documents/u/me).data.a"
    let ruleset = try compiled(
      rules(
        expression.replacing("GET", with: access),
        functions:
          "function f(a, b) { return a == b; } function h(a) { return 1 == 2; } "
          + "function k() { let z = \(access); return {}.e == 1; }"))
    let documents = MemoryDocuments(["u/me": ["a": .integer(1)]])
    let decision = ruleset.decide(Circumstances().request(documents), documents: documents)
    #expect(!decision.isAllowed)
    #expect(decision.accesses == (isMade ? 1 : 0))
  }

  private func stored(_ more: [String: Fields]) -> [String: Fields] {
    var stored = more
    for number in 0..<10 { stored["u/c\(number)"] = [:] }
    return stored
  }

  /// Ten others, then the one in question.
  private func ruleset(_ last: String, _ method: RuleMethod) throws -> Ruleset {
    let others = (0..<10).map { "exists(PATH/u/c\($0))" }.joined(separator: " && ")
    return try compiled(
      rules(
        "\(others) && \(last)".replacing("PATH", with: "/databases/$(database)/documents"), method: method))
  }

  @Test(
    "the document that is written, and what the commit leaves of those it writes, are free",
    arguments: [
      ("exists(PATH/t/$(id))", true), ("get(PATH/t/$(id)) != 1", true), ("getAfter(PATH/t/$(id)) != 1", true),
      ("existsAfter(PATH/t/$(id))", true), ("existsAfter(PATH/t/other)", true),
      ("exists(PATH/t/other)", false),
      ("(existsAfter(PATH/t/other) && exists(PATH/t/other))", false),
      ("(existsAfter(PATH/t/$(id)) && exists(PATH/t/$(id)))", true),
      ("existsAfter(PATH/t/unwritten)", false), ("exists(PATH/t/unwritten)", false),
    ])
  func ownWrite(expression: String, isFree: Bool) throws {
    let documents = MemoryDocuments(stored(["t/x": [:], "t/other": [:], "t/unwritten": [:]]))
    documents.setAfter("t/x", ["a": .integer(1)])
    documents.setAfter("t/other", ["a": .integer(1)])
    let decision = try ruleset(expression, .update).decide(
      Circumstances(method: .update).request(documents), documents: documents)
    #expect(decision.isAllowed == isFree)
    #expect(decision.accesses == 10)
  }

  @Test("what a written document was counts once, whether it is asked for before or after what it will be")
  func storedStateOfWrites() throws {
    let documents = MemoryDocuments(stored(["t/x": [:], "t/other": [:]]))
    documents.setAfter("t/other", ["a": .integer(1)])
    let ruleset = try compiled(
      rules(
        """
        existsAfter(PATH/t/other) && exists(PATH/t/other) && existsAfter(PATH/t/other) && exists(PATH/t/other)
        """.replacing("PATH", with: "/databases/$(database)/documents"), method: .update))
    let decision = ruleset.decide(
      Circumstances(method: .update).request(documents), documents: documents)
    #expect(decision.isAllowed && decision.accesses == 1)
  }

  /// Cases 3969 and 3908 of the fuzzer: asked of the official emulator, where `get` of a missing document fails.
  @Test(
    "a commit deletes a missing document, and another write asks for it beside ten more",
    arguments: [(true, ""), (false, ""), (true, " && {}")])
  func missingBesideLimit(failsAtMissing: Bool, last: String) throws {
    let documents = MemoryDocuments(stored([:]))
    documents.failsAtMissing = failsAtMissing
    documents.setAfter("t/w", nil)
    documents.setAfter("t/y", [:])
    let others = (0..<10).map { "exists(PATH/u/c\($0))" }.joined(separator: " && ")
    let ruleset = try compiled(
      rules(
        "(getAfter(PATH/t/w) == get(PATH/t/w) || (\(others)))\(last)"
          .replacing("PATH", with: "/databases/$(database)/documents"), method: .create
      ).replacing("allow create", with: "allow write"))
    // The deletion is judged first; nothing of it counts.
    let delete = RuleRequest(method: .delete, path: ResourcePath(unchecked: "t/w"), auth: nil, time: testTime)
    #expect(ruleset.decide(delete, documents: documents).accesses == 0)
    let create = RuleRequest(
      method: .create, path: ResourcePath(unchecked: "t/y"), auth: nil, time: testTime,
      newResource: documents.hold([:]))
    let decision = ruleset.decide(create, documents: documents)
    #expect(decision.isAllowed != failsAtMissing)
    #expect(decision.accesses == (failsAtMissing ? 10 : 1))
    if failsAtMissing {
      let message = ruleset.explain(create, documents: documents).message
      #expect(message.contains("Service call error. Function: [get]"), "\(message)")
    }
  }

  @Test("the document that is read is free")
  func ownRead() throws {
    let documents = MemoryDocuments(stored(["t/x": [:]]))
    let decision = try ruleset("exists(PATH/t/$(id))", .get).decide(
      Circumstances().request(documents), documents: documents)
    #expect(decision.isAllowed && decision.accesses == 10)
  }
}
