/// The official emulator's command line becomes options of `docsh serve`.

import Access
import ArgumentParser
import Testing

@testable import docsh

@Suite("the official command line")
struct OfficialFlagsTests {
  /// As the Firebase command line starts it, behind `java`.
  static let firebase = [
    "-Dgoogle.cloud_firestore.debug_log_level=FINE", "-Duser.language=en", "-jar", "/x/emulator.jar",
    "--host", "127.0.0.1", "--port", "8080", "--websocket_port", "9150", "--database-edition", "standard",
    "--project_id", "demo-x", "--rules", "/a/firestore.rules", "--single_project_mode", "true",
    "--functions_emulator", "127.0.0.1:5001", "--seed_from_export", "/e/e.overall_export_metadata",
  ]

  @Test(
    "flags have their value behind a blank or an equals sign; switches may stand alone",
    arguments: [
      ([], ["--host", "localhost", "--port", "8080"]),
      (["--host=::1", "--port=0"], ["--host", "::1", "--port", "0"]),
      (["start", "--port", "81", "word"], ["--host", "localhost", "--port", "81"]),
      (
        ["--allow-origin", "https://a.example", "--allow-host=*.b", "--allow-origin=null", "--port=9"],
        [
          "--host", "localhost", "--port", "9", "--allow-origin", "https://a.example", "--allow-host", "*.b",
          "--allow-origin", "null",
        ]
      ),
      (["--bogus", "3", "--port=9"], ["--host", "localhost", "--port", "9"]),
      (
        ["--project_id=p", "--single_project_mode", "--port=9"],
        ["--host", "localhost", "--port", "9", "--project", "p", "--single-project", "warn"]
      ),
      (
        ["--project_id=p", "--single_project_mode=true", "--single_project_mode_error", "true"],
        ["--host", "localhost", "--port", "8080", "--project", "p", "--single-project", "error"]
      ),
      (
        ["--project_id=p", "--single_project_mode", "false"],
        ["--host", "localhost", "--port", "8080", "--project", "p"]
      ),
      (
        ["--import-data", "f", "--export-on-exit=d", "--export-name=n"],
        [
          "--host", "localhost", "--port", "8080", "--import", "f", "--export-on-exit", "d", "--export-name",
          "n",
        ]
      ),
      (
        firebase,
        [
          "--host", "127.0.0.1", "--port", "8080", "--rules", "/a/firestore.rules", "--project", "demo-x",
          "--import", "/e/e.overall_export_metadata", "--functions-emulator", "127.0.0.1:5001",
          "--requests-port", "9150",
          "--single-project",
          "warn",
        ]
      ),
    ])
  func options(arguments: [String], expected: [String]) throws {
    #expect(try OfficialFlags(arguments).request == .serve(expected))
  }

  @Test(
    "what the official emulator refuses is refused in its words",
    arguments: [
      (["--single_project_mode"], "Expected project_id to be set for single_project_mode"),
      (
        ["--single_project_mode_error=true"],
        "Expected single_project_mode to be set for single_project_mode_error"
      ),
      (["--export-name=x"], "Export path not provided along with export name"),
      (["--port"], "Expected a value after parameter --port"),
      (["--database-mode=datastore-mode"], "--database-mode=datastore-mode is not served: documents only"),
      (
        ["--database-edition", "ENTERPRISE"],
        "--database-edition=ENTERPRISE is not served: the standard edition only"
      ),
    ])
  func refusals(arguments: [String], message: String) {
    #expect(throws: OfficialFlagError(description: message)) { try OfficialFlags(arguments) }
  }

  @Test(
    "help and version are asked for",
    arguments: [
      (["--version"], OfficialFlags.Request.version), (["--help"], .help),
      (["--licenses", "--port=3"], .version),
    ])
  func information(arguments: [String], request: OfficialFlags.Request) throws {
    #expect(try OfficialFlags(arguments).request == request)
  }

  @Test("what it becomes is a command line of serve")
  func command() throws {
    guard case .serve(let options) = try OfficialFlags(Self.firebase).request else {
      Issue.record("no command")
      return
    }
    let serve = try #require(
      try Docsh.parseAsRoot(["serve", "--profile", "emulator", "--keep-broken-rules"] + options)
        as? ServeCommand)
    #expect(serve.host == "127.0.0.1" && serve.port == 8_080 && serve.project == "demo-x")
    #expect(serve.singleProject == .warn && serve.rules == ["/a/firestore.rules"])
    #expect(serve.importPath == "/e/e.overall_export_metadata")
    #expect(serve.profile.chosen.name == .emulator)
  }
}
