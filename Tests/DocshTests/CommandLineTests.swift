import ArgumentParser
import Testing

@testable import docsh

@Suite("what command lines accept")
struct CommandLineTests {
  @Test(
    "ids of projects",
    arguments: [
      ("demo", true), ("my_project-1", true), ("example.com:app", true), ("bad project!", false), ("", false),
      ("a/b", false), ("ä", false),
    ])
  func projects(id: String, isAccepted: Bool) {
    #expect(((try? DatabaseOption.check(id)) != nil) == isAccepted)
    #expect(((try? ServeCommand.parse(["--project", id])) != nil) == isAccepted)
  }

  @Test(
    "a running server has one name, and its old one",
    arguments: [
      "triggers list", "indexes suggest", "indexes check --used a.json", "seed a.yaml", "shell",
      "test a --engine wire",
    ])
  func servers(line: String) throws {
    for option in ["--host", "--server"] {
      let words = line.split(separator: " ").map(String.init) + [option, "127.0.0.1:1"]
      #expect(throws: Never.self) { try Docsh.parseAsRoot(words) }
    }
  }

  @Test(
    "shares are percentages",
    arguments: [("0", true), ("99.5", true), ("100", true), ("101", false), ("-1", false), ("nan", false)])
  func percentages(text: String, isAccepted: Bool) {
    #expect(((try? TestCommand.parse(["--min-coverage=\(text)"])) != nil) == isAccepted)
    #expect(
      ((try? RulesCoverageCommand.parse(["a.rules", "--suite", "a", "--min=\(text)"])) != nil) == isAccepted)
  }
}
