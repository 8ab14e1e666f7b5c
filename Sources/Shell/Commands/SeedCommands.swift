/// Seeds, written by the program around the shell.

enum SeedCommands {
  private static let usage = ":seed FILE [--without-triggers]"

  static let all: [ShellCommand] = [
    ShellCommand(
      ["seed"], .data, "seed FILE [--without-triggers]", "write a seed file, past the rules",
      ":seed seeds/inspired.yaml", seed)
  ]

  private static func seed(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let silent = "--without-triggers"
    let files = arguments.words.filter { $0 != silent }
    guard files.count == 1, !files[0].hasPrefix("--") else { throw .usage("usage: \(usage)") }
    try DataCommands.demandPassage(session, ":seed")
    try session.backend.demandWritable()
    guard let seed = session.tools.seed else { throw .failed("this shell cannot seed; `docsh seed` does") }
    session.lastCost = nil
    do throws(ShellToolFailure) {
      session.console.note(
        try seed(files[0], session.backend.database, !arguments.words.contains(silent)))
    } catch {
      try Interruption.check()
      throw ShellError(.failed(code: error.isInput ? "INVALID_ARGUMENT" : "UNAVAILABLE"), error.message)
    }
  }
}
