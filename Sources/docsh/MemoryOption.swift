/// How much memory connections may take, and how much room history, as options of `docsh serve`.

import ArgumentParser
import Wire

struct MemoryOption: CommandOptions {
  @CommandOption(
    "memory-budget",
    help: ArgumentHelp(
      "The memory that connections may make the server take, such as 256MiB or 1GiB. A quarter of the machine's, or of"
        + " its control group's, but at most 1GiB unless said. See docs/limits.md.",
      valueName: "size"),
    transform: MemoryOption.bytes)
  var budget: Int?

  @CommandOption(
    "history-budget",
    help: ArgumentHelp(
      "The room that earlier states of documents may take, such as 64MiB or 1GiB; 256MiB unless said. Beyond, the oldest"
        + " go before their hour is over. See docs/limits.md.",
      valueName: "size"),
    transform: MemoryOption.historyBytes)
  var historyBudget: Int?

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_budget)
    try visitor.visit(&_historyBudget)
  }

  /// LIMIT: the least room for history: some thousand changes, so that a read in pieces can end.
  static let historyBudgetMin = 1 << 20

  static func historyBytes(_ text: String) throws -> Int {
    let bytes = try size(text)
    guard bytes >= historyBudgetMin else {
      throw ValidationError(
        "a budget of `\(text)` keeps next to no history; the least is \(historyBudgetMin >> 20)MiB")
    }
    return bytes
  }

  static func bytes(_ text: String) throws -> Int {
    let bytes = try size(text)
    guard bytes >= MachineMemory.budgetMin else {
      throw ValidationError(
        "a budget of `\(text)` holds no request of the largest size; the least is \(MachineMemory.budgetMin >> 20)MiB"
      )
    }
    return bytes
  }

  /// Reads `268435456`, `256MiB`, `256M`, `1GiB`, `1g`; a unit means powers of 1024.
  private static func size(_ text: String) throws -> Int {
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
    return bytes
  }
}
