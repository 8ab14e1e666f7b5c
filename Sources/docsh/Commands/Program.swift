/// Where the process begins.

import ArgumentParser
import Platform

@main
enum Program {
  /// A server is to answer soon, so its command line is read without the library where it is right; whatever is to be explained
  /// is the library's. Nor does it wait for threads of the concurrency pool: it begins and ends on the first thread.
  ///
  /// INVARIANT: every command says its `commandName`; the library would make one up of the type's, by reflection, at each start.
  static func main() {
    let arguments = OptionalValues.completed(CommandLine.arguments.dropFirst())
    guard arguments.first == "serve", (try? Docsh().validate()) != nil,
      let serve: ServeCommand = ShortForm.read(arguments.dropFirst())
    else { runAny(Array(arguments)) }
    let failure = WaitingExecutor.run { () -> (any Error)? in
      do { try await serve.run() } catch { return error }
      return nil
    }
    Docsh.exit(withError: failure)
  }

  /// Any command, on the concurrency pool, whose threads some need for work at the same time.
  private static func runAny(_ arguments: [String]) -> Never {
    if let complaint = UnknownCommand.complaint(arguments[...]) {
      Terminal.complain(complaint)
      exit(ExitStatus.usage)
    }
    Task {
      await Docsh.main(arguments)
      exit(ExitStatus.success)
    }
    while true { pause() }
  }
}
