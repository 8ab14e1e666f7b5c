import Rules
import Testing

@Suite("trees")
struct ParserTreeTests {
  @Test(
    "operators bind as the official compiler binds them",
    arguments: [
      ("a || b && c", "(|| a (&& b c))"), ("a && b || c && d", "(|| (&& a b) (&& c d))"),
      ("a in b == c", "(in a (== b c))"), ("a == b in c", "(in (== a b) c)"),
      ("a in b is list", "(in a (is b list))"),
      ("a == b is int", "(is (== a b) int)"), ("a is int == b", "(== (is a int) b)"),
      ("a is int in b", "(in (is a int) b)"),
      ("a in b in c", "(in (in a b) c)"), ("a < b == c < d", "(== (< a b) (< c d))"),
      ("a < b < c", "(< (< a b) c)"),
      ("a + b - c * d / e % f", "(- (+ a b) (% (/ (* c d) e) f))"), ("a - b - c", "(- (- a b) c)"),
      ("a && b in c", "(&& a (in b c))"), ("!a in b", "(in (! a) b)"), ("!a.b.c", "(! (. (. a b) c))"),
      ("-a.b", "(- (. a b))"), ("!-a", "(! (- a))"), ("!!a", "(! (! a))"), ("-a is int", "(is (- a) int)"),
      ("a ? b : c ? d : e", "(? a b (? c d e))"), ("a ? b ? c : d : e", "(? a (? b c d) e)"),
      ("a || b ? c : d || e", "(? (|| a b) c (|| d e))"), ("(a || b) && c", "(&& (paren (|| a b)) c)"),
    ] as [(String, String)])
  func precedence(source: String, tree: String) { #expect(Sample.tree(source) == tree) }

  @Test(
    "steps, calls and literals",
    arguments: [
      ("a.b[c].d(e, f).g", "(. (method d ([] (. a b) c) e f) g)"), ("f(a,)[0]", "([] (call f a) 0)"),
      ("math.abs(x)", "(method abs math x)"), ("a[1:2]", "([:] a 1 2)"), ("a[1:]", "([:] a 1 _)"),
      ("a[:1]", "([:] a _ 1)"),
      ("a[:]", "([:] a _ _)"), ("a[b ? c : d : e]", "([:] a (? b c d) e)"),
      ("a.if.in.match", "(. (. (. a if) in) match)"),
      ("{'a': 1, b: [2,],}", "(map 'a' 1 b (list 2))"), ("[]", "(list)"), ("{}", "(map)"),
      ("null == true", "(== null true)"),
      ("get(/a/$(b + '_' + c)).data", "(. (call get (path /a /$(+ (+ b '_') c))) data)"),
    ] as [(String, String)])
  func steps(source: String, tree: String) { #expect(Sample.tree(source) == tree) }

  @Test(
    "spans cover exactly the expression",
    arguments: [
      "a.b(c)[1:]", "(a && b)", "!a.b", "-9223372036854775808", "/a/$(b)/c", "a is string", "[a, {'b': c}]",
      "a ? b : c",
    ])
  func spans(source: String) {
    let parsed = RulesParser.parse(source: Sample.file(condition: "  \(source) "), name: "f")
    let condition = parsed.syntax.services[0].matches[0].matches[0].allows[0].condition
    #expect(condition.map { parsed.source.text(of: $0.span) } == source)
  }

  @Test("numbers of nodes are dense and children come before their parents")
  func numbers() {
    let source = Sample.file(
      declarations:
        "function f(a) { let b = a.c + 1; return b == 2; } match /x/{y} { allow read: if f(y) && y in ['a']; allow write; }"
    )
    let syntax = RulesParser.parse(source: source, name: "f").syntax
    var seen: Set<Int> = []
    func visit(_ node: ExpressionNode) {
      #expect(seen.insert(node.number).inserted)
      for child in node.children {
        #expect(child.number < node.number)
        visit(child)
      }
    }
    let root = syntax.services[0].matches[0]
    visit(root.functions[0].lets[0].value)
    visit(root.functions[0].result)
    if let condition = root.matches[0].allows[0].condition { visit(condition) }
    #expect(seen == Set(0..<syntax.expressionCount))
    #expect(syntax.functionCount == 1 && syntax.matchCount == 2 && syntax.allowCount == 2)
    #expect(root.matches[0].allows[1].condition == nil)
  }

  @Test("patterns keep their segments")
  func patterns() {
    let source =
      "service cloud.firestore { match /databases/(default)/documents/{a} / {b=*}/{c=**} { allow read; } }"
    let match = RulesParser.parse(source: source, name: "f").syntax.services[0].matches[0]
    #expect(
      match.pattern.map(\.kind) == [
        .literal("databases"), .literal("(default)"), .literal("documents"), .capture("a"), .capture("b"),
        .globCapture("c"),
      ])
  }

  @Test("methods are read without regard to case")
  func methods() {
    let source = Sample.file(declarations: "match /a/{b} { allow READ, Get, fetch; }")
    let allow = RulesParser.parse(source: source, name: "f").syntax.services[0].matches[0].matches[0].allows[
      0]
    #expect(allow.methods.map(\.method) == [.read, .get, nil])
  }

  @Test("an @id comment directly above names a rule")
  func ids() {
    let source = """
      rules_version = '2';
      service cloud.firestore {
        // @id top
        match /a/{b} {
          // @id owner-reads
          // only the owner
          allow read; // @id trailing
          allow write;

          // @id far

          allow list;
          /* @id block */
          allow get;
          // @identity x
          allow create;
        }
      }
      """
    let match = RulesParser.parse(source: source, name: "f").syntax.services[0].matches[0]
    #expect(match.id?.text == "top")
    #expect(match.allows.map { $0.id?.text } == ["owner-reads", nil, nil, nil, nil])
  }
}
