import Platform
import TestSupport
import Testing

@testable import docsh

@Suite("what `docsh init` writes")
struct InitPlanTests {
  private static let rules = """
    rules_version = '2';
    service cloud.firestore { match /databases/{d}/documents { match /a/{b} { allow read: if true; } } }
    """
  private static let config = #"{"firestore": {"rules": "a.rules", "indexes": "conf/ix.json"}}"#
  private static let two =
    #"{"firestore": [{"rules": "a.rules"}, {"database": "audit", "rules": "a.rules"}, {"database": "b", "rules": "b.rules"}]}"#

  @Test(
    "what firebase.json names and is not there, and a suite for all rules",
    arguments: [
      (config, ["a.rules", "conf/ix.json"], ["a.rules-test.yaml"]),
      (config, ["a.rules"], ["a.rules-test.yaml", "conf/ix.json"]),
      (config, [], ["a.rules", "a.rules-test.yaml", "conf/ix.json"]),
      (two, ["a.rules"], ["a.rules-test.yaml", "b.rules", "b.rules-test.yaml"]),
      (nil, ["firestore.rules"], ["firestore.rules-test.yaml"]),
      (
        nil, [],
        ["firestore.rules", "firestore.indexes.json", "seeds/app.yaml", "firestore.rules-test.yaml"]
      ),
    ] as [(String?, [String], [String])])
  func files(config: String?, there: [String], written: [String]) throws {
    let folder = TemporaryFolder()
    try Folders.make(folder.path + "/conf")
    try Folders.make(folder.path + "/.git")
    if let config { try writeFile(folder.path + "/firebase.json", config) }
    for file in there { try writeFile(folder.path + "/" + file, file.hasSuffix(".json") ? "{}" : Self.rules) }
    let plan = try InitPlan(folder: folder.path)
    #expect(plan.files.map { String($0.path.dropFirst(folder.path.count + 1)) } == written)
    #expect(plan.notes.isEmpty)
  }

  @Test("below a project it is that project's")
  func below() throws {
    let folder = TemporaryFolder()
    let root = try #require(Folders.real(folder.path))
    try Folders.make(root + "/.git")
    try Folders.make(root + "/functions/src")
    try writeFile(root + "/firestore.rules", Self.rules)
    let plan = try InitPlan(projectOf: root + "/functions/src")
    #expect(plan.files.map(\.path) == [root + "/firestore.rules-test.yaml"])
    #expect(plan.notes == ["this folder belongs to the project of \(root)"])
  }

  @Test("a firebase.json whose Firestore part names no rules is told of")
  func unnamed() throws {
    let folder = TemporaryFolder()
    try writeFile(folder.path + "/firebase.json", #"{"firestore": {}}"#)
    let plan = try InitPlan(folder: folder.path)
    #expect(plan.files.count == 4)
    #expect(plan.notes.count == 1 && plan.notes[0].contains("names no rules"))
  }
}
