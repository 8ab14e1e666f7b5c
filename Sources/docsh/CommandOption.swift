/// Options of `docsh serve`: each is declared once, for the library and for the short way.

import ArgumentParser

/// An option as it is declared: its name, its words in help, and how its value is read.
///
/// The library finds its own wrappers by reflection and takes milliseconds for it, which is more than a server needs to start. So
/// options are declared with this wrapper, of which the library's are made when help, an explanation or a completion is asked for
/// (`LibraryOptions`); a command line that is right is read without them (`ShortForm`).
@propertyWrapper
struct CommandOption<Value: Sendable>: Sendable {
  var wrappedValue: Value
  /// As it is written, without the two hyphens.
  let name: String
  let form: Form
  private let library: @Sendable () -> any LibraryOption
  private let decode: @Sendable (KeyedDecodingContainer<OptionKey>, OptionKey) throws -> Value

  /// How the short way takes what is written.
  enum Form: Sendable {
    /// The name alone.
    case flag(Value)
    /// The name alone, or with `no-` in front of it.
    case pair(on: Value, off: Value)
    /// The name and a text; nil for a text that is no value.
    case single(@Sendable (String) -> Value?)
    /// The same as often as anybody likes; nil as well.
    case list(@Sendable (Value, String) -> Value?)
  }

  private init<Library: LibraryOption>(
    _ value: Value, _ name: String, _ form: Form, _ library: @escaping @Sendable () -> Library
  ) where Library.Value == Value {
    wrappedValue = value
    self.name = name
    self.form = form
    self.library = { library() }
    decode = { container, key in try container.decode(Library.self, forKey: key).wrappedValue }
  }

  /// The library's wrapper, which declares the same.
  var declaration: any LibraryOption { library() }

  /// Takes what the library has read.
  mutating func take(from container: KeyedDecodingContainer<OptionKey>) throws {
    wrappedValue = try decode(container, OptionKey(name))
  }
}

extension CommandOption where Value: ExpressibleByArgument {
  init(
    wrappedValue: Value, _ name: String, help: @escaping @autoclosure @Sendable () -> ArgumentHelp,
    completion: @escaping @autoclosure @Sendable () -> CompletionKind? = nil
  ) {
    self.init(wrappedValue, name, .single { Value(argument: $0) }) {
      Option(wrappedValue: wrappedValue, name: .customLong(name), help: help(), completion: completion())
    }
  }
}

extension CommandOption {
  init<Element: ExpressibleByArgument & Sendable>(
    _ name: String, help: @escaping @autoclosure @Sendable () -> ArgumentHelp,
    completion: @escaping @autoclosure @Sendable () -> CompletionKind? = nil
  ) where Value == Element? {
    self.init(nil, name, .single { Element(argument: $0).map(Optional.some) }) {
      Option(name: .customLong(name), help: help(), completion: completion())
    }
  }

  init<Element: ExpressibleByArgument & Sendable>(
    wrappedValue: [Element], _ name: String, help: @escaping @autoclosure @Sendable () -> ArgumentHelp,
    completion: @escaping @autoclosure @Sendable () -> CompletionKind? = nil
  ) where Value == [Element] {
    self.init(wrappedValue, name, .list { values, text in Element(argument: text).map { values + [$0] } }) {
      Option(wrappedValue: wrappedValue, name: .customLong(name), help: help(), completion: completion())
    }
  }

  init<Element: Sendable>(
    _ name: String, help: @escaping @autoclosure @Sendable () -> ArgumentHelp,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == Element? {
    self.init(nil, name, .single { text in (try? transform(text)).map(Optional.some) }) {
      Option(name: .customLong(name), help: help(), transform: transform)
    }
  }
}

extension CommandOption where Value == Bool {
  init(
    wrappedValue: Bool, flag name: String, help: @escaping @autoclosure @Sendable () -> ArgumentHelp
  ) {
    self.init(wrappedValue, name, .flag(true)) {
      Flag(wrappedValue: wrappedValue, name: .customLong(name), help: help())
    }
  }
}

extension CommandOption where Value == Bool? {
  init(flagOrNo name: String, help: @escaping @autoclosure @Sendable () -> ArgumentHelp) {
    self.init(nil, name, .pair(on: true, off: false)) {
      Flag(name: .customLong(name), inversion: .prefixedNo, help: help())
    }
  }
}
