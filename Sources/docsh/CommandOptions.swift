/// What has options: `docsh serve`, and the groups that its help has.

import ArgumentParser

/// A command or a group whose options are declared as `CommandOption`s.
protocol CommandOptions: ParsableArguments, CustomReflectable, Sendable {
  /// Shows the visitor every option and every group, in the order of help. What is not shown is no option: neither the library
  /// nor the short way sees anything else.
  mutating func showOptions(to visitor: inout some OptionVisitor) throws
}

protocol OptionVisitor {
  mutating func visit<Value>(_ option: inout CommandOption<Value>) throws
  mutating func visit<Group: CommandOptions>(_ title: String, _ group: inout Group) throws
}

/// A wrapper of the library's, as far as values are concerned.
protocol LibraryOption: Decodable, SendableMetatype {
  associatedtype Value
  var wrappedValue: Value { get }
}

extension Option: LibraryOption {}
extension Flag: LibraryOption {}

/// The name of an option, or the title of a group.
struct OptionKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension CommandOptions {
  /// What the library has read.
  init(from decoder: any Decoder) throws {
    self.init()
    var values = LibraryValues(container: try decoder.container(keyedBy: OptionKey.self))
    try showOptions(to: &values)
  }

  /// What the library takes for the properties: its own wrappers, as it wants to have them declared.
  var customMirror: Mirror {
    var options = LibraryOptions()
    var copy = self
    // Nothing is thrown: the visitor does not.
    try? copy.showOptions(to: &options)
    return Mirror(self, children: options.children, displayStyle: .struct)
  }
}

private struct LibraryOptions: OptionVisitor {
  private(set) var children: [Mirror.Child] = []

  mutating func visit<Value>(_ option: inout CommandOption<Value>) {
    children.append((option.name, option.declaration))
  }

  mutating func visit<Group: CommandOptions>(_ title: String, _ group: inout Group) {
    children.append((title, OptionGroup<Group>(title: title)))
  }
}

private struct LibraryValues: OptionVisitor {
  let container: KeyedDecodingContainer<OptionKey>

  mutating func visit<Value>(_ option: inout CommandOption<Value>) throws {
    try option.take(from: container)
  }

  mutating func visit<Group: CommandOptions>(_ title: String, _ group: inout Group) throws {
    group = try container.decode(OptionGroup<Group>.self, forKey: OptionKey(title)).wrappedValue
  }
}
