/// How much memory connections may take, as an option of `docsh serve`.

import ArgumentParser
import Wire

struct MemoryOption: ParsableArguments {
  @Option(
    name: .customLong("memory-budget"),
    help: ArgumentHelp(
      "The memory that connections may make the server take, such as 256MiB or 1GiB. A quarter of the machine's, or of"
        + " its control group's, but at most 1GiB unless said. See docs/limits.md.",
      valueName: "size"),
    transform: MemoryOption.bytes)
  var budget: Int?

  /// Reads `268435456`, `256MiB`, `256M`, `1GiB`, `1g`; a unit means powers of 1024.
  static func bytes(_ text: String) throws -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).lowercased()
    let shifts = [
      "": 0, "b": 0, "k": 10, "kb": 10, "kib": 10, "m": 20, "mb": 20, "mib": 20, "g": 30, "gb": 30, "gib": 30,
    ]
    guard let number = Int(digits), let shift = shifts[unit] else {
      throw ValidationError(
        "`\(text)` is no size; write bytes, or a number with a unit, such as 256MiB or 1GiB")
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
    guard !overflow else { throw ValidationError("`\(text)` is more than any machine has") }
    guard bytes >= MachineMemory.budgetMin else {
      throw ValidationError(
        "a budget of `\(text)` holds no request of the largest size; the least is \(MachineMemory.budgetMin >> 20)MiB"
      )
    }
    return bytes
  }
}
