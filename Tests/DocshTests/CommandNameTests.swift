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
}
