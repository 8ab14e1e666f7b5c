import Access
import ArgumentParser
import DocModel
import TestSupport
import Testing

@testable import docsh

@Suite("rules that are compiled while a server begins")
struct RulesLoadingTests {
  private static let right = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents { match /a/{id} { allow read; } }
    }
    """
  private let database = DatabaseID(project: "demo")

  @Test("they are there when the loading has finished")
  func loads() throws {
    try withFile(Self.right) { path in
      let loading = RulesLoading(
        try DatabaseFiles("rules", [path], config: nil), .production, keepsBroken: false)
      try loading.finish()
      // A second look costs nothing and says the same.
      try loading.finish()
      guard case .rules = loading.registry.protection(of: database) else {
        Issue.record("no rules")
        return
      }
    }
  }

  @Test("rules that do not compile end the command, or refuse users", arguments: [false, true])
  func broken(isKept: Bool) throws {
    try withFile("service cloud.firestore { match }") { path in
      let loading = RulesLoading(
        try DatabaseFiles("rules", [path], config: nil), .production, keepsBroken: isKept)
      guard !isKept else {
        try loading.finish()
        guard case .broken = loading.registry.protection(of: database) else {
          Issue.record("not broken")
          return
        }
        return
      }
      #expect(throws: ExitCode(ExitStatus.badInput)) { try loading.finish() }
      #expect(throws: ExitCode(ExitStatus.badInput)) { try loading.finish() }
    }
  }

  @Test("without files there is nothing to wait for")
  func none() throws {
    let loading = RulesLoading(try DatabaseFiles("rules", [], config: nil), .production, keepsBroken: false)
    try loading.finish()
    guard case .closed = loading.registry.protection(of: database) else {
      Issue.record("not closed")
      return
    }
  }

  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/test.rules"
    try writeFile(path, text)
    try body(path)
  }
}
