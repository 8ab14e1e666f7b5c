/// Fuzz target: untrusted wire bytes. Run it with `Scripts/fuzz wire-cursor SECONDS`.

internal import WireExercise

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try WireExercise.run(UnsafeRawBufferPointer(start: start, count: count))
  } catch {
    // The fuzzer keeps the input of a process that traps.
    preconditionFailure("\(error)")
  }
  return 0
}
