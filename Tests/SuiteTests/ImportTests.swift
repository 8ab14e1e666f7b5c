/// Sections of other files, below the project only.

import Platform
import Suite
import Testing

@Suite("Imports")
struct ImportTests {
  /// A folder that goes when the test ends.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/suite-XXXXXX".utf8CString)
      try #require(mkdtemp(&template) != nil)
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private var names: [String] = []

    func write(_ name: String, _ text: String) throws {
      let file = try #require(fopen(path + "/" + name, "w"))
      fputs(text, file)
      fclose(file)
      names.append(name)
    }

    deinit {
      for name in names { unlink(path + "/" + name) }
      rmdir(path)
    }
  }

  private static let suite = """
    version: 1
    rules: app.rules
    import: [shared.yaml#personas, shared.yaml#templates, shared.yaml#fixtures, shared.yaml#states, shared.yaml#operations]
    personas: {bob: {uid: other}}
    matrices:
      - name: m
        grid: |
          state  operation | ann  bob
          plain  read      |  A    .
          open   read      |  A    A

    """
  private static let shared = """
    personas: {ann: {uid: ann}, bob: {uid: ann}}
    templates: {user: {open: false}}
    fixtures: {users/ann: {$like: user}}
    states: {plain: {}, open: {users/ann: {open: true}}}
    operations: {read: {get: users/ann}}

    """
  private static let rules = """
    service cloud.firestore { match /databases/{d}/documents { match /users/{id} {
      allow get: if request.auth.uid == id || resource.data.open;
    } } }
    """

  @Test("Sections come in; the file's own entries win")
  func imports() throws {
    let folder = try Folder()
    try folder.write("app.rules", Self.rules)
    try folder.write("shared.yaml", Self.shared)
    try folder.write("a.rules-test.yaml", Self.suite)
    let report = try Suite.load(path: folder.path + "/a.rules-test.yaml").run()
    #expect(report.results.count == 4)
    #expect(report.failedCount == 0, "\(PrettyReport.text([report]))")
  }

  @Test("An error in an imported section names that file")
  func reportsForeignErrors() throws {
    let folder = try Folder()
    try folder.write("app.rules", Self.rules)
    try folder.write(
      "shared.yaml",
      "personas: {ann: {uid: ann}}\ntemplates: {}\nfixtures: {users: {}}\nstates: {}\noperations: {}\n")
    try folder.write("a.rules-test.yaml", Self.suite)
    do throws(SuiteFailure) {
      _ = try Suite.load(path: folder.path + "/a.rules-test.yaml")
      Issue.record("the suite was read")
    } catch {
      #expect(error.description.contains("\(folder.path)/shared.yaml:3:12: error: 'users' is a collection"))
    }
  }

  @Test("Nothing outside the project is read")
  func refusesOutside() throws {
    let inside = try Folder()
    let outside = try Folder()
    let name = outside.path.split(separator: "/").last.map(String.init) ?? ""
    try outside.write("shared.yaml", Self.shared)
    try inside.write("app.rules", Self.rules)
    let suite = "version: 1\nrules: app.rules\nimport: ['../\(name)/shared.yaml#states']\n"
    try inside.write("a.rules-test.yaml", suite)
    let path = inside.path + "/a.rules-test.yaml"
    do throws(SuiteFailure) {
      _ = try Suite.load(path: path)
      Issue.record("the suite was read")
    } catch {
      #expect(error.description.contains(":3:10: error: "))
      #expect(error.description.contains("is outside the project folder"))
    }
    #expect(throws: Never.self) { try Suite.load(path: path, options: SuiteOptions(projectFolder: "/tmp")) }
  }
}
