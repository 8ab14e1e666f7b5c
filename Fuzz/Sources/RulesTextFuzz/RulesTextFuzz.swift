/// Fuzz target: rules texts. Run it with `Scripts/fuzz rules-text SECONDS`.

internal import RulesExercise

/// libFuzzer's loop. Its own `main` is of no use here, because the package manager names the entry point.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ input: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// One for the whole run. libFuzzer calls from one thread.
nonisolated(unsafe) private let exercise = RulesExercise()

@main
private enum RulesTextFuzz {
  static func main() {
    var argumentCount = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runFuzzer(&argumentCount, &arguments) { start, count in
      do {
        try exercise.run(Array(UnsafeBufferPointer(start: start, count: count)))
      } catch {
        // The fuzzer keeps the input of a run that traps.
        preconditionFailure("\(error)")
      }
      return 0
    }
  }
}
