/// `docsh emulator`: `docsh serve` with the official emulator's command line.

import ArgumentParser

struct EmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emulator",
    abstract: "Run a server with the official emulator's command line.",
    discussion: """
      Takes the flags of the official emulator, as the Firebase command line passes them, and follows the \
      profile `emulator`; also --allow-origin, --allow-host, \
      --allow-owner and --admin-key-file, which `docsh serve --help` explains. More options \
      of `docsh serve` can be added in the environment variable DOCSH_OPTIONS:

        docsh emulator --host 127.0.0.1 --port 8080 --rules firestore.rules --project_id demo
        DOCSH_OPTIONS="--profile production --log-level info" docsh emulator --port=8080
        docsh emulator --host 0.0.0.0 --allow-host db.example --allow-origin https://app.example

      docs/firebase-tools.md tells how to have the Firebase command line start it.
      """)

  @Argument(parsing: .captureForPassthrough, help: "Flags of the official emulator.")
  var flags: [String] = []

  func run() async throws {
    let request: OfficialFlags.Request
    do throws(OfficialFlagError) {
      request = try OfficialFlags(flags).request
    } catch {
      throw Terminal.end(ExitStatus.usage, error.description)
    }
    switch request {
    case .version: Terminal.say(BuildVersion.text)
    case .help: Terminal.say(EmulatorCommand.helpMessage())
    case .serve(let options): try await Self.serve(options)
    }
  }

  private static func serve(_ options: [String]) async throws {
    let added = Environment.value("DOCSH_OPTIONS")?.split(separator: " ").map(String.init) ?? []
    // The Firebase command line waits four seconds for the end, and watches the rules itself.
    let arguments =
      ["--profile", "emulator", "--keep-broken-rules", "--stop-grace", "2", "--no-reload"] + options + added
    let command =
      try ShortForm.read(arguments[...]) ?? Docsh.parseAsRoot(["serve"] + arguments) as? ServeCommand
    guard var serve = command else { throw ExitCode(ExitStatus.usage) }
    serve.announcesOfficially = true
    try await serve.run()
  }
}
