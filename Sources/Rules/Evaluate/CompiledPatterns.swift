/// Compiled patterns of all rulesets that are in use, by their texts.
///
/// Rules are compiled again and again with nearly the same text: at each save, and a thousand times for the mutants of a suite.
/// A pattern with large bounds takes RE2 milliseconds each time, more than everything else in the file together.

internal import Synchronization

enum CompiledPatterns {
  /// LIMIT: texts remembered. Patterns live as long as a ruleset holds them; what is kept here is how to find them.
  private static let entriesMax = 1_024

  private struct Entry {
    weak var pattern: RegularPattern?
  }

  private static let entries = Mutex<[[UInt8]: Entry]>([:])

  /// The pattern, if a ruleset has compiled it and still holds it.
  static func known(_ source: [UInt8]) -> RegularPattern? {
    entries.withLock { $0[source]?.pattern }
  }

  static func keep(_ pattern: RegularPattern, _ source: [UInt8]) {
    entries.withLock { entries in
      if entries.count >= entriesMax { entries = entries.filter { $0.value.pattern != nil } }
      if entries.count < entriesMax { entries[source] = Entry(pattern: pattern) }
    }
  }
}
