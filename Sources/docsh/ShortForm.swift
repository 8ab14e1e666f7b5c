/// The short way of reading a command line.

import ArgumentParser

/// Reads `--name value`, `--name=value` and `--flag`, without the library. Whatever is not certainly right is left to it: it has
/// the words for mistakes, and for help.
enum ShortForm {
  /// The command with the values of a command line; nil where the library has to read it.
  static func read<Command: CommandOptions>(_ arguments: ArraySlice<String>) -> Command? {
    var command = Command()
    var rest = arguments
    var reader = OptionReader()
    while let argument = rest.popFirst() {
      guard reader.begin(argument, next: rest.first) else { return nil }
      // Never thrown: the reader does not.
      try? command.showOptions(to: &reader)
      switch reader.outcome {
      case .alone: break
      case .withNext: rest.removeFirst()
      case .refused: return nil
      }
    }
    var groups = GroupChecks()
    guard (try? command.showOptions(to: &groups)) != nil, (try? command.validate()) != nil else { return nil }
    return command
  }
}

/// Gives what is written to the option that has its name.
private struct OptionReader: OptionVisitor {
  enum Outcome {
    case alone, withNext, refused
  }

  private(set) var outcome = Outcome.refused
  private var name = ""
  /// Behind an equals sign.
  private var joined: String?
  private var next: String?
  /// Options that cannot come twice: which of two counts is for the library to say.
  private var given: [String] = []

  /// Whether the argument can be the name of an option.
  mutating func begin(_ argument: String, next: String?) -> Bool {
    guard argument.hasPrefix("--") else { return false }
    outcome = .refused
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    joined = parts.count == 2 ? String(parts[1]) : nil
    self.next = next
    return !name.isEmpty
  }

  mutating func visit<Value>(_ option: inout CommandOption<Value>) {
    guard option.name == name || isNegated(option) else { return }
    switch option.form {
    case .flag(let value): takeFlag(&option, value)
    case .pair(let on, let off): takeFlag(&option, option.name == name ? on : off)
    case .single(let read):
      guard let text, let value = read(text), isFirst(option.name) else { return }
      option.wrappedValue = value
      outcome = joined == nil ? .withNext : .alone
    case .list(let read):
      guard let text, let value = read(option.wrappedValue, text) else { return }
      option.wrappedValue = value
      outcome = joined == nil ? .withNext : .alone
    }
  }

  mutating func visit<Group: CommandOptions>(_ title: String, _ group: inout Group) throws {
    try group.showOptions(to: &self)
  }

  private func isNegated<Value>(_ option: CommandOption<Value>) -> Bool {
    guard case .pair = option.form else { return false }
    return name == "no-" + option.name
  }

  private mutating func takeFlag<Value>(_ option: inout CommandOption<Value>, _ value: Value) {
    guard joined == nil, isFirst(option.name) else { return }
    option.wrappedValue = value
    outcome = .alone
  }

  /// The value that is written. One that begins with a hyphen may be another option.
  private var text: String? {
    guard let text = joined ?? next, !text.isEmpty, !text.hasPrefix("-") else { return nil }
    return text
  }

  private mutating func isFirst(_ name: String) -> Bool {
    guard !given.contains(name) else { return false }
    given.append(name)
    return true
  }
}

/// What the library checks of groups.
private struct GroupChecks: OptionVisitor {
  mutating func visit<Value>(_ option: inout CommandOption<Value>) {}

  mutating func visit<Group: CommandOptions>(_ title: String, _ group: inout Group) throws {
    try group.showOptions(to: &self)
    try group.validate()
  }
}
