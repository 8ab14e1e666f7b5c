import DocModel
import Testing

@testable import Rules

/// Values that would take all memory. What grows and when it is too large was asked of the official emulator.
@Suite("the size of computed values")
struct ValueSizeTests {
  /// `grow(x)`: ten steps, each of which makes the value `@` larger.
  private static func growing(_ step: String) -> String {
    let lets = (0..<10).map { number -> String in
      let value = step.split(separator: "@", omittingEmptySubsequences: false).joined(separator: "x\(number)")
      return "let x\(number + 1) = \(value); "
    }.joined()
    return "function grow(x0) { \(lets)return x10; }"
  }

  private func outcome(_ condition: String, _ functions: String) -> String {
    var circumstances = Circumstances()
    circumstances.functions = functions
    return circumstances.outcome(condition)
  }

  @Test(
    "a value over 2 MiB ends the evaluation",
    arguments: [
      ("grow(grow('xx')).size() > 0", "@ + @"), ("grow(grow(grow('x'))).size() > 0", "@ + @"),
      ("grow(grow('xx')).size() > 0 || true", "@ + @"), ("grow(grow('éé')).size() > 0", "@ + @"),
      ("grow(grow(['a'])).size() > 0", "@.concat(@)"), ("grow(grow(['a'])) == grow(grow(['a']))", "[@, @]"),
      ("grow(grow({'a': 1})) == grow(grow({'a': 1}))", "{'l': @, 'r': @}"),
      ("grow(grow(/a/b)) == grow(grow(/a/b))", "/c/$(@)/$(@)"),
      ("grow('xy').size() > 0", "@.replace('.', @)"),
      ("grow('xy').size() > 0", "@.split('').join(@)"),
      ("grow(grow(grow('x'))).size() > 0", "@.toUtf8().toHexString()"),
      ("grow(grow(grow(grow(grow(grow('x')))))).size() > 0", "@.toUtf8().toBase64()"),
    ])
  func tooLarge(condition: String, step: String) {
    #expect(outcome(condition, Self.growing(step)) == FaultText.memory)
  }

  @Test("a replacement that opens groups without end is read once")
  func openGroups() {
    var circumstances = Circumstances()
    circumstances.data = ["s": .string(String(repeating: "${", count: 250_000))]
    #expect(circumstances.outcome("'a'.replace('a', resource.data.s) == ''") == FaultText.replacement)
    #expect(circumstances.outcome("'a'.replace('b', resource.data.s) == 'a'") == "true")
  }

  @Test(
    "a value of half of that is a value",
    arguments: [
      ("grow(grow('x')).size() == 1048576", "@ + @"), ("grow('é').size() == 1024", "@ + @"),
      ("grow(grow('x'))[0] == 'x'", "@ + @"),
    ])
  func largeEnough(condition: String, step: String) {
    #expect(outcome(condition, Self.growing(step)) == "true")
  }

  @Test("many large values together end it, too, and the next operation is not concerned")
  func together() {
    let terms = Array(repeating: "s + 'a' == ''", count: 70).joined(separator: " || ")
    let functions =
      Self.growing("@ + @") + "function h(s) { return \(terms); } function f(s) { return h(s) || h(s); }"
    #expect(outcome("f(grow(grow('x')))", functions) == FaultText.memory)
    #expect(outcome("'a' + 'b' == 'ab'", "") == "true")
  }

  @Test("the refusal names the limit and the spot")
  func spot() throws {
    let ruleset = try compiled(rules("grow(grow('xx')).size() > 0", functions: Self.growing("@ + @")))
    let access = MemoryDocuments()
    let explanation = ruleset.explain(Circumstances().request(access), documents: access)
    #expect(explanation.decision.reason == .budget)
    #expect(explanation.decision.expressions <= 1_000)
    #expect(explanation.limits.map(\.kind) == [.valueBytes])
    #expect(explanation.limits.first?.text == "x9 + x9")
  }
}
