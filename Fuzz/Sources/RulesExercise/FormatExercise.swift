/// The formatter on one text.

internal import Rules
internal import RulesTools

enum FormatExercise {
  /// Formats the text, then what came out: the second time nothing may change. What the formatter refuses must have
  /// mistakes of syntax or a comment that never ends; that its own result is not the same program is a finding.
  static func run(_ text: [UInt8], _ compilation: Compilation) throws(RulesViolation) {
    let formatted: [UInt8]
    do throws(FormatRefusal) {
      formatted = try RulesFormatter.format(source: text, name: "fuzz.rules")
    } catch {
      switch error {
      case .unproven(let damage): throw RulesViolation(description: "formatting: \(damage)")
      case .syntax(let diagnostics, _):
        // `/*` without `*/` is a path segment, until a comment is moved behind it.
        let isOpenComment = diagnostics.contains { $0.id == "rules-open-comment" }
        guard compilation.ruleset == nil || isOpenComment else {
          throw RulesViolation(description: "a text that compiles is not formatted")
        }
        return
      }
    }
    let again: [UInt8]
    do throws(FormatRefusal) {
      again = try RulesFormatter.format(source: formatted, name: "fuzz.rules")
    } catch {
      throw RulesViolation(description: "what was formatted is not formatted again: \(error)")
    }
    guard again == formatted else {
      throw RulesViolation(description: "what was formatted is formatted otherwise the second time")
    }
  }
}
