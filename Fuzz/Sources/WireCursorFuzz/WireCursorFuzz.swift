/// Fuzz target: untrusted wire bytes. Run it with `Scripts/fuzz wire-cursor SECONDS`.

internal import WireExercise

/// libFuzzer's loop. Its own `main` is of no use here, because the package manager names the entry point.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ input: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main
private enum WireCursorFuzz {
  static func main() {
    var argumentCount = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    _ = runFuzzer(&argumentCount, &arguments) { start, count in
      do {
        try WireExercise.run(UnsafeRawBufferPointer(start: start, count: count))
      } catch {
        // The fuzzer keeps the input of a run that traps.
        preconditionFailure("\(error)")
      }
      return 0
    }
  }
}
