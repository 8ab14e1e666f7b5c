/// Counts for people.

enum Plural {
  /// `1 suite`, `2 suites`
  static func text(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
