import ArgumentParser
import Testing

@testable import docsh

@Suite("options that may stand without their value")
struct OptionalValuesTests {
  @Test(
    "alone they get the value that they mean",
    arguments: [
      ("test rules --coverage", "test rules --coverage=term"),
      ("test --coverage rules", "test --coverage=term rules"),
      ("test --coverage html rules", "test --coverage html rules"),
      (
        "test rules --coverage=html --coverage-out c.html", "test rules --coverage=html --coverage-out c.html"
      ),
      ("test rules --coverage --coverage-out c", "test rules --coverage=term --coverage-out c"),
      ("test --mutate rules", "test --mutate=all rules"),
      ("test --mutate changed rules", "test --mutate changed rules"),
      ("serve --watch-tests", "serve --watch-tests=."),
      ("serve --watch-tests --port 0", "serve --watch-tests=. --port 0"),
      ("serve --watch-tests tests", "serve --watch-tests tests"),
      ("test -- --coverage", "test -- --coverage"), ("rules --coverage", "rules --coverage"), ("", ""),
    ])
  func completes(line: String, completed: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(OptionalValues.completed(words[...]).joined(separator: " ") == completed)
  }

  @Test(
    "what `docsh test` reads of them",
    arguments: [
      ("test rules --coverage=html --coverage-out c.html", "html", nil),
      ("test rules --coverage", "text", nil),
      ("test rules --coverage=lcov,term --format tap", "lcov,text", nil),
      ("test rules --mutate --filter a", nil, "all"),
      ("test --mutate=changed rules --format tap", nil, "changed"),
    ] as [(String, String?, String?)])
  func reads(line: String, coverage: String?, mutate: String?) throws {
    let words = line.split(separator: " ").map(String.init)
    let test = try #require(
      try Docsh.parseAsRoot(Array(OptionalValues.completed(words[...]))) as? TestCommand)
    #expect(test.coverage?.formats.map(\.rawValue).joined(separator: ",") == coverage)
    #expect(test.mutate?.rawValue == mutate)
  }

  @Test(
    "values that there are not",
    arguments: [
      "--coverage=pdf", "--coverage=lcov,pdf", "--mutate=bogus", "--coverage=", "--mutate= --watch",
    ])
  func refused(options: String) {
    let words = ["test", "rules"] + options.split(separator: " ").map(String.init)
    #expect(throws: (any Error).self) { try Docsh.parseAsRoot(Array(OptionalValues.completed(words[...]))) }
  }
}
