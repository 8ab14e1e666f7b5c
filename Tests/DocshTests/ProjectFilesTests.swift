import ArgumentParser
import Platform
import TestSupport
import Testing

@testable import docsh

@Suite("files that commands find by themselves")
struct ProjectFilesTests {
  private static let suite = "app.rules-test.yaml"

  /// Files of a folder, and what is found in it.
  @Test(
    "what a folder has",
    arguments: [
      ([], nil), (["other.rules", "seeds/a.yaml"], nil), (["firestore.rules"], "firestore.rules"),
      (["firestore.rules", "firestore.indexes.json"], "firestore.rules firestore.indexes.json"),
      (["firebase.json", "firestore.rules"], "firebase.json"),
      (["firestore.rules", "seeds/a.yaml"], "firestore.rules seeds/a.yaml"),
      (["firestore.rules", "seeds/a.yaml", "seeds/b.yaml"], "firestore.rules"), ([suite], ""),
    ] as [([String], String?)])
  func finds(files: [String], found: String?) throws {
    let folder = TemporaryFolder()
    try Folders.make(folder.path + "/seeds")
    for file in files { try writeFile(folder.path + "/" + file, #"{"firestore": {"rules": "x"}}"#) }
    let project = ProjectFiles(in: folder.path)
    let names = [project?.config, project?.rules, project?.indexes, project?.seed].compactMap { $0 }
      .map { String($0.dropFirst(folder.path.count + 1)) }
    #expect((project == nil ? nil : names.joined(separator: " ")) == found)
  }

  @Test("a firebase.json without Firestore is none of ours")
  func otherConfig() throws {
    let folder = TemporaryFolder()
    try writeFile(folder.path + "/firebase.json", #"{"hosting": {}}"#)
    #expect(ProjectFiles(in: folder.path) == nil)
  }

  @Test(
    "it looks upwards, to the home directory or the folder with .git",
    arguments: [("a", ".git"), ("a/b", "home"), ("", "nothing")])
  func upwards(top: String, mark: String) throws {
    let folder = TemporaryFolder()
    let root = try #require(Folders.real(folder.path))
    try Folders.make(root + "/a/b/c")
    let end = top.isEmpty ? "/" : root + "/" + top
    if mark == ".git" { try Folders.make(end + "/.git") }
    let folders = ProjectFiles.folders(from: root + "/a/b/c", home: mark == "home" ? end : nil)
    #expect(folders.first == root + "/a/b/c")
    #expect(folders.last == end)
  }

  @Test(
    "where a firebase.json has its emulator listen",
    arguments: [
      ("{}", "- -"), (#"{"emulators": {"firestore": {"port": 8081}}}"#, "- 8081"),
      (#"{"emulators": {"firestore": {"host": "0.0.0.0", "port": 1}}}"#, "0.0.0.0 1"),
      (#"{/* for all */ "emulators": {"firestore": {"port": 8081}} // ours"# + "\n}", "- 8081"),
      (#"{"emulators": {"firestore": {"port": 8081}}"#, "error"),
      (#"{"emulators": {"firestore": {"port": "x"}}}"#, "error"),
      (#"{"emulators": {"firestore": {"port": 70000}}}"#, "error"),
    ])
  func endpoints(config: String, endpoint: String) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/firebase.json"
    try writeFile(path, config)
    let found = try? ProjectFiles.endpoint(path)
    #expect(found.map { "\($0.host ?? "-") \($0.port.map(String.init) ?? "-")" } ?? "error" == endpoint)
  }

  @Test(
    "where a shell looks for its emulator",
    arguments: [
      ("{}", "-"), (#"{"firestore": {"port": 8081}}"#, "127.0.0.1:8081"),
      (#"{"firestore": {"port": 0}}"#, "-"),
      (#"{"firestore": {"host": "0.0.0.0", "port": 1}}"#, "127.0.0.1:1"),
      (#"{"firestore": {"host": "::1", "port": 1}}"#, "[::1]:1"),
      (#"{"firestore": {"host": "box", "port": 1}}"#, "box:1"),
    ])
  func emulator(emulators: String, address: String) throws {
    let folder = TemporaryFolder()
    try writeFile(folder.path + "/firebase.json", #"{"firestore": {}, "emulators": \#(emulators)}"#)
    try Folders.make(folder.path + "/rules")
    for name in ["b", "rules/c", "a"] { try writeFile(folder.path + "/\(name).rules-test.yaml", "") }
    let files = try #require(ProjectFiles(in: folder.path))
    #expect(try files.emulatorAddress() ?? "-" == address)
    let suites = ["a", "b", "rules/c"].map { "\(folder.path)/\($0).rules-test.yaml" }
    #expect(ProjectFiles.suites(in: folder.path) == suites)
  }

  @Test(
    "`docsh serve` takes them where the command line names none",
    arguments: [
      ("", "firestore.rules seeds/a.yaml"), ("--seed b.yaml", "firestore.rules b.yaml"),
      ("--data-dir d", "firestore.rules"), ("--import e", "firestore.rules"),
    ])
  func served(options: String, taken: String) throws {
    let folder = TemporaryFolder()
    try Folders.make(folder.path + "/seeds")
    for name in ["firestore.rules", "seeds/a.yaml"] { try writeFile(folder.path + "/" + name, "") }
    let files = try #require(ProjectFiles(in: folder.path))
    let command = try ServeCommand.parse(options.split(separator: " ").map(String.init))
    let served = ServedProject.complete(command, with: files)
    let names = (served.command.rules + [served.command.seed].compactMap { $0 }).map {
      $0.hasPrefix(folder.path) ? String($0.dropFirst(folder.path.count + 1)) : $0
    }
    #expect(names.joined(separator: " ") == taken)
    #expect(served.line?.hasPrefix("docsh: found ") == true)
  }
}
