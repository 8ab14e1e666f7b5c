import Rules
import RulesTools
import Testing

@Suite("commands to GitHub's runner")
struct WorkflowCommandTests {
  @Test(
    "line ends and percent signs are escaped, in properties what divides them too",
    arguments: [
      ("a", "a", "a"), ("50%: a,b", "50%25%3A a%2Cb", "50%25: a,b"), ("%0A", "%250A", "%250A"),
      ("a\r\nb\nc", "a%0D%0Ab%0Ac", "a%0D%0Ab%0Ac"), ("é ✓", "é ✓", "é ✓"),
    ])
  func escaped(_ text: String, _ property: String, _ data: String) {
    #expect(
      WorkflowCommand.line("error", [("file", text), ("line", "3")], text)
        == "::error file=\(property),line=3::\(data)")
  }
}
