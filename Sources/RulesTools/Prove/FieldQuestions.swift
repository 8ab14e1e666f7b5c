/// What a condition asked about fields: the filters that could answer it.

internal import DocModel
internal import Rules

/// Questions in the order in which they were first asked.
struct FieldQuestions {
  struct Question {
    let symbol: Int
    let comparison: FieldTest.Comparison
    let value: Operand
  }

  /// LIMIT: what a search for advice looks at.
  private static let questionsMax = 24

  private(set) var asked: [Question] = []

  mutating func add(_ question: Question, _ e: Evaluation) {
    guard asked.count < Self.questionsMax else { return }
    let isKnown = asked.contains { other in
      other.symbol == question.symbol && other.comparison == question.comparison
        && other.value.kind == question.value.kind && e.areEqual(other.value, question.value, .strict)
    }
    if !isKnown { asked.append(question) }
  }
}

extension SymbolicEvaluator {
  /// Keeps a question, when somebody collects them.
  @inline(__always)
  mutating func note(_ symbol: Int, _ comparison: FieldTest.Comparison, _ value: Operand) {
    if questions != nil { keep(symbol, comparison, value) }
  }

  @inline(never)
  private mutating func keep(_ symbol: Int, _ comparison: FieldTest.Comparison, _ value: Operand) {
    questions?.add(FieldQuestions.Question(symbol: symbol, comparison: comparison, value: value), e)
  }
}
