import ArgumentParser
import Shell
import Testing

@testable import docsh

@Suite("what -c and -f say")
struct ShellInputTests {
  @Test("statements and scripts are run in the order of the command line")
  func order() throws {
    let command = try ShellCommand.parse(["-c", "a", "-f", "b", "-q", "-c", "c", "-f", "d"])
    #expect(command.options.inputs == [.statements("a"), .file("b"), .statements("c"), .file("d")])
  }

  @Test(
    "help needs no store",
    arguments: [
      (["-c", ":help sql"], true), (["-c", "help; :? reads", "-c", ".help"], true),
      (["-c", ":help", "-e"], false),
      (["-c", ":help", "-f", "x"], false), (["-c", ":help", "-c", "users"], false), ([], false),
      (["-c", "users/help"], false),
    ] as [([String], Bool)])
  func help(arguments: [String], needsNone: Bool) throws {
    #expect(ShellProgram.needsNoStore(try ShellCommand.parse(arguments).options) == needsNone)
  }
}
