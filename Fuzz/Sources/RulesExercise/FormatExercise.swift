/// The formatter on one text.

internal import Rules

enum FormatExercise {
  static func run(_ text: [UInt8], _ compilation: Compilation) throws(RulesViolation) {
  }
}
