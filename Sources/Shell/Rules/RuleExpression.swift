/// `:eval`: any expression of the rules language, with the functions of the rules that are loaded.

import DocModel
import Rules

enum RuleExpression {
  /// The rules with a statement of ours in front that asks for the expression.
  ///
  /// - Parameter expression: as typed; it stands on a line of its own, so columns of messages are its own.
  static func source(_ expression: String, in rules: [UInt8]?) -> (text: [UInt8], line: Int) {
    let statement = "match /{shellPath=**} { allow get: if (\n\(expression)\n) == null; }\n"
    let frame =
      "rules_version = '2';\nservice cloud.firestore {\nmatch /databases/{database}/documents {\n}\n}\n"
    let text = rules.flatMap { insertionPoint($0) == nil ? nil : $0 } ?? Array(frame.utf8)
    let point = insertionPoint(text) ?? text.count
    let before = Array(text[..<point])
    let line = before.reduce(2) { $0 + ($1 == 0x0A ? 1 : 0) }
    return (before + Array(statement.utf8) + Array(text[point...]), line)
  }

  /// Behind the bracket that opens the documents of a database.
  private static func insertionPoint(_ rules: [UInt8]) -> Int? {
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    let text = RulesText.blankedComments(rules)
    var index = 0
    while index < text.count {
      guard text[index...].starts(with: "/databases/{".utf8) else {
        index += 1
        continue
      }
      guard let close = text[index...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
      var rest = close + 1
      guard text[rest...].starts(with: "/documents".utf8) else {
        index = rest
        continue
      }
      rest += "/documents".utf8.count
      while rest < text.count, blanks.contains(text[rest]) { rest += 1 }
      if rest < text.count, text[rest] == UInt8(ascii: "{") { return rest + 1 }
      index = rest
    }
    return nil
  }

  /// The value of the expression in a decision about our statement.
  static func value(_ decision: DetailedExplanation, line: Int) -> RecordedValue? {
    for rule in decision.rules {
      guard let condition = rule.condition, condition.kind == "==", let asked = condition.operands.first,
        Int(rule.trace.position.line) >= line - 1, Int(rule.trace.position.line) <= line
      else { continue }
      return value(asked)
    }
    return nil
  }

  private static func value(_ expression: ExplainedExpression) -> RecordedValue? {
    if case .value(let value) = expression.outcome { return value }
    return expression.kind == "parenthesized" ? expression.operands.first.flatMap { value($0) } : nil
  }
}

enum RulesText {
  /// The text with its comments as blanks: every byte stays where it is.
  static func blankedComments(_ text: [UInt8]) -> [UInt8] {
    var result = text
    var index = 0
    var quote: UInt8?
    while index < text.count {
      let byte = text[index]
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open || byte == 0x0A { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if text[index...].starts(with: "//".utf8) {
        while index < text.count, text[index] != 0x0A {
          result[index] = 0x20
          index += 1
        }
        continue
      } else if text[index...].starts(with: "/*".utf8) {
        while index < text.count, !text[index...].starts(with: "*/".utf8) {
          if result[index] != 0x0A { result[index] = 0x20 }
          index += 1
        }
        continue
      }
      index += 1
    }
    return result
  }
}
