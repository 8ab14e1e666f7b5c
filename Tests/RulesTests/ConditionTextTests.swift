import Rules
import Testing

@Suite("the text of conditions")
struct ConditionTextTests {
  @Test(
    "compound is what `&&`, `||` or `?:` joins outermost",
    arguments: [
      ("a", false), ("a && b", true), ("a || b", true), ("a ? b : c", true), ("a == b", false),
      ("f(a && b)", false), ("x in [a || b]", false), ("m['a && b']", false), ("'?' == a", false),
      ("a == '\\'' && b", true), ("a == \"'\" || b", true), ("a & b", false),
      // Parentheses around all of it do not count, others do.
      ("(a && b)", true), ("( (a\n|| b) )", true), ("(a == b)", false), ("(a) && (b)", true),
      ("(a == b) == (c && d)", false), ("(a && b).c == (d)", false), ("(a == ')' && b)", true),
      ("(f(a && b))", false), ("()", false), ("", false),
    ])
  func compound(_ text: String, _ isCompound: Bool) {
    #expect(ConditionText.isCompound(text) == isCompound)
  }
}
