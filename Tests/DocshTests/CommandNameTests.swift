import ArgumentParser
import Testing

@testable import docsh

@Suite("names of commands")
struct CommandNameTests {
  /// Otherwise the library makes one up at each start, which costs as much as all the rest of `docsh --version`.
  @Test("every command says its name")
  func names() {
    var commands: [any ParsableCommand.Type] = [Docsh.self]
    while let command = commands.popLast() {
      #expect(command.configuration.commandName != nil, "\(command)")
      commands += command.configuration.subcommands
    }
  }

  @Test(
    "what is no command is answered with what is",
    arguments: [
      ("tset", "docsh test"), ("lint", "docsh rules check"), ("fmt", "docsh rules fmt"),
      ("coverage", "docsh rules coverage"), ("srve", "docsh serve"), ("start", "docsh serve"),
      ("users where a = 'b'", #"-c 'users where a = '\''b'\'''"#),
      ("test", nil), ("help", nil), ("--version", nil), ("", nil), ("completion bash", nil), ("shell", nil),
    ] as [(String, String?)])
  func unknown(line: String, answer: String?) {
    let complaint = UnknownCommand.complaint(line.split(separator: " ").map(String.init)[...])
    #expect((complaint == nil) == (answer == nil))
    if let answer { #expect(complaint?.contains(answer) == true, "\(complaint ?? "")") }
  }
}
