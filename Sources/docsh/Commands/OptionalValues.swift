/// Options that may stand without their value.

/// Writes the value that an option means when it stands alone, before anybody reads the command line.
///
/// The library has such options too, but takes a value that it cannot read for none, and forgets one in front of another option.
enum OptionalValues {
  private struct Option {
    let command: String
    let name: String
    /// What it means alone.
    let alone: String
    /// Whether the next word is its value, and not an argument of the command.
    let takes: @Sendable (String) -> Bool
  }

  private static let options = [
    Option(command: "test", name: "--coverage", alone: "term") { CoverageFormats(argument: $0) != nil },
    Option(command: "test", name: "--mutate", alone: "all") { MutantChoice(rawValue: $0) != nil },
    Option(command: "serve", name: "--watch-tests", alone: ".") { _ in true },
  ]

  static func completed(_ arguments: ArraySlice<String>) -> ArraySlice<String> {
    guard let command = arguments.first else { return arguments }
    var completed = arguments
    for index in arguments.indices {
      if arguments[index] == "--" { break }
      guard let option = options.first(where: { $0.command == command && $0.name == arguments[index] }) else {
        continue
      }
      let next = index + 1 < arguments.endIndex ? arguments[index + 1] : "-"
      if next.hasPrefix("-") || !option.takes(next) { completed[index] += "=" + option.alone }
    }
    return completed
  }
}
