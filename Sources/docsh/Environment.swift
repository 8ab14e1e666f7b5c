/// The process's environment.

import Platform

enum Environment {
  /// The value of a variable; nil when it is not set or empty.
  static func value(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Where `CI` is set, `only` in a suite would hide cases.
  static var acceptsOnly: Bool { value("CI") == nil }
}
